/**
 * A stand-in of a dashboard with the legacy Developer Portal and of its gateway, to rehearse a move
 * with:
 *
 *   deno run -A examples/moving/stand-in.ts --developers 200 --exports /tmp/export
 *
 * It answers what `keydesk import tyk` reads there, what a portal calls, and callers at the
 * gateway's door. Its first line says where, as JSON. `POST /stand-in/export` of the dashboard
 * writes the export files anew, `GET /stand-in/holders` names those who call with a key, and
 * `POST /stand-in/lose-records` gives the gateway another Redis, which is empty. A call at the door
 * is in flight until its body has come, and then writes its session back, where it has a quota.
 * `--hashing` is how the gateway hashes what it makes: sha256, murmur128, murmur64, murmur32 or
 * none; `--version` is what it says of itself, from v5.15.0 on no call brings a deleted key back;
 * with `--cache` it remembers sessions for ten seconds. It forgets everything when it ends.
 */
import { mkdir } from "node:fs/promises";
import process from "node:process";
import { parseArgs } from "node:util";
import { writeExports } from "./exports.ts";
import { filled } from "./fill.ts";
import { type Members, Refusal } from "./gateway.ts";
import { atGateway, GATEWAY_SECRET } from "./gateway-interface.ts";
import { hashings } from "./keys.ts";
import type { Developer, Original } from "./original.ts";

/** What opens the dashboard's interface. */
export const DASHBOARD_TOKEN = "the-stand-in-s-dashboard-token";

/** A stand-in that serves. */
export interface StandIn extends AsyncDisposable {
  readonly original: Original;
  readonly dashboard: string;
  readonly gateway: string;
}

/**
 * Serves an organisation on two ports of this machine; `exports`: the folder of
 * `POST /stand-in/export`.
 */
export function serveStandIn(
  original: Original,
  { ports = [0, 0], exports }: { ports?: readonly [number, number]; exports?: string } = {},
): StandIn {
  const serve = (port: number, answer: (request: Request) => Promise<Response>) =>
    Deno.serve(
      { hostname: "127.0.0.1", port, onListen: () => {} },
      (request) => answer(request).catch(refused),
    );
  const dashboard = serve(ports[0], (request) => atDashboard(original, request, exports));
  const gateway = serve(ports[1], (request) => atGateway(original.gateway, request));
  return {
    original,
    dashboard: `http://127.0.0.1:${dashboard.addr.port}`,
    gateway: `http://127.0.0.1:${gateway.addr.port}`,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([dashboard.shutdown(), gateway.shutdown()]);
    },
  };
}

/** Answers of the dashboard. */
async function atDashboard(
  original: Original,
  request: Request,
  exports: string | undefined,
): Promise<Response> {
  const { method } = request;
  const url = new URL(request.url);
  const path = url.pathname.replace(/(.)\/$/, "$1");
  if (path.startsWith("/stand-in/")) return await atStandIn(original, method, path, exports);
  const token = (request.headers.get("authorization") ?? "").replace(/^Bearer +/i, "");
  if (token !== DASHBOARD_TOKEN) throw new Refusal(401, "Not authorised");
  if (path.startsWith("/api/certs")) return certificates(original, path, url.searchParams);
  const [, resource = "", ...rest] = path.match(/^\/api\/portal\/([a-z]+)(?:\/(.*))?$/) ?? [];
  const id = decodeURIComponent(rest[0] ?? "");
  const body = ["POST", "PUT", "UPDATE"].includes(method) ? await membersOf(request) : {};
  switch (`${method} ${resource}`) {
    case "GET policies":
      return id === "" ? page(original.plans, url, 1) : found(original.plans, id);
    case "GET developers": {
      const shown = original.developers.map(shownDeveloper);
      if (id === "") return page(shown, url, 1);
      const email = /^email\/(.+)$/.exec(id)?.[1];
      const known = original.developers.find((one) => one.email === email);
      return found(shown, known?.id ?? id);
    }
    case "POST developers":
      return done(original.addDeveloper(body));
    case "PUT developers":
      original.changeDeveloper(id, body);
      return done("Data updated");
    case "GET requests": {
      const shown = () => original.requests.map((one) => shownRequest(original, one));
      return id === "" ? page(shown(), url, 0) : found(shown(), id);
    }
    case "POST requests":
      return done(original.addRequest(body));
    case "PUT requests":
      if (id.startsWith("approve/")) {
        return Response.json(await original.approve(id.slice("approve/".length)));
      }
      break;
    case "GET catalogue":
      return Response.json(original.catalogue);
    case "GET configuration":
      return Response.json(original.configuration);
    case "GET documentation":
      if (id !== "") return found(original.documentation, id);
  }
  throw new Refusal(404, "404 page not found");
}

