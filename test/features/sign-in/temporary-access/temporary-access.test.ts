/** Break-glass: who gets it and how, what it opens and never does, and that it ends. */
import assert from "node:assert/strict";
import { TemporaryAccessTimes } from "../../../../src/features/people/temporary-access-times.ts";
import { Sessions } from "../../../../src/features/people/sessions.ts";
import { composeMail } from "../../../../src/features/notifications/compose-mail.ts";
import { factsOf } from "../../../../src/features/notifications/mail-facts.ts";
import { mailDefaults } from "../../../../src/contract/mail-names.ts";
import { endOver } from "../../../../src/features/sign-in/temporary-access/end-temporary-access.ts";
import { statement } from "../../../../src/storage/statement.ts";
import { defineTransaction } from "../../../../src/storage/storage.ts";
import { endpoints } from "../../../../src/reference/registry.ts";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  heldBy,
  insider,
  REASON,
  ruleFor,
  sendStart,
  signedStart,
  takeTemporaryAccess,
} from "../../../support/temporary-access.ts";
import { addProvider, enter, reach, standIn } from "../../../support/identity-provider.ts";
import { create, smallRequest } from "../../../support/key-requests.ts";
import { known } from "../../../support/known-parties.ts";
import { allItems, call, newPerson, testClock } from "../../../support/people.ts";
import { type Browser, bySession, signIn } from "../../../support/sign-in.ts";

const MINUTE = 60_000;
const OWN = ["portal:read"];
const TEMPORARY = ["portal:read", "approve"];

async function asked(desk: TestDesk): Promise<string> {
  const id = await create(desk, smallRequest());
  await known(desk, id);
  return id;
}

async function approve(desk: TestDesk, browser: Browser, id: string): Promise<Response> {
  return await bySession(desk, browser, "POST", `/v1/key-requests/${id}/approve`, {});
}

/** By its code alone: a refused call is told its path, too. */
async function refusedWith(response: Response, code: string): Promise<void> {
  assert.equal((await response.json()).code, code);
}

/** The rows of the audit log that carry the mark, oldest first. */
async function markedRows(desk: TestDesk, id: string) {
  const rows = await allItems(desk, `/v1/audit-log?temporary_access=${id}`);
  return rows.filter(({ detail }) => detail.elevation === id).reverse();
}

testOnEngines(
  "temporary access: no export is made in it, and another session makes them",
  async (desk) => {
    const grace = await insider(desk);
    const rule = await ruleFor(desk, [grace.id]);
    const other = await signIn(desk, { credential: grace.credential });
    const exports = endpoints.filter(({ isExport, path }) => isExport && path.startsWith("/v1/"));
    assert.ok(exports.length >= 6, `${exports.length}`);
    const statusAt = async (browser: Browser, path: string) => {
      const response = await bySession(desk, browser, "GET", path);
      await response.body?.cancel();
      return response.status;
    };
    const paths = exports.map(({ path }) => path.replace("{id}", "65b0c1d2e3f4a5b6c7d8e9f8"));
    const before = await Promise.all(paths.map((path) => statusAt(grace.browser, path)));
    assert.ok(before.includes(200), before.join());
    const { id } = await takeTemporaryAccess(desk, grace, rule);
    for (const path of paths) assert.equal(await statusAt(grace.browser, path), 403, path);
    assert.deepEqual(await Promise.all(paths.map((path) => statusAt(other, path))), before);
    const ended = await bySession(desk, grace.browser, "DELETE", `/v1/temporary-access/${id}`);
    assert.equal(ended.status, 200);
    assert.deepEqual(await Promise.all(paths.map((path) => statusAt(grace.browser, path))), before);
  },
);

