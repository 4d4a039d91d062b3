/** The OpenAPI document: valid, whole, and with UPDATE where OpenAPI 3.2 wants it. */
import { Validator } from "@seriousme/openapi-schema-validator";
import assert from "node:assert/strict";
import { takesSessions } from "../../src/contract/envelope.ts";
import { failureCodes } from "../../src/kernel/failure-codes.ts";
import { toOpenApi } from "../../src/reference/openapi.ts";
import { endpoints } from "../../src/reference/registry.ts";
import { testOnEngines } from "../support/desk.ts";
import { readDocument, schemaCheck } from "../support/document.ts";
import { walkedCalls } from "../support/walk.ts";

const { document, paths, operations } = readDocument();

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
  const { operationId: _, "x-codeSamples": _u, ...update } = item?.additionalOperations?.UPDATE ??
    {};
  const { operationId: __, "x-codeSamples": _p, ...put } = item?.put ?? {};
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
    const bySession = takesSessions(endpoint) ? [{ session_cookie: [] }] : [];
    const byBasic = endpoint.clientAuthentication ? [{ basic: [] }] : [];
    const expected = endpoint.permission === "public"
      ? []
      : endpoint.permission === "developer"
      ? [{ developer_bearer: [] }, { developer_session_cookie: [] }]
      : [{ [scheme]: [] }, ...byBasic, ...bySession];
    assert.deepEqual(operation?.security, expected, name);
  }
});

Deno.test("openapi: schemas, security schemes and the parts of operations have names apart in any case", () => {
  // as: a document has components of both kinds, by name.
  const components = document.components as Record<string, Record<string, unknown>>;
  const plain = (name: string) => name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
  const found = new Map<string, string[]>();
  const add = (name: string, what: string) => {
    found.set(plain(name), [...found.get(plain(name)) ?? [], what]);
  };
  for (const kind of ["schemas", "securitySchemes"]) {
    for (const name of Object.keys(components[kind] ?? {})) add(name, `${name} of ${kind}`);
  }
  const told = operations.flatMap(({ operation }) => operation ?? []);
  for (const { operationId: id, parameters } of told) {
    for (const made of ["Res", "OK", "Req", "Params"]) add(id + made, `${made} of ${id}`);
    for (const { name, schema } of parameters) {
      // A named one is called by its name.
      if ("enum" in schema) add(id + name, `${name} of ${id}`);
    }
  }
  assert.deepEqual([...found.values()].filter((names) => names.length > 1), []);
});

Deno.test("openapi: every failure that an endpoint declares is told with its status", () => {
  for (const { name, endpoint, operation } of operations) {
    for (const code of endpoint.errors) {
      const response = operation?.responses[String(failureCodes[code].status)];
      assert.ok(response?.description.includes(`\`${code}\``), `${name}: ${code}`);
    }
  }
});

for (const edition of ["3.2", "3.1"] as const) {
  Deno.test(`openapi: limit and p are integers in the ${edition} edition`, () => {
    const found = { limit: 0, p: 0 };
    for (const { name, operation } of readDocument(edition).operations) {
      for (const one of operation?.parameters ?? []) {
        if (one.in !== "query" || (one.name !== "limit" && one.name !== "p")) continue;
        found[one.name]++;
        assert.equal(one.schema.type, "integer", `${name}: ${one.name}`);
        assert.equal("pattern" in one.schema, false, `${name}: ${one.name}`);
      }
    }
    assert.ok(found.limit > 10 && found.p > 10, JSON.stringify(found));
  });
}

Deno.test("openapi: 404 is told wherever a path names something, which a NUL never does", () => {
  for (const { name, endpoint, operation } of operations) {
    if (!endpoint.path.includes("{")) continue;
    const told = "404" in (operation?.responses ?? {});
    // A plain key may be any text; where none is looked up there, none is missed.
    assert.ok(told || endpoint.keyParameter !== undefined, name);
  }
});

