/**
 * Deactivating a developer: what becomes of one-time links and keys, who may end them, and what
 * comes back.
 */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { takeIn } from "../../../src/maintenance/import/take-in.transactions.ts";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import { DEVELOPERS, pathTo, readDeveloper } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call, issue, KEYS, readKey } from "../../support/keys.ts";
import { makeKnown } from "../../support/verification.ts";

const V1 = "/v1/developers";
const WRITES = ["portal:read", "portal:write"] as const;
const OFF = `${V1}/dev-ada/deactivate`;
const ON = `${V1}/dev-ada/reactivate`;

interface Detail {
  inactive: boolean;
  suspended_keys: number;
}

/** A key of dev-ada that waits behind a link: its one-time link, and what opens it. */
async function handedOver(desk: TestDesk): Promise<{ key_id: string; id: string; token: string }> {
  const { key_id, one_time_link } = await call<
    { key_id: string; one_time_link: { id: string; link: string } }
  >(
    desk,
    "POST",
    `${V1}/dev-ada/keys`,
    { plans: ["plan"], deliver: "one_time_link" },
  );
  return {
    key_id,
    id: one_time_link.id,
    token: one_time_link.link.slice(one_time_link.link.indexOf("#") + 1),
  };
}

const opened = async (desk: TestDesk, token: string) => {
  const answer = await desk.send("POST", "/v1/one-time-links/open", {
    credential: null,
    body: { token },
  });
  await answer.body?.cancel();
  return answer.status;
};

testOnEngines(
  "deactivate: an open one-time link is withdrawn on both interfaces, and hands nothing over afterwards",
  async (desk) => {
    await makeKnown(desk, ["plan"]);
    const { key_id: other } = await issue(desk, ["plan"], "dev-bob");
    const legacy = async () => {
      const developer = await readDeveloper(desk, "dev-ada");
      const body = { ...developer, inactive: true };
      await call(desk, "PUT", pathTo(DEVELOPERS, "dev-ada"), body);
    };
    const v1 = () => call(desk, "POST", OFF, { keys: "keep" });
    await issue(desk);
    const email = "ada@example.org";
    await call(desk, "PUT", `${V1}/dev-ada`, { email, fields: {} });
    for (const deactivate of [legacy, v1]) {
      const { key_id, id, token } = await handedOver(desk);
      await deactivate();
      assert.equal(await opened(desk, token), 410);
      const { data } = await call<{ data: { id: string; state: string }[] }>(
        desk,
        "GET",
        `/v1/one-time-links?key_id=${key_id}`,
      );
      assert.deepEqual(data.map((one) => [one.id, one.state]), [[id, "withdrawn"]]);
      // The key itself lives on: only what hands it over is gone.
      assert.equal((await readKey(desk, key_id)).state, "active");
      await call(desk, "POST", ON, {});
    }
    assert.equal((await readKey(desk, other)).state, "active");
  },
);

testOnEngines(
  "deactivate: who moves in as inactive over an active one loses their open one-time links, and no key",
  async (desk) => {
    await makeKnown(desk, ["plan"]);
    await issue(desk);
    const { key_id, token } = await handedOver(desk);
    const developer = { ...await readDeveloper(desk, "dev-ada"), inactive: true };
    const { storage } = desk.app.ctx;
    const actor = { org_id: desk.org_id, user_id: "test", token_id: "test", now: Date.now() };
    const common = { id: "dev-ada", there: sha256("there"), password_hash: null, unknown: [] };
    const item = { ...common, kind: "developer" as const, developer };
    const batch = { actor, kind: "developer" as const, items: [item], findings: [], run: "run" };
    const { replaced } = await storage.commit(takeIn, { ...batch, theirs: true });
    assert.equal(replaced, 1);
    assert.equal(await opened(desk, token), 410);
    assert.equal((await readKey(desk, key_id)).state, "active");
  },
);

