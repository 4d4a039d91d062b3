import type { Peer } from "../calls/abuse/client-addresses.ts";
import type { RequestContext } from "../calls/context.ts";
import { serveConsole } from "./console-files.ts";
import { allowOrigins } from "./cors.ts";
import { requestPath } from "./request-path.ts";
import { PathTable } from "./router.ts";
import type { Route } from "./routes.ts";
import {
  answerOtherMethod,
  answerUnknownPath,
  type Serve,
  serve,
  type ServingContext,
} from "./serve.ts";

/** Answers a request. `peer`: who is connected; none for a call in process. */
export type App = (request: Request, peer?: Peer) => Promise<Response>;

/** The whole interface and the console as one request handler. `corsOrigins` empty: no browser of another origin may call. */
export function createApp<Ctx extends RequestContext>(
  routes: readonly Route<Ctx>[],
  context: ServingContext<Ctx>,
  corsOrigins: readonly string[],
): App {
  const table = tableOf(routes, context);
  table.addTree("/console", serveConsole(context.log));
  const addCors = corsOrigins.length > 0 ? allowOrigins(corsOrigins) : undefined;
  return async (request, peer) => {
    const path = requestPath(request);
    const found = table.find(request.method, path);
    const answer = found?.serving
      ? await found.serving({ request, path, params: found.params, peer })
      : found
      ? answerOtherMethod(request, path, found, context.log)
      : answerUnknownPath(request, path, context.log);
    addCors?.(request, answer);
    return request.method === "HEAD" ? new Response(null, answer) : answer;
  };
}

function tableOf<Ctx extends RequestContext>(
  routes: readonly Route<Ctx>[],
  context: ServingContext<Ctx>,
): PathTable<Serve> {
  const table = new PathTable<Serve>();
  for (const route of routes) {
    const { head } = route;
    for (const path of [head.path, ...head.otherPaths ?? []]) {
      const answer: Serve = (asked) => serve(route, path, asked, context);
      if (head.wholeTree) table.addTree(path, answer);
      else table.add(path, head.methods, answer);
    }
  }
  return table;
}