/** What only a stand-in has. */
async function atStandIn(
  original: Original,
  method: string,
  path: string,
  exports: string | undefined,
): Promise<Response> {
  if (method === "GET" && path === "/stand-in/holders") return Response.json(original.holders);
  if (method === "POST" && path === "/stand-in/export" && exports !== undefined) {
    await mkdir(exports, { recursive: true });
    await writeExports(original, exports);
    return done(exports);
  }
  if (method === "POST" && path === "/stand-in/lose-records") {
    original.gateway.loseRecords();
    return done("");
  }
  throw new Refusal(404, "404 page not found");
}

function certificates(original: Original, path: string, query: URLSearchParams): Response {
  const all = original.certificates.map(({ basics }) => basics);
  const id = path.slice("/api/certs/".length);
  if (id !== "") {
    const one = all.find((basics) => basics.id === id);
    if (!one) throw new Refusal(404, "Could not retrieve certificate details.");
    return Response.json(one);
  }
  const isDetailed = query.get("mode") === "detailed";
  if (isDetailed && original.gateway.hasUnreadCertificate()) return noAnswer();
  const { items, pages } = paged(all, Number(query.get("p") ?? "1"));
  return isDetailed
    ? Response.json({ cert_basics: items, pages })
    : Response.json({ certs: items.map((one) => one.id), pages });
}

/** As of a process whose work broke off. */
function noAnswer(): Response {
  return new Response(new ReadableStream({ start: (body) => body.error(new Error("broken off")) }));
}

const PAGE = 10;

/** A page of a list; below 1 it is everything. */
function paged<T>(all: readonly T[], p: number): { items: readonly T[]; pages: number } {
  if (p < 1) return { items: all, pages: all.length === 0 ? 0 : 1 };
  return { items: all.slice((p - 1) * PAGE, p * PAGE), pages: Math.ceil(all.length / PAGE) };
}

/** `{Data, Pages}`; `otherwise`: the page where none is asked for. */
function page(all: readonly Members[], url: URL, otherwise: number): Response {
  const p = Number(url.searchParams.get("p") ?? otherwise);
  const { items, pages } = paged(all, p);
  return Response.json({ Data: items, Pages: p < 1 ? 0 : pages });
}

function found(all: readonly Members[], id: string): Response {
  const one = all.find((members) => members.id === id || members._id === id);
  if (!one) throw new Refusal(404, "Could not retrieve portal object.");
  return Response.json(one);
}

function shownDeveloper({ password: _, ...developer }: Developer): Members {
  return developer;
}

function shownRequest({ developers, catalogue }: Original, request: Members): Members {
  const developer = developers.find((one) => one.id === request.by_user);
  const apis = Array.isArray(catalogue.apis) ? catalogue.apis : [];
  const entry = apis.find((one) => one.policy_id === request.for_plan);
  return {
    ...request,
    ...developer ? { portal_developer: shownDeveloper(developer) } : {},
    ...entry ? { catalogue_entry: entry, catalogues: [entry] } : {},
  };
}

async function membersOf(request: Request): Promise<Members> {
  const text = await request.text();
  if (text === "") return {};
  try {
    return Object(JSON.parse(text));
  } catch {
    throw new Refusal(400, "Request body malformed.");
  }
}

function done(Message: string): Response {
  return Response.json({ Status: "OK", Message, Meta: null });
}

function refused(error: unknown): Response {
  const [status, Message] = error instanceof Refusal
    ? [error.status, error.message]
    : [500, "Internal error"];
  if (status === 500) console.error(error);
  return Response.json({ Status: "Error", Message, Meta: null }, { status });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      developers: { type: "string", default: "200" },
      exports: { type: "string" },
      dashboard: { type: "string", default: "0" },
      gateway: { type: "string", default: "0" },
      hashing: { type: "string", default: "sha256" },
      version: { type: "string", default: "v5.14.0" },
      cache: { type: "boolean", default: false },
    },
  });
  const hashing = hashings.find((one) => one === values.hashing);
  if (hashing === undefined) throw new Error(`--hashing: expected one of ${hashings.join(", ")}`);
  const original = await filled(Number(values.developers), hashing);
  Object.assign(original.gateway, { version: values.version, cachesSessions: values.cache });
  const ports = [Number(values.dashboard), Number(values.gateway)] as const;
  const { exports } = values;
  const { dashboard, gateway } = serveStandIn(original, {
    ports,
    ...exports === undefined ? {} : { exports },
  });
  if (exports !== undefined) {
    await mkdir(exports, { recursive: true });
    await writeExports(original, exports);
  }
  const says = { dashboard, gateway, exports, token: DASHBOARD_TOKEN, secret: GATEWAY_SECRET };
  process.stdout.write(`${JSON.stringify(says)}\n`);
}
