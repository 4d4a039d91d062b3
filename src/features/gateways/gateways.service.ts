import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import { newSince } from "../../changes/provisioned.store.ts";
import type { Page } from "../../contract/paging.ts";
import { Failure } from "../../kernel/failure.ts";
import { source, walk } from "../../kernel/walk.ts";
import { isOperator } from "../people/operator.transactions.ts";
import { seenKey } from "../keys/within-scope.service.ts";
import { canaryOf } from "./canary.service.ts";
import type { GatewayRow } from "./gateway.ts";
import type * as contract from "./gateways.contract.ts";
import { FETCHED, mapOf } from "./hashes/map-settings.ts";
import { readersOf } from "./hashes/readers-of.service.ts";
import { findGateway, listGateways } from "./gateways.store.ts";
import type { SaidBy } from "./moved-gateway.ts";
import * as transactions from "./gateways.transactions.ts";
import { countNewKeys } from "./new-keys.store.ts";
import {
  countReading,
  countStates,
  provisionedBehind,
  provisionedOfKey,
  provisionedOfState,
  waitsSince,
} from "./provisioned-keys.store.ts";
import {
  filesAt,
  showGateway,
  showKeyThere,
  type ShownGateway,
  type ShownKeyThere,
  type ShownOfRow,
} from "./show-gateway.ts";

/** The gateways of the caller's organisation, by name. */
export async function list(ctx: RequestContext): Promise<{ data: ShownGateway[] }> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const rows = await listGateways(reader, { org_id });
  return { data: await Promise.all(rows.map((row) => shown(ctx, row))) };
}

/** One gateway. Throws `not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<ShownGateway> {
  return await shown(ctx, await found(ctx, id));
}

async function found(ctx: RequestContext, id: string): Promise<GatewayRow> {
  const row = await findGateway(ctx.storage.reader, { org_id: ctx.principal.org_id, id });
  if (!row) throw new Failure("not_found");
  return row;
}

async function shown(ctx: RequestContext, row: GatewayRow): Promise<ShownGateway> {
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
  return showGateway(row, { counts, reading, waits_since, missing_outbound, canary, readers });
}

/** Adds a gateway. Throws `too_many_gateways`. */
export async function create(
  ctx: RequestContext,
  { secret, redis_password, ...gateway }: z.output<typeof contract.createGateway.body & z.ZodType>,
  idempotency: Idempotency,
): Promise<ShownGateway> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const call = idempotentCall(ctx.principal, actor.now, idempotency);
  transactions.requireKind(gateway.kind, gateway, redis_password);
  if ((gateway.kind === "tyk") !== (secret !== undefined)) {
    const message = `secret: ${secret === undefined ? "needed for" : "belongs to"} kind tyk`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
  const secrets = { secret, redis_password };
  const input = { actor, by: saidBy(ctx), gateway, secrets, idempotency: call };
  const { id } = await ctx.storage.commit(transactions.createGateway, input);
  return await get(ctx, id);
}

/** Replaces what somebody writes of a gateway. Throws `not_found`. */
export async function update(
  ctx: RequestContext,
  id: string,
  { secret, redis_password, ...gateway }: z.output<typeof contract.updateGateway.body & z.ZodType>,
): Promise<ShownGateway> {
  const secrets = { secret, redis_password };
  const input = { ...ofGateway(ctx, id), by: saidBy(ctx), gateway, secrets };
  await ctx.storage.commit(transactions.changeGateway, input);
  return await get(ctx, id);
}

/**
 * A person's yes to what an access token added or moved, as it was read. Throws `not_found`,
 * `person_needed` for an access token, `precondition_failed` where it changed since.
 */
export async function confirm(
  ctx: RequestContext,
  id: string,
  unconfirmed_since: string,
): Promise<ShownGateway> {
  if (!saidBy(ctx).isPerson) throw new Failure("person_needed");
  const input = { ...ofGateway(ctx, id), unconfirmed_since };
  await ctx.storage.commit(transactions.confirmGateway, input);
  return await get(ctx, id);
}

/** Whoever calls by a session gave a sign-in; the operator has the machine. */
function saidBy({ principal }: RequestContext): SaidBy {
  const isPerson = principal.session !== undefined || isOperator(principal);
  return { isPerson, mayApprove: may(principal, "approve") };
}

/**
 * Removes a gateway, at once or behind the last of its keys. A map that stays would open for good
 * to keys that are revoked later, so that one is left only where somebody says so; one that is
 * fetched goes on opening until its door asks again. Throws `not_found`.
 */
