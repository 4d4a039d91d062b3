/** Names that nothing lists: refused under /v1 wherever they stand, dropped under /api as ever. */
import assert from "node:assert/strict";
import { z } from "zod";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { isV1Path } from "../../src/contract/envelope.ts";
import { examplePath } from "../../src/contract/example-ids.ts";
import { type KnownNames, knownNamesOf } from "../../src/http/unknown-names.ts";
import { endpoints } from "../../src/reference/registry.ts";
import { assertFailure, assertInvalid } from "../support/answers.ts";
import { made } from "../support/certificates.ts";
import { openTestDesk, type TestDesk, testOnEngines } from "../support/desk.ts";
import { anyCaller } from "../support/developers.ts";
import { exampleOf, readDocument } from "../support/document.ts";
import { issueKnown, planWith } from "../support/verification.ts";
import { type Example, prepared } from "../support/examples/examples.ts";
import { newStage } from "../support/examples/stage.ts";

/** Who else than a client of the interface says what is sent there. */
const OF_OTHERS: Readonly<Record<string, string>> = {
  reportPartnerLeaks: "a scanning partner signs what it sends, and has its own ideas of it",
  endByProvider: "an identity provider sends it, a form by OpenID Connect Back-Channel Logout",
  endDevelopersByProvider: "the same",
};

/** What a GET of the same path shows that is not the thing which PUT sets. */
const NOT_READ_BACK: Readonly<Record<string, string>> = {
  putColumns: "the GET shows the columns of all lists, and a PUT sets those of the one it names",
  putDelegation: "the GET shows people by name, and there may be nobody",
  setMailServer: "a session sets it, and without one there is no host",
  startLazyMigration: "what is off has no end, and a PUT switches it on",
};

const v1 = endpoints.filter(({ path, id }) => isV1Path(path) && !(id in OF_OTHERS));
const STRANGE = "of_no_contract";

/**
 * The places of a body where its schema lists names, each with a body that has one member more
 * there.
 */
function* withOneMore(names: KnownNames, example: unknown): Generator<[string, unknown]> {
  const object = typeof example === "object" && !Array.isArray(example) ? example : {};
  if (!names.isOpen) yield [STRANGE, { ...object, [STRANGE]: 1 }];
  for (const [name, inside] of names.members) {
    if (!inside) continue;
    const member = object !== null && name in object
      // as: looked at just before.
      ? (object as Record<string, unknown>)[name]
      : undefined;
    for (const [place, value] of withOneMore(inside, member)) {
      yield [`${name}${place.startsWith("[") ? "" : "."}${place}`, { ...object, [name]: value }];
    }
  }
  if (names.inside) {
    const item = Array.isArray(example) ? example[0] : {};
    for (const [place, value] of withOneMore(names.inside, item)) yield [`[0].${place}`, [value]];
  }
}

/** A path with the example's ids, whether there is anything of that id or not. */
const path = (endpoint: Endpoint) => encodeURI(decodeURIComponent(examplePath(endpoint)));

async function refusal(response: Response): Promise<string> {
  const { code, detail } = await response.json();
  return `${response.status} ${code}: ${detail}`;
}

Deno.test("unknown names: every operation of /v1 names the member, at every depth that lists any", async () => {
  await using desk = await openTestDesk("sqlite");
  const send = await anyCaller(desk);
  let seen = 0;
  for (const endpoint of v1) {
    const { id, method, body, example, wholeTree } = endpoint;
    // What a GET brings is never read, and what forward-auth brings is the visitor's.
    if (method === "GET" || wholeTree || body === "bytes") continue;
    // The own GET of what is not there would say so first.
    const at = isReadBack(endpoint)
      ? await thing(desk, endpoint)
      : { path: encodeURI(sampleOf(endpoint).path) };
    const names = body instanceof z.ZodType ? knownNamesOf(body) : LISTS_NONE;
    assert.ok(names, id);
    for (const [place, value] of withOneMore(names, example ?? {})) {
      const said = await refusal(await send(endpoint, at.path, { ...at, body: value }));
      assert.ok(said.startsWith(`400 invalid_input: unknown member "${place}"`), `${id}: ${said}`);
      seen++;
    }
  }
  assert.ok(seen > 70, String(seen));
});

