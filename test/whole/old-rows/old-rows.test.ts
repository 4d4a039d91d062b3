/**
 * Stores that earlier code has written, read with today's: answers are stored as texts, so what is
 * new in a schema is missing in every old row. tools/old-stores.ts made them.
 */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { auditEvent } from "../../../src/features/audit-log/audit-log.contract.ts";
import { caredCertificate } from "../../../src/features/certificates/v1.contract.ts";
import { endpoints } from "../../../src/reference/registry.ts";
import { engines, type TestDesk } from "../../support/desk.ts";
import { known } from "../../support/known-parties.ts";
import { oldStores, openOldStore } from "../../support/old-stores.ts";
import { bySession, signIn } from "../../support/sign-in.ts";

/**
 * What a parameter names: where all are listed, how many an old store holds at the least, and their
 * ids.
 */
interface Kind {
  readonly list: string;
  readonly least: number;
  idsOf(answer: Answer): string[];
}

// deno-lint-ignore no-explicit-any -- answers of many shapes, whose schemas have been held against them
type Answer = any;
type Item = Record<string, string>;

const byId = (answer: Answer) => answer.data.map(({ id }: Item) => id);
const requests = { list: "/v1/key-requests?limit=100", least: 12, idsOf: byId };
// To the legacy interface a declined request is absent.
const legacyRequests = {
  ...requests,
  idsOf: (answer: Answer) =>
    answer.data.filter(({ state }: Item) => state !== "declined").map(({ id }: Item) => id),
};
const developers = { list: "/v1/developers?limit=100", least: 5, idsOf: byId };
const emails = {
  ...developers,
  idsOf: (answer: Answer) => answer.data.map(({ email }: Item) => email).filter(Boolean),
};
const ssoKeys = {
  list: "/api/portal/developers",
  least: 1,
  idsOf: (answer: Answer) => answer.Data.map(({ sso_key }: Item) => sso_key).filter(Boolean),
};
const plans = { list: "/v1/plans?limit=100", least: 6, idsOf: byId };
const certificates = { list: "/v1/certificates?limit=100", least: 3, idsOf: byId };
const people = { list: "/v1/people?limit=100", least: 2, idsOf: byId };
const keys = {
  list: "/v1/keys?limit=100",
  least: 12,
  idsOf: (answer: Answer) => answer.data.map(({ key_id }: Item) => key_id),
};

// To the older interface a revoked key is absent.
const liveKeys = {
  ...keys,
  least: 5,
  idsOf: (answer: Answer) =>
    answer.data.filter(({ state }: Item) => state !== "revoked").map(({ key_id }: Item) => key_id),
};
const apis = {
  list: "/api/apis",
  least: 1,
  idsOf: (answer: Answer) =>
    answer.apis.map(({ api_definition }: { api_definition: Item }) => api_definition.api_id),
};

const catalogueApis = { list: "/v1/apis?limit=100", least: 1, idsOf: byId };

// Earlier code knew none of them.
const channels = { list: "/v1/channels", least: 0, idsOf: byId };
const deniedCalls = { list: "/v1/denied-calls", least: 0, idsOf: byId };
const deliveries = { list: "/v1/deliveries", least: 0, idsOf: byId };
const gateways = { list: "/v1/gateways", least: 0, idsOf: byId };
const views = { list: "/v1/views", least: 0, idsOf: byId };
const providers = { list: "/v1/identity-providers", least: 0, idsOf: byId };
const accessTokens = { list: "/v1/access-tokens?limit=100", least: 2, idsOf: byId };
const roles = { list: "/v1/roles", least: 7, idsOf: byId };
const reviews = {
  list: "/v1/config/reviews",
  least: 0,
  idsOf: (answer: Answer) => answer.data.map(({ digest }: Item) => digest),
};
const jobs = { list: "/v1/jobs", least: 0, idsOf: byId };

