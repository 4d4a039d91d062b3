import { Failure } from "../lib/failure.ts";
import { failureCodes } from "../lib/failure-codes.ts";
import { securityHeaders } from "./answer.ts";

/** What an answer about a failure needs to know of its request. */
export interface FailedRequest {
  requestId: string;
  /** The path as received, without the query. */
  path: string;
}

/** Any error as a Failure: what nobody foresaw is `internal`, its text kept for the log. */
export function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure("internal", { cause: error });
}

/** The one place that knows statuses and the shape of an error: `{"Status":"Error","Message":…,"Meta":null}`. */
export function failureResponse(failure: Failure, request: FailedRequest): Response {
  const message = failure.code === "access_denied"
    ? `${failure.message} ${request.path}`
    : failure.message;
  const envelope = { Status: "Error", Message: message, Meta: null };
  const body = failure.details.length > 0 ? { ...envelope, Errors: failure.details } : envelope;
  const text = JSON.stringify(body);
  return new Response(text, {
    status: failureCodes[failure.code].status,
    headers: {
      ...securityHeaders,
      // Said here, because the answer to HEAD loses its body further on.
      "content-length": String(new TextEncoder().encode(text).length),
      "x-request-id": request.requestId,
      "x-keydesk-error": failure.code,
      ...extraHeaders(failure),
    },
  });
}

function extraHeaders(failure: Failure): Record<string, string> {
  switch (failure.code) {
    case "not_authorised":
      return { "www-authenticate": "Bearer" };
    case "unavailable":
      return { "retry-after": "1" };
    case "body_too_large":
    case "body_timeout":
      // What was not read is still on its way; the next request can't be told from it.
      return { "connection": "close" };
    default:
      return {};
  }
}