const LISTS_NONE: KnownNames = { members: new Map(), isOpen: false, inside: undefined };

Deno.test("unknown names: every operation of /v1 names a member that stands twice", async () => {
  await using desk = await openTestDesk("sqlite");
  const send = await anyCaller(desk);
  let seen = 0;
  for (const endpoint of v1) {
    const { id, body, example } = endpoint;
    if (!(body instanceof z.ZodType)) continue;
    for (const [name, value] of Object.entries(Object(example))) {
      const member = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
      const text = `${JSON.stringify(example).slice(0, -1)},${member}}`;
      const said = await refusal(await send(endpoint, path(endpoint), { body: text }));
      assert.equal(
        said,
        `400 invalid_input: the member "${name}" must not come more than once`,
        id,
      );
      seen++;
    }
  }
  assert.ok(seen > 70, String(seen));
});

Deno.test("unknown names: every operation of /v1 names the parameter, and one that stands twice", async () => {
  await using desk = await openTestDesk("sqlite");
  const send = await anyCaller(desk);
  for (const endpoint of v1) {
    const { id, query } = endpoint;
    const sendWith = async (parameters: string) =>
      await refusal(await send(endpoint, `${path(endpoint)}?${parameters}`));
    const said = await sendWith(`${STRANGE}=1`);
    assert.ok(
      said.startsWith(`400 invalid_input: unknown parameter "${STRANGE}"`),
      `${id}: ${said}`,
    );
    for (const name of query ? knownNamesOf(query)?.members.keys() ?? [] : []) {
      assert.equal(
        await sendWith(`${name}=1&${name}=1`),
        `400 invalid_input: the parameter "${name}" must not come more than once`,
        id,
      );
    }
  }
});

Deno.test("unknown names: no operation of /api minds them, nor what others than our clients call", async () => {
  await using desk = await openTestDesk("sqlite");
  const tolerant = endpoints.filter((endpoint) => !v1.includes(endpoint));
  assert.ok(tolerant.length > 60);
  for (const endpoint of tolerant) {
    const { id, method, example, body } = endpoint;
    const isJson = body === "ignored" || (body instanceof z.ZodType && !endpoint.bodyEncoding);
    const more = isJson ? { ...Object(example), [STRANGE]: 1 } : undefined;
    const code = async (query: string, sent: unknown) =>
      (await desk.send(method, path(endpoint) + query, { body: sent }))
        .headers.get("x-keydesk-error");
    const strange = await code(`?${STRANGE}=1&${STRANGE}=2`, more);
    if (strange === "invalid_input") {
      assert.equal(await code("", isJson ? example : undefined), "invalid_input", id);
    }
  }
});

testOnEngines(
  "unknown names: what once opened or lifted a limit by a slip does not",
  async (desk) => {
    const plan = await planWith(desk, {}, ["weather"]);
    const { RawKey, key_id } = await issueKnown(desk, [plan]);
    const send = async (path: string, body: unknown) => await desk.send("POST", path, { body });
    const asked = async (body: object) =>
      await (await send("/v1/keys/verify", { key: RawKey, ...body })).json();
    assert.equal((await asked({ api: "weather" })).valid, true);
    assert.equal((await asked({ api_id: "weather", api: "weather" })).valid, true);
    for (const name of ["api", "api_id"]) {
      assert.deepEqual(await asked({ [name]: "tides" }), { valid: false, reason: "wrong_api" });
    }
    const twice = `{"key":"${RawKey}","api_id":"tides","api_\\u0069d":"weather"}`;
    assert.equal(
      (await (await desk.send("POST", "/v1/keys/verify", { body: twice })).json()).detail,
      'the member "api_id" must not come more than once',
    );
    assert.equal(
      (await asked({ api_id: "weather", api: "tides" })).detail,
      "api_id: expected the same as api",
    );
    assert.equal((await asked({ apiId: "tides" })).detail, SAYS.apiId);
    assert.equal((await asked({ API: "tides" })).detail, SAYS.API);
    await assertInvalid(await send("/v1/plans", { name: "Gold", rates: 5, per: 1 }), SAYS.rates);
    await assertInvalid(
      await send(`/v1/keys/${key_id}/suspend`, { reason: "x", until: "2030-01-01T00:00:00Z" }),
      SAYS.until,
    );
    await assertInvalid(
      await send(`/v1/key-requests/${key_id}/reissue`, { deliver: "one_time_link" }),
      'unknown member "deliver"; it belongs in the query',
    );
    await assertInvalid(
      await send("/v1/keys/verify?api_id=weather", { key: RawKey }),
      'unknown parameter "api_id"; it belongs in the body',
    );
    assert.equal((await asked({ api_id: "weather" })).valid, true);
    assert.equal((await (await desk.send("GET", "/v1/plans")).json()).data.length, 1);
  },
);