testOnEngines(
  "temporary access: one session holds the role, and every deed is marked",
  async (desk) => {
    const grace = await insider(desk);
    const rule = await ruleFor(desk, [grace.id]);
    const other = await signIn(desk, { credential: grace.credential });
    const [first, second] = [await asked(desk), await asked(desk)];
    await refusedWith(await approve(desk, grace.browser, first), "access_denied");

    const { id, state, permissions, reason } = await takeTemporaryAccess(desk, grace, rule);
    assert.deepEqual([state, permissions, reason], ["open", TEMPORARY, REASON]);
    assert.deepEqual(await heldBy(desk, grace.browser), TEMPORARY);
    // Neither another session of hers nor her access token.
    assert.deepEqual(await heldBy(desk, other), OWN);
    await refusedWith(await approve(desk, other, first), "access_denied");
    const path = `/v1/key-requests/${first}/approve`;
    const byToken = await desk.send("POST", path, { body: {}, credential: grace.credential });
    await refusedWith(byToken, "access_denied");
    const approved = await approve(desk, grace.browser, first);
    assert.equal(approved.status, 200, await approved.text());

    const ended = await bySession(desk, grace.browser, "DELETE", `/v1/temporary-access/${id}`);
    assert.deepEqual([ended.status, (await ended.json()).end_reason], [200, "by_hand"]);
    assert.deepEqual(await heldBy(desk, grace.browser), OWN);
    await refusedWith(await approve(desk, grace.browser, second), "access_denied");

    const marked = await markedRows(desk, id);
    assert.ok(marked.some(({ action }) => action === "key_request.approved"));
    assert.ok(marked.every((row) => row.actor === grace.id && row.session !== ""));
    const all = await allItems(desk, `/v1/audit-log?temporary_access=${id}`);
    const begun = all.find(({ action }) => action === "temporary_access.started");
    assert.deepEqual([begun.detail.reason, begun.object_name], [REASON, "Incidents"]);
    assert.equal(begun.detail.signed.content.rule_id, rule);
    const over = all.find(({ action }) => action === "temporary_access.ended");
    assert.equal(over.detail.deeds, marked.length);
    // Both messages are there for webhooks, and what was done in it says so.
    const told = await outbox(desk);
    assert.ok(
      told.some(({ topic, object_id }) => topic === "elevation.started" && object_id === id),
    );
    assert.ok(
      told.some(({ topic, object_id }) => topic === "elevation.ended" && object_id === id),
    );
    const deed = told.find(({ topic }) => topic === "key_request.approved");
    assert.equal(JSON.parse(deed?.detail ?? "{}").elevation, id);
  },
);

const outboxSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("outbox_events").select(["topic", "object_id", "detail"])
    .where("org_id", "=", p.org_id).orderBy("id")
);

function outbox(desk: TestDesk) {
  return desk.app.ctx.storage.reader.rows(outboxSql, { org_id: desk.org_id });
}

testOnEngines(
  "temporary access: a passkey says yes once, to this reason, in this session",
  async (desk) => {
    const [grace, eve] = [await insider(desk), await insider(desk, { name: "Eve" })];
    const rule = await ruleFor(desk, [grace.id], { minutes: 30 });
    const start = (body: unknown, browser = grace.browser) => sendStart(desk, browser, body);
    // Whom no rule names learns of none.
    const named = { rule_id: rule, reason: REASON, minutes: 30 };
    await assertFailure(await start(named, eve.browser), "not_found");
    await assertFailure(await start(named), "signature_required", {
      message: "Sign this by a passkey: ask for a challenge first.",
    });
    await refusedWith(await start({ ...named, minutes: 31 }), "invalid_input");
    const body = await signedStart(desk, grace, rule);
    const refused = async (changed: unknown, browser = grace.browser) =>
      await refusedWith(await start(changed, browser), "signature_refused");
    await refused({ ...body, reason: "Something else" });
    await refused({ ...body, minutes: 29 });
    const later = new Date(Date.parse(body.signature.access_expires_at) + 1000).toISOString();
    await refused({ ...body, signature: { ...body.signature, access_expires_at: later } });
    const twin = await signIn(desk, { credential: grace.credential });
    await refused(body, twin);
    const foreign = await signedStart(desk, { ...grace, authenticator: eve.authenticator }, rule);
    await refused(foreign);
    const begun = await (await start(body)).json();
    await refusedWith(await start(body), "access_denied");
    await assertFailure(await start(body, twin), "temporary_access_already");
    const end = await bySession(desk, grace.browser, "DELETE", `/v1/temporary-access/${begun.id}`);
    assert.equal(end.status, 200);
    await refused(body);
    // An access token has no session for it.
    const byToken = { credential: grace.credential, body };
    await assertFailure(await desk.send("POST", "/v1/temporary-access", byToken), "not_found", {
      message: "This call comes by access token, not by session.",
    });
    // A rule that was changed since is another one.
    const old = await signedStart(desk, grace, rule);
    const changed = { name: "Incidents", people: [grace.id], role: "approver", minutes: 45 };
    await call(desk, "PUT", `/v1/temporary-access-rules/${rule}`, { ...changed, proof: "passkey" });
    await refused(old);
  },
);

