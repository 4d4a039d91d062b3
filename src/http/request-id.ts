import type { ReceivedRequest } from "../../packages/http-listener/request.ts";

/** The ids of a call. */
export interface RequestIds {
  /** Ours, unlike any other: what is written of a call is found by it. */
  readonly request_id: string;
  /**
   * The caller's own `X-Request-Id` where it is usable; else "". Nothing keeps two calls from
   * having the same.
   */
  readonly caller_request_id: string;
  /** The id in the answer: the caller's own, else ours. */
  readonly id: string;
}

/** The ids of a call, made with its beginning. */
export function requestIdsOf(request: ReceivedRequest): RequestIds {
  const own = request.headers.get("x-request-id");
  const caller_request_id = own !== null && /^[A-Za-z0-9_.-]{1,64}$/.test(own) ? own : "";
  const request_id = crypto.randomUUID();
  return { request_id, caller_request_id, id: caller_request_id || request_id };
}
