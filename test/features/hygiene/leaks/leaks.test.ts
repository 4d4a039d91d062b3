/** POST /v1/leaks: what anybody may report, what is answered, and what becomes of it. */
import assert from "node:assert/strict";
import { reportsBehind } from "../../../../src/features/hygiene/leaks/leaks.store.ts";
import { LeakWorker } from "../../../../src/features/hygiene/leaks/work-off.ts";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { createLog } from "../../../../src/kernel/log.ts";
import { openApplication } from "../../../../src/server.ts";
import { transactions } from "../../../../src/transactions.ts";
import { statement } from "../../../../src/storage/statement.ts";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { issue, readKey } from "../../../support/keys.ts";
import { openDesk, report, workOff } from "../../../support/leaks.ts";
import { addOAuthClient, introspected, oauthClientOf, tokenFor } from "../../../support/oauth.ts";
import { addPasskey } from "../../../support/passkeys.ts";
import { call, newPerson, statusOf } from "../../../support/people.ts";
import { signIn } from "../../../support/sign-in.ts";
import { heeds, outcome } from "../../../support/verification.ts";

const environment = openDesk;
const URL = "https://example.org/repository/blob/main/.env";

const rowsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("audit_events").select(["action", "object_id", "actor", "detail", "personal"])
    .where("org_id", "=", p.org_id).where("actor", "=", "leak-desk").orderBy("id")
);
const topicsSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("outbox_events").select("topic").where("org_id", "=", p.org_id)
    .where("object_id", "=", p.id).orderBy("id")
);

/** What the desk did in an organisation. */
const rowsOf = (desk: TestDesk, org_id = desk.org_id) =>
  desk.app.ctx.storage.reader.rows(rowsSql, { org_id });
const actionsOf = async (desk: TestDesk, org_id?: string) =>
  (await rowsOf(desk, org_id)).map(({ action }) => action);
const waiting = (desk: TestDesk) =>
  reportsBehind(desk.app.ctx.storage.reader, { behind: "" }, 1000);

/** A plan whose leaked keys are dealt with so. */
async function planOf(desk: TestDesk, when_leaked?: string, more = {}): Promise<string> {
  const body = { name: `Plan ${crypto.randomUUID()}`, when_leaked, ...more };
  return (await call(desk, "POST", "/v1/plans", body)).id;
}

testOnEngines("leaks: a closed desk is nowhere, and keeps nothing", async (desk) => {
  const { RawKey } = await issue(desk);
  await assertFailure(await report(desk, [RawKey]), "unknown_path");
  const partner = await desk.send("POST", "/v1/leaks/partner", { credential: null, body: "[]" });
  await assertFailure(partner, "unknown_path");
  assert.deepEqual(await waiting(desk), []);
});

testOnEngines(
  "leaks: known, unknown, revoked and mistyped texts are answered alike, and looked at afterwards",
  async (desk) => {
    const { RawKey, key_id } = await issue(desk);
    const revoked = await issue(desk);
    await call(desk, "POST", `/v1/keys/${revoked.key_id}/revoke`, { reason: "old" });
    const answers = [];
    for (const text of [RawKey, revoked.RawKey, "no-such-key", desk.admin, "kda_x", "a:b"]) {
      const response = await report(desk, [text], { url: URL });
      const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
      answers.push(JSON.stringify([response.status, headers, await response.json()]));
    }
    assert.equal(new Set(answers).size, 1, answers.join("\n"));
    assert.match(answers[0] ?? "", /^\[202,.*{"received":1}\]$/);
    // Nothing has been looked up: the rows alone are there, and they hold no text.
    assert.deepEqual(await actionsOf(desk), []);
    const rows = await waiting(desk);
    assert.equal(rows.length, 6);
    for (const text of [RawKey, "no-such-key", desk.admin]) {
      assert.ok(!JSON.stringify(rows).includes(text));
      assert.ok(rows.some(({ hash }) => hash === sha256(text)));
    }
    await workOff(desk);
    assert.deepEqual(await waiting(desk), []);
    assert.deepEqual((await readKey(desk, key_id)).leaked?.url, URL);
    const log = desk.logLines.join("");
    const auditLog = JSON.stringify(await rowsOf(desk));
    for (const text of [RawKey, "no-such-key", desk.admin]) {
      assert.ok(!log.includes(text) && !auditLog.includes(text));
    }
  },
  { environment },
);

