/** The OpenAPI document: valid, whole, and with UPDATE where OpenAPI 3.2 wants it. */
import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { signInExample } from "../../src/access/sessions.contract.ts";
import { takesSessions } from "../../src/contract/envelope.ts";
import { toOpenApi } from "../../src/contract/openapi.ts";
import { endpoints } from "../../src/contract/registry.ts";
import { failureCodes } from "../../src/lib/failure-codes.ts";
import { issueToken } from "../../src/oauth/oauth.contract.ts";
import { version } from "../../src/version.ts";
import { testOnEngines } from "../support/desk.ts";
import { addCode } from "../support/sign-in.ts";
import { addOAuthClient, oauthClientOf } from "../support/oauth.ts";
import { acceptedBody, walkedCalls } from "../support/walk.ts";

interface Operation {
  operationId: string;
  security?: unknown[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { description: string }>;
  parameters: { name: string; in: string; required: boolean }[];
}
type Item = Record<string, Operation> & { additionalOperations?: Record<string, Operation> };

const document = toOpenApi(endpoints, version);
// as: toOpenApi builds path items of operations; the validator below checks that it does.
const paths = document.paths as Record<string, Item>;
const operations = walkedCalls.map((call) => {
  const item = paths[call.endpoint.path];
  const operation = item?.[call.method.toLowerCase()] ?? item?.additionalOperations?.[call.method];
  return { ...call, operation };
});

Deno.test("openapi: the document is valid OpenAPI 3.2", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(document));
  assert.deepEqual(result.errors, undefined);
  assert.equal(result.valid, true);
  assert.equal(validator.version, "3.2");
});

Deno.test("openapi: the validator refuses a document that is wrong", async () => {
  const wrong = structuredClone(document);
  wrong.paths = { "/x": { get: { responses: 7 } } };
  assert.equal((await new Validator().validate(wrong)).valid, false);
});

Deno.test("openapi: UPDATE stands under additionalOperations, PUT beside it", () => {
  const item = paths["/api/portal/requests/{id}"];
  assert.deepEqual(Object.keys(item?.additionalOperations ?? {}), ["UPDATE"]);
  assert.equal(item?.additionalOperations?.UPDATE?.operationId, "updateKeyRequest");
  assert.equal(item?.put?.operationId, "updateKeyRequestByPUT");
  const { operationId: _, ...update } = item?.additionalOperations?.UPDATE ?? {};
  const { operationId: __, ...put } = item?.put ?? {};
  assert.deepEqual(put, update);
});

Deno.test("openapi: every endpoint is there under each of its methods, and nothing else", () => {
  for (const { name, operation } of operations) assert.ok(operation, name);
  const count = Object.values(paths).reduce(
    (sum, { additionalOperations, ...fixed }) =>
      sum + Object.keys(fixed).length + Object.keys(additionalOperations ?? {}).length,
    0,
  );
  assert.equal(count, walkedCalls.length);
  const ids = operations.map(({ operation }) => operation?.operationId);
  assert.equal(new Set(ids).size, ids.length);
});

Deno.test("openapi: every path parameter is declared and required", () => {
  for (const { name, endpoint, operation } of operations) {
    const inPath = operation?.parameters.filter((parameter) => parameter.in === "path") ?? [];
    const expected = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    assert.deepEqual(inPath.map((parameter) => parameter.name), expected, name);
    assert.ok(inPath.every((parameter) => parameter.required), name);
  }
});

Deno.test("openapi: an endpoint is open exactly where its contract says so", () => {
  for (const { name, endpoint, operation } of operations) {
    const scheme = endpoint.credentialHeader ?? "credential";
    const bySession = takesSessions(endpoint) ? [{ session: [] }] : [];
    const expected = endpoint.permission === "public" ? [] : [{ [scheme]: [] }, ...bySession];
    assert.deepEqual(operation?.security, expected, name);
  }
});

Deno.test("openapi: every failure that an endpoint declares is told with its status", () => {
  for (const { name, endpoint, operation } of operations) {
    for (const code of endpoint.errors) {
      const response = operation?.responses[String(failureCodes[code].status)];
      assert.ok(response?.description.includes(`\`${code}\``), `${name}: ${code}`);
    }
  }
});

Deno.test("openapi: every reference leads somewhere", () => {
  const text = JSON.stringify(document);
  // as: toOpenApi builds them.
  const { schemas } = document.components as { schemas: Record<string, unknown> };
  const names = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference ?? "");
  assert.ok(names.length > 0);
  for (const name of names) {
    assert.ok(name.startsWith("#/components/schemas/"), name);
    assert.ok(name.slice("#/components/schemas/".length) in schemas, name);
  }
});

testOnEngines("openapi: the running application serves this very document", async (desk) => {
  const response = await desk.send("GET", "/openapi.json", { credential: null });
  assert.equal(await response.text(), JSON.stringify(document));
});

testOnEngines(
  "openapi: every example is accepted by the running application",
  async (desk) => {
    await oauthClientOf(desk, issueToken.example);
    await addCode(desk, signInExample.code);
    // What a tag's first example created is what its other paths name.
    const ids = new Map<string, string>();
    for (const { name, endpoint, method, operation } of operations) {
      if (endpoint.body === undefined || endpoint.body === "ignored") continue;
      const [content] = Object.values(operation?.requestBody?.content ?? {});
      assert.ok(content?.example !== undefined, `${name} has a body and no example`);
      assert.equal(content.example, endpoint.example);
      const path = endpoint.path.replaceAll(/\{\w+\}/g, ids.get(endpoint.tag) ?? "0".repeat(24));
      const init = acceptedBody(endpoint);
      // At a public endpoint with a body the client of the example authenticates itself.
      const credential = endpoint.permission === "public" ? { credential: null } : {};
      const answer = await desk.send(method, path, { ...init, ...credential });
      const text = await answer.text();
      // Where a path names what no test has made, a body that is taken leads to nothing.
      const code = answer.headers.get("x-keydesk-error");
      const nothing = !ids.has(endpoint.tag) && (code === "not_found" || code === "claim_gone");
      assert.ok(answer.status === 200 || nothing, `${name}: ${text}`);
      const { Message } = text === "" ? {} : JSON.parse(text);
      if (!ids.has(endpoint.tag) && !nothing && Message) ids.set(endpoint.tag, Message);
    }
  },
  {},
  [addOAuthClient],
);
