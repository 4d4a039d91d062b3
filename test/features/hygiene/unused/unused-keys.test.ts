/**
 * Keys that nobody uses: two warnings that were really sent, then what their plans say; never
 * twice, and undone by one call.
 */
import assert from "node:assert/strict";
import { AlertEngine } from "../../../../src/features/notifications/alerts/alert-engine.ts";
import type { DeliveryEngine } from "../../../../src/features/notifications/delivery-engine.ts";
import { noteUses } from "../../../../src/features/verification/last-uses.transactions.ts";
import { toTimestamp } from "../../../../src/kernel/clock.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { eventually } from "../../../support/eventually.ts";
import { allKeyIds, importKeys, movableClock, readKey } from "../../../support/keys.ts";
import { addMailChannel, mailEngine, mailServer } from "../../../support/mail-server.ts";
import { allItems } from "../../../support/people.ts";
import { deliver } from "../../../support/receiver.ts";
import { heeds, planWith } from "../../../support/verification.ts";

const START = "2026-03-01T00:00:00Z";
const DAY_MS = 86_400_000;
const clock = movableClock(START);
const options = { clock: { now: () => clock.at } };

// deno-lint-ignore no-explicit-any -- bodies of several forms
type Any = any;

/** A desk that mails, with nodes that look when they are told to. */
async function begin(desk: TestDesk) {
  clock.at = Date.parse(START);
  const smtp = await mailServer();
  await addMailChannel(desk);
  const mails: DeliveryEngine = mailEngine(desk, smtp, { now: () => clock.at });
  const node = new AlertEngine(desk.app.ctx);
  return {
    smtp,
    node,
    /** Days pass; then a node looks, what it tells is mailed, and it looks at that. */
    async days(n: number) {
      clock.at += n * DAY_MS;
      await node.turn();
      await deliver(mails);
      clock.at += 10 * 60_000;
      await node.turn();
    },
    deliver: () => deliver(mails),
    async [Symbol.asyncDispose]() {
      await node.giveBack();
      await smtp[Symbol.asyncDispose]();
    },
  };
}

/** A key for these plans of a developer who can be mailed; itself and its id. */
async function keyFor(desk: TestDesk, ...plans: string[]) {
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/developers", {
    body: { email: `${crypto.randomUUID()}@example.org`, fields: { name: "Ada" } },
  });
  const body = { plans };
  const issued = await succeed<Any>(desk, "POST", `/v1/developers/${id}/keys`, { body });
  return { id: issued.key_id as string, plain: issued.RawKey as string };
}

const rule = (desk: TestDesk, plan: string, body: Record<string, unknown>): Promise<Any> =>
  succeed(desk, "PUT", `/v1/plans/${plan}/unused-keys`, { body });
const scheduleOf = (desk: TestDesk, id: string): Promise<Any> =>
  succeed(desk, "GET", `/v1/keys/${id}/schedule`);
const keep = (desk: TestDesk, id: string): Promise<Any> =>
  succeed(desk, "POST", `/v1/keys/${id}/keep`, { body: {} });
const warnings = async (desk: TestDesk, id: string) =>
  (await allItems(desk, `/v1/audit-log?action=key.unused&object_id=${id}`))
    .map(({ detail }) => detail.warning).reverse();
const use = (desk: TestDesk, key_id: string) =>
  desk.app.ctx.storage.commit(noteUses, {
    uses: [{ org_id: desk.app.first.org_id, key_id, last_used_at: toTimestamp(clock.at) }],
  });

const TERMS = { action: "revoke", after_days: 90, warn_days: 10 };