testOnEngines("temporary access: a second person says yes, who is somebody else", async (desk) => {
  const mail = "grace@example.org";
  const grace = await insider(desk, { email: mail });
  const twin = await insider(desk, { name: "Grace too", email: " GRACE@example.org".trim() });
  const bob = await insider(desk, { name: "Bob", email: "bob@example.org" });
  const eve = await insider(desk, { name: "Eve" });
  const rule = await ruleFor(desk, [grace.id], {
    proof: "second_person",
    seconds: [grace.id, twin.id, bob.id],
  });
  const started = await sendStart(desk, grace.browser, {
    rule_id: rule,
    reason: REASON,
    minutes: 30,
  });
  const { id, state } = await started.json();
  assert.deepEqual([started.status, state], [200, "asked"]);
  assert.deepEqual(await heldBy(desk, grace.browser), OWN);
  const path = `/v1/temporary-access/${id}/confirm`;
  const confirm = (browser: Browser) => bySession(desk, browser, "POST", path);
  await assertFailure(await confirm(grace.browser), "not_second_person");
  await assertFailure(await confirm(twin.browser), "not_second_person");
  await assertFailure(await confirm(eve.browser), "not_found");
  await assertFailure(await desk.send("POST", path, { credential: bob.credential }), "not_found", {
    message: "This call comes by access token, not by session.",
  });
  const waiting = await (await bySession(desk, bob.browser, "GET", "/v1/temporary-access/own"))
    .json();
  assert.deepEqual(waiting.to_confirm.map((one: { id: string }) => one.id), [id]);
  const yes = await Promise.all([confirm(bob.browser), confirm(bob.browser)]);
  assert.deepEqual(yes.map(({ status }) => status).sort(), [200, 409]);
  assert.deepEqual(await heldBy(desk, grace.browser), TEMPORARY);
  assert.deepEqual(await heldBy(desk, bob.browser), OWN);
  const own = await (await bySession(desk, grace.browser, "GET", "/v1/temporary-access/own"))
    .json();
  assert.deepEqual([own.in_this_session, own.temporary_access.confirmed_by.id], [true, bob.id]);
  // Any administrator ends it.
  const admin = await desk.send("DELETE", `/v1/temporary-access/${id}`);
  assert.equal(admin.status, 200, await admin.text());
  assert.deepEqual(await heldBy(desk, grace.browser), OWN);
  const again = await desk.send("DELETE", `/v1/temporary-access/${id}`);
  await assertFailure(again, "temporary_access_over");
});

