import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { actorOf } from "../../../calls/principal.ts";
import { migrationQuestions } from "../../../contract/gateway-states.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { list } from "../../audit-log/audit-log.service.ts";
import { isOperator } from "../../people/operator.transactions.ts";
import { findGateway } from "../../gateways/gateways.store.ts";
import { sentEnd } from "../../keys/key.ts";
import type { lazyMigration, lazyMigrationInput } from "./lazy-migration.contract.ts";
import { AT_REST_MS, isOn, type LazyMigrationRow, LONGEST_MS } from "./lazy-migration.ts";
import {
  awaitsSince,
  countAwaiting,
  countDue,
  countMigrated,
  findLazyMigration,
  learningsOf,
} from "./lazy-migration.store.ts";
import * as transactions from "./lazy-migration.transactions.ts";

type View = z.output<typeof lazyMigration>;

/** The action in the audit log for a key that is not migrated. */
const ALARMED = "gateway.key_not_migrated";
/** And where what was done there is not done here. */
const NOT_FOLLOWED = "gateway.key_not_followed";
/** So many of these are counted, at the most. */
const MOST_ALARMS = 100;

/** Whether a gateway teaches, and until when. Throws `not_found`. */
export async function get(ctx: RequestContext, gateway_id: string): Promise<View> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  if (!await findGateway(reader, { org_id, id: gateway_id })) throw new Failure("not_found");
  const row = await findLazyMigration(reader, { org_id, gateway_id });
  if (row) return await serialize(ctx, row);
  return {
    gateway_id,
    on: false,
    started_at: null,
    started_by: null,
    ends_at: null,
    questions_per_second: migrationQuestions.usual,
    migrated: 0,
    waiting: 0,
    alarms: 0,
    not_followed: 0,
    awaiting: 0,
    awaiting_since: null,
  };
}

/** The view of a source gateway without `admin:read`. */
type Taught =
  & Omit<View, "started_by" | "questions_per_second">
  & { gateway_name: string };

/** Every gateway of the organisation that teaches, or ever did, by its name. */
export async function lazyMigrationsOf(ctx: RequestContext): Promise<Taught[]> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const gateways: Taught[] = [];
  for (const { gateway_name, ...row } of await learningsOf(reader, { org_id })) {
    const { started_by: _, questions_per_second: __, ...taught } = await serialize(ctx, row);
    gateways.push({ ...taught, gateway_name: gateway_name ?? "" });
  }
  return gateways;
}

async function serialize(ctx: RequestContext, row: LazyMigrationRow): Promise<View> {
  const { storage: { reader }, clock } = ctx;
  const { org_id, gateway_id, started_at, started_by, ends_at, questions_per_second } = row;
  const now = clock.now();
  const on = isOn(row, toTimestamp(now));
  const place = { org_id, gateway_id };
  const asked_by = toTimestamp(now - AT_REST_MS);
  const gateways = async (action: string) =>
    (await list(ctx, { limit: MOST_ALARMS, object_id: gateway_id, action })).data.length;
  const waiting = { ...place, behind: row.confirmed_at ?? "" };
  return {
    gateway_id,
    on,
    started_at,
    started_by,
    ends_at,
    questions_per_second: Number(questions_per_second),
    migrated: await countMigrated(reader, place),
    waiting: on ? await countDue(reader, { ...place, asked_by }) : 0,
    alarms: await gateways(ALARMED),
    not_followed: await gateways(NOT_FOLLOWED),
    awaiting: on ? await countAwaiting(reader, waiting) : 0,
    awaiting_since: on ? await awaitsSince(reader, waiting) ?? null : null,
  };
}

/** Has a gateway teach until an end. Throws `not_found` and `invalid_input`. */
export async function start(
  ctx: RequestContext,
  gateway_id: string,
  { ends_at: sent, questions_per_second }: z.output<typeof lazyMigrationInput>,
): Promise<View> {
  const { principal, clock, storage } = ctx;
  const actor = actorOf(principal, clock.now());
  const ends_at = sentEnd(sent) ?? "";
  if (ends_at <= toTimestamp(actor.now) || ends_at > toTimestamp(actor.now + LONGEST_MS)) {
    const message = "ends_at: expected a time to come, within 366 days";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  const input = { actor, gateway_id, ends_at, questions_per_second };
  await storage.commit(transactions.startLazyMigration, input);
  return await get(ctx, gateway_id);
}

/** Ends learning from a gateway. Throws `not_found`. */
export async function stop(ctx: RequestContext, gateway_id: string): Promise<View> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(transactions.stopLazyMigration, { actor, gateway_id });
  return await get(ctx, gateway_id);
}

/** A person's yes to keys losing access. Throws `not_found` and what the transaction throws. */
export async function confirmLosses(
  ctx: RequestContext,
  gateway_id: string,
  awaiting: number,
): Promise<View> {
  const { principal, storage, clock } = ctx;
  // A caller with a session has signed in; the operator has the machine.
  const isPerson = principal.session !== undefined || isOperator(principal);
  if (!isPerson) throw new Failure("person_needed");
  const actor = actorOf(principal, clock.now());
  await storage.commit(transactions.confirmLosses, { actor, gateway_id, awaiting });
  return await get(ctx, gateway_id);
}