testOnEngines(
  "leaks: an answer asks the store nothing, so its time can tell nothing",
  async (desk) => {
    const { RawKey } = await issue(desk);
    const { reader } = desk.app.ctx.storage;
    const { row, rows } = reader;
    let asked = 0;
    const ask = () => {
      asked++;
      return Promise.reject(new Error("asked"));
    };
    reader.row = ask;
    reader.rows = ask;
    for (const text of [RawKey, "no-such-key"]) {
      assert.equal(
        (await report(desk, [text])).status,
        202,
      );
    }
    assert.equal(asked, 0);
    reader.row = row;
    reader.rows = rows;
    // What was acknowledged is in the store, and whoever opens it next works it off.
    const next = await openApplication(desk.config, {
      writer: { thread: false, transactions },
      log: createLog("silent", () => {}),
    });
    await workOff({ app: next });
    await next.ctx.storage.close();
    next.ctx.passwords.close();
    assert.deepEqual(await actionsOf(desk), ["credential.leaked"]);
  },
  { environment },
);

testOnEngines(
  "leaks: by default a key is marked and told of, and opens as before",
  async (desk) => {
    const plan = await planOf(desk);
    const { RawKey, key_id } = await issue(desk, [plan]);
    assert.equal((await readKey(desk, key_id)).leaked, null);
    await report(desk, [` ${RawKey}\n`], { url: URL });
    await workOff(desk);
    const { leaked, state } = await readKey(desk, key_id);
    assert.equal(state, "active");
    assert.deepEqual({ ...leaked, reported_at: "" }, {
      reported_at: "",
      reported_by: "anybody",
      url: URL,
    });
    assert.ok(Math.abs(Date.parse(leaked?.reported_at ?? "") - Date.now()) < 600_000);
    const [row, ...more] = await rowsOf(desk);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [row?.action, row?.object_id, row?.detail, row?.personal],
      ["credential.leaked", key_id, '{"reported_by":"anybody"}', JSON.stringify({ "/url": URL })],
    );
    const { reader } = desk.app.ctx.storage;
    const topics = await reader.rows(topicsSql, { org_id: desk.org_id, id: key_id });
    assert.ok(topics.some(({ topic }) => topic === "credential.leaked"));
    // Lists show it, and the audit log in words has it.
    const listed = await call(desk, "GET", "/v1/keys");
    assert.deepEqual(listed.data[0].leaked, leaked);
    const told = await call(desk, "GET", `/v1/audit-log?object_id=${key_id}&limit=1`);
    assert.deepEqual(told.data[0].detail, { reported_by: "anybody", url: URL });
  },
  { environment },
);

testOnEngines(
  "leaks: a plan suspends or revokes, the strictest of a key's plans counts, verification heeds it",
  async (desk) => {
    const opens = { access_rights: { api: { api_id: "api" } } };
    const notify = await planOf(desk, "notify", opens);
    const suspend = await planOf(desk, "suspend", opens);
    const revoke = await planOf(desk, "revoke", opens);
    assert.equal((await call(desk, "GET", `/v1/plans/${revoke}`)).when_leaked, "revoke");
    const suspended = await issue(desk, [notify, suspend]);
    const revoked = await issue(desk, [suspend, revoke, notify]);
    const resting = await issue(desk, [suspend]);
    await call(desk, "POST", `/v1/keys/${resting.key_id}/suspend`, { reason: "by hand" });
    for (const { RawKey } of [suspended, revoked]) {
      assert.equal(await outcome(desk, RawKey), "valid");
    }
    await report(desk, [suspended, revoked, resting].map(({ RawKey }) => RawKey));
    await workOff(desk);
    const states = [];
    for (const { key_id } of [suspended, revoked, resting]) {
      const { state, reason } = await readKey(desk, key_id);
      states.push([state, reason]);
    }
    assert.deepEqual(states, [
      ["suspended", "reported as leaked"],
      ["revoked", "reported as leaked"],
      ["suspended", "by hand"],
    ]);
    // What memory knows is a second old at the most.
    await heeds(desk, revoked.RawKey, "revoked");
  },
  { environment },
);

