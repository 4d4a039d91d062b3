/**
 * X-HTTP-Method-Override: UPDATE of a key request by POST, where the server is set to heed it, and
 * nothing else.
 */
import assert from "node:assert/strict";
import { assertFailure, assertInvalid } from "../support/answers.ts";
import { type SendInit, testOnEngines } from "../support/desk.ts";
import { create, pathOf, read, REQUESTS, smallRequest } from "../support/key-requests.ts";
import { issueKnown } from "../support/verification.ts";

const ON = { environment: { KEYDESK_METHOD_OVERRIDE: "true" } };
const REFUSED = "X-HTTP-Method-Override: only UPDATE, of a POST to one key request";
const UPDATE = { "x-http-method-override": "UPDATE" };

testOnEngines("override: a POST stands for UPDATE of a key request", async (desk) => {
  const id = await create(desk, smallRequest());
  for (const path of [pathOf(id), `${pathOf(id)}/`]) {
    const version = `by POST to ${path}`;
    const body = smallRequest({ version });
    const response = await desk.send("POST", path, { body, headers: UPDATE });
    assert.deepEqual(await response.json(), { Status: "OK", Message: id, Meta: null });
    assert.equal((await read(desk, id)).version, version);
  }
  await assertFailure(
    await desk.send("POST", pathOf("f".repeat(24)), { body: smallRequest(), headers: UPDATE }),
    "not_found",
  );
}, ON);

testOnEngines("override: it needs what UPDATE needs", async (desk) => {
  const id = await create(desk, smallRequest());
  const other = await desk.otherOrganisation();
  const send = (credential: string | null) =>
    desk.send("POST", pathOf(id), { body: smallRequest(), headers: UPDATE, credential });
  await assertFailure(await send(null), "not_authorised");
  const reader = await send(await desk.token(["portal:read", "approve"]));
  assert.equal(reader.headers.get("x-keydesk-error"), "access_denied");
  await assertFailure(await send(other.admin), "not_found");
}, ON);

testOnEngines("override: with anything else it is 400, and nothing happens", async (desk) => {
  const id = await create(desk, smallRequest());
  const calls: [method: string, path: string, value: string][] = [
    ...["update", "PUT", "DELETE", "GET", "POST", "", "UPDATE, UPDATE"]
      .map((value): [string, string, string] => ["POST", pathOf(id), value]),
    ...["GET", "PUT", "DELETE", "UPDATE", "OPTIONS", "HEAD"]
      .map((method): [string, string, string] => [method, pathOf(id), "UPDATE"]),
    ["POST", REQUESTS, "UPDATE"],
    ["PUT", `${REQUESTS}/approve/${id}`, "UPDATE"],
    ["POST", `${REQUESTS}/approve/${id}`, "UPDATE"],
    ["GET", "/%61pi/portal/requests", "GET"],
    ["POST", "/api/nowhere", "UPDATE"],
  ];
  for (const [method, path, value] of calls) {
    const init: SendInit = { headers: { "x-http-method-override": value } };
    const body = ["GET", "HEAD"].includes(method) ? {} : { body: smallRequest({ version: "v9" }) };
    const response = await desk.send(method, path, { ...init, ...body });
    const name = `${method} ${path} ${value}`;
    assert.deepEqual([response.status, response.headers.get("x-keydesk-error")], [
      400,
      "invalid_input",
    ], name);
    if (method === "POST" && path === REQUESTS) await assertInvalid(response, REFUSED);
  }
  const { version, approved } = await read(desk, id);
  assert.deepEqual([version, approved], ["v2", false]);
}, ON);

testOnEngines(
  "override: outside of /api/ it means nothing, a visitor's own least of all",
  async (desk) => {
    const { RawKey } = await issueKnown(desk);
    for (const value of ["PATCH", "UPDATE"]) {
      const headers = { "x-http-method-override": value };
      for (const method of ["GET", "POST"]) {
        const visit = await desk.send(method, "/v1/forward-auth", {
          credential: null,
          headers: { ...headers, "x-keydesk-authorization": desk.admin, authorization: RawKey },
        });
        assert.equal(visit.status, 200, `${method} ${value}`);
      }
      assert.equal((await desk.send("GET", "/healthz", { headers })).status, 200);
      assert.equal((await desk.send("GET", "/v1/key-requests", { headers })).status, 200);
      assert.equal((await desk.send("POST", "/nowhere", { headers, body: {} })).status, 404);
    }
  },
  ON,
);

testOnEngines("override: by default the header means nothing", async (desk) => {
  const id = await create(desk, smallRequest());
  const init = { body: smallRequest({ version: "v9" }), headers: UPDATE };
  await assertFailure(await desk.send("POST", pathOf(id), init), "method_not_allowed");
  const response = await desk.send("GET", pathOf(id), { headers: UPDATE });
  assert.equal((await response.json()).version, "v2");
  assert.equal((await desk.send("POST", REQUESTS, init)).status, 200);
});
