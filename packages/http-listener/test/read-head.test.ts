import assert from "node:assert/strict";
import { type Head, readHead } from "../read-head.ts";
import { BadRequest } from "../bad-request.ts";

const HOST = "Host: desk.test";
const CHUNKED = "Transfer-Encoding: chunked";

/** A head, line by line, as it is read: without the blank line at its end. */
function read(first: string, ...lines: string[]): Head {
  return readHead([first, ...lines].join("\r\n"));
}

Deno.test("head: any token is a method, whatever its case", () => {
  for (const method of ["GET", "UPDATE", "get", "M-SEARCH", "!#$%&'*+.^_`|~0", "X".repeat(300)]) {
    assert.equal(read(`${method} / HTTP/1.1`, HOST).method, method);
  }
});

Deno.test("head: the target stays as it was sent, behind the host", () => {
  const urlOf = (target: string, method = "GET", host = "desk.test:8080") =>
    read(`${method} ${target} HTTP/1.1`, `Host: ${host}`).url;
  assert.equal(urlOf("/a/../b?c=%2f&d"), "http://desk.test:8080/a/../b?c=%2f&d");
  assert.equal(urlOf("//a"), "http://desk.test:8080//a");
  assert.equal(urlOf('/\\a"{}|^`<>'), 'http://desk.test:8080/\\a"{}|^`<>');
  assert.equal(urlOf("*", "OPTIONS"), "http://desk.test:8080/*");
  assert.equal(urlOf("http://DESK.test:8080/a?b"), "http://desk.test:8080/a?b");
  assert.equal(urlOf("http://desk.test:8080?b"), "http://desk.test:8080/?b");
  assert.equal(urlOf("/", "GET", "[2001:db8::1]:80"), "http://[2001:db8::1]:80/");
  // Without percent-encoding: the bytes of UTF-8, one character each.
  assert.equal(urlOf("/\xc3\xa4"), "http://desk.test:8080/ä");
  assert.equal(read("GET /a HTTP/1.0").url, "http://localhost/a");
  assert.equal(read("GET http://desk.test/a HTTP/1.0").url, "http://desk.test/a");
});

Deno.test("head: fields are found by their name in any case, and joined where there are several", () => {
  const { fields } = read(
    "GET / HTTP/1.1",
    HOST,
    "X-A: 1",
    "x-a:2\t ",
    "Cookie: a=1",
    "cookie: b=2",
    "X-Empty:",
    "X-High:  \xe4 b",
  );
  assert.equal(fields.get("x-A"), "1, 2");
  assert.equal(fields.get("Cookie"), "a=1; b=2");
  assert.equal(fields.get("x-empty"), "");
  assert.equal(fields.get("x-high"), "\xe4 b");
  assert.equal(fields.get("x-none"), null);
  assert.deepEqual([fields.has("HOST"), fields.has("x")], [true, false]);
});

Deno.test("head: where a body ends is its one length, or its chunks", () => {
  const framing = (...lines: string[]) => read("POST / HTTP/1.1", HOST, ...lines).framing;
  assert.equal(framing(), 0);
  assert.equal(framing("Content-Length: 12"), 12);
  assert.equal(framing("Content-Length: 0"), 0);
  assert.equal(framing("Transfer-Encoding: Chunked"), "chunked");
});

Deno.test("head: a connection persists as its version and its options say", () => {
  const persists = (version: string, ...lines: string[]) =>
    read(`GET / HTTP/${version}`, HOST, ...lines).persists;
  assert.equal(persists("1.1"), true);
  assert.equal(persists("1.1", "Connection: Upgrade, HTTP2-Settings"), true);
  assert.equal(persists("1.1", "Connection: Upgrade", "Connection: Close"), false);
  assert.equal(persists("1.0"), false);
  assert.equal(persists("1.0", "Connection: Keep-Alive"), true);
});

Deno.test("head: an offer of HTTP/2 is no more than two fields", () => {
  const { method, framing, persists } = read(
    "UPDATE /a HTTP/1.1",
    "Connection: Upgrade, HTTP2-Settings",
    "Content-Length: 0",
    HOST,
    "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
    "Upgrade: h2c",
  );
  assert.deepEqual([method, framing, persists], ["UPDATE", 0, true]);
});