/** What the parameter in a path names. A new path with a parameter needs its row. */
const KINDS: Readonly<Record<string, Kind>> = {
  "/api/portal/requests/{id}": legacyRequests,
  "/v1/key-requests/{id}": requests,
  "/v1/key-requests/{id}/hints": requests,
  "/v1/key-requests/{id}/team": requests,
  "/v1/key-requests/{id}/comments": requests,
  "/v1/channels/{id}": channels,
  "/v1/deliveries/{id}": deliveries,
  "/v1/denied-calls/{id}": deniedCalls,
  "/v1/gateways/{id}": gateways,
  "/v1/gateways/{id}/keys": gateways,
  "/v1/gateways/{id}/canary": gateways,
  "/v1/gateways/{id}/unknown-keys": gateways,
  "/v1/gateways/{id}/map": gateways,
  "/v1/gateways/{id}/lazy-migration": gateways,
  "/v1/keys/{key_id}/gateways": keys,
  "/v1/keys/{key_id}/expiry": keys,
  "/v1/config/reviews/{digest}": reviews,
  "/v1/views/{id}": views,
  "/v1/identity-providers/{id}": providers,
  "/v1/session/provider/{id}/jwks": providers,
  "/v1/roles/{id}": roles,
  "/v1/access-tokens/{id}": accessTokens,
  "/v1/jobs/{id}": jobs,
  "/v1/jobs/{id}/result": jobs,
  "/v1/jobs/{id}/rows": jobs,
  "/api/portal/developers/{id}": developers,
  "/api/portal/developers/email/{email}": emails,
  "/api/portal/developers/ssokey/{key}": ssoKeys,
  "/api/portal/developers/api/{api}": apis,
  "/api/apis/{api}/keys": apis,
  "/api/apis/{api}/keys/search": apis,
  "/api/apis/oauth/{api}": apis,
  "/api/keys/{key}": liveKeys,
  "/v1/developers/{id}": developers,
  "/v1/developers/{id}/sessions": developers,
  "/v1/developers/{id}/tokens": developers,
  "/api/portal/policies/{id}": plans,
  "/v1/plans/{id}": plans,
  "/v1/plans/{id}/unused-keys": plans,
  "/v1/apis/{id}": catalogueApis,
  "/v1/keys/{key_id}": keys,
  "/v1/keys/{key_id}/schedule": keys,
  "/api/certs/{id}": certificates,
  "/api/certs/{id}/apis": certificates,
  "/api/certs/dependencies/{id}": certificates,
  "/v1/certificates/{id}": certificates,
  "/v1/certificates/{id}/pem": certificates,
  "/v1/certificates/{id}/issued": certificates,
  "/v1/certificates/{id}/uses": certificates,
  "/v1/certificates/{id}/alerts": certificates,
  "/v1/keys/{key_id}/alerts": keys,
  "/v1/people/{id}": people,
  "/v1/people/{id}/access-tokens": people,
  "/v1/people/{id}/sessions": people,
  "/v1/people/{id}/permissions": people,
  "/v1/people/{id}/ways-in": people,
  "/v1/people/{id}/approvals": people,
};

/**
 * These show nothing of the store, or what no store here has (documents, use); a session has its
 * test below, a key of an API is shown as a key is.
 */
const ELSEWHERE = [
  "getDocumentation",
  "getKeyOfApi",
  "getClientOfApi",
  "listMailedLinks",
  "oneTimeLinkPage",
  "oneTimeLinkScript",
  "oneTimeLinkStyle",
  "openapi",
  "openapi31",
  "referencePage",
  "referenceFile",
  "forwardAuth",
  "getSession",
  "listSessions",
  "getOwnTemporaryAccess",
  "getAuditLogCheckpoint",
  "getAuditLogProof",
  "getTilesCheckpoint",
  "getAuditLogTile",
  "getUsage",
  "getUsageOfKeys",
  "getKeyActivity",
  "getKeysActivity",
  "getMyPages",
  "listSignIns",
];

const shown = endpoints.filter(({ id, method, permission }) =>
  // What a developer reads of their own is walked by test/features/portal/my.
  method === "GET" && permission !== "developer" && !ELSEWHERE.includes(id)
);

for (const name of oldStores()) {
  for (const engine of engines) {
    Deno.test({
      name: `${engine}: old rows: all that ${name} has written reads as today's contract says`,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => {
        await using old = await openOldStore(name, engine);
        for (const endpoint of shown) {
          for (const path of await pathsOf(old.desk, endpoint)) {
            await read(old.desk, endpoint, path);
          }
        }
      },
    });
    Deno.test({
      name: `${engine}: old rows: what ${name} has written can be changed`,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => {
        await using old = await openOldStore(name, engine);
        await changeAll(old.desk, old.keys);
      },
    });
  }
}

/**
 * Every path of an endpoint that this store has something for, with the queries that show it
 * otherwise.
 */
async function pathsOf(desk: TestDesk, endpoint: Endpoint): Promise<string[]> {
  // as: a query is declared with z.object.
  const members = Object.keys((endpoint.query as z.ZodObject | undefined)?.shape ?? {});
  const queries = ["", ...members.flatMap((member) => QUERIES[member] ?? [])];
  const parameter = /\{\w+\}/.exec(endpoint.path)?.[0];
  if (parameter === undefined) return queries.map((query) => endpoint.path + query);
  const kind = KINDS[endpoint.path];
  assert.ok(kind, `${endpoint.path} needs a row in KINDS`);
  const ids = kind.idsOf(await get(desk, kind.list));
  assert.ok(ids.length >= kind.least, `${kind.list}: ${ids.length}`);
  const paths = ids.map((id) => endpoint.path.replace(parameter, encodeURIComponent(id)));
  return queries.flatMap((query) => paths.map((path) => path + query));
}

