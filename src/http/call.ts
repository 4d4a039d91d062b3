import type { ReceivedHeaders, ReceivedRequest } from "../calls/received.ts";
import type { z } from "zod";
import type { Peer } from "../calls/abuse/client-addresses.ts";
import type { Idempotency } from "../calls/principal.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { type FailureCode, failureCodes } from "../kernel/failure-codes.ts";
import { Failure } from "../kernel/failure.ts";
import { isId } from "../kernel/ids.ts";
import { LONGEST_PUBLIC_BODY } from "../kernel/input-limits.ts";
import type { Patience } from "../kernel/patience.ts";
import type { BodyReader } from "./body-reader.ts";
import { contentTypeOf } from "./content-type.ts";
import { parseFormBody } from "./form-body.ts";
import { idempotencyOf } from "./idempotency.ts";
import { parseJsonBody } from "./json-body.ts";
import { dropKnownNulls } from "./known-nulls.ts";
import { queryOf, refuseNul } from "./query.ts";
import { pathOf } from "./received-path.ts";
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
 * the endpoint says that there is nothing of that id.
 */
export function readCall(
  endpoint: Endpoint,
  asked: Asked,
  bodies: BodyReader,
  patience?: Patience,
): AnyCall | Promise<AnyCall> {
  const { request, params } = asked;
  if (endpoint.keyParameter === undefined) refuseOtherThanIds(endpoint, params);
  const query = endpoint.query ? readQuery(endpoint, endpoint.query, asked) : undefined;
  if (endpoint.body === undefined) return callOf(endpoint, asked, query, NO_BODY, patience);
  if (asked.rawBody) return callOf(endpoint, asked, query, asked.rawBody, patience);
  return bodies.read(
    request,
    endpoint.permission === "public" ? endpoint.longestBody ?? LONGEST_PUBLIC_BODY : undefined,
  ).then((rawBody) => callOf(endpoint, asked, query, rawBody, patience));
}

function callOf(
  endpoint: Endpoint,
  { request: { method, headers, url }, params, peer }: Asked,
  query: unknown,
  rawBody: Uint8Array,
  patience: Patience | undefined,
): AnyCall {
  // Members are written out: an object that is spread together takes several times the memory.
  const call = {
    method,
    path: pathOf(url),
    params,
    query,
    body: parseBody(endpoint, rawBody, headers),
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
 * Below the path of a whole tree stands somebody else's path, and with it their query, which is not looked at. With a
 * slash at its end the path may be either. Throws `invalid_input` where the query there is one of ours by its names,
 * and the header that would count instead is missing.
 */
function readQuery(endpoint: Endpoint, schema: z.ZodType, { request, path }: Asked): unknown {
  if (!endpoint.wholeTree) return parseQuery(schema, request.url);
  if (path !== endpoint.path) return parseWith(schema, {});
  if (!pathOf(request.url).endsWith("/")) return parseQuery(schema, request.url);
  const { names, header } = endpoint.wholeTree;
  if (request.headers.get(header)) return parseWith(schema, {});
  const query = queryOf(request.url);
  if (names.some((name) => Object.hasOwn(query, name))) {
    const message = `${names.join(", ")}: expected at ${endpoint.path} without a slash at its end`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return parseWith(schema, {});
}

function parseQuery(schema: z.ZodType, url: string): unknown {
  const query = parseWith(schema, queryOf(url));
  refuseNul(url, query);
  return query;
}

const NO_BODY = new Uint8Array();

function parseBody(endpoint: Endpoint, bytes: Uint8Array, headers: ReceivedHeaders): unknown {
  if (endpoint.body === undefined || endpoint.body === "ignored") return undefined;
  if (endpoint.body === "bytes") return { bytes, contentType: contentTypeOf(headers) };
  if (endpoint.bodyOptional && bytes.length === 0) return parseWith(endpoint.body, {});
  if (endpoint.bodyEncoding === "form") {
    return parseWith(endpoint.body, parseFormBody(bytes, contentTypeOf(headers)));
  }
  if (endpoint.keepsUnknown) {
    const value = parseJsonBody(bytes, "keep nulls");
    dropKnownNulls(endpoint.body, value);
    return parseWith(endpoint.body, value);
  }
  return parseWith(endpoint.body, parseJsonBody(bytes));
}

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