testOnEngines(
  "unused keys: switched off at first; then warned twice, suspended, revoked, and brought back",
  async (desk) => {
    await using at = await begin(desk);
    const plan = await planWith(desk, {}, ["tides"]);
    const { id, plain } = await keyFor(desk, plan);
    await at.days(400);
    assert.deepEqual(await warnings(desk, id), []);
    const shown = await succeed<Any>(desk, "GET", `/v1/plans/${plan}/unused-keys`);
    assert.equal(shown.action, "off");

    await rule(desk, plan, TERMS);
    await at.days(0);
    assert.deepEqual(await warnings(desk, id), [1]);
    const [mail] = at.smtp.taken.filter(({ parsed }) =>
      /suspended unless/.test(parsed.subject ?? "")
    );
    assert.match(mail?.parsed.text ?? "", /Days without a use: 400/);
    const first = await scheduleOf(desk, id);
    assert.equal(first.step, "warned");
    assert.equal(first.next.what, "warn");
    assert.notEqual(first.warning_sent_at, null);
    assert.deepEqual(await allKeyIds(desk, "schedule=warned"), [id]);

    await at.days(9);
    assert.deepEqual(await warnings(desk, id), [1]);
    await at.days(1);
    assert.deepEqual(await warnings(desk, id), [1, 2]);
    assert.equal((await readKey(desk, id)).state, "active");
    await at.days(9);
    assert.equal((await readKey(desk, id)).state, "active");
    await at.days(1);
    const suspended = await readKey(desk, id);
    assert.equal(suspended.state, "suspended");
    assert.match(suspended.reason ?? "", /^It has not been used since 2026-/);
    assert.deepEqual(await allKeyIds(desk, "schedule=suspended"), [id]);
    await at.days(29);
    assert.equal((await readKey(desk, id)).state, "suspended");
    await at.days(1);
    const revoked = await readKey(desk, id);
    assert.equal(revoked.state, "revoked");
    assert.notEqual(revoked.undo, null);
    assert.deepEqual(await allKeyIds(desk, "schedule=revoked"), [id]);

    await keep(desk, id);
    assert.equal((await readKey(desk, id)).state, "active");
    await heeds(desk, plain, "valid");
    assert.equal((await scheduleOf(desk, id)).step, null);
    assert.deepEqual(await allKeyIds(desk, "schedule=revoked"), []);
    await at.days(60);
    assert.deepEqual(await warnings(desk, id), [1, 2]);
    const told = (await allItems(desk, `/v1/audit-log?object_id=${id}`)).map((one) => one.action);
    for (const action of ["key.suspended", "key.revoked", "key.kept"]) {
      assert.equal(told.filter((one) => one === action).length, 1, action);
    }
  },
  options,
);

testOnEngines(
  "unused keys: no step before its warning was really mailed, and none twice in one moment",
  async (desk) => {
    await using at = await begin(desk);
    const plan = await planWith(desk, {}, ["tides"]);
    const { id } = await keyFor(desk, plan);
    await rule(desk, plan, TERMS);
    clock.at += 90 * DAY_MS;
    const other = new AlertEngine(desk.app.ctx);
    await Promise.all([at.node.turn(), other.turn()]);
    await Promise.all([other.turn(), at.node.turn()]);
    assert.deepEqual(await warnings(desk, id), [1]);
    // Nobody mails it: however long it takes, the first warning is all that is told, again.
    for (let i = 0; i < 4; i++) {
      clock.at += 20 * DAY_MS;
      await at.node.turn();
      await other.turn();
    }
    assert.equal((await readKey(desk, id)).state, "active");
    assert.deepEqual([...new Set(await warnings(desk, id))], [1]);
    assert.equal((await scheduleOf(desk, id)).warning_sent_at, null);

    // Once it goes out, the days are counted from there.
    await at.deliver();
    await at.days(1);
    const before = (await warnings(desk, id)).length;
    // A clock that jumps ahead makes one step, and back it makes none.
    await at.days(300);
    assert.equal((await warnings(desk, id)).length, before + 1);
    await at.node.turn();
    assert.equal((await readKey(desk, id)).state, "active");
    await at.days(-300);
    await at.days(9);
    assert.equal((await warnings(desk, id)).length, before + 1);
    assert.equal((await readKey(desk, id)).state, "active");
    await other.giveBack();
  },
  options,
);

