import { Hono } from "hono";
import { getPathNoStrict } from "hono/utils/url";
import { serveConsole } from "./console-files.ts";
import { allowOrigins } from "./cors.ts";
import { mount, type MountContext, type Route } from "./mount.ts";
import { LiteralFirstRouter } from "./router.ts";

/** The whole interface and the console as one request handler. `corsOrigins` empty: no browser of another origin may call. */
export function createApp(
  routes: readonly Route[],
  context: MountContext,
  corsOrigins: readonly string[],
): Hono {
  const app = new Hono({
    router: new LiteralFirstRouter(),
    // Not strict: a path with a slash at its end is the path without it.
    getPath: (request) => hasPlainHost(request) ? getPathNoStrict(request) : NOWHERE,
  });
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins));
  mount(app, routes, context);
  serveConsole(app, context.log);
  return app;
}

/** A path that no endpoint has. */
const NOWHERE = "//";

/**
 * False when the Host header would become part of the path: the runtime puts header and path together to one URL,
 * so that `Host: a/api?` could lead where a proxy, which looks at the path alone, has never looked.
 */
function hasPlainHost({ headers }: Request): boolean {
  // `has` comes first: the runtime then reads all headers at once, and each further one costs less.
  const host = headers.has("host") ? headers.get("host") : null;
  return host === null || !/[/?#\\]/.test(host);
}
