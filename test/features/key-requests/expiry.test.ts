/** Requests that nobody decides: who is reminded, when they end, and that they do so once. */
import assert from "node:assert/strict";
import { AlertEngine } from "../../../src/features/notifications/alerts/alert-engine.ts";
import { endWaitingRequests } from "../../../src/features/notifications/alerts/waiting-requests.transactions.ts";
import { DUE_AT_ONCE } from "../../../src/features/key-requests/expiry.store.ts";
import { NOT_IN_TIME } from "../../../src/features/key-requests/expiry.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { registered, signInByCode } from "../../support/developers.ts";
import { addMailChannel, addPerson, mailEngine, mailServer } from "../../support/mail-server.ts";
import { askedForPlan } from "../../support/offers.ts";
import { allItems, call, newPerson, testClock } from "../../support/people.ts";
import { deliver } from "../../support/receiver.ts";
import { storedCredentials } from "../../support/stored.ts";
import { planWith } from "../../support/verification.ts";

const START = "2026-03-01T00:00:00Z";
const DAY_MS = 86_400_000;
const clock = testClock(START);
const path = (id: string) => `/v1/key-requests/${id}`;
const day = (n: number) => new Date(Date.parse(START) + n * DAY_MS).toISOString();
const ends = { outcome: "one", expires_after_days: 10, remind_before_days: 3 };

interface Shown {
  state: string;
  expires_at: string | null;
  reason: string | null;
  decided_by: string | null;
  decided_by_name: string | null;
  approval: { steps: { approved: { name: string }[] }[] };
  offer: { id: string } | null;
}

/** A plan under this policy, and something that asks for it. */
async function planUnder(desk: TestDesk, policy: Record<string, unknown> = ends) {
  clock.at = Date.parse(START);
  const plan = await planWith(desk, { rate: 100, per: 1 });
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body: policy });
  const ask = async () => {
    const { id: by_user } = await registered(desk, `dev-${crypto.randomUUID()}`);
    const body = { by_user, for_plan: plan };
    return await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
  };
  return { plan, ask };
}

const read = (desk: TestDesk, id: string) => succeed<Shown>(desk, "GET", path(id));

/** How often the audit log has this of a request. */
async function told(desk: TestDesk, id: string, action: string): Promise<number> {
  return (await allItems(desk, `/v1/audit-log?object_id=${id}`))
    .filter((one) => one.action === `key_request.${action}`).length;
}

testOnEngines("expiry: reminded of once, then declined by nobody, once", async (desk) => {
  const { ask } = await planUnder(desk);
  const { id } = await ask();
  assert.equal((await read(desk, id)).expires_at, day(10));
  const engines = [new AlertEngine(desk.app.ctx), new AlertEngine(desk.app.ctx)];
  const turn = async () => {
    for (const one of engines) {
      await one.turn();
      await one.turn();
      await one.giveBack();
    }
  };
  clock.at = Date.parse(day(7)) - 1;
  await turn();
  assert.equal(await told(desk, id, "expires_soon"), 0);
  clock.at += 1;
  await turn();
  assert.equal(await told(desk, id, "expires_soon"), 1);
  clock.at = Date.parse(day(10)) - 1;
  await turn();
  assert.equal((await read(desk, id)).state, "pending");
  clock.at += 1;
  await turn();
  const ended = await read(desk, id);
  assert.deepEqual(
    [ended.state, ended.reason, ended.decided_by, ended.decided_by_name, ended.expires_at],
    ["declined", NOT_IN_TIME, "expiry", "Keydesk", null],
  );
  assert.equal(await told(desk, id, "expires_soon"), 1);
  assert.equal(await told(desk, id, "declined"), 1);
  const [event] = await allItems(desk, `/v1/audit-log?object_id=${id}`);
  assert.deepEqual([event.actor, event.actor_type], ["expiry", "system"]);
}, { clock });

testOnEngines("expiry: nobody is surprised by a clock that jumps", async (desk) => {
  const { ask } = await planUnder(desk);
  const { id } = await ask();
  const engine = new AlertEngine(desk.app.ctx);
  clock.at = Date.parse(day(400));
  await engine.turn();
  assert.equal(await told(desk, id, "expires_soon"), 1);
  assert.equal((await read(desk, id)).expires_at, day(401));
  // It goes back: nothing is told twice, nothing ends early.
  clock.at = Date.parse(day(2));
  await engine.turn();
  clock.at = Date.parse(day(401)) - 1;
  await engine.turn();
  assert.equal((await read(desk, id)).state, "pending");
  clock.at += 1;
  await engine.turn();
  assert.equal((await read(desk, id)).state, "declined");
  assert.equal(await told(desk, id, "expires_soon"), 1);
}, { clock });