testOnEngines(
  "unused keys: a use, or that somebody needs it, takes a key out at once",
  async (desk) => {
    await using at = await begin(desk);
    const plan = await planWith(desk, {}, ["tides"]);
    const used = await keyFor(desk, plan);
    const late = await keyFor(desk, plan);
    const kept = await keyFor(desk, plan);
    await rule(desk, plan, TERMS);
    await at.days(90);
    assert.equal((await allKeyIds(desk, "schedule=warned")).length, 3);
    await use(desk, used.id);
    await keep(desk, kept.id);
    assert.deepEqual(await allKeyIds(desk, "schedule=warned"), [late.id]);
    assert.equal((await scheduleOf(desk, used.id)).step, null);
    const unused = await allKeyIds(desk, `unused_since=${toTimestamp(clock.at - DAY_MS)}`);
    assert.deepEqual(unused.sort(), [kept.id, late.id].sort());
    await at.days(10);
    await at.days(10);
    assert.equal((await readKey(desk, late.id)).state, "suspended");
    assert.equal((await readKey(desk, used.id)).state, "active");
    assert.equal((await readKey(desk, kept.id)).state, "active");
    assert.deepEqual(await warnings(desk, kept.id), [1]);
    // What was used in the last moment before, and is known late, is resumed by itself.
    const last = await keyFor(desk, plan);
    await at.days(90);
    await at.days(10);
    clock.at += 10 * DAY_MS;
    await at.node.turn();
    assert.equal((await readKey(desk, last.id)).state, "suspended");
    await use(desk, last.id);
    clock.at += 10 * 60_000;
    await at.node.turn();
    assert.equal((await readKey(desk, last.id)).state, "active");
    // Somebody's own suspension is not the schedule's to end, nor a call's to undo.
    await succeed(desk, "POST", `/v1/keys/${last.id}/suspend`, { body: { reason: "odd" } });
    const refused = await desk.send("POST", `/v1/keys/${last.id}/keep`, { body: {} });
    assert.equal(refused.headers.get("x-keydesk-error"), "key_suspended");
  },
  options,
);

testOnEngines(
  "unused keys: what opens elsewhere too is left alone, and of several plans the gentlest counts",
  async (desk) => {
    await using at = await begin(desk);
    const plan = await planWith(desk, {}, ["tides"]);
    const other = await planWith(desk, {}, ["waves"]);
    const hash = crypto.randomUUID().replaceAll("-", "").repeat(2);
    const { id: developer } = await succeed<{ id: string }>(desk, "POST", "/v1/developers", {
      body: { email: "own@example.org", fields: { name: "Ada" } },
    });
    await importKeys(desk, [JSON.stringify({ hash, developer, plans: [plan] })]);
    const said = await keyFor(desk, plan);
    const both = await keyFor(desk, plan, other);
    await succeed(desk, "PUT", `/v1/keys/${said.id}/elsewhere`, { body: { elsewhere: true } });
    await rule(desk, plan, TERMS);
    await at.days(100);
    assert.deepEqual((await allKeyIds(desk, "schedule=elsewhere")).sort(), [hash, said.id].sort());
    assert.equal((await scheduleOf(desk, hash)).step, "left_alone");
    assert.equal((await scheduleOf(desk, hash)).elsewhere.imported, true);
    assert.deepEqual(await allKeyIds(desk, "schedule=warned"), []);

    // Every plan has to say so, and the other waits longer.
    await rule(desk, other, { action: "warn", after_days: 110, warn_days: 5 });
    await at.days(5);
    assert.deepEqual(await warnings(desk, both.id), []);
    await at.days(5);
    assert.deepEqual(await warnings(desk, both.id), [1]);
    await at.days(50);
    await at.days(50);
    await at.days(50);
    assert.deepEqual(await warnings(desk, both.id), [1, 2]);
    assert.equal((await readKey(desk, both.id)).state, "active");
    // Further than warnings it goes once the rule says so, and two warnings say it too.
    await rule(desk, other, { action: "suspend", after_days: 110, warn_days: 5 });
    await at.days(1);
    await at.days(10);
    assert.deepEqual(await warnings(desk, both.id), [1, 2, 1, 2]);
    assert.equal((await readKey(desk, both.id)).state, "active");
    await at.days(10);
    assert.equal((await readKey(desk, both.id)).state, "suspended");
    // Nothing is left where the imported ones came from, people say.
    await succeed(desk, "PUT", `/v1/keys/${hash}/elsewhere`, { body: { elsewhere: false } });
    await at.days(1);
    assert.deepEqual(await warnings(desk, hash), [1]);
    await succeed(desk, "PUT", `/v1/keys/${both.id}/elsewhere`, { body: { elsewhere: true } });
    await at.node.turn();
    assert.equal((await readKey(desk, both.id)).state, "active");
  },
  options,
);

