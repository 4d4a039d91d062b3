/** The original's gateway beside a desk: the stand-in of examples/moving, on a port. */
import { Gateway, type Plan } from "../../examples/moving/gateway.ts";
import { atGateway, GATEWAY_SECRET } from "../../examples/moving/gateway-interface.ts";
import type { Hashing } from "../../examples/moving/keys.ts";

/** A gateway that listens, and what came to it. */
export interface StandIn extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly url: string;
  /** As KEYDESK_OUTBOUND names it. */
  readonly host: string;
  readonly secret: string;
  /** Method and path of each call of its own interface, `/tyk/keys/…` without the hash. */
  readonly calls: string[];
  /** How far its clock goes ahead, in milliseconds. */
  clockAheadMs: number;
  /** Answers in its place, or lets it answer; may take its time. */
  instead(request: Request): Response | undefined | Promise<Response | undefined>;
  /** The status of a call with a key, whose API takes until `work` is done. */
  open(key: string, work?: () => Promise<void>): Promise<number>;
}

/** The API behind it. */
export const API = "weather";

/** A port that listens before it is known whose gateway stands behind it. */
export interface Place {
  readonly host: string;
  answer(request: Request): Promise<Response>;
  shutdown(): Promise<void>;
}

/** A port for a gateway, which settings can name before there is one. */
export function placeForGateway(): Place {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => place.answer(request),
  );
  const place: Place = {
    host: `127.0.0.1:${server.addr.port}`,
    answer: () => Promise.resolve(new Response(null, { status: 503 })),
    shutdown: () => server.shutdown(),
  };
  return place;
}

/** A gateway of this organisation, with one plan that has a quota, and others that have none. */
export function standIn(
  org_id: string,
  hashing: Hashing = "sha256",
  place: Place = placeForGateway(),
): StandIn {
  const gateway = new Gateway(org_id, hashing);
  gateway.plans.push(policy(org_id, "plan-free", -1), policy(org_id, "plan-quota", 1000));
  gateway.plans.push(policy(org_id, "plan-basic", -1), policy(org_id, "plan-oauth", -1));
  gateway.apis.push({ api_id: API, org_id, use_oauth2: true });
  const calls: string[] = [];
  place.answer = async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/tyk/")) calls.push(`${request.method} ${pathname}`);
    const answer = await made.instead(request) ?? await atGateway(gateway, request);
    const headers = new Headers(answer.headers);
    headers.set("date", new Date(Date.now() + made.clockAheadMs).toUTCString());
    return new Response(answer.body, { status: answer.status, headers });
  };
  const { host } = place;
  const made: StandIn = {
    gateway,
    host,
    url: `http://${host}`,
    secret: GATEWAY_SECRET,
    calls,
    clockAheadMs: 0,
    instead: () => undefined,
    open: async (key, work) => (await gateway.open(key, API, work)).status,
    [Symbol.asyncDispose]: () => place.shutdown(),
  };
  return made;
}

/** A policy of this name that opens the API; `quota` -1: none. */
export function policy(org_id: string, id: string, quota: number): Plan {
  return {
    _id: id,
    id,
    name: id,
    org_id,
    active: true,
    is_inactive: false,
    rate: 1000,
    per: 60,
    quota_max: quota,
    quota_renewal_rate: quota > 0 ? 3600 : -1,
    access_rights: { [API]: { api_id: API, api_name: API, versions: ["Default"] } },
  };
}
