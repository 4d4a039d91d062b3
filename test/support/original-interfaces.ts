import { clientRecord, Gateway, type Members } from "../../examples/moving/gateway.ts";
import { atGateway, GATEWAY_SECRET } from "../../examples/moving/gateway-interface.ts";
import type { Hashing } from "../../examples/moving/keys.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { plainMembers } from "../../src/maintenance/import/extended-json.ts";
import { type Exports, ids, originalKey } from "./original-exports.ts";

/** The interfaces of dashboard and gateway on sockets of their own, filled from exports. */
export interface OriginalInterfaces extends AsyncDisposable {
  readonly dashboard: string;
  readonly gateway: string;
  /** What the gateway keeps: that of the stand-in in examples/moving. */
  readonly keeps: Gateway;
  /** Every call that came, as `GET /path?query`. */
  readonly calls: string[];
  /** What opens the two. */
  readonly token: string;
  readonly secret: string;
}

/** How they differ from the usual. */
export interface Oddities {
  /** What `p=-1` gives: everything, the first page, or a refusal. */
  everything?: "all" | "first page" | "refused" | "broken off";
  /** What is answered instead, where it is. */
  instead?: (path: string) => Response | undefined;
  certificates?: { id: string; subject_cn?: string }[];
  documents?: Record<string, unknown>;
  /** Sessions by what the gateway lists. */
  sessions?: Record<string, Members>;
  clients?: { client_id: string; secret: string; policy_id: string }[];
  /** How the gateway hashes keys; else by SHA-256. */
  hashing?: Hashing;
}

const PAGE = 2;

/** A session of the gateway, of plan 1. */
export function sessionOf(org_id: string, more: object = {}): Record<string, unknown> {
  return {
    org_id,
    apply_policies: [ids.plan(1)],
    expires: 0,
    meta_data: {},
    date_created: "",
    quota_max: -1,
    basic_auth_data: { password: "", hash_type: "" },
    ...more,
  };
}

/** The name of a certificate that the dashboard has and can't read. */
export const UNREAD = "unread";

/** As a server whose work broke off: the connection ends without a word of the body. */
function noAnswer(): Response {
  return new Response(new ReadableStream({ start: (body) => body.error(new Error("broken off")) }));
}

/** Starts both. Each developer's key has a session, unless `sessions` says otherwise. */
export function startInterfaces(exports: Exports, odd: Oddities = {}): OriginalInterfaces {
  const { org_id, collections } = exports;
  const calls: string[] = [];
  const token = "a-token-of-the-dashboard";
  const shown = (name: string) =>
    (collections[name] ?? []).map((one) => {
      const { _id, password: _, updated_at: _1, ...rest } = plainMembers(one as object);
      return name === "tyk_policies" ? { _id, ...rest } : { id: _id, ...rest };
    }).filter((one) => (one as { org_id?: unknown }).org_id === org_id);
  const lists: Record<string, object[]> = {
    "/api/portal/policies": shown("tyk_policies"),
    "/api/portal/developers": shown("portal_developers").map((one) => ({ ...one, sso_key: "" })),
    "/api/portal/requests": shown("portal_key_requests"),
  };
  const people = lists["/api/portal/developers"]?.length ?? 0;
  const sessions = odd.sessions ?? Object.fromEntries(
    Array.from({ length: people }, (_, n) => [sha256(originalKey(org_id, n)), sessionOf(org_id)]),
  );
  const page = (all: object[], p: number, empty: (some: object[], pages: number) => object) => {
    const pages = Math.ceil(all.length / PAGE);
    const { everything = "all" } = odd;
    if (p > 0) return Response.json(empty(all.slice((p - 1) * PAGE, p * PAGE), pages));
    if (everything === "refused") return Response.json({ Status: "Error" }, { status: 400 });
    if (everything === "first page") return Response.json(empty(all.slice(0, PAGE), pages));
    const text = JSON.stringify(empty(all, 0));
    return new Response(everything === "broken off" ? text.slice(0, text.length / 2) : text);
  };
  const ofDashboard = ({ pathname, searchParams }: URL): Response => {
    const p = Number(searchParams.get("p"));
    const list = lists[pathname];
    if (list) return page(list, p, (Data, Pages) => ({ Data, Pages }));
    if (pathname === "/api/certs" && searchParams.get("mode") !== "detailed") {
      const of = (odd.certificates ?? []).map(({ id }) => id);
      return page(of as never, p, (certs, pages) => ({ certs, pages }));
    }
    if (pathname.startsWith("/api/certs/")) {
      const id = pathname.slice("/api/certs/".length);
      const one = odd.certificates?.find((known) => known.id === id);
      return one && one.subject_cn !== UNREAD ? Response.json(one) : noAnswer();
    }
    if (pathname === "/api/certs") {
      const isUnread = odd.certificates?.some(({ subject_cn }) => subject_cn === UNREAD);
      if (isUnread) return noAnswer();
      return page(odd.certificates ?? [], p, (cert_basics, pages) => ({ cert_basics, pages }));
    }
    const [catalogue] = shown("portal_catalogue");
    const [configuration] = shown("portal_configurations");
    if (pathname === "/api/portal/catalogue" && catalogue) return Response.json(catalogue);
    if (pathname === "/api/portal/configuration" && configuration) {
      return Response.json(configuration);
    }
    const document = odd.documents?.[pathname.slice("/api/portal/documentation/".length)];
    return document ? Response.json(document) : Response.json({}, { status: 404 });
  };
  const keeps = new Gateway(org_id, odd.hashing);
  for (const [name, session] of Object.entries(sessions)) {
    keeps.records.set(`apikey-${name}`, session);
  }
  keeps.apis.push(
    { api_id: "api-1", org_id, use_oauth2: true },
    { api_id: "api-2", org_id: "0".repeat(24), use_oauth2: true },
    { api_id: "api-3", org_id, use_oauth2: false },
  );
  const anothers = { client_id: "another's", secret: "x", policy_id: ids.plan(1) };
  for (const [api_id, clients] of [["api-1", odd.clients ?? []], ["api-2", [anothers]]] as const) {
    for (const { client_id: id, secret, policy_id: policyid } of clients) {
      keeps.records.set(clientRecord(api_id, id), { id, secret, policyid });
    }
  }
  const serve = (answer: (request: Request, url: URL) => Response | Promise<Response>) =>
    Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
      const url = new URL(request.url);
      const path = url.pathname + url.search;
      calls.push(`${request.method} ${path}`);
      return odd.instead?.(path) ?? answer(request, url);
    });
  const dashboard = serve(({ headers }, url) =>
    headers.get("authorization") === token ? ofDashboard(url) : new Response(null, { status: 403 })
  );
  const gateway = serve((request) => atGateway(keeps, request));
  return {
    calls,
    token,
    secret: GATEWAY_SECRET,
    keeps,
    dashboard: `http://127.0.0.1:${dashboard.addr.port}`,
    gateway: `http://127.0.0.1:${gateway.addr.port}`,
    [Symbol.asyncDispose]: async () => {
      await dashboard.shutdown();
      await gateway.shutdown();
    },
  };
}