testOnEngines(
  "temporary access: another organisation's is as one that is not there",
  async (desk) => {
    const grace = await insider(desk);
    const rule = await ruleFor(desk, [grace.id]);
    const { id } = await takeTemporaryAccess(desk, grace, rule);
    const { admin: credential } = await desk.otherOrganisation();
    const body = { name: "X", people: [grace.id], role: "approver", minutes: 5, proof: "passkey" };
    const elsewhere = await desk.send("POST", "/v1/temporary-access-rules", { body, credential });
    assert.equal((await elsewhere.json()).code, "invalid_input");
    const put = await desk.send("PUT", `/v1/temporary-access-rules/${rule}`, { body, credential });
    await assertFailure(put, "not_found");
    for (const path of [`/v1/temporary-access-rules/${rule}`, `/v1/temporary-access/${id}`]) {
      await assertFailure(await desk.send("DELETE", path, { credential }), "not_found");
    }
    assert.deepEqual(
      (await call(desk, "GET", "/v1/temporary-access", undefined, credential)).data,
      [],
    );
    assert.deepEqual(await heldBy(desk, grace.browser), TEMPORARY);
  },
);

testOnEngines(
  "temporary access rule: nobody gives what they don't hold, and a role widens none",
  async (desk) => {
    const grace = await insider(desk);
    const lesser = await newPerson(desk, ["admin", "portal:read"]);
    const body = { name: "X", people: [grace.id], role: "approver", minutes: 5, proof: "passkey" };
    const byLesser = { body, credential: lesser.credential };
    const refused = await desk.send("POST", "/v1/temporary-access-rules", byLesser);
    assert.equal((await refused.json()).code, "permission_not_held");
    const wrong = { ...body, proof: "second_person", seconds: [grace.id] };
    const alone = await desk.send("POST", "/v1/temporary-access-rules", { body: wrong });
    assert.equal((await alone.json()).code, "invalid_input");
    // It never gives what changes who may do what.
    const strong = await call(desk, "POST", "/v1/temporary-access-rules", {
      ...body,
      role: "administrator",
    });
    for (const one of ["admin", "operator", "metrics", "act:developer", "verify"]) {
      assert.ok(!strong.permissions.includes(one), one);
    }
    assert.ok(strong.permissions.includes("admin:read"));
    const weaken = await desk.send("PUT", `/v1/temporary-access-rules/${strong.id}`, byLesser);
    assert.equal((await weaken.json()).code, "person_holds_more");

    const made = await call(desk, "POST", "/v1/roles", {
      name: "On call",
      permissions: ["portal:read", "revoke"],
    });
    const rule = await ruleFor(desk, [grace.id], { role: made.id });
    const taken = await desk.send("DELETE", `/v1/roles/${made.id}`);
    assert.match((await taken.json()).detail, /1 temporary access rule/);
    const { id } = await takeTemporaryAccess(desk, grace, rule);
    const change = async (permissions: string[]) =>
      await call(desk, "PUT", `/v1/roles/${made.id}`, { name: "On call", permissions });
    await change(["portal:read", "revoke", "secrets", "audit"]);
    assert.deepEqual(await heldBy(desk, grace.browser), ["portal:read", "revoke"]);
    await change(["portal:read", "audit"]);
    assert.deepEqual(await heldBy(desk, grace.browser), OWN);
    const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
    assert.deepEqual([over.id, over.state, over.end_reason], [id, "ended", "role"]);
  },
);

/** What is taken from under one, and why it ends then. */
const taken: [how: string, why: string, method: string, path: string, body?: unknown][] = [
  ["with its rule", "rule", "DELETE", "/v1/temporary-access-rules/RULE"],
  ["as its person may less", "person", "PUT", "/v1/people/PERSON", {
    name: "Grace",
    permissions: ["audit"],
  }],
  ["as its person is suspended", "person", "POST", "/v1/people/PERSON/suspend"],
  ["with its person", "person", "DELETE", "/v1/people/PERSON"],
];
for (const [how, why, method, path, body] of taken) {
  testOnEngines(
    `temporary access: ends ${how}`,
    async (desk) => {
      const grace = await insider(desk);
      const rule = await ruleFor(desk, [grace.id]);
      const { id } = await takeTemporaryAccess(desk, grace, rule);
      await call(desk, method, path.replace("RULE", rule).replace("PERSON", grace.id), body);
      const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
      assert.deepEqual([over.id, over.state, over.end_reason, over.reason], [
        id,
        "ended",
        why,
        null,
      ]);
    },
  );
}

