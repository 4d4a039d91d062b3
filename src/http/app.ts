import { Hono } from "hono";
import { cors } from "hono/cors";
import { type Binding, mount, type MountContext } from "./mount.ts";

/** The whole interface as one request handler. `corsOrigins` empty: no browser of another origin may call. */
export function createApp(
  bindings: readonly Binding[],
  context: MountContext,
  corsOrigins: readonly string[],
): Hono {
  // Not strict: a path with a slash at its end is the path without it.
  const app = new Hono({ strict: false });
  if (corsOrigins.length > 0) {
    app.use(cors({
      origin: [...corsOrigins],
      allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE", "UPDATE", "OPTIONS"],
      allowHeaders: ["authorization", "content-type", "idempotency-key", "x-request-id"],
      exposeHeaders: ["x-request-id", "x-keydesk-error", "retry-after"],
    }));
  }
  mount(app, bindings, context);
  return app;
}