Deno.test("openapi: wherever somebody can guess, 429 is told", () => {
  for (const { name, endpoint, operation } of operations) {
    // Attempts are counted by what is presented: an access token, or what the body of an open
    // endpoint holds.
    const isOpen = endpoint.permission === "public" &&
      // What it says follows from a domain: there is nothing to guess.
      (endpoint.body === undefined || endpoint.id === "listSignInWays");
    assert.equal("429" in (operation?.responses ?? {}), !isOpen, name);
  }
});

Deno.test("openapi: no answer has two headers whose names differ in case alone", () => {
  for (const { name, operation } of operations) {
    for (const { headers = {} } of Object.values(operation?.responses ?? {})) {
      const names = Object.keys(headers).map((one) => one.toLowerCase());
      assert.equal(new Set(names).size, names.length, `${name}: ${names}`);
    }
  }
});

Deno.test("openapi: every reference leads somewhere", () => {
  const text = JSON.stringify(document);
  // as: toOpenApi builds them.
  const components = document.components as Record<string, Record<string, unknown>>;
  const names = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference ?? "");
  assert.ok(names.length > 0);
  for (const name of names) {
    const [, kind = "", part = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(name) ?? [];
    assert.ok(part in (components[kind] ?? {}), name);
  }
});

Deno.test("openapi: the 3.1 edition is valid, and PUT stands there for UPDATE", async () => {
  const edition = readDocument("3.1");
  const validator = new Validator();
  const result = await validator.validate(structuredClone(edition.document));
  assert.deepEqual(result.errors, undefined);
  assert.equal(validator.version, "3.1");
  const item = edition.paths["/api/portal/requests/{id}"];
  assert.equal(item?.additionalOperations, undefined);
  assert.equal(item?.put?.operationId, "updateKeyRequest");
  assert.equal(item?.put?.["x-method"], "UPDATE");
  assert.match(item?.put?.description ?? "", /PUT replaces UPDATE in this document/);
});

Deno.test("openapi: the 3.1 edition has every endpoint, and says the same of all others", () => {
  const edition = readDocument("3.1");
  const ids = (operations: readonly { operation: { operationId: string } | undefined }[]) =>
    new Set(operations.flatMap(({ operation }) => operation?.operationId ?? []));
  const both = ids(operations);
  both.delete("updateKeyRequestByPUT");
  assert.deepEqual(ids(edition.operations), both);
  for (const { name, endpoint, method, operation } of edition.operations) {
    if (endpoint.method === "UPDATE") continue;
    const same = operations.find((one) => one.endpoint === endpoint && one.method === method);
    assert.deepEqual(operation, same?.operation, name);
  }
});

Deno.test("openapi: the editions differ in UPDATE, and in nothing else", () => {
  const other = readDocument("3.1");
  const { openapi: _, paths: __, ...head } = document;
  const { openapi: _o, paths: _p, ...rest } = other.document;
  assert.ok(head.webhooks);
  assert.deepEqual(rest, head);
  assert.deepEqual(Object.keys(other.paths), Object.keys(paths));
  for (const [path, { additionalOperations = {}, ...fixed }] of Object.entries(paths)) {
    const same = { ...other.paths[path] };
    const { UPDATE, ...more } = additionalOperations;
    assert.deepEqual(more, {}, path);
    if (UPDATE) {
      // PUT stands for both: only how a client is told of the method differs.
      for (const item of [fixed, same]) assert.ok(item.put, path);
      assert.deepEqual(essenceOf(same.put), essenceOf(UPDATE), path);
      assert.deepEqual(essenceOf(same.put), essenceOf(fixed.put), path);
      delete fixed.put;
      delete same.put;
    }
    assert.deepEqual(same, fixed, path);
  }
});

/** An operation without what names its method. */
function essenceOf(operation: object = {}): object {
  const own = ["operationId", "x-method", "x-codeSamples", "description"];
  return Object.fromEntries(Object.entries(operation).filter(([name]) => !own.includes(name)));
}

Deno.test("openapi: a method that 3.1 can't say and that has no alias is refused", () => {
  const [endpoint] = endpoints.filter(({ method }) => method === "UPDATE");
  assert.ok(endpoint);
  const { aliases: _, ...alone } = endpoint;
  assert.throws(() => toOpenApi([alone], "0", "3.1"), /no method of OpenAPI 3.1/);
});

