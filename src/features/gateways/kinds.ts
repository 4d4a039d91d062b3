import { join } from "node:path";
import type { ServiceContext } from "../../calls/context.ts";
import { type GatewayRow, secretsOf } from "./gateway.ts";
import { FETCHED, filesOf, mapOf, type MapSettings } from "./hashes/map-settings.ts";
import { GatewayAway, type Kind } from "./kind.ts";
import type { TykCalls } from "./tyk/tyk-calls.ts";

type Context = Pick<ServiceContext, "outbound" | "sealer" | "settings" | "storage">;

/**
 * The client of a gateway's kind. Throws GatewayAway if its secret is lost, or this server has no
 * folder for it. Each kind is loaded with its first gateway.
 */
export async function kindOf(ctx: Context, gateway: GatewayRow): Promise<Kind> {
  const map = mapOf(gateway);
  if (map?.socket === FETCHED) {
    const { FetchedGateway } = await import("./hashes/fetched-gateway.ts");
    return new FetchedGateway(ctx, gateway);
  }
  return map ? await hashes(ctx, gateway, map) : await tyk(ctx, gateway);
}

async function tyk(ctx: Context, gateway: GatewayRow): Promise<Kind> {
  const { org_id, redis_url: url } = gateway;
  const { redis_password: password } = secretsIn(ctx, gateway);
  const [{ TykGateway }, { TykRedis }, calls] = await Promise.all([
    import("./tyk/tyk-gateway.ts"),
    import("./tyk/tyk-redis.ts"),
    callsOf(ctx, gateway),
  ]);
  const redis = url === "" ? undefined : new TykRedis(ctx.outbound, { url, password });
  return new TykGateway(calls, org_id, redis);
}

/** How the own interface of a gateway of kind `tyk` is called. Throws as kindOf does. */
export async function callsOf(
  ctx: Pick<Context, "outbound" | "sealer">,
  gateway: Pick<GatewayRow, "org_id" | "id" | "url" | "secret">,
): Promise<TykCalls> {
  const { secret } = secretsIn(ctx, gateway);
  const { TykCalls } = await import("./tyk/tyk-calls.ts");
  return new TykCalls(ctx.outbound, { url: gateway.url, secret });
}

function secretsIn(
  { sealer }: Pick<Context, "sealer">,
  gateway: Pick<GatewayRow, "org_id" | "id" | "secret">,
) {
  const secrets = secretsOf(sealer, gateway);
  if (secrets) return secrets;
  throw new GatewayAway("its secret was lost with the sealing key: set it anew");
}

async function hashes(
  { outbound, settings: { gatewayFolder: folder } }: Context,
  { id }: GatewayRow,
  map: MapSettings,
): Promise<Kind> {
  if (folder === "") throw new GatewayAway("this server has no KEYDESK_GATEWAY_FOLDER");
  const [{ HashGateway }, { HaproxySocket }] = await Promise.all([
    import("./hashes/hash-gateway.ts"),
    import("./hashes/haproxy-socket.ts"),
  ]);
  const { map: file, socket: name } = filesOf(id);
  const at = map.socket === "unix" ? { path: join(folder, name) } : portOf(map.socket);
  const socket = at && new HaproxySocket(outbound, at, file);
  return new HashGateway({ folder, id, map, socket });
}

function portOf(text: string): { host: string; port: number } | undefined {
  if (text === "") return undefined;
  const { hostname, port } = new URL(`tcp://${text}`);
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}
