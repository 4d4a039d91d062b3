import type { MiddlewareHandler } from "hono";

const METHODS = "GET, HEAD, POST, PUT, DELETE, UPDATE, OPTIONS";
const SENT = "authorization, content-type, idempotency-key, if-match, x-request-id";
const READ = "x-request-id, x-keydesk-error, retry-after, etag, link";

/**
 * Lets pages of these origins call. It only adds headers: OPTIONS, a browser's question before the call among
 * it, is answered by its path with `Allow` and everything that every answer carries.
 */
export function allowOrigins(origins: readonly string[]): MiddlewareHandler {
  const allowed = new Set(origins);
  return async (c, next) => {
    await next();
    c.header("vary", "Origin", { append: true });
    const origin = c.req.header("origin");
    if (origin === undefined || !allowed.has(origin)) return;
    c.header("access-control-allow-origin", origin);
    c.header("access-control-expose-headers", READ);
    if (c.req.method !== "OPTIONS") return;
    c.header("access-control-allow-methods", METHODS);
    c.header("access-control-allow-headers", SENT);
  };
}
