import assert from "node:assert/strict";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import {
  headOf,
  RawConnection,
  type ServerProcess,
  startServerProcess,
} from "../support/raw-http.ts";

const LIST = "/api/portal/requests";
const SECRET = "stranger-credential-0123456789abcdef";

Deno.test("wire: the access log has one line a request, and never an access token, a query or a value", async () => {
  await using server = await startServerProcess();
  const began = performance.now();
  const jwt_secret = "jwt-secret-that-nobody-may-log";
  const body = JSON.stringify({ ...fullKeyRequest, jwt_secret });
  const created = await ask(server, "a-create", "POST", LIST, server.admin, body);
  const id: string = JSON.parse(created).Message;
  const approved = await ask(server, "b-approve", "PUT", `${LIST}/approve/${id}`, server.admin);
  const { RawKey } = JSON.parse(approved);
  await ask(server, "c-list", "GET", `${LIST}?p=1&approved=true&marker=in-the-query`, server.admin);
  await ask(server, "d-read", "GET", `${LIST}/${id}`, `Bearer ${server.admin}`);
  await ask(server, "e-stranger", "GET", `${LIST}/${id}`, SECRET);
  await ask(server, "f-bad", "POST", LIST, server.admin, `{"fields":{"team":7}}`);
  await ask(server, "g-nowhere", "GET", `/somewhere/marker-in-the-path`, server.admin);
  await ask(server, "h-method", "FOO", LIST, server.admin);
  await ask(server, "i-update", "UPDATE", `${LIST}/${id}/`, server.admin, body);
  await ask(server, "j-open", "GET", "/healthz", server.admin);
  await ask(server, "k-delete", "DELETE", `${LIST}/${id}`, server.admin);
  await server.stop();
  const tookMs = performance.now() - began;

  const lines = server.log.filter((line) => "request_id" in line);
  const principal = String(lines[0]?.principal);
  assert.match(principal, /^[0-9a-f]{24}$/);
  const token = String(lines[0]?.token);
  assert.match(token, /^[0-9a-f]{24}$/);
  assert.notEqual(token, principal);
  for (const line of lines) {
    assert.deepEqual([line.token, line.session], [line.principal === "" ? "" : token, ""]);
  }
  const one = `${LIST}/{id}`;
  const seen = lines.map((l) => [
    l.caller_request_id,
    l.method,
    pattern(l),
    l.status,
    l.principal,
  ]);
  assert.deepEqual(seen, [
    ["a-create", "POST", LIST, 200, principal],
    ["b-approve", "PUT", `${LIST}/approve/{id}`, 200, principal],
    ["c-list", "GET", LIST, 200, principal],
    ["d-read", "GET", one, 200, principal],
    ["e-stranger", "GET", one, 401, ""],
    ["f-bad", "POST", LIST, 400, principal],
    ["g-nowhere", "GET", "-", 404, ""],
    ["h-method", "FOO", LIST, 405, ""],
    ["i-update", "UPDATE", one, 200, principal],
    ["j-open", "GET", "/healthz", 200, ""],
    ["k-delete", "DELETE", one, 200, principal],
  ]);
  assert.equal(new Set(lines.map((line) => line.request_id)).size, lines.length);
  for (const line of lines) {
    assert.match(String(line.request_id), /^[0-9a-f-]{36}$/);
    assert.ok(typeof line.ms === "number" && line.ms >= 0 && line.ms <= tookMs, "ms");
    assert.equal(line.level, "info");
  }
  const text = JSON.stringify(server.log);
  for (const secret of [server.admin, SECRET, jwt_secret, RawKey, "in-the-query", "in-the-path"]) {
    assert.ok(!text.includes(secret), `the log holds ${secret}`);
  }
  assert.ok(!text.includes(id), "the log holds a path's values");
});

Deno.test("wire: what a client says in its head can't forge a line of the log", async () => {
  await using server = await startServerProcess();
  const forged = `x","level":"error","status":"500`;
  for (const requestId of [forged, "a b", "ü", "x".repeat(65), "a,b", "%0a", "<script>"]) {
    using connection = await RawConnection.open(server.address);
    await connection.send(
      headOf(server.admin, "GET", `/${encodeURI(forged)}`, `X-Request-Id: ${requestId}`),
    );
    const answer = await connection.answer();
    assert.equal(answer?.status, 404);
    assert.match(answer?.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
  }
  await server.stop();
  const lines = server.log.filter((line) => "request_id" in line);
  assert.equal(lines.length, 7);
  for (const line of lines) {
    assert.match(String(line.request_id), /^[0-9a-f-]{36}$/);
    assert.ok(!("caller_request_id" in line));
    assert.equal(line.status, 404);
  }
});

/** The pattern of the path, in one spelling. */
function pattern(line: Record<string, unknown>): string {
  return String(line.path).replaceAll(/:(\w+)/g, "{$1}");
}

async function ask(
  server: ServerProcess,
  requestId: string,
  method: string,
  path: string,
  credential: string,
  body = "",
): Promise<string> {
  using connection = await RawConnection.open(server.address);
  const lines = [`X-Request-Id: ${requestId}`, `Content-Length: ${body.length}`];
  await connection.send(headOf(credential, method, path, ...lines), body);
  const answer = await connection.answer();
  assert.equal(answer?.headers.get("x-request-id"), requestId);
  return answer?.body ?? "";
}