testOnEngines("expiry: days begin anew with the steps, not with a step", async (desk) => {
  const ann = await newPerson(desk, ["portal:read", "portal:write", "approve"], { name: "Ann" });
  const { plan, ask } = await planUnder(desk, {
    ...ends,
    outcome: "steps",
    steps: [{ name: "Two", need: 2 }],
  });
  const { id } = await ask();
  const engine = new AlertEngine(desk.app.ctx);
  clock.at = Date.parse(day(5));
  await succeed(desk, "POST", `${path(id)}/approve`, { credential: ann.credential });
  assert.equal((await read(desk, id)).expires_at, day(10));
  clock.at = Date.parse(day(7));
  await engine.turn();
  clock.at = Date.parse(day(10));
  await engine.turn();
  const ended = await read(desk, id);
  assert.equal(ended.state, "declined");
  // What was approved until then stays with it.
  assert.deepEqual(ended.approval.steps[0]?.approved.map(({ name }) => name), ["Ann"]);
  await succeed(desk, "POST", `${path(id)}/reopen`);
  const anew = await read(desk, id);
  assert.deepEqual([anew.state, anew.expires_at], ["pending", day(20)]);
  assert.deepEqual(anew.approval.steps[0]?.approved, []);
  clock.at = Date.parse(day(12));
  const { by_user } = await call(desk, "GET", path(id));
  const body = { by_user, for_plan: plan, fields: { use_case: "Tides" } };
  const changed = await desk.send("PUT", `/api/portal/requests/${id}`, { body });
  assert.equal(changed.status, 200, await changed.text());
  assert.equal((await read(desk, id)).expires_at, day(22));
}, { clock });

testOnEngines("expiry: what waits for its developer does not end", async (desk) => {
  clock.at = Date.parse(START);
  const { id: old, plan } = await askedForPlan(desk);
  await succeed(desk, "POST", `${path(old)}/decline`);
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body: ends });
  const from = clock.at;
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", {
    body: { by_user: "dev-ada", for_plan: plan },
  });
  const engine = new AlertEngine(desk.app.ctx);
  clock.at = from + 6 * DAY_MS;
  const conditions = { rate: { calls: 1, seconds: 60 } };
  await succeed(desk, "POST", `${path(id)}/offer`, { body: { conditions } });
  assert.equal((await read(desk, id)).expires_at, null);
  for (let n = 7; n <= 12; n++) {
    clock.at = from + n * DAY_MS;
    await engine.turn();
  }
  const offered = await read(desk, id);
  assert.equal(offered.state, "pending");
  assert.equal(await told(desk, id, "expires_soon"), 0);
  const body = { offer_id: offered.offer?.id, turn_down: false, words: "Could it be more?" };
  // The session is over by then.
  const later = await signInByCode(desk, "dev-ada@example.org");
  const answered = await later.send("POST", `/v1/my/requests/${id}/answer`, { body });
  assert.equal(answered.status, 200, await answered.text());
  // Answered, it waits for people again, for as long as anybody's.
  assert.equal(
    (await read(desk, id)).expires_at,
    new Date(clock.at + 10 * DAY_MS).toISOString(),
  );
}, { clock });

testOnEngines(
  "expiry: of it and a decision one wins, and there is one key or none",
  async (desk) => {
    const { ask } = await planUnder(desk, { outcome: "one", expires_after_days: 10 });
    const ids: string[] = [];
    for (let n = 0; n < 24; n++) ids.push((await ask()).id);
    const engine = new AlertEngine(desk.app.ctx);
    await engine.turn();
    clock.at = Date.parse(day(10));
    const decide = (id: string, n: number) =>
      n % 3 === 0
        ? desk.send("POST", `${path(id)}/approve`, { body: { deliver: "one_time_link" } })
        : n % 3 === 1
        ? desk.send("POST", `${path(id)}/decline`)
        : desk.send("DELETE", `/api/portal/requests/${id}`);
    const [, ...answers] = await Promise.all([engine.turn(), ...ids.map(decide)]);
    await engine.turn();
    let keys = 0;
    for (const [n, id] of ids.entries()) {
      const isOk = (answers[n] as Response).status === 200;
      const shown = await desk.send("GET", path(id));
      if (shown.status === 404) {
        assert.equal(n % 3, 2);
        assert.ok(isOk);
        continue;
      }
      const { state, decided_by } = await shown.json();
      if (n % 3 === 2) assert.ok(!isOk);
      else assert.equal(decided_by !== "expiry", isOk);
      assert.notEqual(state, "pending");
      if (state === "issued") keys++;
      const ended = await told(desk, id, "declined") + await told(desk, id, "approved");
      assert.equal(ended, 1);
    }
    assert.equal((await storedCredentials(desk)).length, keys);
  },
  { clock },
);

