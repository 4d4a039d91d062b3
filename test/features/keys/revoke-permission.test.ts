/**
 * The permission `revoke`: what it ends is shut at once, can be brought back for 7 days, and is not
 * much at a time.
 */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { purgeEnded } from "../../../src/maintenance/retention/retention.transactions.ts";
import { statement } from "../../../src/storage/statement.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { assertFailure } from "../../support/answers.ts";
import { DEVELOPERS } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  call,
  issue,
  KEYS,
  listKeys,
  movableClock,
  readKey,
  storedDeveloper,
  tracesOf,
} from "../../support/keys.ts";
import { newPerson } from "../../support/people.ts";
import { heeds, issueKnown, outcome, valid, withSecond } from "../../support/verification.ts";

const DAY = 86_400_000;
const HOUR = DAY / 24;
const clock = movableClock();
const start = clock.at;
const PORTAL = ["portal:read", "portal:write", "revoke"] as const;

/** Each way to end one key of dev-ada. */
const ways: readonly [method: string, path: (key_id: string) => string, body?: unknown][] = [
  ["POST", (key) => `${KEYS}/${key}/revoke`, { reason: "lost" }],
  ["DELETE", (key) => `${DEVELOPERS}/dev-ada/keys/${key}`],
  ["DELETE", (key) => `${DEVELOPERS}/key/plan-weather/${key}/dev-ada`],
  ["DELETE", (key) => `/api/api/apis//keys/${key}`],
  ["DELETE", (key) => `/api/keys/${key}`],
];

const revoke = (key_id: string) => `${KEYS}/${key_id}/revoke`;
const restore = (key_id: string) => `${KEYS}/${key_id}/restore`;
const why = { reason: "by mistake" };

const restored = (desk: TestDesk, key_id: string) => call(desk, "POST", restore(key_id), why);

testOnEngines(
  "revoke: a portal's token ends a key by each way, at once and on every node, and it is brought back whole",
  async (desk) => {
    const credential = await desk.token(PORTAL);
    const without = await desk.token(["portal:read", "portal:write"]);
    await withSecond(desk, async (second) => {
      for (const [method, path, body] of ways) {
        const { RawKey, key_id } = await issueKnown(desk);
        await valid(second, RawKey);
        const before = await storedDeveloper(desk);
        const refused = await desk.send(method, path(key_id), { credential: without, body });
        assert.equal(refused.status, 403);
        await refused.body?.cancel();
        await call(desk, method, path(key_id), body, { credential });
        const since = performance.now();
        for (const one of [desk, second]) await heeds(one, RawKey, "revoked", since);
        const gone = await storedDeveloper(desk);
        assert.equal(key_id in gone.keys, false);
        assert.equal(Object.values(gone.subscriptions).includes(key_id), false);
        assert.equal((await desk.send("GET", `/api/keys/${key_id}`)).status, 404);
        const ended = await readKey(desk, key_id);
        assert.equal(ended.state, "revoked");
        assert.deepEqual(ended.undo && { ...ended.undo, until: "" }, {
          until: "",
          with_developer: false,
          ended_by: ended.undo?.ended_by,
        });
        await assertFailure(
          await desk.send("POST", restore(key_id), { credential, body: why }),
          "access_denied",
          { message: `access denied: You do not have permission to access  ${restore(key_id)}` },
        );
        const again = await restored(desk, key_id);
        assert.deepEqual([again.state, again.undo, again.reason], ["active", null, why.reason]);
        const after = performance.now();
        for (const one of [desk, second]) await heeds(one, RawKey, "valid", after);
        assert.deepEqual(await storedDeveloper(desk), before);
        const { audit } = await tracesOf(desk, key_id);
        assert.deepEqual(audit.at(-1), [
          "key.restored",
          { state: "active", reason: why.reason },
        ]);
        await call(desk, "POST", revoke(key_id), why);
      }
    });
  },
);

