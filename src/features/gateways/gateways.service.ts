import type { RequestContext } from "../../calls/context.ts";
import { actorOf, may } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { isOperator } from "../people/operator.transactions.ts";
import { canaryOf } from "./canary.service.ts";
import type { GatewayRow } from "./gateway.ts";
import { FETCHED, mapOf } from "./hashes/map-settings.ts";
import { readersOf } from "./hashes/readers-of.service.ts";
import { findGateway } from "./gateways.store.ts";
import type { SaidBy } from "./moved-gateway.ts";
import * as transactions from "./gateways.transactions.ts";
import { countNewKeys } from "./new-keys.store.ts";
import { countReading, countStates, waitsSince } from "./provisioned-keys.store.ts";
import { type GatewayView, toGateway } from "./show-gateway.ts";

/** One gateway. Throws `not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<GatewayView> {
  return await serializeGateway(ctx, await found(ctx, id));
}

export async function found(ctx: RequestContext, id: string): Promise<GatewayRow> {
  const row = await findGateway(ctx.storage.reader, { org_id: ctx.principal.org_id, id });
  if (!row) throw new Failure("not_found");
  return row;
}

export async function serializeGateway(ctx: RequestContext, row: GatewayRow): Promise<GatewayView> {
  const { storage: { reader }, outbound } = ctx;
  const place = { org_id: row.org_id, gateway_id: row.id };
  const counts = { waiting: 0, delivered: 0, stuck: 0, diverged: 0, gone: 0 };
  // Before the rows: a key that is taken in meanwhile may count twice, and never not at all.
  const fresh = await countNewKeys(reader, { org_id: row.org_id });
  for (const { state, n } of await countStates(reader, place)) counts[state] = Number(n);
  counts.waiting += Number(fresh?.n ?? 0);
  const [waits_since = null] = [await waitsSince(reader, place), fresh?.since]
    .flatMap((since) => since ?? []).sort();
  const reading = Number(await countReading(reader, place) ?? 0);
  const { socket = "" } = mapOf(row) ?? {};
  const isPort = !["", "unix", FETCHED].includes(socket);
  const called = isPort ? `http://${socket}` : row.url;
  const missing_outbound = outbound.missing(called) ?? outbound.missing(row.redis_url) ?? null;
  const canary = await canaryOf(ctx, row);
  const readers = await readersOf(ctx, row);
  return toGateway(row, { counts, reading, waits_since, missing_outbound, canary, readers });
}

/** A caller with a session has signed in; the operator has the machine. */
export function saidBy({ principal }: RequestContext): SaidBy {
  const isPerson = principal.session !== undefined || isOperator(principal);
  return { isPerson, mayApprove: may(principal, "approve") };
}

export function ofGateway(ctx: RequestContext, id: string): transactions.OfGateway {
  return { actor: actorOf(ctx.principal, ctx.clock.now()), id };
}
