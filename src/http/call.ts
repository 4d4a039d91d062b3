import { Buffer } from "node:buffer";
import type { z } from "zod";
import type { Peer } from "../../packages/http-listener/request.ts";
import type { Idempotency } from "../calls/principal.ts";
import type { ReceivedHeaders, ReceivedRequest } from "../../packages/http-listener/request.ts";
import { callFingerprint } from "../changes/call-fingerprint.ts";
import { type Endpoint, looksAtStrayBody, refusesUnlisted } from "../contract/endpoint.ts";
import { type FailureCode, failureCodes } from "../kernel/failure-codes.ts";
import { Failure } from "../kernel/failure.ts";
import { isId } from "../kernel/ids.ts";
import { LONGEST_PUBLIC_BODY } from "../kernel/input-limits.ts";
import type { Deadline } from "../kernel/deadline.ts";
import type { BodyReader } from "./body-reader.ts";
import { decodeBody } from "./decode-body.ts";
import { parseJsonBody } from "./json-body.ts";
import { queryText, refuseNul } from "./query.ts";
import { pathOf } from "./router.ts";
import { judgeMembers, parametersOf, type Unlisted } from "./unlisted.ts";

/** One call of an endpoint, parsed by its contract. */
export interface Call<Params, Query, Body> {
  readonly method: string;
  /** The path as received, without the query. */
  readonly path: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The body's bytes; empty where the endpoint takes none. */
  readonly rawBody: Uint8Array;
  readonly headers: ReceivedHeaders;
  /** The call's `Idempotency-Key`, where the endpoint takes one and it was sent. */
  readonly idempotency: Idempotency;
  /** The connected client; `ctx.clientAddresses.of(call)` gives the address that counts. */
  readonly peer: Peer | undefined;
  /**
   * How long the call waits for the store, where the endpoint waits briefly; undefined: as long as
   * the store takes.
   */
  readonly deadline: Deadline | undefined;
  /** Called with unknown names that a service finds; undefined: the service refuses them. */
  readonly note?: Unlisted["note"];
}

/** A call of any endpoint. */
export type AnyCall = Call<unknown, unknown, unknown>;

/** A request that has found its way. */
export interface Asked {
  readonly request: ReceivedRequest;
  /** The path by which it was routed. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly peer: Peer | undefined;
  /** The body, where it was read already. */
  readonly rawBody?: Uint8Array;
}

/**
 * The call that a request makes of an endpoint: path, query and body by its contract. Throws
 * `invalid_input`, or how the endpoint says that there is nothing of that id. `unlisted`: what
 * becomes of names that it does not list.
 */
export function readCall(
  endpoint: Endpoint,
  asked: Asked,
  bodies: BodyReader,
  deadline?: Deadline,
  unlisted: Unlisted = REFUSED,
): AnyCall | Promise<AnyCall> {
  const { request, params } = asked;
  if (endpoint.keyParameter === undefined) refuseOtherThanIds(endpoint, params);
  const query = readQuery(endpoint, asked, unlisted);
  const reading: Reading = { endpoint, asked, query, deadline, unlisted };
  if (endpoint.body === undefined && !looksAtStrayBody(endpoint)) return callOf(reading, NO_BODY);
  if (asked.rawBody) return callOf(reading, asked.rawBody);
  const rawBody = bodies.read(
    request,
    endpoint.longestBody ?? (endpoint.permission === "public" ? LONGEST_PUBLIC_BODY : undefined),
  );
  return rawBody instanceof Promise
    ? rawBody.then((bytes) => callOf(reading, bytes))
    : callOf(reading, rawBody);
}

const REFUSED: Unlisted = {};

/** A call as far as it is read before its body. */
interface Reading {
  readonly endpoint: Endpoint;
  readonly asked: Asked;
  readonly query: unknown;
  readonly deadline: Deadline | undefined;
  readonly unlisted: Unlisted;
}

function callOf(reading: Reading, rawBody: Uint8Array): AnyCall | Promise<AnyCall> {
  const { endpoint, asked: { request }, unlisted } = reading;
  if (rawBody.length === 0) refuseMissing(endpoint);
  const decoded = decodeBody(endpoint, rawBody, request);
  const { value, unknown } = decoded;
  const ifMatch = unknown.length > 0 ? request.headers.get("if-match") : null;
  const judged = judgeMembers(endpoint, { ...decoded, ifMatch }, unlisted);
  return judged
    ? judged.then(() => callWith(reading, rawBody, value))
    : callWith(reading, rawBody, value);
}

/**
 * Says under `/v1` which members a body needs that is not there; older clients read what they
 * always did.
 */
function refuseMissing(endpoint: Endpoint): void {
  const { body, bodyOptional, bodyEncoding } = endpoint;
  if (typeof body !== "object" || bodyOptional || bodyEncoding === "form") return;
  if (!refusesUnlisted(endpoint)) return;
  const parsed = body.safeParse({});
  const missing = parsed.success ? [] : describeIssues(parsed.error.issues);
  throw new Failure("malformed_body", { details: ["body: there is none", ...missing] });
}

