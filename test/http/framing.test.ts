import assert from "node:assert/strict";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import { type ListeningDesk, openListeningDesk } from "../support/raw-http.ts";

const LIST = "/api/portal/requests";
const BODY = JSON.stringify(fullKeyRequest);

/** Requests whose length can be read in two ways: the root of request smuggling. */
const twoLengths: Record<string, string[]> = {
  "Content-Length and Transfer-Encoding": [
    `Content-Length: ${BODY.length}`,
    "Transfer-Encoding: chunked",
  ],
  "Transfer-Encoding and Content-Length": ["Transfer-Encoding: chunked", "Content-Length: 3"],
  "two different lengths": [`Content-Length: ${BODY.length}`, "Content-Length: 5"],
  "a list of lengths": [`Content-Length: ${BODY.length}, ${BODY.length}`],
  "a length with a sign": [`Content-Length: +${BODY.length}`],
  "a negative length": ["Content-Length: -1"],
  "a hexadecimal length": ["Content-Length: 0x10"],
  "a length beyond every number": [`Content-Length: ${"9".repeat(30)}`],
  "an unknown coding": ["Transfer-Encoding: xchunked"],
  "chunked that is not last": ["Transfer-Encoding: chunked, identity"],
  "a blank before the colon": [`Content-Length : ${BODY.length}`],
  "a folded line": [`Content-Length: ${BODY.length}`, "X-A: b", " folded"],
};

for (const [name, lines] of Object.entries(twoLengths)) {
  Deno.test(`wire: ${name}: refused with 400, the connection closed, nothing created`, async () => {
    await using desk = await openListeningDesk();
    using connection = await desk.connect();
    await connection.send(desk.head("POST", LIST, ...lines), BODY, desk.head("GET", "/healthz"));
    const answer = await connection.answer();
    assert.equal(answer?.status, 400);
    assert.equal(await connection.rest(), "");
    await assertEmpty(desk);
  });
}

Deno.test("wire: chunks that are none close the connection and create nothing", async () => {
  await using desk = await openListeningDesk();
  for (const chunk of ["ZZ\r\n{}\r\n0\r\n\r\n", `${"f".repeat(20)}\r\n{}`, "2\r\n{}XX0\r\n\r\n"]) {
    using connection = await desk.connect();
    await connection.send(desk.head("POST", LIST, "Transfer-Encoding: chunked"), chunk);
    const answer = await connection.answer();
    assert.ok(answer === undefined || answer.status === 400, String(answer?.status));
    assert.equal(await connection.rest(), "");
  }
  await assertEmpty(desk);
});

Deno.test("wire: what is no request is answered in the envelope, with the fault's code", async () => {
  await using desk = await openListeningDesk();
  const refused: Record<string, [number, string, RegExp]> = {
    "GET / HTTP/2.0\r\n\r\n": [505, "version_unsupported", /HTTP/],
    "GET / HTTP/1.1\r\n\r\n": [400, "malformed_request", /malformed: HTTP\/1.1 has a Host/],
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n": [
      501,
      "coding_unsupported",
      /./,
    ],
  };
  for (const [sent, [status, code, message]] of Object.entries(refused)) {
    using connection = await desk.connect();
    await connection.send(sent);
    const answer = await connection.answer();
    assert.equal(answer?.status, status);
    const { Status, Message, Meta } = JSON.parse(answer.body);
    assert.deepEqual([Status, Meta], ["Error", null]);
    assert.match(Message, message);
    assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
    assert.equal(answer.headers.get("x-keydesk-error"), code);
    assert.ok(answer.headers.has("x-request-id") && answer.headers.has("date"));
  }
});

