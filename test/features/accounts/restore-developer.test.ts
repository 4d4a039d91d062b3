/**
 * Bringing back a deleted developer: who comes back, what with them, until when, and who may delete
 * how much.
 */
import assert from "node:assert/strict";
import { purgeEnded } from "../../../src/maintenance/retention/retention.transactions.ts";
import { assertFailure } from "../../support/answers.ts";
import { DEVELOPERS, pathTo, readDeveloper, register } from "../../support/companions.ts";
import { testOnEngines } from "../../support/desk.ts";
import { call, issue, KEYS, movableClock, readKey } from "../../support/keys.ts";
import { heeds, makeKnown, valid, withSecond } from "../../support/verification.ts";

const V1 = "/v1/developers";
const DAY = 86_400_000;
const clock = movableClock();
const start = clock.at;
const WRITES = ["portal:read", "portal:write"] as const;
const PORTAL = [...WRITES, "revoke"] as const;
const ADA = {
  id: "dev-ada",
  email: "ada@example.org",
  sso_key: "sso-ada",
  nonce: "nonce-ada",
  fields: { name: "Ada" },
};
const why = { reason: "x" };

const restorePath = (id: string) => `${V1}/${id}/restore`;

testOnEngines(
  "restore: a developer comes back with password, secrets, maps and keys, on every node",
  async (desk) => {
    await makeKnown(desk, ["plan-1", "plan-2", "plan-3"]);
    await register(desk, { ...ADA, password: "a long sentence of hers" });
    const [one, two] = [await issue(desk, ["plan-1"]), await issue(desk, ["plan-2"])];
    await call(desk, "POST", `${KEYS}/${two.key_id}/suspend`, { reason: "unpaid" });
    const earlier = await issue(desk, ["plan-3"]);
    const portal = await desk.token(PORTAL);
    await call(desk, "POST", `${KEYS}/${earlier.key_id}/revoke`, why, { credential: portal });
    const before = await readDeveloper(desk, "dev-ada");
    await withSecond(desk, async (second) => {
      await valid(second, one.RawKey);
      const removed = await call<{ revoked_keys: number }>(
        desk,
        "DELETE",
        `${V1}/dev-ada?keys=revoke`,
        undefined,
        {
          credential: portal,
        },
      );
      assert.equal(removed.revoked_keys, 2);
      const since = performance.now();
      for (const node of [desk, second]) await heeds(node, one.RawKey, "revoked", since);
      const { undo } = await readKey(desk, one.key_id);
      assert.equal(undo?.with_developer, true);
      // Neither what went with the developer nor what was ended before comes back without them.
      for (const { key_id } of [one, earlier]) {
        const alone = await desk.send("POST", `${KEYS}/${key_id}/restore`, { body: why });
        await assertFailure(alone, "developer_deleted");
      }
      const [listed, ...others] = (await call<{ data: Record<string, unknown>[] }>(
        desk,
        "GET",
        `${V1}/deleted`,
      )).data;
      assert.deepEqual(others, []);
      assert.deepEqual([listed?.id, listed?.email, listed?.keys], ["dev-ada", ADA.email, 2]);
      await call(desk, "POST", restorePath("dev-ada"), {});
      const after = performance.now();
      for (const node of [desk, second]) await heeds(node, one.RawKey, "valid", after);
    });
    assert.deepEqual(await readDeveloper(desk, "dev-ada"), before);
    const { state, reason } = await readKey(desk, two.key_id);
    assert.deepEqual([state, reason], ["suspended", "unpaid"]);
    const signIn = { username: ADA.email, password: "a long sentence of hers" };
    await call(desk, "POST", `${DEVELOPERS}/verify_credentials`, signIn);
    await call(desk, "GET", `${DEVELOPERS}/ssokey/sso-ada`);
    await call(desk, "POST", `${KEYS}/${earlier.key_id}/restore`, why);
    assert.deepEqual((await call<{ data: unknown[] }>(desk, "GET", `${V1}/deleted`)).data, []);
    await assertFailure(await desk.send("POST", restorePath("dev-ada"), { body: {} }), "not_found");
  },
);

