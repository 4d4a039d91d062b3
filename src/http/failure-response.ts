import type { z } from "zod";
import { isOAuthPath, isV1Path, type oauthError, type problem } from "../contract/envelope.ts";
import { type FailureCode, failureCodes, ownMessageOf } from "../kernel/failure-codes.ts";
import { Failure } from "../kernel/failure.ts";
import { securityHeaders } from "./answer.ts";
import { wholeResponse } from "../../packages/http-listener/written-response.ts";
import { BadRequest } from "../../packages/http-listener/bad-request.ts";
import type { RequestIds } from "./request-id.ts";

/** The part of the request that an answer about a failure needs. */
interface FailedRequest {
  ids: RequestIds;
  /** The path as received, without the query. */
  path: string;
}

/** Any error as a Failure: what no one foresaw is `internal`, its text kept for the log. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof BadRequest)) return new Failure("internal", { cause: error });
  const { code, message } = error;
  return new Failure(code, code === "malformed_request" ? { message } : {});
}

/**
 * The one place that knows statuses and the shapes of an error:
 * `{"Status":"Error","Message":…,"Meta":null}`, under `/v1` a problem document, under `/oauth` what
 * RFC 6749 says.
 */
export function failureResponse(failure: Failure, request: FailedRequest): Response {
  const isV1 = isV1Path(request.path);
  const text = JSON.stringify(
    isV1
      ? problemOf(failure, request)
      : isOAuthPath(request.path)
      ? oauthErrorOf(failure, request)
      : envelopeOf(failure, request),
  );
  return wholeResponse(text, {
    status: failureCodes[failure.code].status,
    headers: {
      ...securityHeaders,
      ...isV1 ? { "content-type": "application/problem+json" } : {},
      // Said here, because the answer to HEAD loses its body further on.
      "content-length": String(new TextEncoder().encode(text).length),
      "x-request-id": request.ids.id,
      "x-keydesk-error": failure.code,
      ...extraHeaders(failure),
    },
  });
}

function envelopeOf(failure: Failure, { path }: FailedRequest) {
  const envelope = { Status: "Error", Message: messageOf(failure, path), Meta: null };
  return failure.details.length > 0 ? { ...envelope, Errors: failure.details } : envelope;
}

/** RFC 9457. The type is a name, not an address: it stays the same wherever the server stands. */
function problemOf(failure: Failure, { path, ids }: FailedRequest): z.output<typeof problem> {
  const { code, details } = failure;
  const { status, message } = failureCodes[code];
  const own = ownMessageOf(code);
  const { request_id, caller_request_id } = ids;
  return {
    type: `urn:keydesk:error:${code}`,
    title: own.trim(),
    status,
    detail: failure.message === message ? detailOf(code, own, path) : messageOf(failure, path),
    code,
    ...details.length > 0 ? { errors: [...details] } : {},
    request_id,
    ...caller_request_id === "" ? {} : { caller_request_id },
  };
}

/** RFC 6749, 5.2, with the words of RFC 6750, 3.1 for the caller's own credential. */
function oauthErrorOf(failure: Failure, { path }: FailedRequest): z.output<typeof oauthError> {
  // The characters that RFC 6749 allows there.
  const plain = messageOf(failure, path).replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'");
  return { error: oauthCodeOf(failure.code), error_description: plain };
}

function oauthCodeOf(code: FailureCode): string {
  if (code.startsWith("oauth_")) return code.slice("oauth_".length);
  switch (code) {
    case "not_authorised":
      return "invalid_token";
    case "access_denied":
      return "insufficient_scope";
    case "too_many_requests":
    case "unavailable":
    case "audit_stream_unavailable":
    case "audit_stream_behind":
      return "temporarily_unavailable";
    case "store_damaged":
    case "internal":
      return "server_error";
    default:
      return "invalid_request";
  }
}

function messageOf(failure: Failure, path: string): string {
  return detailOf(failure.code, failure.message, path);
}

function detailOf(code: FailureCode, message: string, path: string): string {
  // A message that gives the reason has a sentence of its own.
  return code === "access_denied" && message === failureCodes[code].message
    ? `${message} ${path}`
    : message;
}

function extraHeaders(failure: Failure): Record<string, string> {
  switch (failure.code) {
    case "not_authorised":
      return { "www-authenticate": "Bearer" };
    case "oauth_invalid_client":
      return { "www-authenticate": 'Basic realm="keydesk"' };
    case "unavailable":
    case "audit_stream_unavailable":
    case "too_many_requests":
    case "too_many_revoked":
      return { "retry-after": String(failure.retryAfterSeconds ?? 1) };
    case "body_too_large":
    case "body_timeout":
    case "malformed_request":
    case "target_too_long":
    case "head_too_large":
    case "head_timeout":
    case "coding_unsupported":
    case "version_unsupported":
      // The unread rest is still on its way and would be read as the next request.
      return { "connection": "close" };
    default:
      return {};
  }
}