const absurd: Record<string, string> = {
  "a version of HTTP that is none": "GET /healthz HTTP/3.7\r\nHost: a\r\n\r\n",
  "no version": "GET /healthz\r\n\r\n",
  "a TLS hello": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
  "a blank in the path": "GET /heal thz HTTP/1.1\r\nHost: a\r\n\r\n",
  "a path without its slash": "GET healthz/x HTTP/1.1\r\nHost: a\r\n\r\n",
  "NUL in a header": "GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: a\0b\r\n\r\n",
  "two Host headers": "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
  "a thousand headers": `GET /healthz HTTP/1.1\r\n${"X-A: b\r\n".repeat(1000)}\r\n`,
  "a header of a megabyte": `GET /healthz HTTP/1.1\r\nX-A: ${"b".repeat(1_000_000)}\r\n\r\n`,
  "a path of a megabyte": `GET /${"b".repeat(1_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
};

for (const [name, request] of Object.entries(absurd)) {
  Deno.test(`wire: ${name}: refused, and the server goes on`, async () => {
    await using desk = await openListeningDesk();
    using connection = await desk.connect();
    await connection.send(request);
    const answer = await connection.answer();
    assert.ok(
      answer === undefined || [400, 414, 431, 505].includes(answer.status),
      `${answer?.status}`,
    );
    await assertEmpty(desk);
  });
}

Deno.test("wire: requests sent ahead are answered in their order", async () => {
  await using desk = await openListeningDesk();
  using connection = await desk.connect();
  // A small body: the runtime closes the connection after one that does not come with its head.
  const body = JSON.stringify({ by_user: "a", for_plan: "b" });
  const post = desk.head("POST", LIST, `Content-Length: ${body.length}`, "X-Request-Id: first");
  const rest = ["second", "third", "fourth"].map((id, i) =>
    desk.head("GET", ["/readyz", "/nothing", LIST][i] ?? "", `X-Request-Id: ${id}`)
  );
  await connection.send(post + body + rest.join(""));
  const seen: [string | undefined, number | undefined][] = [];
  for (let i = 0; i < 4; i++) {
    const answer = await connection.answer();
    seen.push([answer?.headers.get("x-request-id"), answer?.status]);
    if (i === 3) assert.equal(JSON.parse(answer?.body ?? "").Data.length, 1);
  }
  assert.deepEqual(seen, [["first", 200], ["second", 200], ["third", 404], ["fourth", 200]]);
});

Deno.test("wire: HTTP/1.0 is answered and closed, without chunks", async () => {
  await using desk = await openListeningDesk();
  for (const path of ["/healthz", LIST]) {
    using connection = await desk.connect();
    await connection.send(`GET ${path} HTTP/1.0\r\nAuthorization: ${desk.admin}\r\n\r\n`);
    const answer = await connection.answer();
    assert.equal(answer?.status, 200);
    assert.equal(answer?.headers.get("transfer-encoding"), undefined);
    assert.equal(await connection.rest(), "");
  }
});

Deno.test("wire: Expect: 100-continue gets its go-ahead, then the answer", async () => {
  await using desk = await openListeningDesk();
  using connection = await desk.connect();
  const length = `Content-Length: ${BODY.length}`;
  await connection.send(desk.head("POST", LIST, "Expect: 100-continue", length));
  assert.equal((await connection.answer())?.status, 100);
  await connection.send(BODY);
  assert.equal((await connection.answer())?.status, 200);
});

Deno.test("wire: Expect: 100-continue of a stranger ends in 401", async () => {
  await using desk = await openListeningDesk();
  using connection = await desk.connect();
  await connection.send(
    `POST ${LIST} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n`,
  );
  let answer = await connection.answer();
  // The runtime gives the go-ahead by itself, before anybody has looked at the credential.
  if (answer?.status === 100) answer = await connection.answer();
  assert.equal(answer?.status, 401);
});

Deno.test("wire: no Host header can lead to another path than the request's", async () => {
  await using desk = await openListeningDesk();
  for (const host of [`a${LIST}?`, `a${LIST}#`, "a/healthz", "a/healthz?", "a\\healthz", "a?"]) {
    using connection = await desk.connect();
    await connection.send(
      `GET /nothing HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${desk.admin}\r\n\r\n`,
    );
    const answer = await connection.answer();
    assert.ok(answer && answer.status >= 400 && answer.status < 500, `${host}: ${answer?.status}`);
    assert.equal(JSON.parse(answer.body).Status, "Error");
  }
});

Deno.test("wire: only the path itself and a slash behind it lead to an endpoint", async () => {
  await using desk = await openListeningDesk();
  const others = [`/${LIST}`, `${LIST}//`, "/API/portal/requests", "/api/portal/x/../requests"];
  const encoded = ["/api%2fportal/requests", `${LIST};a=b`, "/api\\portal\\requests", "/."];
  for (const path of [...others, ...encoded, `${LIST}/%2e%2e/requests`, `${LIST}/approve/a/b`]) {
    using connection = await desk.connect();
    await connection.send(desk.head("GET", path));
    const answer = await connection.answer();
    assert.equal(answer?.status, 404, path);
    assert.equal(JSON.parse(answer?.body ?? "").Status, "Error");
  }
  using connection = await desk.connect();
  await connection.send(desk.head("GET", `${LIST}/`));
  assert.equal((await connection.answer())?.status, 200);
});

async function assertEmpty(desk: ListeningDesk): Promise<void> {
  using connection = await desk.connect();
  await connection.send(desk.head("GET", LIST));
  assert.equal((await connection.answer())?.body, `{"Data":[],"Pages":0}`);
}