testOnEngines(
  "revoke: with approve it is for good, and what was suspended comes back suspended",
  async (desk) => {
    const credential = await desk.token(["portal:read", "revoke"]);
    const { key_id } = await issue(desk);
    const final = await call(desk, "POST", revoke(key_id), why);
    assert.deepEqual([final.state, final.undo], ["revoked", null]);
    await assertFailure(await desk.send("POST", restore(key_id), { body: why }), "key_revoked");

    const { key_id: other } = await issue(desk);
    await call(desk, "POST", `${KEYS}/${other}/suspend`, { reason: "unpaid" });
    await call(desk, "POST", revoke(other), why, { credential });
    const back = await restored(desk, other);
    assert.deepEqual([back.state, back.reason], ["suspended", "unpaid"]);
    await assertFailure(await desk.send("POST", restore(other), { body: why }), "key_not_revoked");
    for (const path of ["suspend", "resume", "rotate", "plans", "expiry"]) {
      const method = path === "plans" || path === "expiry" ? "PUT" : "POST";
      const response = await desk.send(method, `${KEYS}/${key_id}/${path}`, { credential });
      assert.equal(response.status, 403, path);
      await response.body?.cancel();
    }
  },
);

testOnEngines(
  "revoke: a subscription that another key took meanwhile stays with that key",
  async (desk) => {
    const credential = await desk.token(PORTAL);
    const first = await issue(desk);
    await call(desk, "POST", revoke(first.key_id), why, { credential });
    const second = await issue(desk);
    await restored(desk, first.key_id);
    const { keys, subscriptions } = await storedDeveloper(desk);
    assert.deepEqual(Object.keys(keys).sort(), [first.key_id, second.key_id].sort());
    assert.deepEqual(subscriptions, { "plan-weather": second.key_id });
  },
);

testOnEngines(
  "revoke: after 7 days a key is revoked for good, whether anything was purged or not",
  async (desk) => {
    clock.at = start;
    const credential = await desk.token(PORTAL);
    const ids = [(await issue(desk)).key_id, (await issue(desk)).key_id];
    for (const id of ids) await call(desk, "POST", revoke(id), why, { credential });
    const [first = "", second = ""] = ids;
    assert.equal((await readKey(desk, first)).undo?.until, new Date(start + 7 * DAY).toISOString());
    clock.at = start + 7 * DAY;
    assert.equal((await readKey(desk, first)).undo, null);
    assert.ok((await listKeys(desk)).data.every(({ undo }) => undo === null));
    await assertFailure(await desk.send("POST", restore(first), { body: why }), "key_revoked");
    const { storage } = desk.app.ctx;
    const purge = { table: "ended_keys", now: clock.at } as const;
    assert.equal(await storage.commit(purgeEnded, purge), 2);
    assert.equal(await storage.commit(purgeEnded, purge), 0);
    await assertFailure(await desk.send("POST", restore(second), { body: why }), "key_revoked");
    assert.equal((await readKey(desk, second)).state, "revoked");
  },
  { clock },
);

const forgeSql = statement<{ org_id: string; key_id: string; expires_at: string }>()((db, p) =>
  db.updateTable("ended_keys").set({ expires_at: p.expires_at })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

const forge = defineTransaction(
  "test.forge",
  async (tx, input: { org_id: string; key_id: string; expires_at: string }) => {
    await tx.change(forgeSql, input);
  },
);

testOnEngines(
  "revoke: a row that somebody lengthened in the store brings nothing back",
  async (desk) => {
    clock.at = start;
    const credential = await desk.token(PORTAL);
    const { key_id } = await issue(desk);
    await call(desk, "POST", revoke(key_id), why, { credential });
    const expires_at = new Date(start + 30 * DAY).toISOString();
    await desk.app.ctx.storage.commit(forge, { org_id: desk.org_id, key_id, expires_at });
    clock.at = start + 8 * DAY;
    await assertFailure(await desk.send("POST", restore(key_id), { body: why }), "key_revoked");
  },
  { clock, extra: [forge] },
);

testOnEngines(
  "revoke limit: a token without approve ends no more than its hour allows, however it asks, and that is told once",
  async (desk) => {
    clock.at = start;
    const credential = await desk.token(PORTAL);
    const other = await desk.token(PORTAL);
    const keys: string[] = [];
    for (let n = 0; n < 8; n++) keys.push((await issueKnown(desk)).key_id);
    const answers = await Promise.all(
      keys.slice(0, 6).map(async (key_id, n) => {
        const [method, path, body] = ways[n % ways.length] ?? ["DELETE", revoke];
        return await desk.send(method, path(key_id), { credential, body });
      }),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 3);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      assert.equal(answer.headers.get("retry-after"), String(61 * 60));
      await assertFailure(answer, "too_many_revoked");
    }
    const states = await Promise.all(keys.slice(0, 6).map((id) => readKey(desk, id)));
    assert.equal(states.filter(({ state }) => state === "revoked").length, 3);
    const { topics } = await tracesOf(desk, await tokenIdOf(desk, credential));
    assert.deepEqual(topics.filter((topic) => topic === "access_token.rate_limited"), [
      "access_token.rate_limited",
    ]);
    // Nobody else waits: neither another token nor whoever may approve.
    await call(desk, "DELETE", `/api/keys/${keys[6]}`, undefined, { credential: other });
    await call(desk, "DELETE", `/api/keys/${keys[7]}`);
    const left = states.filter(({ state }) => state === "active").map(({ key_id }) => key_id);
    clock.at = start + HOUR;
    const still = await desk.send("DELETE", `/api/keys/${left[0]}`, { credential });
    assert.equal(still.headers.get("retry-after"), "60");
    await assertFailure(still, "too_many_revoked");
    clock.at = start + HOUR + 60_000;
    await call(desk, "DELETE", `/api/keys/${left[0]}`, undefined, { credential });
  },
  { clock, environment: { KEYDESK_REVOKE_RATE_LIMIT: "3" } },
);

