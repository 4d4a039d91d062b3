import assert from "node:assert/strict";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import { type ListeningDesk, openListeningDesk } from "../support/raw-http.ts";

const LIST = "/api/portal/requests";
const BODY = JSON.stringify(fullKeyRequest);

async function ask(desk: ListeningDesk, method: string, path: string, body?: string) {
  using connection = await desk.connect();
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
  await connection.send(desk.head(method, path, ...length), body ?? "");
  const answer = await connection.answer(method === "HEAD");
  assert.ok(answer, `${method} ${path}: no answer`);
  return answer;
}

async function createOne(desk: ListeningDesk): Promise<string> {
  const created = await ask(desk, "POST", LIST, BODY);
  return JSON.parse(created.body).Message;
}

Deno.test("wire: the method tokens UPDATE and PUT replace a request", async () => {
  await using desk = await openListeningDesk();
  const id = await createOne(desk);
  for (const method of ["UPDATE", "PUT"]) {
    const body = JSON.stringify({ ...fullKeyRequest, version: method });
    const answer = await ask(desk, method, `${LIST}/${id}`, body);
    assert.equal(answer.status, 200);
    assert.deepEqual(JSON.parse(answer.body), { Status: "OK", Message: id, Meta: null });
    const read = await ask(desk, "GET", `${LIST}/${id}`);
    assert.equal(JSON.parse(read.body).version, method);
  }
});

Deno.test("wire: an unknown method token, or a known one in another case, is 405 with Allow", async () => {
  await using desk = await openListeningDesk();
  const id = await createOne(desk);
  const tokens = ["FOO", "update", "Update", "put", "get", "PATCH", "TRACE", "M-SEARCH", "POST"];
  for (const method of tokens) {
    const answer = await ask(desk, method, `${LIST}/${id}`, BODY);
    assert.equal(answer.status, 405, method);
    assert.equal(answer.headers.get("allow"), "GET, UPDATE, PUT, DELETE, HEAD, OPTIONS");
    assert.equal(JSON.parse(answer.body).Status, "Error");
  }
  const read = JSON.parse((await ask(desk, "GET", `${LIST}/${id}`)).body);
  assert.equal(read.version, fullKeyRequest.version);
});

Deno.test("wire: OPTIONS says what a path takes and asks for no credential", async () => {
  await using desk = await openListeningDesk();
  using connection = await desk.connect();
  await connection.send(`OPTIONS ${LIST} HTTP/1.1\r\nHost: a\r\nOrigin: https://evil.test\r\n\r\n`);
  const answer = await connection.answer();
  assert.equal(answer?.status, 200);
  assert.equal(answer?.headers.get("allow"), "GET, POST, HEAD, OPTIONS");
  assert.equal(answer?.headers.get("access-control-allow-origin"), undefined);
  // Two features serve this one.
  await connection.send("OPTIONS /api/keys/one HTTP/1.1\r\nHost: a\r\n\r\n");
  const shared = await connection.answer();
  const allowed = shared?.headers.get("allow")?.split(", ").toSorted();
  assert.deepEqual(allowed, ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"]);
});

Deno.test("wire: HEAD has the headers of GET and no body, for answers and for errors", async () => {
  await using desk = await openListeningDesk();
  const id = await createOne(desk);
  const paths = [LIST, `${LIST}?p=1`, `${LIST}/${id}`, `${LIST}/none`, `${LIST}?p=x`, "/nothing"];
  for (const path of [...paths, "/healthz", "/openapi.json"]) {
    using connection = await desk.connect();
    await connection.send(desk.head("HEAD", path), desk.head("GET", path));
    const head = await connection.answer(true);
    // Had HEAD a body, it would stand where the next answer begins.
    const get = await connection.answer();
    assert.ok(head && get);
    assert.equal(head.status, get.status, path);
    assert.deepEqual(namesAndValues(head.headers), namesAndValues(get.headers), path);
  }
});

Deno.test("wire: HEAD tells the length of what GET sends, in each encoding", async () => {
  await using desk = await openListeningDesk();
  for (let n = 0; n < 20; n++) await createOne(desk);
  const paths = ["/openapi.json", "/openapi-3.1.json", "/reference", `${LIST}?p=1`, "/v1/plans"];
  for (const path of [...paths, "/console", "/v1/key-requests"]) {
    for (const encoding of ["identity", "gzip", "br", "zstd"]) {
      using connection = await desk.connect();
      const line = `Accept-Encoding: ${encoding}`;
      await connection.send(desk.head("HEAD", path, line), desk.head("GET", path, line));
      const head = await connection.answer(true);
      const get = await connection.answer();
      assert.ok(head && get, path);
      for (const name of ["content-encoding", "content-type", "transfer-encoding", "vary"]) {
        assert.equal(head.headers.get(name), get.headers.get(name), `${name} of ${path}`);
      }
      const length = get.headers.get("content-length");
      assert.equal(head.headers.get("content-length"), length, `${path} in ${encoding}`);
    }
  }
});

function namesAndValues(headers: Map<string, string>): [string, string][] {
  const changing = ["date", "x-request-id"];
  return [...headers].map(([name, value]): [string, string] => [
    name,
    changing.includes(name) ? "" : value,
  ]).sort();
}
