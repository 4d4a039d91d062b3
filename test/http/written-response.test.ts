import assert from "node:assert/strict";
import { successResponse } from "../../src/http/answer.ts";
import { setHeader, WrittenResponse } from "../../packages/http-listener/written-response.ts";
import { answerHead } from "../../packages/http-listener/answer-head.ts";
import { Answer } from "../../src/kernel/answer.ts";

const ASKING = { method: "GET", headers: new Headers() };

function made(body: string | null, headers: Record<string, string>): Response {
  const response = successResponse(new Answer(body, headers), "id-1", ASKING);
  assert.ok(response instanceof WrittenResponse);
  return response;
}

/** The headers on the wire, sorted. */
const wireOf = (response: Response) =>
  answerHead(response, 1, 0, true).text.split("\r\n").slice(1, -2)
    .filter((line) => !/^(date|content-length):/.test(line)).sort();

/** The same as the runtime's list says them. */
const listOf = (response: Response) =>
  [...response.headers].map(([name, value]) => `${name}: ${value}`).sort();

Deno.test("written response: what is written is what the list says", () => {
  const cases: [string | null, Record<string, string>][] = [
    ["text", {}],
    [null, {}],
    ["text", { etag: '"x"', "retry-after": "3" }],
    [null, { location: "/caf\u00e9" }],
    // Those make the list: they stand among the common ones, or are changed by it.
    ["text", { "content-type": "text/plain" }],
    ["text", { "x-request-id": "other" }],
    ["text", { etag: "  trimmed " }],
  ];
  for (const [body, headers] of cases) {
    const response = made(body, headers);
    assert.deepEqual(wireOf(response), listOf(response), JSON.stringify(headers));
  }
});

Deno.test("written response: what is set afterwards stands in both", () => {
  const response = made("text", { etag: '"x"' });
  setHeader(response, "strict-transport-security", "max-age=1");
  setHeader(response, "etag", '"y"');
  assert.deepEqual(wireOf(response), listOf(response));
  assert.equal(response.headers.get("etag"), '"y"');
  response.headers.set("etag", '"z"');
  response.headers.append("vary", "Origin");
  assert.ok(wireOf(response).includes('etag: "z"'));
  assert.deepEqual(wireOf(response), listOf(response));
  assert.deepEqual(
    listOf(made("text", { etag: '"x"' }).clone()),
    listOf(made("text", {
      etag: '"x"',
    })),
  );
});

Deno.test("written response: a header that would be two is refused where the answer is made", () => {
  for (const value of ["a\r\nset-cookie: b", "a\nb", "a\0b", "\u2603"]) {
    assert.throws(() => made("text", { etag: value }), TypeError, JSON.stringify(value));
    const response = made("text", {});
    assert.throws(() => setHeader(response, "etag", value), TypeError, JSON.stringify(value));
  }
});