testOnEngines(
  "restore: keys that lived on stand in the maps as they are now",
  async (desk) => {
    await register(desk, ADA);
    const gone = await issue(desk, ["plan-1"]);
    const moved = await issue(desk, ["plan-2"]);
    const rotated = await issue(desk, ["plan-3"]);
    await call(desk, "DELETE", `${V1}/dev-ada?keys=keep`, undefined, {
      credential: await desk.token(WRITES),
    });
    await call(desk, "POST", `${KEYS}/${gone.key_id}/revoke`, why);
    await call(desk, "PUT", `${KEYS}/${moved.key_id}/plans`, { plans: ["plan-4"] });
    const { key_id: fresh } = await call<{ key_id: string }>(
      desk,
      "POST",
      `${KEYS}/${rotated.key_id}/rotate`,
      { overlap_seconds: 0 },
    );
    await call(desk, "POST", restorePath("dev-ada"), {});
    const { keys, subscriptions } = await readDeveloper(desk, "dev-ada");
    assert.deepEqual(keys, { [moved.key_id]: ["plan-4"], [fresh]: ["plan-3"] });
    assert.deepEqual(subscriptions, { "plan-4": moved.key_id, "plan-3": fresh });
  },
);

testOnEngines(
  "restore: 409 while another developer has the id, the address or the sso_key",
  async (desk) => {
    await register(desk, ADA);
    const { key_id } = await issue(desk);
    await call(desk, "DELETE", `${V1}/dev-ada?keys=revoke`);
    const taken = [
      ["email", { id: "dev-x", email: ADA.email }],
      ["sso_key", { id: "dev-y", email: "y@example.org", sso_key: ADA.sso_key }],
      // Last: from then on two deletions are of this id.
      ["id", { id: "dev-ada", email: "x@example.org" }],
    ] as const;
    for (const [name, other] of taken) {
      const id = await register(desk, other);
      const refused = await desk.send("POST", restorePath("dev-ada"), { body: {} });
      await assertFailure(refused, "developer_taken", {
        errors: [`${name}: belongs to another developer`],
      });
      assert.equal((await readKey(desk, key_id)).state, "revoked");
      await desk.send("DELETE", `${pathTo(DEVELOPERS, id)}`);
    }
    // Deleted twice by now: the later one hides nobody.
    const both = await desk.send("POST", restorePath("dev-ada"), { body: {} });
    assert.equal(both.headers.get("x-keydesk-error"), "several_deletions");
    await both.body?.cancel();
    const { data } = await call<{ data: { deletion: string; id: string; keys: number }[] }>(
      desk,
      "GET",
      `${V1}/deleted`,
    );
    const deletion = data.find(({ id, keys }) => id === "dev-ada" && keys === 1)?.deletion;
    await call(desk, "POST", restorePath("dev-ada"), { deletion });
    assert.equal((await readKey(desk, key_id)).state, "active");
  },
);

testOnEngines(
  "restore: needs approve, and after 7 days nobody comes back, purged or not",
  async (desk) => {
    clock.at = start;
    await register(desk, ADA);
    const { key_id } = await issue(desk);
    await call(desk, "DELETE", `${V1}/dev-ada?keys=revoke`);
    const credential = await desk.token(PORTAL);
    for (const [method, path] of [["POST", restorePath("dev-ada")], ["GET", `${V1}/deleted`]]) {
      const refused = await desk.send(method ?? "", path ?? "", { credential });
      assert.equal(refused.status, 403);
      await refused.body?.cancel();
    }
    const { admin } = await desk.otherOrganisation();
    const foreign = await desk.send("POST", restorePath("dev-ada"), {
      credential: admin,
      body: {},
    });
    await assertFailure(foreign, "not_found");
    clock.at = start + 7 * DAY;
    await assertFailure(await desk.send("POST", restorePath("dev-ada"), { body: {} }), "not_found");
    assert.deepEqual((await call<{ data: unknown[] }>(desk, "GET", `${V1}/deleted`)).data, []);
    assert.equal((await readKey(desk, key_id)).undo, null);
  },
  { clock },
);