testOnEngines(
  "revoke limit: the access tokens of one person have one limit together, also what takes over for one",
  async (desk) => {
    clock.at = start;
    const { id, credential, credential_id } = await newPerson(desk, PORTAL);
    const issued = { name: "second", deliver: "answer" };
    const second = await call<{ id: string; access_token: string }>(
      desk,
      "POST",
      `/v1/people/${id}/access-tokens`,
      issued,
    );
    const keys: string[] = [];
    for (let n = 0; n < 4; n++) keys.push((await issue(desk)).key_id);
    const end = (n: number, credential: string) =>
      desk.send("DELETE", `/api/keys/${keys[n]}`, { credential });
    assert.deepEqual(
      (await Promise.all([end(0, credential), end(1, second.access_token)]))
        .map(({ status }) => status),
      [200, 200],
    );
    await assertFailure(await end(2, second.access_token), "too_many_revoked");
    const rotation = { overlap_seconds: 60, deliver: "answer" };
    const fresh = await call<{ id: string; access_token: string }>(
      desk,
      "POST",
      `/v1/access-tokens/${credential_id}/rotate`,
      rotation,
    );
    await call(desk, "DELETE", `/v1/access-tokens/${second.id}`);
    const refused = await end(2, fresh.access_token);
    assert.equal(refused.headers.get("retry-after"), String(61 * 60));
    await assertFailure(refused, "too_many_revoked");
    for (const token of [second.id, fresh.id]) {
      const { topics } = await tracesOf(desk, token);
      assert.equal(
        topics.filter((topic) => topic === "access_token.rate_limited").length,
        1,
        token,
      );
    }
    // Whoever else is nobody's second.
    const { credential: other } = await newPerson(desk, PORTAL, { name: "Ada" });
    assert.equal((await end(3, other)).status, 200);
  },
  { clock, environment: { KEYDESK_REVOKE_RATE_LIMIT: "2" } },
);

testOnEngines(
  "revoke limit: a repeated call counts once, and a refused one not at all",
  async (desk) => {
    clock.at = start;
    const credential = await desk.token(PORTAL);
    const [one, two] = [await issue(desk), await issue(desk)];
    const headers = { "idempotency-key": "0123456789abcdef" };
    for (let n = 0; n < 3; n++) {
      await call(desk, "POST", revoke(one.key_id), why, { credential, headers });
      const unknown = await desk.send("DELETE", "/api/keys/unknown", { credential });
      await assertFailure(unknown, "key_not_found");
    }
    await call(desk, "POST", revoke(two.key_id), why, { credential });
    assert.equal(await outcome(desk, two.RawKey), "revoked");
  },
  { clock, environment: { KEYDESK_REVOKE_RATE_LIMIT: "2" } },
);

const tokenSql = statement<{ hash: string }>()((db, p) =>
  db.selectFrom("access_tokens").select("id").where("hash", "=", p.hash)
);

async function tokenIdOf(desk: TestDesk, credential: string): Promise<string> {
  const row = await desk.app.ctx.storage.reader.row(tokenSql, { hash: sha256(credential) });
  return row?.id ?? "";
}