testOnEngines("openapi: the running application serves these very documents", async (desk) => {
  for (const [path, edition] of [["/openapi.json", "3.2"], ["/openapi-3.1.json", "3.1"]] as const) {
    const response = await desk.send("GET", path, { credential: null });
    assert.equal(await response.text(), JSON.stringify(readDocument(edition).document));
  }
});

Deno.test("openapi: no two names become one in what generators write", () => {
  // as: toOpenApi writes it so.
  const { schemas } = readDocument("3.1").document.components as {
    schemas: Record<string, { properties?: Record<string, { items?: object }> }>;
  };
  // Go's constructor of a type.
  const constructors = Object.keys(schemas).map((name) => `New${name}`);
  // The type of words that a member lists in place, or each of its items.
  const words = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).filter(([, one]) => "enum" in one || "enum" in (one.items ?? {}))
      .map(([member]) => name + pascalCase(member))
  );
  for (const one of ["KeyRequestState", "PersonPermissions"]) assert.ok(words.includes(one));
  assert.deepEqual([...constructors, ...words].filter((name) => name in schemas), []);
});

/** `date_created` as `DateCreated`. */
function pascalCase(name: string): string {
  return name.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

testOnEngines(
  "openapi: a parameter's bounds in the document are those that a call meets",
  async (desk) => {
    const check = schemaCheck(document);
    const list = (count: number) => Array.from({ length: count }, (_, n) => `id${n}`).join(",");
    const names = (count: number) => Array.from({ length: count }, (_, n) => `X-${n}`).join(", ");
    const edges: [string, string, string, readonly string[]][] = [
      ["createClassicKeyRequest", "POST /api/portal/requests", "idempotency-key", [
        ...[15, 16, 255, 256].map((length) => "k".repeat(length)),
        "not printable é é",
      ]],
      ["listSignIns", "GET /v1/people/sign-ins", "ids", [list(100), list(101), ""]],
      ["listMailedLinks", "GET /v1/key-requests/mailed", "ids", [list(100), list(101), ""]],
      ["getUsageOfKeys", "GET /v1/usage/keys", "keys", [list(50), list(51), ""]],
      ["listCertificates", "GET /v1/certificates", "expires_within", [
        "36500",
        "36501",
        "-1",
      ]],
      ["listCertificates", "GET /v1/certificates", "q", ["ab", "abc", "a".repeat(201)]],
      ["listClassicCertificates", "GET /api/certs", "expires_before", [
        "2026-01-31T09:00:00Z",
        "tomorrow",
      ]],
      ["listDevelopers", "GET /v1/developers", "tag", [
        "",
        "a",
        "a\u0085",
        "a\u001f",
        "a\u00a0",
      ]],
      ["forwardAuth", "GET /v1/forward-auth", "header", [
        names(8),
        names(9),
        "X_1",
        "Authorization",
      ]],
    ];
    for (const [id, call, name, values] of edges) {
      const { operation } = operations.find((one) => one.operation?.operationId === id) ?? {};
      const told = operation?.parameters.find((one) => one.name === name) ?? assert.fail(name);
      const taken = [];
      for (const value of values) {
        const [method = "", path] = call.split(" ");
        const query = told.in === "query" ? `?${new URLSearchParams({ [name]: value })}` : "";
        const headers = told.in === "header" ? { [name]: value } : {};
        const body = method === "POST" ? { by_user: "dev-ada", for_plan: value } : undefined;
        const response = await desk.send(method, `${path}${query}`, { headers, body });
        await response.body?.cancel();
        const sent = told.schema.type === "integer" ? Number(value) : value;
        const fits = check(told.schema, sent).length === 0;
        assert.equal(response.status !== 400, fits, `${id} ${name} ${JSON.stringify(value)}`);
        taken.push(fits);
      }
      assert.ok(taken.includes(true) && taken.includes(false), `${id} ${name}`);
    }
  },
);
