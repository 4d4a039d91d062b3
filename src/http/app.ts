import type { Peer } from "../../packages/http-listener/request.ts";
import type { RequestContext } from "../calls/context.ts";
import type { ReceivedRequest } from "../../packages/http-listener/request.ts";
import { isTracing, withSpan } from "../kernel/tracing.ts";
import type { AccessLog } from "./access-log.ts";
import { bodilessHeaders, securityHeaders } from "./answer.ts";
import type { Asked } from "./call.ts";
import { serveConsole } from "./console-files.ts";
import { requestIdsOf } from "./request-id.ts";
import { PathTable, requestPath } from "./router.ts";
import type { Route, RouteHead } from "./routes.ts";
import {
  answerOtherMethod,
  answerRefusedOverride,
  answerUnknownPath,
  type Serve,
  serve,
  type ServingContext,
} from "./serve.ts";
import { setHeader } from "../../packages/http-listener/written-response.ts";
import { wantsHtml } from "./unknown-page.ts";
import { toTimestamp } from "../kernel/clock.ts";

/** Answers a request. `peer`: who is connected; none for a call in process. */
type App = (request: ReceivedRequest, peer?: Peer) => Promise<Response>;

/** The settings of the whole interface. */
interface AppOptions {
  /** Origins whose pages may call; none: no browser of another origin. */
  readonly corsOrigins: readonly string[];
  /** True: `X-HTTP-Method-Override` means something. */
  readonly methodOverride: boolean;
  /** True: people reach the server by https, which browsers then keep to. */
  readonly https: boolean;
  readonly wellKnown?: WellKnown;
  /** Pages beside the interface: what answers each path and all below it. */
  readonly pages?: Readonly<Record<string, Serve>>;
  /** Answers a text that anybody's program looks for; undefined: there is none but the usual. */
  readonly openText?: (asked: Asked) => Promise<Response | undefined>;
  /** Answers what is at no path of the table; undefined: the path leads nowhere for this caller. */
  readonly hidden?: ((asked: Asked) => Promise<Response | undefined>) | undefined;
}

/** The whole interface and the console as one request handler. */
export function createApp<Ctx extends RequestContext>(
  routes: readonly Route<Ctx>[],
  context: ServingContext<Ctx>,
  { corsOrigins, methodOverride, https, hidden, wellKnown, openText, pages = {} }: AppOptions,
): App {
  const table = tableOf(routes, context);
  table.addTree("/console", serveConsole(context));
  for (const [path, answer] of Object.entries(pages)) table.addTree(path, answer);
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
      : await openText?.({ request, path, params: {}, peer }) ??
        answerAnybody(request, path, context.log, wellKnown) ??
        await hidden?.({ request, path, params: {}, peer }) ??
        answerUnknownPath(request, path, context.log);
    addCors?.(request, made);
    if (https) setHeader(made, "strict-transport-security", KEEPS_TO_HTTPS);
    return request.method === "HEAD" ? new Response(null, made) : made;
  };
  return isTracing() ? traced(answer) : answer;
}

/**
 * Each call within a span, as a part of what its caller does. Its attributes are set when its log
 * line is written.
 */
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

const ALLOWED_METHODS = "GET, HEAD, POST, PUT, DELETE, UPDATE, OPTIONS";
const ALLOWED_HEADERS = "authorization, content-type, idempotency-key, if-match, x-request-id, " +
  "x-request-timeout";
const EXPOSED_HEADERS = "x-request-id, x-keydesk-error, retry-after, etag, link";

/**
 * Lets pages of these origins call. The function only adds headers to an answer: OPTIONS, a
 * browser's question before the call among it, is answered by its path with `Allow` and everything
 * that every answer carries.
 */
function allowOrigins(
  origins: readonly string[],
): (request: ReceivedRequest, answer: Response) => void {
  const allowed = new Set(origins);
  return ({ method, headers }, answer) => {
    answer.headers.append("vary", "Origin");
    const origin = headers.get("origin");
    if (origin === null || !allowed.has(origin)) return;
    answer.headers.set("access-control-allow-origin", origin);
    answer.headers.set("access-control-expose-headers", EXPOSED_HEADERS);
    if (method !== "OPTIONS") return;
    answer.headers.set("access-control-allow-methods", ALLOWED_METHODS);
    answer.headers.set("access-control-allow-headers", ALLOWED_HEADERS);
  };
}

