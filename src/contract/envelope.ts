import { z } from "zod";

/**
 * Always null. The document names no type: of null alone, or of an object or null, several
 * generators make code that can't read null, and ogen can't encode a constant of null.
 */
const meta = z.null().meta({ type: undefined, description: "Always null." });

/** Specification 2.7: the answer to create, update and delete. */
export const envelope = z.strictObject({
  Status: z.literal("OK"),
  Message: z.string(),
  Meta: meta,
}).meta({ id: "Envelope" });

/** The answer to everything that failed. */
export const errorEnvelope = z.strictObject({
  Status: z.literal("Error"),
  Message: z.string(),
  Meta: meta,
  Errors: z.array(z.string()).optional(),
}).meta({ id: "ErrorEnvelope" });

/**
 * The answer to everything that failed under `/v1` (RFC 9457). `code` is one of the closed table of
 * failures.
 */
export const problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  errors: z.array(z.string()).optional(),
  request_id: z.string().meta({
    description: "Our id of the call, as the audit log and the access log have it.",
  }),
  caller_request_id: z.string().optional().meta({
    description: "The `X-Request-Id` that the caller gave it; absent: none.",
  }),
}).meta({ id: "Problem" });

/** Whether a path belongs to `/v1`, whose failures are problem documents. */
export function isV1Path(path: string): boolean {
  return path.startsWith("/v1/");
}

/**
 * Whether a browser's session of the console opens an endpoint: in `/v1` alone, not where a
 * developer calls for themselves, and not where proxies ask on behalf of their visitors, whose
 * cookies they pass on.
 */
export function takesSessions(
  endpoint: { path: string; credentialHeader?: string; permission?: unknown },
): boolean {
  return isV1Path(endpoint.path) && endpoint.credentialHeader === undefined &&
    endpoint.permission !== "developer";
}

/** The answer to everything that failed under `/oauth` (RFC 6749, 5.2; RFC 6750, 3.1). */
export const oauthError = z.strictObject({
  error: z.string(),
  error_description: z.string(),
}).meta({ id: "OAuthError" });

/** Whether a path belongs to the OAuth endpoints, whose failures have the shape of RFC 6749. */
export function isOAuthPath(path: string): boolean {
  return path.startsWith("/oauth/");
}

/** An OK envelope with this message. */
export function ok(message: string): z.infer<typeof envelope> {
  return { Status: "OK", Message: message, Meta: null };
}

/** `Pages` of a list of `total` items. Nothing matches: 0. */
export function pageCount(total: number, pageSize: number): number {
  return Math.ceil(total / pageSize);
}

/**
 * Query parameter `p`: a page number, or below 1 for everything; absent is undefined. Any size: a
 * page past the end is empty.
 */
export const pageNumber = z.string().regex(/^-?\d+$/, {
  error: "expected an integer: a page from 1, or 0 and below for everything",
}).meta({ type: "integer" }).transform(Number).optional();