/** Queries that bring out other rows or other members, by the name that an endpoint declares. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  p: ["?p=1", "?p=-1"],
  limit: ["?limit=100"],
  mode: ["?mode=detailed&p=-1"],
  declined: ["?declined=true"],
  format: ["?format=csv", "?format=jsonl"],
  chain: ["?chain=true"],
};

/** What a line of JSON holds. */
const LINES: Readonly<Record<string, z.ZodType>> = {
  exportAuditLog: auditEvent,
  exportClassicCertificates: caredCertificate.omit({ renewed_by: true }),
};

/** Streams too are held against the schema, which the application itself leaves alone. */
async function read(desk: TestDesk, endpoint: Endpoint, path: string): Promise<void> {
  const response = await desk.send("GET", path);
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text} ${desk.logLines.at(-1)}`);
  const type = response.headers.get("content-type")?.split(";")[0];
  const texts = type === "application/jsonl" ? text.trimEnd().split("\n") : [text];
  const schema = type === "application/jsonl" ? LINES[endpoint.id] : endpoint.response;
  assert.ok(schema, `${endpoint.id} needs a row in LINES`);
  for (const one of texts) {
    const { success, error } = schema.safeParse(/json/.test(type ?? "") ? JSON.parse(one) : one);
    assert.ok(success, `${path}: ${error?.message}`);
  }
}

async function get(desk: TestDesk, path: string): Promise<Answer> {
  return await call(desk, "GET", path);
}

/**
 * Sends a call that must succeed; the application under test holds its answer against the schema.
 */
async function call(desk: TestDesk, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await desk.send(method, path, { body });
  const text = await response.text();
  assert.equal(response.status, 200, `${method} ${path}: ${text} ${desk.logLines.at(-1)}`);
  return JSON.parse(text);
}

/** One call of each kind of change, on every old row that it may be made to. */
async function changeAll(desk: TestDesk, plainKeys: readonly string[]): Promise<void> {
  for (const key of plainKeys) {
    assert.equal((await call(desk, "POST", "/v1/keys/verify", { key })).valid, true);
    await call(desk, "POST", "/v1/keys/find", { key });
  }
  for (const { id, state } of (await get(desk, requests.list)).data) {
    const legacy = `/api/portal/requests/${id}`;
    if (state === "declined") await call(desk, "POST", `/v1/key-requests/${id}/reopen`);
    if (state !== "issued") {
      await call(desk, "UPDATE", legacy, await get(desk, legacy));
      await known(desk, id);
      await call(desk, "POST", `/v1/key-requests/${id}/approve`, { deliver: "one_time_link" });
    }
  }
  for (const { id, inactive } of (await get(desk, developers.list)).data) {
    const legacy = `/api/portal/developers/${id}`;
    await call(desk, "PUT", legacy, await get(desk, legacy));
    const turn = inactive ? "reactivate" : "deactivate";
    await call(desk, "POST", `/v1/developers/${id}/${turn}`, { keys: "keep" });
  }
  for (const { key_id, state } of (await get(desk, keys.list)).data) {
    const turn = { active: "suspend", suspended: "resume" }[state as string];
    if (turn) await call(desk, "POST", `/v1/keys/${key_id}/${turn}`, { reason: "To see" });
  }
  for (const { id, active } of (await get(desk, plans.list)).data) {
    const legacy = `/api/portal/policies/${id}`;
    await call(desk, "PUT", legacy, await get(desk, legacy));
    await call(desk, "POST", `/v1/plans/${id}/${active ? "deactivate" : "activate"}`);
  }
  for (const path of ["/api/portal/catalogue", "/api/portal/configuration"]) {
    await call(desk, "PUT", path, await get(desk, path));
  }
  for (const { id, permissions } of (await get(desk, people.list)).data) {
    await call(desk, "PUT", `/v1/people/${id}`, { name: "Renamed", permissions });
  }
  const browser = await signIn(desk, { credential: desk.admin });
  for (const path of ["/v1/session", "/v1/sessions"]) {
    const response = await bySession(desk, browser, "GET", path);
    assert.equal(response.status, 200, path);
    await response.body?.cancel();
  }
  for (const { id } of (await get(desk, certificates.list)).data) {
    await call(desk, "DELETE", `/v1/certificates/${id}`);
  }
}
