import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import type { Page } from "../../contract/paging.ts";
import { Failure } from "../../kernel/failure.ts";
import { byId, type PageQuery, walk } from "../../kernel/walk.ts";
import type { MailConfig } from "./mail-config.ts";
import { missingForMail } from "./missing-for-mail.ts";
import { type ShownTarget, showTarget } from "./show-target.ts";
import type { target as targetContract, targetChange, targetInput } from "./targets.contract.ts";
import { findTarget, targetsBelow } from "./targets.store.ts";
import * as transactions from "./targets.transactions.ts";
import { deliverNow as wake, wakesBy } from "./wake.transactions.ts";
import { newSecret } from "./webhook-sender.ts";

type Target = z.output<typeof targetContract>;

/** Targets, newest first. */
export async function list(ctx: RequestContext, query: PageQuery): Promise<Page<Target>> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const { rows, next_cursor } = await walk(
    byId("targets", (below, limit) => targetsBelow(reader, { org_id, below }, limit)),
    query,
  );
  const now = clock.now();
  return { data: rows.map((row) => told(ctx, showTarget(row, now))), next_cursor };
}

/** One target. Throws `not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<Target> {
  const row = await findTarget(ctx.storage.reader, { org_id: ctx.principal.org_id, id });
  if (!row) throw new Failure("not_found");
  return told(ctx, showTarget(row, ctx.clock.now()));
}

/** Adds a target; its secret stands in this answer and nowhere else. */
export async function create(
  ctx: RequestContext,
  { kind, name, url, template, topics, mail }: z.output<
    typeof targetInput
  >,
  idempotency: Idempotency,
) {
  const now = ctx.clock.now();
  const made = await ctx.storage.commit(transactions.createTarget, {
    actor: actorOf(ctx.principal, now),
    target: { kind, name, topics, config: configOf({ url, template, mail }) },
    secret: newSecret(),
    idempotency: idempotentCall(ctx.principal, now, idempotency),
  });
  return told(ctx, made);
}

/** Replaces what its owner writes. Throws `not_found`. */
export async function update(
  ctx: RequestContext,
  id: string,
  { name, url, template, topics, mail }: z.output<typeof targetChange>,
): Promise<Target> {
  const target = { name, topics, config: configOf({ url, template, mail }) };
  const input = { ...ofTarget(ctx, id), target };
  return told(ctx, await ctx.storage.commit(transactions.replaceTarget, input));
}

/** Removes a target with what waits for it. Throws `not_found`. */
export async function remove(ctx: RequestContext, id: string): Promise<{ dropped: number }> {
  for (let dropped = 0;;) {
    const step = await ctx.storage.commit(transactions.removeTarget, {
      ...ofTarget(ctx, id),
      dropped,
    });
    dropped = step.dropped;
    if (step.done) return { dropped };
  }
}

/** Pauses a target or resumes it. Throws `not_found`. */
export async function pause(ctx: RequestContext, id: string, paused: boolean): Promise<Target> {
  const { pauseTarget, resumeTarget } = transactions;
  const change = paused ? pauseTarget : resumeTarget;
  const changed = told(ctx, await ctx.storage.commit(change, ofTarget(ctx, id)));
  if (!paused) await wakeAll(ctx, id, false);
  return changed;
}

/** Has what waits for a target sent within five seconds; gives how many. Throws `not_found`. */
export async function deliverNow(ctx: RequestContext, id: string): Promise<{ woken: number }> {
  return { woken: await wakeAll(ctx, id, true) };
}

async function wakeAll(ctx: RequestContext, id: string, tells: boolean): Promise<number> {
  const by = wakesBy(await ctx.storeClock.now());
  for (let woken = 0;;) {
    const now = await ctx.storeClock.now();
    const step = await ctx.storage.commit(wake, { ...ofTarget(ctx, id), now, by, woken, tells });
    woken = step.woken;
    if (!step.more) return woken;
  }
}

const HOUR_MS = 60 * 60 * 1000;

/** Gives a target a fresh secret, which stands nowhere but in this answer. Throws `not_found`. */
export async function rotate(
  ctx: RequestContext,
  id: string,
  { overlap_hours }: { overlap_hours: number },
  idempotency: Idempotency,
) {
  const input = ofTarget(ctx, id);
  const rotated = await ctx.storage.commit(transactions.rotateSecret, {
    ...input,
    secret: newSecret(),
    overlapMs: overlap_hours * HOUR_MS,
    idempotency: idempotentCall(ctx.principal, input.actor.now, idempotency),
  });
  return told(ctx, rotated);
}

/** A target with what this server's settings say of it: they may differ from when it was made. */
function told<Shown extends ShownTarget>(ctx: RequestContext, shown: Shown) {
  return {
    ...shown,
    missing_outbound: ctx.outbound.missing(shown.url) ?? null,
    missing_settings: shown.kind === "mail" ? missingForMail(ctx) : [],
  };
}

function configOf(
  { url, template, mail }: { url?: string; template: string; mail?: MailConfig },
): transactions.TargetInput["config"] {
  return { ...url === undefined ? {} : { url }, template, ...mail === undefined ? {} : { mail } };
}

function ofTarget(ctx: RequestContext, id: string): transactions.OfTarget {
  return { actor: actorOf(ctx.principal, ctx.clock.now()), id };
}