const SAYS = {
  apiId: 'unknown member "apiId"; did you mean "api_id"?',
  API: 'unknown member "API"; did you mean "api"?',
  rates: 'unknown member "rates"; did you mean "rate"?',
  until: 'unknown member "until"; there is "reason" and "minutes"',
};

Deno.test("unknown names: an answer lists a bounded number, cut and with nothing that can't be seen", async () => {
  await using desk = await openTestDesk("sqlite");
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`member_${n}`, n]));
  const { errors } = await (await desk.send("POST", "/v1/plans", { body: many })).json();
  assert.equal(errors.length, 20);
  assert.equal(errors.at(-1), "and 881 more");
  const odd = {
    "a\u202eb\n": 1,
    ["x".repeat(100_000)]: null,
    constructor: 1,
    __proto__: 1,
  };
  const text = JSON.stringify(odd).replace("}", ',"__proto__":{"rate":1}}');
  const said = await (await desk.send("POST", "/v1/plans", { body: text })).json();
  assert.deepEqual(said.errors, [
    'unknown member "a\\u{202e}b\\n"',
    `unknown member "${"x".repeat(60)}…"`,
    'unknown member "constructor"',
    'unknown member "__proto__"',
  ]);
});

testOnEngines(
  "unknown names: what was read and has changed since is 412 where the caller says what was seen",
  async (desk) => {
    const { _id, revision } =
      await (await desk.send("POST", "/v1/plans", { body: { name: "Gold" } })).json();
    const path = `/v1/plans/${_id}`;
    const read = await desk.send("GET", path);
    const shown = await read.json();
    assert.equal(shown.revision, revision);
    const put = (body: unknown, headers: Record<string, string> = {}, credential = desk.admin) =>
      desk.send("PUT", path, { body, headers, credential });
    const seen = { "if-match": read.headers.get("etag") ?? "" };
    // What is shown by the portal's reading alone is unknown to who may not read there.
    const planner = await desk.token(["plans"]);
    await assertInvalid(
      await put({ keys: 0 }, {}, planner),
      'unknown member "keys"; did you mean "max_keys_per_developer"?',
    );
    assert.equal((await put({ keys: 0 })).status, 200);
    assert.equal((await put({ ...shown, rate: 5, per: 1 }, seen)).status, 200);
    await assertFailure(await put(shown, seen), "precondition_failed");
    await assertInvalid(
      await put(shown),
      "revision: can't be set here; leave it out, or as it is read",
    );
    await assertFailure(await desk.send("PUT", "/v1/plans/none", { body: shown }), "not_found");
  },
);