/** Says which method a POST represents, for clients behind boxes that let no other method pass. */
const OVERRIDE_HEADER = "x-http-method-override";
/**
 * The paths at which it matters. Elsewhere it may be a visitor's own, which a gateway passes on
 * with its question.
 */
const HEEDED_BELOW = "/api/";

/**
 * The method by which a request is routed, out of `X-HTTP-Method-Override` where it has that header
 * below `/api/`. Undefined: the header asks for what it can't, with another value, method or path
 * than one of these endpoints says. Such a call must be refused, so that no one believes to have
 * called what they did not. `declaredOf` gives a path as it is declared.
 */
function overriddenMethods(
  heads: readonly RouteHead[],
  declaredOf: (path: string) => string | undefined,
): (request: ReceivedRequest, path: string) => string | undefined {
  const overridable = new Map(
    heads.flatMap(({ path, overridable: method }) => method ? [[path, method] as const] : []),
  );
  return ({ method, headers }, path) => {
    if (!path.startsWith(HEEDED_BELOW)) return method;
    const wanted = headers.get(OVERRIDE_HEADER);
    if (wanted === null) return method;
    const allowed = overridable.get(declaredOf(path) ?? "");
    return method === "POST" && wanted === allowed ? wanted : undefined;
  };
}

/** The path that browsers request of an unknown server. */
const ICON_PATH = "/favicon.ico";

/**
 * Answers what anybody's program asks for by itself: `/` leads a browser to the console,
 * `/favicon.ico` is its picture, and some texts are well known. Undefined for everything else, a
 * program's `GET /` among it: there is nothing at that path but for who wants HTML.
 */
function answerAnybody(
  request: ReceivedRequest,
  path: string,
  log: AccessLog,
  wellKnown: WellKnown | undefined,
) {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  const started = performance.now();
  const text = wellKnown && wellKnownText(path, wellKnown);
  const response = path === ICON_PATH
    ? fileOf(ICON, "image/svg+xml")
    : text !== undefined
    ? fileOf(text, "text/plain; charset=utf-8")
    : path === "/" && wantsHtml(request.headers.get("accept"))
    ? new Response(null, {
      status: 302,
      headers: { ...bodilessHeaders, location: "/console", vary: "accept" },
    })
    : undefined;
  if (!response) return undefined;
  const ids = requestIdsOf(request);
  response.headers.set("x-request-id", ids.id);
  log.request(request.method, path, response.status, started, ids);
  return response;
}

/** A text in ASCII, which may be kept for a day. */
function fileOf(text: string, type: string): Response {
  return new Response(text, {
    headers: {
      ...securityHeaders,
      "content-type": type,
      "content-length": String(text.length),
      "cache-control": "public, max-age=86400",
    },
  });
}

/** The console's own, which has another name in each build: console/icon.svg. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">
  <rect width="20" height="20" rx="5" fill="#4150d6" />
  <path d="M6.6 4.8h2.1v4.5l4-4.5h2.6l-4 4.4 4.3 6h-2.6l-3.2-4.6-1.1 1.2v3.4H6.6z" fill="#fff" />
</svg>
`;

const DAY_MS = 86_400_000;
/** Days for which a `security.txt` is good; RFC 9116, 2.5.5 wants less than a year. */
const GOOD_DAYS = 180;

/** Texts that programs of anybody look for at paths of their own. */
interface WellKnown {
  /** The contacts for security reports, none: there is no security.txt. */
  readonly contacts: readonly string[];
  /** The public address of the server. */
  readonly publicUrl: string | undefined;
  readonly nowMs: () => number;
}

/** The text at a path; undefined: there is none. */
function wellKnownText(path: string, { contacts, publicUrl, nowMs }: WellKnown) {
  switch (path) {
    // No page here is for a search engine.
    case "/robots.txt":
      return "User-agent: *\nDisallow: /\n";
    case SECURITY:
      return contacts.length === 0 ? undefined : [
        ...contacts.map((contact) => `Contact: ${contact}`),
        `Expires: ${toTimestamp(dayOf(nowMs()) + GOOD_DAYS * DAY_MS)}`,
        ...publicUrl === undefined ? [] : [`Canonical: ${publicUrl}${SECURITY}`],
        "",
      ].join("\n");
    default:
      return undefined;
  }
}

const SECURITY = "/.well-known/security.txt";

/** The beginning of a day: within it the text is the same. */
function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}