export async function remove(
  ctx: RequestContext,
  id: string,
  keys: "leave" | "end" | undefined,
): Promise<{ left: number; ending: boolean; files: string[] }> {
  const row = await found(ctx, id);
  // Where nothing was written nothing is emptied: from then on a door that asks has no map.
  const isFetched = mapOf(row)?.socket === FETCHED;
  const isCalled = row.unconfirmed_since === null;
  const isEmptied = keys === "end" || keys === undefined && row.kind === "hashes" && isCalled;
  if (isEmptied && !isFetched) {
    await ctx.storage.commit(transactions.endGateway, ofGateway(ctx, id));
    return { left: 0, ending: true, files: [] };
  }
  for (let left = 0;;) {
    const input = { ...ofGateway(ctx, id), left };
    const step = await ctx.storage.commit(transactions.removeGateway, input);
    left = step.left;
    if (step.done) return { left, ending: false, files: left === 0 ? [] : filesAt(row) };
  }
}

/** Pauses a gateway or resumes it. Throws `not_found`. */
export async function pause(
  ctx: RequestContext,
  id: string,
  paused: boolean,
): Promise<ShownGateway> {
  await ctx.storage.commit(transactions.pauseGateway, { ...ofGateway(ctx, id), paused });
  return await get(ctx, id);
}

/** Has all of a gateway tried now, or one key. Throws `not_found`. */
export async function hurry(
  ctx: RequestContext,
  id: string,
  key_id: string | null,
): Promise<{ tried: number }> {
  const input = { ...ofGateway(ctx, id), key_id };
  return { tried: await ctx.storage.commit(transactions.hurryGateway, input) };
}

/** Has a gateway's keys compared soon. Throws `not_found`. */
export async function reconcile(
  ctx: RequestContext,
  id: string,
  asked: { whole: boolean; dry_run: boolean },
): Promise<ShownGateway> {
  await ctx.storage.commit(transactions.askToReconcile, { ...ofGateway(ctx, id), asked });
  return await get(ctx, id);
}

/** The keys of a gateway, by their ids. Throws `not_found`. */
export async function keysAt(
  ctx: RequestContext,
  id: string,
  { state, ...query }: z.output<typeof contract.listKeysAtGateway.query & z.ZodType>,
): Promise<Page<ShownKeyThere>> {
  const gateway = await found(ctx, id);
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const place = { org_id, gateway_id: id };
  const read = (behind: string, limit: number) =>
    state === undefined
      ? provisionedBehind(reader, { ...place, behind }, limit)
      : provisionedOfState(reader, { ...place, behind, state }, limit);
  const placeOf = ({ key_id }: { key_id: string }) => ({ sort: "", id: key_id });
  const rows = source((behind, limit) => read(behind.id, limit), placeOf);
  const order = `gateway keys ${id} ${state ?? ""}`;
  const page = await walk({ order, first: { sort: "", id: "" }, sources: [rows] }, query);
  const now = clock.now();
  const data = page.rows.map((row) => showKeyThere(row, gateway, now));
  return { data, next_cursor: page.next_cursor };
}

/** Where a key stands at each gateway. Throws `not_found` also for one outside of a scope. */
export async function ofKey(
  ctx: RequestContext,
  key_id: string,
): Promise<{ data: ShownKeyThere[] }> {
  await seenKey(ctx, key_id);
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const gateways = await listGateways(reader, { org_id });
  // Before the rows: once it is new no more they are there.
  const since = await newSince(reader, { org_id, key_id });
  const rows = await provisionedOfKey(reader, { org_id, key_id });
  const now = clock.now();
  return {
    data: gateways.flatMap((gateway) => {
      const row = rows.find(({ gateway_id }) => gateway_id === gateway.id) ??
        (since === undefined ? undefined : newThere(gateway.id, key_id, since));
      return row ? [showKeyThere(row, gateway, now)] : [];
    }),
  };
}

/** What stands at a gateway of a key that it has no row of yet. */
function newThere(gateway_id: string, key_id: string, since: string): ShownOfRow {
  const nothing = { reason: "", tries: 0, remote_id: "", delivered_at: null, held: "", done: 0 };
  return { gateway_id, key_id, state: "waiting", since, ...nothing };
}

function ofGateway(ctx: RequestContext, id: string): transactions.OfGateway {
  return { actor: actorOf(ctx.principal, ctx.clock.now()), id };
}