testOnEngines(
  "restore: against the purge nobody comes back without their keys",
  async (desk) => {
    clock.at = start;
    await register(desk, ADA);
    const { key_id } = await issue(desk);
    await call(desk, "DELETE", `${V1}/dev-ada?keys=revoke`);
    // On a node whose clock is ahead, or between the call and its transaction.
    const purge = { table: "ended_keys", now: start + 7 * DAY } as const;
    assert.equal(await desk.app.ctx.storage.commit(purgeEnded, purge), 1);
    await assertFailure(await desk.send("POST", restorePath("dev-ada"), { body: {} }), "not_found");
    assert.equal((await desk.send("GET", pathTo(DEVELOPERS, "dev-ada"))).status, 404);
    assert.equal((await readKey(desk, key_id)).state, "revoked");
  },
  { clock },
);

testOnEngines(
  "delete: live keys are ended by revoke or approve under /v1, and kept or absent ones by nobody",
  async (desk) => {
    const credential = await desk.token(WRITES);
    await register(desk, ADA);
    await issue(desk);
    const refused = await desk.send("DELETE", `${V1}/dev-ada?keys=revoke`, { credential });
    await assertFailure(refused, "access_denied", {
      message: `access denied: You do not have permission to access  ${V1}/dev-ada`,
    });
    await call(desk, "GET", `${V1}/dev-ada`);
    await call(desk, "DELETE", `${V1}/dev-ada?keys=keep`, undefined, { credential });
    await register(desk, { id: "dev-bob", email: "bob@example.org" });
    await call(desk, "DELETE", `${V1}/dev-bob?keys=revoke`, undefined, { credential });
  },
);

testOnEngines(
  "delete: the first within an hour may end more keys than the rate limit allows, the next none, on both interfaces",
  async (desk) => {
    clock.at = start;
    const credential = await desk.token(PORTAL);
    for (const id of ["dev-1", "dev-2", "dev-3"]) {
      await register(desk, { id, email: `${id}@example.org` });
      for (const plan of ["a", "b", "c"]) await issue(desk, [plan], id);
    }
    const v1 = `${V1}/dev-2?keys=revoke`;
    await call(desk, "DELETE", pathTo(DEVELOPERS, "dev-1"), undefined, { credential });
    for (const path of [v1, pathTo(DEVELOPERS, "dev-3")]) {
      const refused = await desk.send("DELETE", path, { credential });
      assert.equal(refused.headers.get("retry-after"), String(61 * 60));
      await assertFailure(refused, "too_many_revoked");
    }
    assert.equal(Object.keys((await readDeveloper(desk, "dev-2")).keys).length, 3);
    await call(desk, "DELETE", `${V1}/dev-3?keys=keep`, undefined, { credential });
    clock.at = start + 61 * 60_000;
    await call(desk, "DELETE", v1, undefined, { credential });
  },
  { clock, environment: { KEYDESK_REVOKE_RATE_LIMIT: "2" } },
);

testOnEngines(
  "restore: of two at once one brings back, against deletions too, and the books agree",
  async (desk) => {
    for (let round = 0; round < 5; round++) {
      const id = `dev-${round}`;
      await register(desk, { id, email: `${id}@example.org` });
      const keys = [await issue(desk, ["a"], id), await issue(desk, ["b"], id)];
      await call(desk, "DELETE", `${V1}/${id}?keys=revoke`);
      const statuses = await Promise.all(
        [
          ["POST", restorePath(id)],
          ["POST", restorePath(id)],
          ["DELETE", `${V1}/${id}?keys=revoke`],
        ].map(async ([method = "", path = ""]) => {
          const answer = await desk.send(method, path, method === "POST" ? { body: {} } : {});
          await answer.body?.cancel();
          return answer.status;
        }),
      );
      const there = await desk.send("GET", pathTo(DEVELOPERS, id));
      const states = await Promise.all(keys.map(({ key_id }) => readKey(desk, key_id)));
      const back = statuses.slice(0, 2).filter((status) => status === 200).length;
      const isThere = back - (statuses[2] === 200 ? 1 : 0) === 1;
      assert.equal(there.status, isThere ? 200 : 404, `${statuses}`);
      for (const { state } of states) assert.equal(state, isThere ? "active" : "revoked");
      const developer = isThere ? await there.json() : undefined;
      if (developer) assert.equal(Object.keys(developer.keys).length, 2);
      else await there.body?.cancel();
    }
  },
);