testOnEngines(
  "leaks: a client is named with its secret, its id alone is no secret, and its tokens end with it",
  async (desk) => {
    const client = { client_id: "the-client", client_secret: "the-secret" };
    await oauthClientOf(desk, client);
    await call(desk, "PUT", "/v1/plans/plan-weather", { when_leaked: "revoke" });
    const token = await tokenFor(desk, client);
    const key_id = sha256(client.client_id);
    await report(desk, ["the-client", "the-secret", "the-client:wrong", "other:the-secret"]);
    await workOff(desk);
    assert.deepEqual(await actionsOf(desk), []);
    assert.equal((await introspected(desk, token)).active, true);
    await report(desk, ["the-client:the-secret"]);
    await workOff(desk);
    assert.equal((await readKey(desk, key_id)).state, "revoked");
    assert.deepEqual(await introspected(desk, token), { active: false });
  },
  { environment, extra: [addOAuthClient] },
);

testOnEngines(
  "leaks: the same key reported fifty times at once is one row and one action, and so is a replay",
  async (desk) => {
    const plan = await planOf(desk, "suspend");
    const { RawKey, key_id } = await issue(desk, [plan]);
    const sent = await Promise.all(Array.from({ length: 50 }, () => report(desk, [RawKey])));
    assert.deepEqual([...new Set(sent.map(({ status }) => status))], [202]);
    assert.equal((await waiting(desk)).length, 1);
    // Two nodes work off at once.
    const workers = [new LeakWorker(desk.app.ctx), new LeakWorker(desk.app.ctx)];
    await Promise.all(workers.map((worker) => worker.turn()));
    await workOff(desk);
    const once = ["credential.leaked", "credential.suspended"];
    assert.deepEqual((await actionsOf(desk)).sort(), once);
    // Somebody has looked at it: a replay does not overrule them.
    await call(desk, "POST", `/v1/keys/${key_id}/resume`, { reason: "a test key" });
    await report(desk, [RawKey]);
    await workOff(desk);
    assert.deepEqual((await actionsOf(desk)).sort(), once);
    assert.equal((await readKey(desk, key_id)).state, "active");
    // The plan is stricter now.
    await call(desk, "PUT", `/v1/plans/${plan}`, { when_leaked: "revoke" });
    await report(desk, [RawKey]);
    await workOff(desk);
    assert.equal((await readKey(desk, key_id)).state, "revoked");
  },
  { environment },
);

testOnEngines(
  "leaks: a mark stays with its key, without its developer too, and the key that takes over has none",
  async (desk) => {
    const { RawKey, key_id } = await issue(desk, ["plan"], "dev-gone");
    await report(desk, [RawKey], { url: URL });
    await workOff(desk);
    const { leaked } = await readKey(desk, key_id);
    assert.equal(leaked?.url, URL);
    const next = await call(desk, "POST", `/v1/keys/${key_id}/rotate`, { overlap_seconds: 60 });
    assert.equal((await readKey(desk, next.key_id)).leaked, null);
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "leaked" });
    await call(desk, "DELETE", "/v1/developers/dev-gone?keys=keep");
    assert.deepEqual((await readKey(desk, key_id)).leaked, leaked);
  },
  { environment },
);

testOnEngines(
  "leaks: a key is found whosever it is, and its own organisation alone hears of it",
  async (desk) => {
    const other = await desk.otherOrganisation();
    const developer = await desk.send("POST", "/v1/developers", {
      credential: other.admin,
      body: { email: "ada@example.org" },
    });
    const { id } = await developer.json();
    const plan = await desk.send("POST", "/v1/plans", {
      credential: other.admin,
      body: { name: "Some plan" },
    });
    const issued = await desk.send("POST", `/v1/developers/${id}/keys`, {
      credential: other.admin,
      body: { plans: [(await plan.json()).id] },
    });
    const { RawKey, key_id } = await issued.json();
    await report(desk, [RawKey]);
    await workOff(desk);
    assert.deepEqual(await actionsOf(desk), []);
    assert.deepEqual(await actionsOf(desk, other.org_id), ["credential.leaked"]);
    const read = await desk.send("GET", `/v1/keys/${key_id}`, { credential: other.admin });
    assert.equal((await read.json()).leaked.reported_by, "anybody");
  },
  { environment },
);