function callWith(
  {
    endpoint,
    asked: { request: { method, headers, url }, params, peer },
    query,
    deadline,
    unlisted,
  }: Reading,
  rawBody: Uint8Array,
  value: unknown,
): AnyCall {
  // Members are written out: an object that is spread together takes several times the memory.
  const call = {
    method,
    path: pathOf(url),
    params,
    query,
    body: typeof endpoint.body === "object" ? parseWith(endpoint.body, value) : value,
    rawBody,
    headers,
    idempotency: null,
    peer,
    note: unlisted.note,
    deadline,
  };
  return endpoint.idempotent ? { ...call, idempotency: idempotencyOf(endpoint, call) } : call;
}

/** An impossible id finds nothing, which is all that a caller may learn of it. */
function refuseOtherThanIds(endpoint: Endpoint, params: Asked["params"]): void {
  for (const name in params) {
    if (!isId(params[name] ?? "")) throw new Failure(notFoundCode(endpoint));
  }
}

/**
 * Below the path of a whole tree, which begins with a slash behind it, stands another person's
 * path, and with it their query, which is not looked at; nor is it where the header says what the
 * query would.
 */
function readQuery(endpoint: Endpoint, { request, path }: Asked, unlisted: Unlisted): unknown {
  const { query: schema, wholeTree } = endpoint;
  if (wholeTree && schema) {
    const isBelow = path !== endpoint.path || pathOf(request.url).endsWith("/");
    if (isBelow || request.headers.get(wholeTree.header)) return parseWith(schema, {});
  }
  if (!schema && !request.url.includes("?")) return undefined;
  const text = queryText(request.url);
  const last = unlisted === REFUSED ? LAST.get(endpoint) : undefined;
  if (last?.text === text) return last.query;
  const parameters = parametersOf(endpoint, request.url, unlisted);
  if (!schema) return undefined;
  const query = parseWith(schema, parameters);
  refuseNul(request.url, query);
  if (text.length <= LONGEST_KEPT) LAST.set(endpoint, { text, query: Object.freeze(query) });
  return query;
}

/** The last short query of each endpoint: a gateway asks with one query all day. */
const LAST = new WeakMap<Endpoint, { readonly text: string; readonly query: unknown }>();
const LONGEST_KEPT = 256;

const NO_BODY = new Uint8Array();

/** How this endpoint says that there is nothing of that id. */
function notFoundCode(endpoint: Endpoint): FailureCode {
  return endpoint.errors.find((code) => failureCodes[code].status === 404) ?? "not_found";
}

function parseWith(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = describeIssues(result.error.issues);
  throw new Failure("invalid_input", { message: details[0] ?? "", details });
}

/** A call as far as it was read. */
interface ReadCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly rawBody: Uint8Array;
  readonly headers: ReceivedHeaders;
}

/**
 * The call's `Idempotency-Key` and a fingerprint of endpoint, parameters, query and body as they
 * were parsed; null without the header. A `bytes` body is left to the endpoint's service. Throws
 * `idempotency_key_invalid`.
 */
export function idempotencyOf(
  endpoint: Endpoint,
  call: ReadCall,
): Idempotency {
  const key = call.headers.get("idempotency-key");
  if (key === null) return null;
  if (!/^[\x20-\x7e]{16,255}$/.test(key)) throw new Failure("idempotency_key_invalid");
  const { method, path } = endpoint;
  const { params, query } = call;
  const parsed = {
    endpoint: `${method} ${path}`,
    params,
    query,
    body: comparedBody(endpoint, call),
  };
  return { key, fingerprint: callFingerprint(parsed) };
}

function comparedBody({ body: schema }: Endpoint, { body, rawBody }: ReadCall) {
  if (schema === "bytes") return undefined;
  return schema === "ignored" ? ignoredBody(rawBody) : body;
}

/** An ignored body may be anything: the value where it is JSON, else its bytes. */
function ignoredBody(bytes: Uint8Array) {
  try {
    return { json: parseJsonBody(bytes) };
  } catch {
    return { bytes: Buffer.from(bytes).toString("latin1") };
  }
}

type Issue = z.core.$ZodIssue;

/** One sentence a problem, `fields.team: expected a string`, at most twenty. Repeats no value. */
export function describeIssues(issues: readonly Issue[]): string[] {
  return issues.slice(0, 20).map((issue) => `${pathText(issue.path)}: ${describe(issue)}`);
}

function pathText(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    text += typeof part === "number" ? `[${part}]` : `${text === "" ? "" : "."}${String(part)}`;
  }
  return text === "" ? "body" : text.slice(0, 200).toWellFormed();
}

const NAMES: Record<string, string> = {
  string: "a string",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
  int: "an integer",
  number: "a number",
};

function describe(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.startsWith("Invalid input")
        ? `expected ${NAMES[issue.expected] ?? issue.expected}`
        : issue.message;
    case "too_big":
      return `expected at most ${issue.maximum} ${issue.origin === "string" ? "characters" : ""}`
        .trim();
    case "too_small":
      return issue.origin === "string" && issue.minimum === 1
        ? "must not be empty"
        : `expected at least ${issue.minimum}`;
    case "invalid_key":
      return `${describe(issue.issues[0] ?? issue)} (as a member's name)`;
    case "invalid_union":
      return "expected JSON";
    default:
      return issue.message;
  }
}
