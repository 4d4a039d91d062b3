import { z } from "zod";
import {
  bodyErrors,
  commonErrors,
  type Endpoint,
  type Method,
  streamErrors,
} from "../contract/endpoint.ts";
import {
  errorEnvelope,
  isOAuthPath,
  isV1Path,
  oauthError,
  problem,
  takesSessions,
} from "../contract/envelope.ts";
import { type FailureCode, failureCodes, ownMessageOf } from "../kernel/failure-codes.ts";
import { failureExamples, type FailureShape } from "./failure-examples.ts";
import type { Json, SchemaCollector } from "./schema-collector.ts";

/** Headers that many answers have, by their name as it is written. */
const sharedHeaders = {
  "X-Request-Id":
    "The request's id, its own where it sent a usable one: the access log and the audit log know it by that, too.",
  "X-Keydesk-Error": "The code of the failure.",
  "Retry-After": "Seconds after which another try is worth it.",
  "WWW-Authenticate": "How to authenticate.",
  "Allow": "The methods that the path takes.",
  "Pragma": "`no-cache`, as RFC 6749 wants it.",
} as const;

type SharedHeader = keyof typeof sharedHeaders;

/** Those headers as components of the document. */
export const headerComponents: Json = Object.fromEntries(
  Object.entries(sharedHeaders).map(([name, description]) => [name, header(description)]),
);

/** Headers of every answer that say nothing of their own: they are not in the document. */
export const unsaidHeaders: readonly string[] = [
  "cache-control",
  "content-length",
  "content-security-policy",
  "content-type",
  "referrer-policy",
  "strict-transport-security",
  "x-content-type-options",
  "x-frame-options",
];

/** All answers of an operation, by status. */
export function answers(endpoint: Endpoint, method: Method, parts: Parts): Json {
  const status = String(endpoint.status ?? 200);
  return { [status]: success(endpoint, parts), ...failures(endpoint, method, parts) };
}

/**
 * The parts of an operation's answers; those that many operations share are collected by their
 * names.
 */
export interface Parts {
  readonly schemas: SchemaCollector;
  readonly responses: Record<string, Json>;
  readonly examples: Record<string, Json>;
}

/** A content for each media type. */
export function contentOf(types: readonly string[], schema: Json, more: Json = {}): Json {
  return Object.fromEntries(types.map((type) => [type, { schema, ...more }]));
}

function success(endpoint: Endpoint, { schemas }: Parts): Json {
  const headers = {
    ...shared("X-Request-Id", ...isOAuthPath(endpoint.path) ? ["Pragma"] as const : []),
    ...ownHeaders(endpoint.answerHeaders),
  };
  if (endpoint.response instanceof z.ZodUndefined) {
    return { description: "OK, without a body.", headers };
  }
  const types = endpoint.contentTypes?.response ?? ["application/json"];
  const description = endpoint.status === 202 ? "Accepted" : "OK";
  return { description, headers, content: contentOf(types, schemas.of(endpoint.response)) };
}

/** The failures of an endpoint, one response a status with the codes that it represents. */
function failures(endpoint: Endpoint, method: Method, parts: Parts): Json {
  const byStatus = new Map<number, FailureCode[]>();
  for (const code of codesOf(endpoint, method)) {
    const { status } = failureCodes[code];
    byStatus.set(status, [...byStatus.get(status) ?? [], code]);
  }
  const refusals = new Map(
    Object.entries(endpoint.refusals ?? {}).map(([status, text]) => [Number(status), text]),
  );
  for (const status of refusals.keys()) byStatus.set(status, byStatus.get(status) ?? []);
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([status, codes]) => {
    const refusedAs = refusals.get(status);
    const answer = refusedAs === undefined
      ? sharedFailure(endpoint.path, codes, parts)
      : refusal(endpoint, refusedAs, codes, parts);
    return [String(status), answer];
  }));
}

/** Whether a browser's session opens it, of the console or of a developer. */
function isBySession(endpoint: Endpoint): boolean {
  const { permission } = endpoint;
  return permission === "developer" || (permission !== "public" && takesSessions(endpoint));
}

