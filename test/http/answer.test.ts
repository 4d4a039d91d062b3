/** What a handler gives, as it goes out. */
import assert from "node:assert/strict";
import { plainResponse } from "../../src/http/answer.ts";
import { Answer, fileHeaders } from "../../src/kernel/answer.ts";

const send = (output: unknown, method = "GET") => plainResponse(output, "request-1", method);

async function* pieces() {
  yield "a,";
  yield "b";
}

Deno.test("answer: a value is sent as JSON whatever it is, the text of an answer as it stands", async () => {
  assert.equal(await send("said").text(), '"said"');
  assert.equal(await send({ said: true }).text(), '{"said":true}');
  assert.equal(await send(new Answer('{"said":true}')).text(), '{"said":true}');
  assert.equal(await send(new Answer({ said: true }, { etag: '"1"' })).text(), '{"said":true}');
  assert.equal(await send(new Answer(new Uint8Array([65]))).text(), "A");
  assert.equal(await send(new Answer(pieces())).text(), "a,b");
});

Deno.test("answer: every form has the usual headers, and its own in their place", () => {
  const own = { ...fileHeaders("text/csv", "all.csv"), "content-security-policy": "default-src *" };
  for (const body of ["x", { x: 1 }, new Uint8Array(1), pieces(), null]) {
    for (const method of ["GET", "HEAD"]) {
      const { headers, status } = send(new Answer(body, own, 403), method);
      assert.equal(status, 403);
      assert.equal(headers.get("x-request-id"), "request-1");
      assert.equal(headers.get("cache-control"), "no-store");
      assert.equal(headers.get("content-type"), "text/csv");
      assert.equal(headers.get("content-disposition"), 'attachment; filename="all.csv"');
      assert.equal(headers.get("content-security-policy"), "default-src *");
    }
  }
});

Deno.test("answer: to HEAD what is written has its length in bytes and no body", async () => {
  for (const body of ["é", { x: "é" }, new Uint8Array(3)]) {
    const got = await send(new Answer(body)).arrayBuffer();
    const head = send(new Answer(body), "HEAD");
    assert.equal(head.headers.get("content-length"), String(got.byteLength));
    assert.equal(await head.text(), "");
  }
});
