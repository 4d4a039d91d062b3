/** The keys that the older interface gives a developer and takes again. */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertAnswer, assertFailure, assertInvalid } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import {
  addPlan,
  issue,
  planRecords,
  readKey,
  storedDeveloper,
  tracesOf,
} from "../../support/keys.ts";
import { storedCredentials } from "../../support/stored.ts";

const PATH = "/api/portal/developers/dev-ada/keys";

testOnEngines(
  "keys of a developer: are issued at once, bare, once for an Idempotency-Key",
  async (desk) => {
    await issue(desk, ["first"]);
    const body = { apply_policies: ["a", "b", "a"] };
    const headers = { "idempotency-key": "0123456789abcdef" };
    const response = await desk.send("POST", PATH, { body, headers });
    const { RawKey } = await response.clone().json();
    await assertAnswer(response, { RawKey, Password: "" });
    await assertAnswer(await desk.send("POST", PATH, { body, headers }), { RawKey, Password: "" });
    const key = await readKey(desk, sha256(RawKey));
    assert.deepEqual([key.plans, key.developer_id, key.request_id], [["a", "b"], "dev-ada", null]);
    const { keys, subscriptions } = await storedDeveloper(desk);
    assert.deepEqual(keys[key.key_id], ["a", "b"]);
    assert.equal(subscriptions.a, key.key_id);
    const detail = { developer_id: "dev-ada", plans: ["a", "b"] };
    assert.deepEqual((await tracesOf(desk, key.key_id)).audit, [["credential.issued", detail]]);
  },
);

testOnEngines(
  "keys of a developer: nobody's, no plan and plans that don't fit are refused",
  async (desk) => {
    await addPlan(desk, "basic", {}, "basic");
    await addPlan(desk, "keyless", {}, "keyless");
    const body = { apply_policies: ["a"] };
    const nobody = "/api/portal/developers/nobody/keys";
    await assertFailure(await desk.send("POST", nobody, { body }), "not_found");
    await issue(desk);
    const refused = async (apply_policies: unknown) =>
      await desk.send("POST", PATH, { body: { apply_policies } });
    await assertInvalid(await refused([]), "apply_policies: expected at least 1");
    await assertInvalid(await refused("a"), "apply_policies: expected an array");
    await assertFailure(await refused(["a", "basic"]), "mixed_auth_types");
    await assertFailure(await refused(["keyless"]), "keyless_plan");
    assert.equal((await storedCredentials(desk)).length, 1);
  },
  { extra: planRecords },
);

testOnEngines(
  "keys of a developer: plans are changed and the key revoked, by its owner's path alone",
  async (desk) => {
    const { key_id } = await issue(desk, ["a"]);
    await issue(desk, ["a"], "dev-bob");
    const body = { apply_policies: ["b"] };
    const foreign = `/api/portal/developers/dev-bob/keys/${key_id}`;
    for (
      const path of [
        foreign,
        `${PATH}/${"f".repeat(64)}`,
        `/api/portal/developers/x/keys/${key_id}`,
      ]
    ) {
      await assertFailure(await desk.send("PUT", path, { body }), "not_found");
      await assertFailure(await desk.send("DELETE", path), "not_found_for_deletion");
    }
    assert.deepEqual((await readKey(desk, key_id)).plans, ["a"]);
    const ok = (Message: string) => ({ Status: "OK", Message, Meta: null });
    const own = `${PATH}/${key_id}`;
    await assertAnswer(await desk.send("PUT", own, { body }), ok("Data updated"));
    assert.deepEqual((await readKey(desk, key_id)).plans, ["b"]);
    await assertAnswer(await desk.send("DELETE", own), ok("Data deleted"));
    assert.equal((await readKey(desk, key_id)).state, "revoked");
    assert.deepEqual((await storedDeveloper(desk)).keys, {});
    await assertFailure(await desk.send("PUT", own, { body }), "not_found");
    await assertFailure(await desk.send("DELETE", own), "not_found_for_deletion");
  },
);

testOnEngines(
  "keys of a developer: all of them need the permission approve",
  async (desk) => {
    const { key_id } = await issue(desk);
    const credential = await desk.token(["portal:write"]);
    const body = { apply_policies: ["a"] };
    for (
      const [method, path] of [["POST", PATH], ["PUT", `${PATH}/${key_id}`], [
        "DELETE",
        `${PATH}/${key_id}`,
      ]] as const
    ) {
      assert.equal((await desk.send(method, path, { credential, body })).status, 403);
    }
  },
);