/** Every failure that an endpoint can answer with under this method. */
function codesOf(endpoint: Endpoint, method: Method): Set<FailureCode> {
  return new Set<FailureCode>([
    ...endpoint.errors,
    ...endpoint.body && endpoint.body !== "ignored" ? bodyErrors : [],
    ...endpoint.permission === "public"
      ? ["method_not_allowed", "unavailable", "store_damaged", "internal"] as const
      : commonErrors,
    ...method !== "GET" && !endpoint.waitsBriefly ? streamErrors : [],
    ...method !== "GET" && isBySession(endpoint) ? ["csrf_refused"] as const : [],
  ]);
}

function refusal(endpoint: Endpoint, refusedAs: string, codes: FailureCode[], parts: Parts): Json {
  const failed = failure(endpoint.path, codes, parts);
  return {
    ...codes.length === 0 ? {} : failed,
    description: [refusedAs, ...codes.map((code) => sentence(code, endpoint.path))].join("\n\n"),
    headers: {
      ...codes.length === 0 ? shared("X-Request-Id") : failed.headers as Json,
      ...ownHeaders(endpoint.refusalHeaders),
    },
  };
}

/** The errors of every change with 503. */
const OF_CHANGES: readonly FailureCode[] = ["unavailable", ...streamErrors];

/**
 * A failure of one code alone, and that of every change, is the same wherever it stands, so that it
 * is written once.
 */
function sharedFailure(path: string, codes: FailureCode[], parts: Parts): Json {
  const [code] = codes;
  const isOfChanges = codes.length === OF_CHANGES.length &&
    codes.every((one) => OF_CHANGES.includes(one));
  if (!code || codes.length !== 1 && !isOfChanges) return failure(path, codes, parts);
  const name = `${shapeOf(path)}.${isOfChanges ? "unavailable_for_changes" : code}`;
  parts.responses[name] ??= failure(path, codes, parts);
  return { $ref: `#/components/responses/${name}` };
}

function failure(
  path: string,
  codes: readonly FailureCode[],
  { schemas, examples }: Parts,
): Json {
  const shape = shapeOf(path);
  const schema = schemas.of(
    shape === "problem" ? problem : shape === "oauth" ? oauthError : errorEnvelope,
  );
  const type = shape === "problem" ? "application/problem+json" : "application/json";
  return {
    description: codes.map((code) => sentence(code, path)).join("\n\n"),
    headers: shared(
      "X-Request-Id",
      "X-Keydesk-Error",
      ...shape === "oauth" ? ["Pragma"] as const : [],
      ...codes.flatMap(headersOfCode).filter((name, i, all) => all.indexOf(name) === i),
    ),
    content: contentOf([type], schema, failureExamples(shape, codes, examples)),
  };
}

function shapeOf(path: string): FailureShape {
  return isV1Path(path) ? "problem" : isOAuthPath(path) ? "oauth" : "envelope";
}

function sentence(code: FailureCode, path: string): string {
  const message = shapeOf(path) === "problem" ? ownMessageOf(code) : failureCodes[code].message;
  return `\`${code}\`: ${message.trim()}`;
}

function headersOfCode(code: FailureCode): SharedHeader[] {
  switch (code) {
    case "not_authorised":
    case "oauth_invalid_client":
      return ["WWW-Authenticate"];
    case "unavailable":
    case "too_many_requests":
      return ["Retry-After"];
    case "method_not_allowed":
      return ["Allow"];
    default:
      return [];
  }
}

function shared(...names: readonly SharedHeader[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Under the names as they are written everywhere, so that no answer has a header twice. */
function ownHeaders(headers: Readonly<Record<string, string>> = {}): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [written(name), header(description)]),
  );
}

/** `x-request-id` as `X-Request-Id`. */
function written(name: string): string {
  return Object.keys(sharedHeaders).find((one) => one.toLowerCase() === name) ??
    name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()).replace("Etag", "ETag");
}

function header(description: string): Json {
  return { description, schema: { type: "string" } };
}