Deno.test("unknown names: with KEYDESK_V1_UNKNOWN=warn they are dropped, and noted once for each caller", async () => {
  const environment = { KEYDESK_V1_UNKNOWN: "warn", KEYDESK_LOG_LEVEL: "warn" };
  await using desk = await openTestDesk("sqlite", { environment });
  const body = { name: "Gold", rates: 5, [`kd_live_${"x".repeat(60)}`]: 1 };
  const plan = await desk.send("POST", "/v1/plans?limit=1", { body });
  assert.equal(plan.status, 200);
  assert.equal((await plan.json()).rate, 0);
  assert.equal((await desk.send("GET", "/v1/plans?limits=1&limit=1&limit=2")).status, 200);
  assert.equal((await desk.send("GET", "/v1/plans?limits=1&limit=1&limit=2")).status, 200);
  const noted = desk.logLines.map((line) => JSON.parse(line)).filter(({ name }) => name);
  assert.deepEqual(noted.map(({ method, path, name }) => `${method} ${path} ${name}`), [
    "POST /v1/plans limit",
    "POST /v1/plans rates",
    "POST /v1/plans (no name of ours)",
    "GET /v1/plans limit",
    "GET /v1/plans limits",
  ]);
  const twice = '{"name":"Silver","name":"Copper"}';
  assert.equal((await desk.send("POST", "/v1/plans", { body: twice })).status, 200);
  assert.equal(JSON.parse(desk.logLines.at(-2) ?? "").name, "name");
  const form = new FormData();
  form.append("data", new Blob([made({ cn: "example.org" })]), "file.pem");
  form.append("owner", "nobody reads it");
  const headers = { authorization: desk.admin };
  const url = "http://desk.test/v1/certificates";
  const added = await desk.app.fetch(new Request(url, { method: "POST", body: form, headers }));
  assert.equal((await added.json()).added, 1);
  assert.ok(desk.logLines.some((line) => JSON.parse(line).path === "/v1/certificates"));
  const both = { key: "x", api: "a", api_id: "b" };
  assert.equal((await desk.send("POST", "/v1/keys/verify", { body: both })).status, 400);
});

const getOf = ({ path }: Endpoint) =>
  endpoints.find((one) => one.method === "GET" && one.path === path);

/** Whether what the GET of the same path shows may be sent back. */
function isReadBack(endpoint: Endpoint): boolean {
  return endpoint.method === "PUT" && getOf(endpoint) !== undefined;
}

const { operations } = readDocument();

function sampleOf(endpoint: Endpoint): Example {
  const { method } = endpoint;
  const found = operations.find((one) => one.endpoint === endpoint && one.method === method);
  const example = found?.operation && exampleOf({ endpoint, method }, found.operation);
  assert.ok(example, endpoint.id);
  return example;
}

/** A thing that an endpoint is for, in an organisation of its own. */
async function thing(desk: TestDesk, endpoint: Endpoint) {
  const stage = await newStage(desk);
  // The server's administrator is of the first organisation.
  if (String(endpoint.permission) === "operator") stage.admin = desk.admin;
  const { path, headers } = await prepared(stage, sampleOf(endpoint));
  // A developer's own calls come by their session.
  const own = endpoint.permission === "developer" ? headers : {};
  const credential = own.cookie ? null : stage.admin;
  return { path: encodeURI(path), credential, own };
}

testOnEngines(
  "unknown names: what each GET shows is taken back by its PUT as it was read",
  async (desk) => {
    const pairs = v1.filter((one) => isReadBack(one) && !(one.id in NOT_READ_BACK));
    assert.ok(pairs.length >= 9);
    for (const endpoint of pairs) {
      const { path, credential, own } = await thing(desk, endpoint);
      const send = (method: string, body?: unknown, headers?: Record<string, string>) =>
        desk.send(method, path, { credential, body, headers: { ...own, ...headers } });
      const read = await send("GET");
      const shown = await read.json();
      const back = await send("PUT", shown);
      assert.equal(back.status, 200, `${endpoint.id}: ${await back.text()}`);
      assert.ok(endpoint.body instanceof z.ZodType);
      const settable = [...knownNamesOf(endpoint.body)?.members.keys() ?? []];
      const after = await (await send("GET")).json();
      for (const name of settable) {
        assert.deepEqual(
          after[name],
          shown[name],
          `${endpoint.id} ${name}`,
        );
      }
      for (const name of Object.keys(shown).filter((one) => !settable.includes(one))) {
        const now = await (await send("GET")).json();
        const said = await refusal(await send("PUT", { ...now, [name]: ["another"] }));
        const expected =
          `400 invalid_input: ${name}: can't be set here; leave it out, or as it is read`;
        assert.equal(said, expected, endpoint.id);
      }
    }
  },
);
