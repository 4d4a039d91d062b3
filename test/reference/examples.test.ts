/**
 * The examples of the reference: each is sent as it stands, and what comes back is what the
 * document says.
 */
import assert from "node:assert/strict";
import { failureResponse } from "../../src/http/failure-response.ts";
import type { FailureCode } from "../../src/kernel/failure-codes.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { examplePaths, exampleRequestId } from "../../src/reference/failure-examples.ts";
import { unsaidHeaders } from "../../src/reference/openapi-answers.ts";
import { testOnEngines } from "../support/desk.ts";
import { exampleOf, readDocument, schemaCheck, type ToldAnswer } from "../support/document.ts";
import { prepared, sent } from "../support/examples/examples.ts";
import { newStage } from "../support/examples/stage.ts";
import { openDesk } from "../support/leaks.ts";
import { addOAuthClient } from "../support/oauth.ts";

const { document, operations } = readDocument();
const misfits = schemaCheck(document);

Deno.test("examples: every operation has a summary, a description, an example and a command that is the same", () => {
  for (const { name, endpoint, method, operation } of operations) {
    assert.ok(operation?.summary, name);
    assert.match(endpoint.description, /^[`A-Z].*\.$/, name);
    assert.ok(operation.description?.startsWith(endpoint.description), name);
    const example = exampleOf({ endpoint, method }, operation);
    assert.ok(example, `${name} has no example`);
    const [sample] = operation["x-codeSamples"];
    assert.ok(sample?.source.startsWith(`curl -X ${method} "$DESK`), name);
    assert.ok(sample?.source.includes(endpoint.path.split("{")[0] ?? ""), name);
  }
});

/** Every schema of a document that has values beside it, with where it stands. */
function* shownValues(
  value: unknown,
  follow: (reference: string) => unknown,
  place = "",
): Generator<{ place: string; schema: unknown; value: unknown }> {
  if (typeof value !== "object" || value === null) return;
  // as: whatever stands in a document is JSON.
  const part = value as Record<string, unknown>;
  if ("schema" in part) {
    const examples = Object.values(part.examples ?? {}).map((one) =>
      "$ref" in one ? follow(one.$ref) : one
    );
    const values = examples.map((one) => (one as { value: unknown }).value);
    if ("example" in part) values.push(part.example);
    for (const value of values) yield { place, schema: part.schema, value };
  }
  // Members of an object that have these names are schemas themselves.
  if (!place.endsWith("/properties")) {
    const { default: fallback, examples } = part;
    if (fallback !== undefined) yield { place, schema: part, value: fallback };
    for (const value of Array.isArray(examples) ? examples : []) {
      yield { place, schema: part, value };
    }
  }
  for (const [name, inside] of Object.entries(part)) {
    if (!NOT_SCHEMAS.includes(name) || place.endsWith("/properties")) {
      yield* shownValues(inside, follow, `${place}/${name}`);
    }
  }
}

/** Values, not what describes them. */
const NOT_SCHEMAS = ["example", "examples", "default", "enum", "const"];

Deno.test("examples: values are found beside the schemas that they belong to", () => {
  const value = { content: { schema: { type: "integer", default: 1 }, example: "x" } };
  assert.deepEqual(
    [...shownValues(value, () => undefined)].map(({ place, value }) => [place, value]),
    [
      ["/content", "x"],
      ["/content/schema", 1],
    ],
  );
  assert.deepEqual(misfits(value.content.schema, "x"), [" must be integer"]);
});

for (const edition of ["3.2", "3.1"] as const) {
  Deno.test(`examples: every example and default of the ${edition} edition satisfies its schema`, () => {
    const { document } = readDocument(edition);
    const misfits = schemaCheck(document);
    const follow = (reference: string) =>
      // as: a reference leads through objects.
      reference.slice(2).split("/").reduce<unknown>(
        (part, name) => (part as Record<string, unknown>)[name],
        document,
      );
    const wrong: string[] = [];
    const places = { requests: 0, answers: 0, parameters: 0, defaults: 0 };
    for (const { place, schema, value } of shownValues(document, follow)) {
      const kind = /\/requestBody\//.test(place) && !/\/schema\//.test(place)
        ? "requests"
        : /\/responses\//.test(place)
        ? "answers"
        : /\/parameters\/\d+$/.test(place)
        ? "parameters"
        : "defaults";
      places[kind]++;
      wrong.push(...misfits(schema, value).map((misfit) => `${place}: ${misfit}`));
    }
    assert.deepEqual(wrong, []);
    for (const [kind, count] of Object.entries(places)) assert.ok(count >= 20, `${kind}: ${count}`);
  });
}

testOnEngines(
  "examples: each operation's example works, and its answer has the schema and headers that are told",
  async (desk) => {
    const wrong: string[] = [];
    for (const { name, endpoint, method, operation } of operations) {
      assert.ok(operation);
      const example = exampleOf({ endpoint, method }, operation);
      assert.ok(example, name);
      const stage = await newStage(desk);
      // The operator is of the first organisation.
      const isOperators = typeof endpoint.permission !== "string" &&
        endpoint.permission.every((one) => one === "operator");
      if (isOperators) stage.admin = desk.admin;
      const response = await sent(stage, await prepared(stage, example), operation.security);
      const text = await response.text();
      const misfits = response.status === (endpoint.status ?? 200)
        ? misfitsOf(operation.responses[String(response.status)], response, text)
        : [`${response.status}: ${text}`];
      wrong.push(...misfits.map((misfit) => `${name}: ${misfit}`));
    }
    assert.deepEqual(wrong, []);
  },
  { extra: [addOAuthClient], environment: openDesk },
);

/** What of an answer the document does not tell, or tells otherwise. */
function misfitsOf(told: ToldAnswer | undefined, response: Response, text: string): string[] {
  if (!told) return [`no ${response.status} is told`];
  const wrong = [...response.headers.keys()].filter((name) =>
    !unsaidHeaders.includes(name) &&
    !Object.keys(told.headers ?? {}).some((one) => one.toLowerCase() === name)
  ).map((name) => `the header ${name} is not told`);
  const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
  if (!told.content) return text === "" ? wrong : [...wrong, "a body where none is told"];
  // A verdict without a body, where a failure would have one.
  if (type === "" && text === "") return wrong;
  const content = told.content[type];
  if (!content) return [...wrong, `${type} is not told`];
  const value = /[/+]json$/.test(type) ? JSON.parse(text) : text;
  return [...wrong, ...misfits(content.schema, value)];
}

testOnEngines(
  "examples: a failure's answer has the schema and headers that are told",
  async (desk) => {
    const reader = await desk.token(["certs:read"]);
    const seen = new Set<number>();
    for (const { name, endpoint, method, operation } of operations) {
      assert.ok(operation);
      const example = exampleOf({ endpoint, method }, operation);
      assert.ok(example, name);
      const { path, headers } = example;
      const tries = [
        desk.send(method, encodeURI(path), { credential: null }),
        desk.send(method, encodeURI(path), { credential: reader }),
        desk.send(method, encodeURI(path), { headers, body: method === "GET" ? null : "[" }),
        desk.send(method, `${encodeURI(path)}${path.includes("?") ? "&" : "?"}limit=0&p=x`, {}),
      ];
      for (const response of await Promise.all(tries)) {
        const text = await response.text();
        if (response.ok) continue;
        seen.add(response.status);
        const told: ToldAnswer | undefined = operation.responses[String(response.status)];
        assert.deepEqual(misfitsOf(told, response, text), [], `${name}: ${text}`);
        const code = response.headers.get("x-keydesk-error");
        assert.ok(code === null || told?.description.includes(`\`${code}\``), `${name}: ${code}`);
      }
    }
    for (const status of [400, 401, 403, 404]) assert.ok(seen.has(status), `no ${status} was seen`);
  },
);

Deno.test("examples: the check of answers finds a header, a type and a member that are not told", () => {
  const told = {
    description: "",
    headers: { ETag: {} },
    content: {
      "application/json": { schema: { type: "object", properties: { a: { type: "string" } } } },
    },
  };
  const headers = { "content-type": "application/json", etag: '"1"' };
  const answer = (more: Record<string, string> = {}) =>
    new Response("", { headers: { ...headers, ...more } });
  assert.deepEqual(misfitsOf(told, answer(), '{"a":"b"}'), []);
  assert.deepEqual(misfitsOf(told, answer({ link: "<x>" }), "{}"), ["the header link is not told"]);
  assert.deepEqual(misfitsOf(told, answer(), '{"a":1}'), ["/a must be string"]);
  assert.deepEqual(misfitsOf(told, answer({ "content-type": "text/csv" }), "x"), [
    "text/csv is not told",
  ]);
});

Deno.test("examples: a failure's example is what the server answers", async () => {
  // as: toOpenApi builds them.
  const { examples, responses } = document.components as {
    examples: Record<string, { value: unknown }>;
    responses: Record<
      string,
      { content: Record<string, { example?: unknown; examples?: unknown }> }
    >;
  };
  const shown = [
    ...Object.entries(examples).map(([name, { value }]) => [name, value] as const),
    ...Object.entries(responses).filter(([name]) => !name.startsWith("oauth."))
      // Of several codes the examples are those above.
      .filter(([, { content }]) => Object.values(content)[0]?.examples === undefined)
      .map(([name, { content }]) => [name, Object.values(content)[0]?.example] as const),
  ];
  for (const [name, value] of shown) {
    // as: names are made of both.
    const [shape, code] = name.split(".") as ["envelope" | "problem", FailureCode];
    const ids = { request_id: exampleRequestId, caller_request_id: "", id: exampleRequestId };
    const request = { ids, path: examplePaths[shape] };
    assert.deepEqual(await failureResponse(new Failure(code), request).json(), value, name);
  }
  assert.ok(shown.length > 50);
});
