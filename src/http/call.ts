import type { ReceivedHeaders, ReceivedRequest } from "../calls/received.ts";
import type { z } from "zod";
import type { Peer } from "../calls/abuse/client-addresses.ts";
import type { Idempotency } from "../calls/principal.ts";
import { type Endpoint, looksAtStrayBody } from "../contract/endpoint.ts";
import { type FailureCode, failureCodes } from "../kernel/failure-codes.ts";
import { Failure } from "../kernel/failure.ts";
import { isId } from "../kernel/ids.ts";
import { LONGEST_PUBLIC_BODY } from "../kernel/input-limits.ts";
import type { Patience } from "../kernel/patience.ts";
import type { BodyReader } from "./body-reader.ts";
import { decodeBody } from "./decode-body.ts";
import { idempotencyOf } from "./idempotency.ts";
import { refuseNul } from "./query.ts";
import { pathOf } from "./received-path.ts";
import { judgeMembers, parametersOf, type Unlisted } from "./unlisted.ts";
import { describeIssues } from "./validation.ts";

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
  /** Who is connected; `ctx.clientAddresses.of(call)` says whose address counts. */
  readonly peer: Peer | undefined;
  /** How long the call waits for the store, where the endpoint waits briefly; undefined: as long as the store takes. */
  readonly patience: Patience | undefined;
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
 * The call that a request makes of an endpoint: path, query and body by its contract. Throws `invalid_input`, or how
 * the endpoint says that there is nothing of that id. `unlisted`: what becomes of names that it does not list.
 */
export function readCall(
  endpoint: Endpoint,
  asked: Asked,
  bodies: BodyReader,
  patience?: Patience,
  unlisted: Unlisted = REFUSED,
): AnyCall | Promise<AnyCall> {
  const { request, params } = asked;
  if (endpoint.keyParameter === undefined) refuseOtherThanIds(endpoint, params);
  const query = readQuery(endpoint, asked, unlisted);
  const reading: Reading = { endpoint, asked, query, patience, unlisted };
  if (endpoint.body === undefined && !looksAtStrayBody(endpoint)) return callOf(reading, NO_BODY);
  if (asked.rawBody) return callOf(reading, asked.rawBody);
  return bodies.read(
    request,
    endpoint.permission === "public" ? endpoint.longestBody ?? LONGEST_PUBLIC_BODY : undefined,
  ).then((rawBody) => callOf(reading, rawBody));
}

const REFUSED: Unlisted = {};

/** A call as far as it is read before its body. */
interface Reading {
  readonly endpoint: Endpoint;
  readonly asked: Asked;
  readonly query: unknown;
  readonly patience: Patience | undefined;
  readonly unlisted: Unlisted;
}

function callOf(reading: Reading, rawBody: Uint8Array): AnyCall | Promise<AnyCall> {
  const { endpoint, asked: { request: { headers } }, unlisted } = reading;
  const { value, unknown } = decodeBody(endpoint, rawBody, headers);
  const ifMatch = unknown.length > 0 ? headers.get("if-match") : null;
  const judged = judgeMembers(endpoint, { value, unknown, ifMatch }, unlisted);
  return judged
    ? judged.then(() => callWith(reading, rawBody, value))
    : callWith(reading, rawBody, value);
}

function callWith(
  { endpoint, asked: { request: { method, headers, url }, params, peer }, query, patience }:
    Reading,
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
    patience,
  };
  return endpoint.idempotent ? { ...call, idempotency: idempotencyOf(endpoint, call) } : call;
}

/** What can't be an id names nothing, which is all that a caller may learn of it. */
function refuseOtherThanIds(endpoint: Endpoint, params: Asked["params"]): void {
  for (const name in params) {
    if (!isId(params[name] ?? "")) throw new Failure(notFoundCode(endpoint));
  }
}

/**
 * Below the path of a whole tree, which begins with a slash behind it, stands somebody else's path, and with it their
 * query, which is not looked at; nor is it where the header says what the query would.
 */
function readQuery(endpoint: Endpoint, { request, path }: Asked, unlisted: Unlisted): unknown {
  const { query: schema, wholeTree } = endpoint;
  if (wholeTree && schema) {
    const isBelow = path !== endpoint.path || pathOf(request.url).endsWith("/");
    if (isBelow || request.headers.get(wholeTree.header)) return parseWith(schema, {});
  }
  if (!schema && !request.url.includes("?")) return undefined;
  const parameters = parametersOf(endpoint, request.url, unlisted);
  if (!schema) return undefined;
  const query = parseWith(schema, parameters);
  refuseNul(request.url, query);
  return query;
}

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