testOnEngines("expiry: more than a batch is worked off, each request once", async (desk) => {
  const { ask } = await planUnder(desk, { outcome: "one", expires_after_days: 10 });
  for (let n = 0; n < DUE_AT_ONCE + 5; n++) await ask();
  const engine = new AlertEngine(desk.app.ctx);
  await engine.turn();
  clock.at = Date.parse(day(11));
  const { organisation: { id: org_id } } = await call(desk, "GET", "/v1/me");
  // Another holder than the one that looks does nothing.
  const other = await desk.app.ctx.storage.commit(endWaitingRequests, {
    org_id,
    holder: "other",
    now: clock.at - 10 * DAY_MS,
  });
  assert.deepEqual(other, { reminded: 0, ended: 0, more: false });
  await engine.turn();
  const counts = await call(desk, "GET", "/v1/key-requests/counts");
  assert.deepEqual([counts.pending, counts.declined], [0, DUE_AT_ONCE + 5]);
}, { clock });

testOnEngines("expiry: approvers are mailed before, its developer when it ends", async (desk) => {
  await using smtp = await mailServer();
  const { plan } = await planUnder(desk);
  await addMailChannel(desk, { digest_minutes: 0 });
  await addPerson(desk, "tomas@example.org");
  await addPerson(desk, "ada@example.org");
  const { id: by_user } = await succeed<{ id: string }>(desk, "POST", "/v1/developers", {
    body: { email: "ada@example.org", fields: { name: "Ada" } },
  });
  const engine = new AlertEngine(desk.app.ctx);
  const mails = mailEngine(desk, smtp, { now: () => clock.at });
  await succeed(desk, "POST", "/v1/key-requests", { body: { by_user, for_plan: plan } });
  await deliver(mails);
  smtp.taken.length = 0;
  clock.at = Date.parse(day(7));
  await engine.turn();
  await deliver(mails);
  // Whose own request it is can't decide, and is not told.
  assert.deepEqual(smtp.taken.map(({ to }) => to), [["tomas@example.org"]]);
  assert.match(
    smtp.taken[0]?.parsed.subject ?? "",
    /^“Ada”'s request for .* expires on Mar 11, 2026$/,
  );
  assert.match(smtp.taken[0]?.parsed.text ?? "", /Days left: 3\./);
  clock.at = Date.parse(day(10));
  await engine.turn();
  await deliver(mails);
  const last = smtp.taken.at(-1);
  assert.deepEqual([smtp.taken.length, last?.to], [2, ["ada@example.org"]]);
  assert.match(last?.parsed.subject ?? "", /was not decided in time$/);
}, { clock });

testOnEngines("expiry: a reminder is some days before an end, and belongs to one", async (desk) => {
  const { plan } = await planUnder(desk);
  const set = (body: Record<string, unknown>) =>
    desk.send("PUT", `/v1/plans/${plan}/approval-policy`, { body: { outcome: "one", ...body } });
  for (
    const wrong of [
      { remind_before_days: 3 },
      { expires_after_days: 3, remind_before_days: 3 },
      { expires_after_days: 0 },
      { expires_after_days: 366 },
    ]
  ) {
    const refused = await set(wrong);
    assert.deepEqual([refused.status, (await refused.json()).code], [400, "invalid_input"]);
  }
  const { expires_after_days, remind_before_days } = await (await set({
    expires_after_days: 2,
  })).json();
  assert.deepEqual([expires_after_days, remind_before_days], [2, null]);
  // Of several plans the first end counts.
  const other = await planWith(desk, { rate: 1, per: 1 });
  await succeed(desk, "PUT", `/v1/plans/${other}/approval-policy`, { body: ends });
  const { id: by_user } = await registered(desk, "dev-both");
  const { expires_at } = await succeed<Shown>(desk, "POST", "/v1/key-requests", {
    body: { by_user, for_plan: other, plans: [other, plan] },
  });
  assert.equal(expires_at, day(2));
}, { clock });
