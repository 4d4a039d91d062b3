/**
 * PyTyk: `Application/json` on everything, also on a PUT without a body; 200 and 400 are all it
 * knows.
 */
import assert from "node:assert/strict";
import { raw, testOldClient } from "../../support/old-client.ts";

const JSON_TYPE = "Application/json";

testOldClient("pytyk: registers, asks, approves once, sets passwords", raw, async (client) => {
  const post = (path: string, body: unknown, status?: number) =>
    client.typed("POST", path, body, JSON_TYPE, status);
  const ada = { email: "ada@example.org", password: "correct horse", inactive: false };
  const id = (await post("/api/portal/developers/", ada)).Message;
  const short = await post("/api/portal/developers/", { ...ada, password: "short" }, 400);
  const reason = "password: String length must be greater than or equal to 8";
  assert.deepEqual(short.Errors, [reason]);
  const request = (await post("/api/portal/requests/", {
    by_user: id,
    for_plan: "5f1a2b3c4d5e6f7081920002",
    version: "v2",
  })).Message;
  const approve = `/api/portal/requests/approve/${request}`;
  assert.ok((await client.typed("PUT", approve, "", JSON_TYPE)).RawKey);
  const again = await client.typed("PUT", approve, "", JSON_TYPE, 400);
  assert.equal(again.Message, "Key request has already been processed.");
  const password = `/api/portal/developers/password/${id}`;
  assert.equal((await post(password, { password: "another horse" })).Status, "OK");
  assert.deepEqual((await post(password, { password: "short" }, 400)).Errors, [reason]);
  const nobody = await post(
    "/api/portal/developers/password/nobody",
    { password: "another horse" },
    400,
  );
  assert.equal(nobody.Message, "Could not retrieve developer object");
});
