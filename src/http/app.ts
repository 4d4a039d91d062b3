import type { ReceivedRequest } from "../calls/received.ts";
import type { Peer } from "../calls/abuse/client-addresses.ts";
import type { RequestContext } from "../calls/context.ts";
import type { Asked } from "./call.ts";
import { serveConsole } from "./console-files.ts";
import { allowOrigins } from "./cors.ts";
import { answerBrowser } from "./front-door.ts";
import { isTracing, withSpan } from "../kernel/tracing.ts";
import { overriddenMethods } from "./method-override.ts";
import { requestPath } from "./request-path.ts";
import { PathTable } from "./router.ts";
import type { Route } from "./routes.ts";
import {
  answerOtherMethod,
  answerRefusedOverride,
  answerUnknownPath,
  type Serve,
  serve,
  type ServingContext,
} from "./serve.ts";

/** Answers a request. `peer`: who is connected; none for a call in process. */
export type App = (request: ReceivedRequest, peer?: Peer) => Promise<Response>;

/** What the whole interface is set to. */
export interface AppOptions {
  /** Origins whose pages may call; none: no browser of another origin. */
  readonly corsOrigins: readonly string[];
  /** True: `X-HTTP-Method-Override` means something. */
  readonly methodOverride: boolean;
  /** True: people reach the server by https, which browsers then keep to. */
  readonly https: boolean;
  /** Answers what is at no path of the table, and undefined where the path leads nowhere for this caller. */
  readonly hidden?: ((asked: Asked) => Promise<Response | undefined>) | undefined;
}

/** The whole interface and the console as one request handler. */
export function createApp<Ctx extends RequestContext>(
  routes: readonly Route<Ctx>[],
  context: ServingContext<Ctx>,
  { corsOrigins, methodOverride, https, hidden }: AppOptions,
): App {
  const table = tableOf(routes, context);
  table.addTree("/console", serveConsole(context.log));
  const heads = routes.map(({ head }) => head);
  const methodOf = methodOverride
    ? overriddenMethods(heads, (path) => table.find("POST", path)?.path)
    : (request: ReceivedRequest) => request.method;
  const addCors = corsOrigins.length > 0 ? allowOrigins(corsOrigins) : undefined;
  const answer: App = async (request, peer) => {
    const path = requestPath(request);
    const method = methodOf(request, path);
    const found = method === undefined ? undefined : table.find(method, path);
    const made = method === undefined
      ? answerRefusedOverride(request, path, context.log)
      : found?.serving
      ? await found.serving({ request, path, params: found.params, peer })
      : found
      ? answerOtherMethod(request, path, found, context.log)
      : answerBrowser(request, path, context.log) ??
        await hidden?.({ request, path, params: {}, peer }) ??
        answerUnknownPath(request, path, context.log);
    addCors?.(request, made);
    if (https) made.headers.set("strict-transport-security", KEEPS_TO_HTTPS);
    return request.method === "HEAD" ? new Response(null, made) : made;
  };
  return isTracing() ? traced(answer) : answer;
}

/** Each call within a span, as a part of what its caller does. What it was is said where its log line is written. */
function traced(answer: App): App {
  return (request, peer) =>
    withSpan(
      "call",
      { kind: "server", traceparent: request.headers.get("traceparent") },
      () => answer(request, peer),
    );
}

/** RFC 6797: for a year, and on hosts below this one. */
const KEEPS_TO_HTTPS = "max-age=31536000; includeSubDomains";

function tableOf<Ctx extends RequestContext>(
  routes: readonly Route<Ctx>[],
  context: ServingContext<Ctx>,
): PathTable<Serve> {
  const table = new PathTable<Serve>();
  const reads = new Map(
    routes.filter(({ head }) => head.methods[0] === "GET").map((route) => [route.head.path, route]),
  );
  for (const route of routes) {
    const { head } = route;
    const own = head.methods[0] === "PUT" ? reads.get(head.path) : undefined;
    for (const path of [head.path, ...head.otherPaths ?? []]) {
      const answer: Serve = (asked) => serve(route, path, asked, context, own);
      if (head.wholeTree) table.addTree(path, answer);
      else table.add(path, head.methods, answer);
    }
  }
  return table;
}
