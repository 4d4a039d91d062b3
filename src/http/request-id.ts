import type { ReceivedRequest } from "../calls/received.ts";

/** The request's own `X-Request-Id` where it is usable, else a fresh one. */
export function requestIdOf(request: ReceivedRequest): string {
  const own = request.headers.get("x-request-id");
  return own !== null && /^[A-Za-z0-9_.-]{1,64}$/.test(own) ? own : crypto.randomUUID();
}