/** Heads that are none, and the status that their senders get. */
const REFUSED: readonly (readonly [string, number, string, ...string[]])[] = [
  ["no version", 400, "GET /", HOST],
  ["two blanks", 400, "GET  / HTTP/1.1", HOST],
  ["a tab for a blank", 400, "GET\t/ HTTP/1.1", HOST],
  ["a blank at the end", 400, "GET / HTTP/1.1 ", HOST],
  ["a blank in the path", 400, "GET /a b HTTP/1.1", HOST],
  ["a fragment", 400, "GET /a#b HTTP/1.1", HOST],
  ["a path without a slash", 400, "GET a HTTP/1.1", HOST],
  ["a star of GET", 400, "GET * HTTP/1.1", HOST],
  ["an authority", 400, "CONNECT desk.test:80 HTTP/1.1", HOST],
  ["a target of another host", 400, "GET http://other.test/ HTTP/1.1", HOST],
  ["a target with a user", 400, "GET http://a@desk.test/ HTTP/1.1", HOST],
  ["a target with a user and no host", 400, "GET http://a@desk.test/ HTTP/1.0"],
  ["a target without a host", 400, "GET http:///a HTTP/1.0"],
  ["another scheme", 400, "GET ftp://desk.test/ HTTP/1.1", HOST],
  ["half a character", 400, "GET /\xe4 HTTP/1.1", HOST],
  ["a method that is no token", 400, "G(T / HTTP/1.1", HOST],
  ["a version in small letters", 400, "GET / http/1.1", HOST],
  ["HTTP/2", 505, "PRI * HTTP/2.0"],
  ["HTTP/1.2", 505, "GET / HTTP/1.2", HOST],
  ["HTTP/0.9", 505, "GET / HTTP/0.9", HOST],
  ["no host", 400, "GET / HTTP/1.1"],
  ["two hosts", 400, "GET / HTTP/1.1", HOST, HOST],
  ["two empty hosts", 400, "GET / HTTP/1.1", "Host:", "Host:"],
  ["a host with a path", 400, "GET / HTTP/1.1", "Host: a/b"],
  ["a host with a query", 400, "GET / HTTP/1.1", "Host: a?b"],
  ["a host with a fragment", 400, "GET / HTTP/1.1", "Host: a#b"],
  ["a host with a backslash", 400, "GET / HTTP/1.1", "Host: a\\b"],
  ["a host with a user", 400, "GET / HTTP/1.1", "Host: a@b"],
  ["a list of hosts", 400, "GET / HTTP/1.1", "Host: a,b"],
  ["a blank before the colon", 400, "GET / HTTP/1.1", HOST, "X-A : b"],
  ["a name with a blank", 400, "GET / HTTP/1.1", HOST, "X A: b"],
  ["no name", 400, "GET / HTTP/1.1", HOST, ": b"],
  ["no colon", 400, "GET / HTTP/1.1", HOST, "X-A"],
  ["a name beyond ASCII", 400, "GET / HTTP/1.1", HOST, "X-\xe4: b"],
  ["a folded line", 400, "GET / HTTP/1.1", HOST, "X-A: b", " c"],
  ["a folded first line", 400, "GET / HTTP/1.1", " X-A: b", HOST],
  ["NUL", 400, "GET / HTTP/1.1", HOST, "X-A: \0"],
  ["DEL", 400, "GET / HTTP/1.1", HOST, "X-A: \x7f"],
  ["a bare CR", 400, "GET / HTTP/1.1", HOST, "X-A: a\rX-B: b"],
  ["a bare LF", 400, "GET / HTTP/1.1", HOST, "X-A: a\nX-B: b"],
  ["a bare LF behind the request line", 400, `GET / HTTP/1.1\n${HOST}`],
  ["length and chunks", 400, "GET / HTTP/1.1", HOST, "Content-Length: 1", CHUNKED],
  ["chunks and a length of none", 400, "GET / HTTP/1.1", HOST, CHUNKED, "Content-Length: 0"],
  ["chunks of HTTP/1.0", 400, "GET / HTTP/1.0", HOST, CHUNKED],
  ["chunks twice", 501, "GET / HTTP/1.1", HOST, CHUNKED, CHUNKED],
  ["chunks that are not last", 400, "GET / HTTP/1.1", HOST, "Transfer-Encoding: chunked, gzip"],
  ["another coding", 400, "GET / HTTP/1.1", HOST, "Transfer-Encoding: xchunked"],
  ["no coding", 400, "GET / HTTP/1.1", HOST, "Transfer-Encoding:"],
  ["a coding before the chunks", 501, "GET / HTTP/1.1", HOST, "Transfer-Encoding: gzip, chunked"],
  ["two equal lengths", 400, "GET / HTTP/1.1", HOST, "Content-Length: 1", "Content-Length: 1"],
  ["an empty length", 400, "GET / HTTP/1.1", HOST, "Content-Length:"],
  ["a length with a sign", 400, "GET / HTTP/1.1", HOST, "Content-Length: +1"],
  ["a fraction", 400, "GET / HTTP/1.1", HOST, "Content-Length: 1.0"],
  ["a length beyond all", 400, "GET / HTTP/1.1", HOST, "Content-Length: 1000000000000000"],
  ["101 fields", 431, "GET / HTTP/1.1", HOST, ...Array<string>(100).fill("A: b")],
];

Deno.test("head: whatever two readers could read in two ways is refused, and nothing is repaired", () => {
  for (const [name, status, first, ...lines] of REFUSED) {
    assert.throws(
      () => read(first, ...lines),
      (error) => error instanceof BadRequest && error.status === status,
      name,
    );
  }
  assert.doesNotThrow(() => read("GET / HTTP/1.1", HOST, ...Array<string>(99).fill("A: b")));
});