testOnEngines("leaks: an access token is marked, and opens as before", async (desk) => {
  const grace = await newPerson(desk, ["portal:read"]);
  await report(desk, [grace.credential], { url: URL });
  await workOff(desk);
  const { data } = await call(desk, "GET", `/v1/people/${grace.id}/access-tokens`);
  assert.deepEqual([data[0].leaked.reported_by, data[0].leaked.url], ["anybody", URL]);
  assert.equal(await statusOf(desk, grace.credential), 200);
  assert.deepEqual(await actionsOf(desk), ["access_token.leaked"]);
}, { environment });

for (const action of ["suspend", "revoke"] as const) {
  testOnEngines(
    `leaks: access tokens are set to ${action}, the last administrator's never`,
    async (desk) => {
      const grace = await newPerson(desk, ["portal:read"]);
      const admin = await newPerson(desk, ["admin"]);
      await report(desk, [grace.credential, admin.credential]);
      await workOff(desk);
      const states = [];
      for (const { id } of [grace, admin]) {
        states.push((await call(desk, "GET", `/v1/people/${id}/access-tokens`)).data[0].state);
      }
      const ended = action === "suspend" ? "suspended" : "revoked";
      assert.deepEqual(states, [ended, ended]);
      const did = action === "suspend" ? "person.suspended" : "access_token.revoked";
      const twice = ["access_token.leaked", "access_token.leaked", did, did];
      assert.deepEqual((await actionsOf(desk)).sort(), twice.sort());
      await report(desk, [desk.admin]);
      await workOff(desk);
      assert.equal(await statusOf(desk, desk.admin), 200);
      const kept = (await rowsOf(desk)).at(-1);
      assert.equal(JSON.parse(kept?.detail ?? "{}").kept, "last_administrator");
      // With another administrator the next report does what was wanted.
      await newPerson(desk, ["admin"]);
      await report(desk, [desk.admin]);
      await workOff(desk);
      assert.equal((await rowsOf(desk)).at(-1)?.action, did);
    },
    { environment: { ...environment, KEYDESK_LEAKED_TOKENS: action } },
  );
}

testOnEngines(
  "leaks: where people sign in by passkeys alone, the last administrator with one goes on",
  async (desk) => {
    await addPasskey(desk, await signIn(desk, { credential: desk.admin }));
    await newPerson(desk, ["admin"]);
    await call(desk, "PUT", "/v1/sign-in-rules", { tokens: false, domains: [] });
    await report(desk, [desk.admin]);
    await workOff(desk);
    assert.deepEqual(await actionsOf(desk), ["access_token.leaked"]);
  },
  { environment: { ...environment, KEYDESK_LEAKED_TOKENS: "suspend" } },
);

testOnEngines("leaks: a place is kept without what was found there", async (desk) => {
  const { RawKey, key_id } = await issue(desk);
  const token = `kda_${"x".repeat(43)}_abcdef`;
  const url = `https://e.org/?a=${encodeURIComponent(RawKey)}&b=${RawKey}&c=${token}`;
  await report(desk, [RawKey], { url });
  await workOff(desk);
  assert.equal((await readKey(desk, key_id)).leaked?.url, "https://e.org/?a=…&b=…&c=…");
}, { environment });

testOnEngines(
  "leaks: an address that reports without end has to wait, another has not",
  async (desk) => {
    const statuses = new Set<number>();
    for (let i = 0; i < 70; i++) {
      statuses.add((await report(desk, [`guess-${i}`], { from: "192.0.2.1" })).status);
    }
    assert.deepEqual([...statuses], [202, 429]);
    assert.equal((await report(desk, ["guess"], { from: "192.0.2.2" })).status, 202);
  },
  { environment },
);
