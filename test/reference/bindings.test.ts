/** Registry and routes say the same, and every endpoint says all that it must. */
import assert from "node:assert/strict";
import { z } from "zod";
import { chapters } from "../../src/contract/chapters.ts";
import { features } from "../../src/endpoints.ts";
import { failureCodes } from "../../src/kernel/failure-codes.ts";
import { endpoints } from "../../src/reference/registry.ts";

Deno.test("operations: every endpoint of the registry is served once, and no other", async () => {
  const bound = (await Promise.all(Object.values(features).map((load) => load()))).flat();
  assert.deepEqual(new Set(bound.map(({ id }) => id)), new Set(endpoints.map(({ id }) => id)));
  assert.equal(bound.length, endpoints.length);
});

Deno.test("registry: ids are unique camel case, and no method of a path is there twice", () => {
  const ids = endpoints.map((endpoint) => endpoint.id);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]*$/);
  const calls = endpoints.flatMap(({ method, aliases = [], path }) =>
    [method, ...aliases].map((one) => `${one} ${path.replaceAll(/\{\w+\}/g, "{}")}`)
  );
  assert.equal(new Set(calls).size, calls.length);
});

Deno.test("registry: every endpoint has a summary, a chapter and a leading slash, and no slash at its end", () => {
  for (const { id, summary, tag, path } of endpoints) {
    assert.ok(summary !== "" && chapters.includes(tag), id);
    assert.match(path, /^\/.*[^/]$/, id);
  }
});

Deno.test("registry: an endpoint with a JSON body has an example that its schema takes", () => {
  for (const { id, body, example } of endpoints) {
    if (body === undefined || body === "ignored") continue;
    assert.ok(example !== undefined, id);
    if (body === "bytes") continue;
    assert.ok(body.safeParse(example).success, id);
  }
});

Deno.test("failure codes: each has an error status and a sentence, and messages differ", () => {
  const messages = Object.values(failureCodes).map(({ message }) => message);
  assert.equal(new Set(messages).size, messages.length);
  for (const [code, { status, message }] of Object.entries(failureCodes)) {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(status >= 400 && status <= 599, code);
    assert.ok(message.length > 0, code);
  }
});

Deno.test("registry: a list that goes by cursor links to its next page", () => {
  for (const { id, query, answerHeaders } of endpoints) {
    const goesByCursor = query instanceof z.ZodObject && "cursor" in query.shape;
    assert.equal("link" in (answerHeaders ?? {}), goesByCursor, id);
  }
});
