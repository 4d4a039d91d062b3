/** The keys that the older interface gives a developer and takes again. */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertAnswer, assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { issue, readKey, storedDeveloper, tracesOf } from "../../support/keys.ts";

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
    assert.deepEqual((await tracesOf(desk, key.key_id)).audit, [["key.issued", detail]]);
  },
);

testOnEngines(
  "keys of a developer: plans are changed and the key revoked, by its owner's path",
  async (desk) => {
    const { key_id } = await issue(desk, ["a"]);
    const body = { apply_policies: ["b"] };
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
  "keys of a developer: by policy_id, and an OAuth client with what was said of it",
  async (desk) => {
    await issue(desk, ["first"]);
    const send = async (body: unknown) => {
      const response = await desk.send("POST", PATH, { body });
      assert.equal(response.status, 200);
      return await response.json();
    };
    const { RawKey } = await send({ policy_id: "a" });
    assert.deepEqual((await readKey(desk, sha256(RawKey))).plans, ["a"]);
    // The vendor's own sample has these members.
    const redirect_uri = "https://app.example.org/back";
    const fields = { oauth_app_description: "Tides", oauth_use_case: "A map", team: "Coast" };
    const client = await send({ apply_policies: ["a"], fields, oauth_info: { redirect_uri } });
    assert.deepEqual([client.RawKey, client.Password], [client.client_id, client.secret]);
    assert.deepEqual([client.policy_id, client.redirect_uri], ["a", redirect_uri]);
    const key = await readKey(desk, sha256(client.client_id));
    assert.deepEqual([key.kind, key.plans], ["oauth", ["a"]]);
    const { oauth_clients } = await storedDeveloper(desk);
    assert.partialDeepStrictEqual(oauth_clients, {
      a: [{
        client_id: client.client_id,
        redirect_uri,
        app_description: "Tides",
        use_case: "A map",
      }],
    });
  },
);
