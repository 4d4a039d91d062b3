/** Temporary access: who gets it and how, what it opens and never does. */
import assert from "node:assert/strict";
import { composeMail } from "../../../../src/features/notifications/compose-mail.ts";
import { factsOf } from "../../../../src/features/notifications/mail-facts.ts";
import { mailDefaults } from "../../../../src/contract/mail-names.ts";
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
