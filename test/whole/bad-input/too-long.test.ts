/**
 * What is longer than anybody needs is refused before it is looked at, and every refusal says so.
 */
import assert from "node:assert/strict";
import {
  LONGEST_CREDENTIAL_HEADER,
  LONGEST_EXPLAINED,
  LONGEST_HEADER,
  LONGEST_PUBLIC_BODY,
  LONGEST_QUERY,
} from "../../../src/kernel/input-limits.ts";
import { endpoints } from "../../../src/reference/registry.ts";
import { openDesk } from "../../support/leaks.ts";
import { testOnEngines } from "../../support/desk.ts";

testOnEngines(
  "too long: every endpoint that is open to everybody takes small bodies alone",
  async (desk) => {
    const open = endpoints.filter(({ permission, body }) => permission === "public" && body);
    assert.ok(open.length > 3);
    for (const { method, path, longestBody = LONGEST_PUBLIC_BODY } of open) {
      const send = (length: number) =>
        desk.send(method, path, { credential: null, body: "x".repeat(length) });
      assert.equal((await send(longestBody + 1)).status, 413, path);
      // What is to be signed is no signed text.
      const refused = longestBody === LONGEST_PUBLIC_BODY ? 400 : 403;
      assert.equal((await send(longestBody)).status, refused, path);
    }
    const body = "x".repeat(LONGEST_PUBLIC_BODY + 1);
    assert.equal((await desk.send("POST", "/api/portal/requests", { body })).status, 400);
  },
  { environment: openDesk },
);

testOnEngines(
  "too long: the place of an error is told in bodies of 64 KiB at the most",
  async (desk) => {
    const errorsOf = async (length: number) => {
      const body = `{${" ".repeat(length - 2)}x`;
      const response = await desk.send("POST", "/api/portal/requests", { body });
      const { Message, Errors } = await response.json();
      assert.deepEqual([response.status, Message], [400, "Request body malformed."]);
      return Errors;
    };
    const column = LONGEST_EXPLAINED;
    assert.deepEqual(await errorsOf(column), [`body: the error is at line 1, column ${column}`]);
    assert.equal(await errorsOf(LONGEST_EXPLAINED + 1), undefined);
  },
);

testOnEngines("too long: a query and a Content-Type are refused by their names", async (desk) => {
  const list = (length: number) =>
    desk.send("GET", `/api/portal/requests?p=1&x=${"a".repeat(length - 6)}`);
  assert.equal((await list(LONGEST_QUERY)).status, 200);
  const refused = await list(LONGEST_QUERY + 1);
  assert.equal(refused.status, 400);
  assert.match((await refused.json()).Message, /^query: expected at most 16384 characters/);
  const upload = await desk.send("POST", "/api/certs", {
    body: "x",
    headers: { "content-type": "a".repeat(LONGEST_HEADER + 1) },
  });
  assert.equal(upload.status, 400);
  assert.match((await upload.json()).Message, /^Content-Type: expected at most 1024 characters/);
});

testOnEngines(
  "too long: an If-Match names no revision, a credential and a cookie nobody",
  async (desk) => {
    const created = await desk.send("POST", "/v1/developers", { body: { email: "a@example.org" } });
    const { id } = await created.json();
    const read = await desk.send("GET", `/v1/developers/${id}`);
    const etag = read.headers.get("etag") ?? "";
    const edit = (tags: string) =>
      desk.send("PUT", `/v1/developers/${id}`, {
        body: { email: "b@example.org", account: "same_person" },
        headers: { "if-match": tags },
      });
    assert.equal((await edit(`${etag}, ${`"${"a".repeat(LONGEST_HEADER)}"`}`)).status, 412);
    assert.equal((await edit(etag)).status, 200);

    const me = (headers: Record<string, string>) =>
      desk.send("GET", "/v1/me", { credential: null, headers });
    const bearer = (blanks: number) => `Bearer${" ".repeat(blanks)}${desk.admin}`;
    assert.equal((await me({ authorization: bearer(LONGEST_CREDENTIAL_HEADER / 2) })).status, 200);
    assert.equal((await me({ authorization: bearer(LONGEST_CREDENTIAL_HEADER) })).status, 401);
    const body = { access_token: desk.admin };
    const signedIn = await desk.send("POST", "/v1/session", { credential: null, body });
    const [cookie = ""] = (signedIn.headers.get("set-cookie") ?? "").split(";");
    assert.equal((await me({ cookie: `x=${"y".repeat(7000)}; ${cookie}` })).status, 200);
    assert.equal((await me({ cookie: `x=${"y".repeat(8192)}; ${cookie}` })).status, 401);
  },
);

testOnEngines(
  "too long: forward-auth reads nothing of a visitor but the headers that it names",
  async (desk) => {
    const headers = {
      ...Object.fromEntries(
        ["cookie", "accept-encoding", "content-type", "if-match", "origin", "range", "referer"]
          .map((name) => [name, "a".repeat(60_000)]),
      ),
    };
    const visited = `/v1/forward-auth/${"%ff".repeat(9000)}?${"a=%ff&".repeat(5000)}`;
    for (const path of ["/v1/forward-auth", visited]) {
      const response = await desk.send("GET", path, { headers });
      // No credential of the visitor's: a verdict, and none of our own failures.
      assert.equal(response.status, 401, path.slice(0, 40));
      assert.equal(response.headers.get("x-keydesk-error"), null);
    }
  },
);
