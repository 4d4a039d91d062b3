/** What the reference page makes of the desk's own document: chapters, members, calls, samples. */
import assert from "node:assert/strict";
import { callOf, exampleOf, sendable } from "../../console/reference/call.ts";
import {
  addressOf,
  type Document,
  followed,
  groupsOf,
  matches,
  namedBy,
  type Operation,
} from "../../console/reference/document.ts";
import { limitsOf, memberOf, membersOf } from "../../console/reference/member-list.ts";
import { LANGUAGES } from "../../console/reference/samples.ts";
import { toOpenApi } from "../../src/reference/openapi.ts";
import { endpoints } from "../../src/reference/registry.ts";

// as: what the page looks at is part of it.
const document = toOpenApi(endpoints, "1.0.0", "3.2") as unknown as Document;
const operations = groupsOf(document).flatMap((group) => group.operations);
const operation = (id: string): Operation => {
  const found = operations.find(({ operationId }) => operationId === id);
  assert.ok(found, id);
  return found;
};

Deno.test("reference page: every endpoint of the contract is an operation, by its method, UPDATE included", () => {
  const called = operations.filter(({ isMessage }) => !isMessage);
  const names = called.map(({ operationId }) => operationId);
  assert.equal(new Set(names).size, names.length);
  for (const { id } of endpoints) assert.ok(names.includes(id), id);
  assert.ok(called.some(({ method }) => method === "UPDATE"));
  assert.ok(operations.some(({ isMessage, path }) => isMessage && path === "key_request.created"));
});

Deno.test("reference page: a parameter offers the words of its schema, also where that has a name", () => {
  const { parameters = [] } = operation("getKeysActivity");
  const schema = parameters.find(({ name }) => name === "res")?.schema;
  assert.deepEqual([schema?.enum, schema?.default], [["day", "hour", "month"], "day"]);
  for (const { operationId, parameters = [] } of operations) {
    for (const { schema } of parameters) assert.equal(schema?.$ref, undefined, operationId);
  }
});

Deno.test("reference page: an operation has an address, and what an address names is found again", () => {
  for (const one of operations) {
    const { tag, operationId } = namedBy(addressOf(one));
    assert.deepEqual([tag, operationId], [one.tag, one.operationId]);
  }
  assert.equal(
    addressOf(operation("listKeyRequests")),
    "#/Key%20requests/listKeyRequests",
  );
  for (const hash of ["", "#top", "#/%E0%A4%A"]) assert.deepEqual(namedBy(hash), {});
});

Deno.test("reference page: a search finds operations that have each of its words", () => {
  assert.ok(matches(operation("updateKeyRequest"), "update REQUESTS"));
  assert.ok(!matches(operation("updateKeyRequest"), "update certificates"));
});

Deno.test("reference page: members are told with their constraints, however deep they stand", () => {
  const schema = sendable(operation("createPerson"))[0]?.[1].schema;
  assert.ok(schema);
  const name = membersOf(document, schema).find((one) => one.name === "name");
  assert.equal(name?.isRequired, true);
  assert.match(name?.limits.join("; ") ?? "", /^1 to \d+ characters/);
  assert.deepEqual(limitsOf({ type: "integer", minimum: 1, maximum: 100, default: 20 }), [
    "1 to 100",
    "20 by default",
  ]);
  assert.deepEqual(limitsOf({ enum: ["a", "b"], pattern: "^a", deprecated: true }), [
    '"a", "b"',
    "matches ^a",
    "deprecated",
  ]);
  const list = { type: "array", maxItems: 3, items: { type: "string", maxLength: 9 } };
  assert.deepEqual(limitsOf(list), ["at most 3 items", "each at most 9 characters"]);
  const either = memberOf(document, "end", {
    anyOf: [{ type: "string", format: "date-time" }, { type: "null" }],
  }, false);
  assert.deepEqual([either.kind, either.limits], ["text or null", ["date-time"]]);
});

Deno.test("reference page: no member of any body or answer is without a kind, and none ends in itself", () => {
  const seen = new Set<string>();
  let count = 0;
  const look = (schema: Parameters<typeof membersOf>[1]) => {
    if (schema.$ref !== undefined && seen.has(schema.$ref)) return;
    if (schema.$ref !== undefined) seen.add(schema.$ref);
    for (const member of membersOf(document, schema)) {
      count++;
      assert.ok(member.kind !== "" && !member.kind.includes("undefined"), member.name);
      if (member.inside) look(member.inside);
    }
  };
  for (const { requestBody, responses } of operations) {
    const bodies = [
      ...Object.values(requestBody?.content ?? {}),
      ...Object.values(responses).flatMap((one) =>
        Object.values(followed(document, one).content ?? {})
      ),
    ];
    for (const { schema } of bodies) if (schema) look(schema);
  }
  assert.ok(count > 1000, String(count));
});

Deno.test("reference page: each operation's example is a call, with the token where its scheme wants it", () => {
  for (const one of operations.filter(({ isMessage }) => !isMessage)) {
    const call = callOf(document, one, exampleOf(document, one));
    assert.doesNotMatch(call.target, /[{} ]/, one.operationId);
    const isPublic = (one.security ?? []).length === 0;
    assert.equal(call.credential === undefined, isPublic, one.operationId);
    for (const write of Object.values(LANGUAGES)) assert.match(write(call), /DESK/);
  }
  const headers = ["getClassicKeyRequest", "getDeveloperSession"].map((id) =>
    callOf(document, operation(id), exampleOf(document, operation(id))).credential
  );
  assert.deepEqual(headers, [
    { header: "authorization", before: "" },
    { header: "authorization", before: "Bearer " },
  ]);
});

Deno.test("reference page: what was typed is escaped in paths and queries, and empty fields are left out", () => {
  const update = operation("updateKeyRequest");
  const call = callOf(document, update, {
    values: { id: "a/b ?#" },
    type: "application/json",
    text: "{}",
  });
  assert.equal(call.target, "/api/portal/requests/a%2Fb%20%3F%23");
  assert.equal(call.method, "UPDATE");
  const list = operation("listKeyRequests");
  const listed = callOf(document, list, { values: { q: "a&b", plan: "" }, text: "" });
  assert.equal(listed.target, "/v1/key-requests?q=a%26b");
  assert.equal(listed.body, undefined);
});