testOnEngines(
  "deactivate: what becomes of the keys has to be said, and more than keep takes revoke",
  async (desk) => {
    const { key_id } = await issue(desk);
    const credential = await desk.token(WRITES);
    const said = "keys: expected keep, suspend or revoke: what becomes of the developer's keys";
    for (const body of [undefined, {}, { keys: "end" }, { keys: null }]) {
      await assertInvalid(await desk.send("POST", OFF, { body }), said);
    }
    for (const keys of ["suspend", "revoke"]) {
      await assertFailure(
        await desk.send("POST", OFF, { credential, body: { keys } }),
        "access_denied",
        { message: `access denied: You do not have permission to access  ${OFF}` },
      );
    }
    assert.equal((await call<Detail>(desk, "GET", `${V1}/dev-ada`)).inactive, false);
    const off = await call<Detail>(desk, "POST", OFF, { keys: "keep" }, { credential });
    assert.deepEqual([off.inactive, off.suspended_keys], [true, 0]);
    assert.equal((await readKey(desk, key_id)).state, "active");
  },
);

testOnEngines(
  "deactivate: suspended keys are told of and resumed on request, by who may; others stay suspended",
  async (desk) => {
    const { key_id: mine } = await issue(desk);
    const { key_id: before } = await issue(desk);
    await call(desk, "POST", `${KEYS}/${before}/suspend`, { reason: "unpaid" });
    const credential = await desk.token([...WRITES, "revoke"]);
    const off = await call<Detail>(desk, "POST", OFF, { keys: "suspend" }, { credential });
    assert.deepEqual([off.inactive, off.suspended_keys], [true, 1]);
    const { state, reason } = await readKey(desk, mine);
    assert.deepEqual([state, reason], ["suspended", "developer deactivated"]);
    const refused = await desk.send("POST", ON, { credential, body: { keys: "resume" } });
    assert.equal(refused.status, 403);
    await refused.body?.cancel();
    const on = await call<Detail>(desk, "POST", ON, undefined, { credential });
    assert.deepEqual([on.inactive, on.suspended_keys], [false, 1]);
    const resumed = await call<Detail>(desk, "POST", ON, { keys: "resume" });
    assert.equal(resumed.suspended_keys, 0);
    assert.equal((await readKey(desk, mine)).state, "active");
    assert.equal((await readKey(desk, before)).state, "suspended");
  },
);

testOnEngines(
  "deactivate: revoked keys leave the maps, come back one by one without approve, and count for the rate limit",
  async (desk) => {
    const keys = [await issue(desk, ["a"]), await issue(desk, ["b"])];
    const before = await readDeveloper(desk, "dev-ada");
    const credential = await desk.token([...WRITES, "revoke"]);
    await call(desk, "POST", OFF, { keys: "revoke" }, { credential });
    assert.deepEqual((await readDeveloper(desk, "dev-ada")).keys, {});
    const { key_id } = await issue(desk, ["c"], "dev-bob");
    const refused = await desk.send("DELETE", `/api/keys/${key_id}`, { credential });
    await assertFailure(refused, "too_many_revoked");
    for (const { key_id } of keys) {
      await call(desk, "POST", `${KEYS}/${key_id}/restore`, { reason: "by mistake" });
    }
    assert.deepEqual(await readDeveloper(desk, "dev-ada"), { ...before, inactive: true });
    await call(desk, "POST", OFF, { keys: "revoke" });
    assert.equal((await readKey(desk, keys[0]?.key_id ?? "")).undo, null);
  },
  { environment: { KEYDESK_REVOKE_RATE_LIMIT: "1" } },
);

testOnEngines(
  "deactivate: keys that a token without approve suspends count for the rate limit, suspended ones no second time",
  async (desk) => {
    const credential = await desk.token([...WRITES, "revoke"]);
    for (const plan of ["a", "b", "c"]) await issue(desk, [plan]);
    const { key_id } = await issue(desk, ["a"], "dev-bob");
    // The first may be more than it allows.
    for (let n = 0; n < 2; n++) {
      await call(desk, "POST", OFF, { keys: "suspend" }, { credential });
    }
    for (const keys of ["suspend", "revoke"]) {
      const path = `${V1}/dev-bob/deactivate`;
      const refused = await desk.send("POST", path, { credential, body: { keys } });
      await assertFailure(refused, "too_many_revoked");
    }
    assert.equal((await readKey(desk, key_id)).state, "active");
    const bob = await call<Detail>(desk, "POST", `${V1}/dev-bob/deactivate`, {
      keys: "keep",
    }, { credential });
    assert.deepEqual([bob.inactive, bob.suspended_keys], [true, 0]);
  },
  { environment: { KEYDESK_REVOKE_RATE_LIMIT: "2" } },
);