testOnEngines(
  "unused keys: a plan's rule is for who may change plans, and the audit log has both sides",
  async (desk) => {
    await using _at = await begin(desk);
    const plan = await planWith(desk, {}, ["tides"]);
    const before = await rule(desk, plan, TERMS);
    const stale = await desk.send("PUT", `/v1/plans/${plan}/unused-keys`, {
      body: { action: "off" },
      headers: { "if-match": '"other"' },
    });
    assert.equal(stale.headers.get("x-keydesk-error"), "precondition_failed");
    const approver = await desk.token(["portal:read", "approve"]);
    const init = { credential: approver, body: { action: "off" } };
    assert.equal((await desk.send("PUT", `/v1/plans/${plan}/unused-keys`, init)).status, 403);
    await succeed(desk, "PUT", `/v1/plans/${plan}/unused-keys`, {
      body: { ...TERMS, warn_days: 20 },
      headers: { "if-match": `"${before.revision}"` },
    });
    const [event] = await allItems(desk, "/v1/audit-log?action=unused_rule.updated");
    assert.equal(event.detail.before.warn_days, 10);
    assert.equal(event.detail.after.warn_days, 20);
    for (const body of [{ action: "delete" }, { action: "warn", after_days: 1 }, {}]) {
      const response = await desk.send("PUT", `/v1/plans/${plan}/unused-keys`, { body });
      assert.equal(response.headers.get("x-keydesk-error"), "invalid_input");
    }
    assert.equal((await desk.send("GET", "/v1/plans/none/unused-keys")).status, 404);
  },
  options,
);

testOnEngines(
  "unused keys: a node that ends amid its keys, or dies, leaves the others to the next, each once",
  async (desk) => {
    await using at = await begin(desk);
    const plan = await planWith(desk, {}, ["tides"]);
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push((await keyFor(desk, plan)).id);
    await rule(desk, plan, TERMS);
    clock.at += 90 * DAY_MS;
    // Every second transaction of this node is lost with it, and so is what it came to.
    const { storage } = desk.app.ctx;
    let commits = 0;
    const dying = new Proxy(storage, {
      get: (of, name) =>
        name !== "commit" ? Reflect.get(of, name, of) : (...call: Parameters<typeof of.commit>) => {
          if (++commits % 4 === 0) return Promise.reject(new Error("killed"));
          return of.commit(...call);
        },
    });
    for (let i = 0; i < 8; i++) {
      const node = new AlertEngine({ ...desk.app.ctx, storage: dying });
      await node.turn().catch(() => {});
      // Whoever dies gives nothing back: its lease ends by itself.
      clock.at += 31_000;
    }
    await at.node.turn();
    for (const id of ids) assert.deepEqual(await warnings(desk, id), [1], id);
    await at.deliver();
    const warned = at.smtp.taken.filter(({ parsed }) =>
      /suspended unless/.test(parsed.subject ?? "")
    );
    assert.equal(warned.length, ids.length);
  },
  options,
);

testOnEngines(
  "unused keys: whoever tries a suspended key puts its end off, and its schedule tells",
  async (desk) => {
    await using at = await begin(desk);
    const plan = await planWith(desk, {}, ["tides"]);
    const { id, plain } = await keyFor(desk, plan);
    await rule(desk, plan, TERMS);
    for (const days of [90, 10, 10]) await at.days(days);
    assert.equal((await readKey(desk, id)).state, "suspended");
    await at.days(20);
    await heeds(desk, plain, "suspended");
    const knocked = async () => (await scheduleOf(desk, id)).call_origins.count > 0;
    await eventually("a refusal comes to the store", knocked);
    await at.days(10);
    assert.equal((await readKey(desk, id)).state, "suspended");
    await at.days(20);
    assert.equal((await readKey(desk, id)).state, "revoked");
  },
  options,
);