{
  const clock = testClock();
  testOnEngines(
    "temporary access: ends by itself, and a clock that jumps prolongs none",
    async (desk) => {
      const grace = await insider(desk);
      const rule = await ruleFor(desk, [grace.id]);
      const began = clock.at;
      const { id } = await takeTemporaryAccess(desk, grace, rule, 10);
      const { ctx } = desk.app;
      const [, secret] = grace.browser.cookie.split("=");
      const hasTemporaryAccess = async (sessions: Sessions) =>
        (await sessions.find(secret))?.principal.temporaryAccess !== undefined;
      let measured = 0;
      const times = () => new TemporaryAccessTimes(ctx.storage, () => measured);
      const node = new Sessions(ctx, times());
      clock.at = began + 9 * MINUTE;
      assert.equal(await hasTemporaryAccess(node), true);
      // Set back: the time goes on from where it was.
      clock.at = began + MINUTE;
      measured = MINUTE - 1;
      assert.equal(await hasTemporaryAccess(node), true);
      measured = MINUTE;
      assert.equal(await hasTemporaryAccess(node), false);
      // A node that begins now goes by the latest time that any has stored.
      const seen = async () =>
        (await ctx.storage.reader.row(seenSql, { org_id: desk.org_id, id }))?.seen_at ?? "";
      while (Date.parse(await seen()) < began + 9 * MINUTE) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const after = new Sessions(ctx, times());
      measured += MINUTE;
      assert.equal(await hasTemporaryAccess(after), true);
      measured += MINUTE;
      assert.equal(await hasTemporaryAccess(after), false);
      // And a deed by whichever node, in its own transaction.
      assert.equal(
        (await ctx.storage.reader.row(seenSql, { org_id: desk.org_id, id }))?.state,
        "open",
      );
      clock.at = began + 10 * MINUTE;
      assert.deepEqual(await heldBy(desk, grace.browser), OWN);
      assert.equal(await endOver(ctx, times()), 1);
      assert.equal(await endOver(ctx, times()), 0);
      const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
      assert.deepEqual([over.state, over.end_reason, over.ended_by], ["ended", "time", "keydesk"]);
      clock.at = began;
      assert.deepEqual(await heldBy(desk, grace.browser), OWN);
    },
    { clock },
  );
}

const seenSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("elevations").select(["seen_at", "state"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

testOnEngines(
  "temporary access: ends with its session, and another does not take it up",
  async (desk) => {
    const grace = await insider(desk);
    const rule = await ruleFor(desk, [grace.id]);
    const { id } = await takeTemporaryAccess(desk, grace, rule);
    assert.equal((await bySession(desk, grace.browser, "DELETE", "/v1/session")).status, 200);
    const { ctx } = desk.app;
    assert.equal(await endOver(ctx, new TemporaryAccessTimes(ctx.storage)), 1);
    const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
    assert.deepEqual([over.id, over.end_reason], [id, "session"]);
    const browser = await signIn(desk, { credential: grace.credential });
    assert.deepEqual(await heldBy(desk, browser), OWN);
  },
);

testOnEngines("temporary access: of two starts at once one begins", async (desk) => {
  const grace = await insider(desk);
  const other = await signIn(desk, { credential: grace.credential });
  const rule = await ruleFor(desk, [grace.id]);
  const one = await signedStart(desk, grace, rule);
  const two = await signedStart(desk, { ...grace, browser: other }, rule);
  const answers = await Promise.all([
    sendStart(desk, grace.browser, one),
    sendStart(desk, other, two),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const held = [await heldBy(desk, grace.browser), await heldBy(desk, other)];
  assert.deepEqual(held.map((all) => all.length).sort(), [OWN.length, TEMPORARY.length].sort());
});

testOnEngines(
  "temporary access: an end beside deeds: what was counted is done, all else is not",
  async (desk) => {
    const grace = await insider(desk);
    const rule = await ruleFor(desk, [grace.id]);
    for (let round = 0; round < 4; round++) {
      const ids = [await asked(desk), await asked(desk), await asked(desk)];
      const { id } = await takeTemporaryAccess(desk, grace, rule);
      const deeds = ids.map((one) => approve(desk, grace.browser, one));
      const end = bySession(desk, grace.browser, "DELETE", `/v1/temporary-access/${id}`);
      const [ended, ...done] = await Promise.all([end, ...deeds]);
      assert.equal(ended?.status, 200, await ended?.text());
      const approved: string[] = [];
      for (const [i, response] of done.entries()) {
        assert.ok([200, 403].includes(response.status), await response.text());
        if (response.status === 200) approved.push(ids[i] ?? "");
      }
      const marked = await markedRows(desk, id);
      const told = marked.filter(({ action }) => action === "key_request.approved");
      assert.deepEqual(told.map((row) => row.object_id).sort(), approved.sort());
      const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
      const counted = marked.filter(({ action }) => action !== "call.refused");
      assert.equal(over.actions, counted.length);
      for (const one of ids) {
        const { state } = await call(desk, "GET", `/v1/key-requests/${one}`);
        assert.equal(state, approved.includes(one) ? "issued" : "pending");
      }
    }
  },
);

const pointAt = defineTransaction(
  "test.point-at-temporary-access",
  async (tx, row: { org_id: string; id: string; user_id: string }) => {
    await tx.change(pointSql, row);
  },
);
const prolong = defineTransaction(
  "test.prolong-temporary-access",
  async (tx, row: { org_id: string; id: string }) => {
    await tx.change(prolongSql, row);
  },
);
const pointSql = statement<{ org_id: string; id: string; user_id: string }>()((db, p) =>
  db.updateTable("sessions").set({ elevation_id: p.id })
    .where("org_id", "=", p.org_id).where("user_id", "=", p.user_id)
);
const prolongSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.updateTable("elevations")
    .set({ expires_at: "2040-01-01T00:00:00.000Z", state: "open", ended_at: null })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

{
  const clock = testClock();
  testOnEngines(
    "temporary access: rows that were changed in the store give nothing",
    async (desk) => {
      const [grace, eve] = [await insider(desk), await insider(desk, { name: "Eve" })];
      const rule = await ruleFor(desk, [grace.id]);
      const { id } = await takeTemporaryAccess(desk, grace, rule, 10);
      const { storage } = desk.app.ctx;
      // Another session that points at it is none of its.
      await storage.commit(pointAt, { org_id: desk.org_id, id, user_id: eve.id });
      assert.deepEqual(await heldBy(desk, eve.browser), OWN);
      assert.deepEqual(await heldBy(desk, grace.browser), TEMPORARY);
      await storage.commit(prolong, { org_id: desk.org_id, id });
      clock.at += 10 * MINUTE;
      assert.deepEqual(await heldBy(desk, grace.browser), OWN);
      // Nor does one come back that has ended.
      await call(desk, "DELETE", `/v1/temporary-access/${id}`);
      clock.at -= 9 * MINUTE;
      await storage.commit(prolong, { org_id: desk.org_id, id });
      assert.deepEqual(await heldBy(desk, grace.browser), OWN);
    },
    { clock, extra: [pointAt, prolong] },
  );
}

testOnEngines(
  "temporary access: administrators are mailed, and those whom the rule names",
  async (desk) => {
    const grace = await insider(desk);
    const { data: people } = await call(desk, "GET", "/v1/people");
    const [first] = people.filter((one: { permissions: string[] }) =>
      one.permissions.includes("admin")
    );
    await call(desk, "PUT", `/v1/people/${first.id}`, {
      name: first.name,
      permissions: first.permissions,
      email: "admin@example.org",
    });
    const watch = await insider(desk, { name: "Watch", email: "watch@example.org" });
    const rule = await ruleFor(desk, [grace.id], { receivers: [watch.id] });
    const { id } = await takeTemporaryAccess(desk, grace, rule);
    const event = (await allItems(desk, "/v1/audit-log?action=temporary_access.started"))[0];
    const { recipientsOf } = await import(
      "../../../../src/features/notifications/recipients.transactions.ts"
    );
    // as: of a channel no more is looked at.
    const channel = {
      org_id: desk.org_id,
      kind: "mail",
      config: JSON.stringify({ mails: {} }),
    } as never;
    const message = { topic: "elevation.started", object_id: id, at: event.at };
    const told = await recipientsOf(desk.app.ctx.storage.reader, channel, message);
    assert.deepEqual(told.sort(), [`person:${first.id}`, `person:${watch.id}`].sort());
    const { data: [shown] } = await call(desk, "GET", "/v1/temporary-access-rules");
    assert.deepEqual([shown.usable, shown.notified], [true, { people: 0, webhooks: 0 }]);
    await call(desk, "POST", "/v1/channels", {
      kind: "webhook",
      name: "Security",
      url: "https://example.org/hook",
      topics: ["temporary_access.*"],
    });
    const { data: [heard] } = await call(desk, "GET", "/v1/temporary-access-rules");
    assert.deepEqual(heard.notified, { people: 0, webhooks: 1 });
  },
);

testOnEngines(
  "temporary access: whoever may less makes no way in for those who may get temporary access",
  async (desk) => {
    const [grace, bob] = [await insider(desk), await insider(desk, { name: "Bob" })];
    await ruleFor(desk, [grace.id], { proof: "second_person", seconds: [bob.id] });
    const lesser = await newPerson(desk, ["admin", "portal:read"]);
    const { credential } = lesser;
    const own = { name: "x", deliver: "answer" };
    for (const { id } of [grace, bob]) {
      const refused = async (method: string, path: string, body?: unknown) =>
        await assertFailure(
          await desk.send(method, path, { body, credential }),
          "person_holds_more",
          {
            message: "By a rule of temporary access this person holds more than you do: approve.",
          },
        );
      await refused("POST", `/v1/people/${id}/access-tokens`, own);
      await refused("POST", `/v1/people/${id}/invitation`);
      const put = { name: "Grace", permissions: ["portal:read"], email: "mine@example.org" };
      await refused("PUT", `/v1/people/${id}`, put);
      const { data } = await call(desk, "GET", `/v1/people/${id}/access-tokens`);
      await refused("POST", `/v1/access-tokens/${data[0].id}/rotate`, {
        overlap_seconds: 0,
        deliver: "answer",
      });
    }
    await call(desk, "POST", `/v1/people/${lesser.id}/access-tokens`, own, credential);
  },
);

testOnEngines(
  "temporary access: an invitation that is open ends as a rule names its person",
  async (desk) => {
    const invited = await call(desk, "POST", "/v1/people/invitations", {
      name: "Ina",
      email: "ina@example.org",
      permissions: ["portal:read"],
    });
    await ruleFor(desk, [invited.person_id]);
    const path = `/v1/audit-log?action=person.invitation_withdrawn&object_id=${invited.person_id}`;
    assert.equal((await allItems(desk, path)).length, 1);
  },
);

testOnEngines("temporary access: another node ends it for this one at once", async (desk) => {
  const grace = await insider(desk);
  const rule = await ruleFor(desk, [grace.id]);
  const { id } = await takeTemporaryAccess(desk, grace, rule);
  const [, secret] = grace.browser.cookie.split("=");
  const elsewhere = new Sessions(desk.app.ctx);
  assert.equal((await elsewhere.find(secret))?.principal.temporaryAccess?.id, id);
  await call(desk, "DELETE", `/v1/temporary-access/${id}`);
  // Nothing of it is kept in memory.
  assert.equal((await elsewhere.find(secret))?.principal.temporaryAccess, undefined);
});

testOnEngines("temporary access: the mail names person, rule and reason", async (desk) => {
  const grace = await insider(desk);
  const rule = await ruleFor(desk, [grace.id], { receivers: [grace.id] });
  const { id } = await takeTemporaryAccess(desk, grace, rule);
  const [{ at }] = await allItems(desk, "/v1/audit-log?action=temporary_access.started");
  const about = {
    org_id: desk.org_id,
    topic: "elevation.started",
    object_id: id,
    at,
    recipient: { kind: "person" as const, id: grace.id },
    gathered: [],
    detail: null,
  };
  const urls = { publicUrl: "", portalUrl: "" };
  const facts = await factsOf(desk.app.ctx.storage.reader, about, urls);
  assert.ok(facts);
  const { subject, text, unknown } = composeMail({
    facts,
    config: mailDefaults,
    publicUrl: "",
    defaultFrom: "desk@example.org",
    missing: 0,
  });
  assert.match(subject, /^Grace has temporary access at /);
  for (const said of ["Incidents", REASON]) assert.ok(text.includes(said), text);
  assert.deepEqual(unknown, []);
});

testOnEngines("temporary access: whose own role is weakened has none any more", async (desk) => {
  const team = { name: "Team", permissions: ["portal:read", "audit"] };
  const { id: role } = await call(desk, "POST", "/v1/roles", team);
  const grace = await insider(desk, { permissions: undefined, role });
  const { id } = await takeTemporaryAccess(desk, grace, await ruleFor(desk, [grace.id]));
  await call(desk, "PUT", `/v1/roles/${role}`, { ...team, permissions: ["portal:read"] });
  assert.deepEqual(await heldBy(desk, grace.browser), OWN);
  const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
  assert.deepEqual([over.id, over.state, over.end_reason], [id, "ended", "person"]);
});

testOnEngines("temporary access: whom a provider gives less has none any more", async (desk) => {
  await using provider = await standIn();
  const from = await addProvider(desk, provider);
  reach(desk, provider.host);
  const claims = { sub: "grace", name: "Grace", groups: ["admins"] };
  const grace = await enter(desk, provider, from, claims, true);
  const { id: person } = grace.session.person;
  const bob = await insider(desk, { name: "Bob" });
  const proof = { proof: "second_person", seconds: [bob.id] };
  const rule_id = await ruleFor(desk, [person], proof);
  const asked = await sendStart(desk, grace, { rule_id, reason: REASON, minutes: 30 });
  const { id } = await asked.json();
  const yes = await bySession(desk, bob.browser, "POST", `/v1/temporary-access/${id}/confirm`);
  assert.equal(yes.status, 200, await yes.text());
  await enter(desk, provider, from, { ...claims, groups: ["desk"] });
  const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
  assert.deepEqual([over.id, over.state, over.end_reason], [id, "ended", "person"]);
});

testOnEngines(
  "temporary access rules: of several with one name at once one is there",
  async (desk) => {
    const grace = await insider(desk);
    const body = (name: string) => ({
      body: { name, people: [grace.id], role: "approver", minutes: 5, proof: "passkey" },
    });
    const add = (name: string) => desk.send("POST", "/v1/temporary-access-rules", body(name));
    const answers = await Promise.all(Array.from({ length: 8 }, () => add("On call")));
    const codes = await Promise.all(answers.map(async (one) => (await one.json()).code));
    assert.deepEqual(
      [answers.filter(({ status }) => status === 200).length, new Set(codes.filter(Boolean))],
      [1, new Set(["temporary_access_rule_name_taken"])],
    );
    await assertFailure(await add("ON CALL"), "temporary_access_rule_name_taken");
    const other = await ruleFor(desk, [grace.id]);
    const renamed = await desk.send("PUT", `/v1/temporary-access-rules/${other}`, body("On call"));
    await assertFailure(renamed, "temporary_access_rule_name_taken");
    // Its own name stays its own, and another organisation's names are its own.
    const kept = await desk.send("PUT", `/v1/temporary-access-rules/${other}`, body("Incidents"));
    assert.equal(kept.status, 200, await kept.text());
  },
);
