import type { ReceivedRequest } from "../calls/received.ts";

const METHODS = "GET, HEAD, POST, PUT, DELETE, UPDATE, OPTIONS";
const SENT = "authorization, content-type, idempotency-key, if-match, x-request-id";
const READ = "x-request-id, x-keydesk-error, retry-after, etag, link";

/**
 * Lets pages of these origins call. The function only adds headers to an answer: OPTIONS, a browser's question before
 * the call among it, is answered by its path with `Allow` and everything that every answer carries.
 */
export function allowOrigins(
  origins: readonly string[],
): (request: ReceivedRequest, answer: Response) => void {
  const allowed = new Set(origins);
  return ({ method, headers }, answer) => {
    answer.headers.append("vary", "Origin");
    const origin = headers.get("origin");
    if (origin === null || !allowed.has(origin)) return;
    answer.headers.set("access-control-allow-origin", origin);
    answer.headers.set("access-control-expose-headers", READ);
    if (method !== "OPTIONS") return;
    answer.headers.set("access-control-allow-methods", METHODS);
    answer.headers.set("access-control-allow-headers", SENT);
  };
}
