import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import type { Page } from "../../contract/paging.ts";
import { Failure } from "../../kernel/failure.ts";
import { byId, type PageQuery, walk } from "../../kernel/walk.ts";
import type { MailConfig } from "./mail-config.ts";
import { missingForMail } from "./missing-for-mail.ts";
import { type ChannelView, toChannel } from "./show-channel.ts";
import type {
  channel as channelContract,
  channelChange,
  channelInput,
} from "./channels.contract.ts";
import { channelsBelow, findChannel } from "./channels.store.ts";
import * as transactions from "./channels.transactions.ts";
import { deliverNow as wake, wakesBy } from "./wake.transactions.ts";
import { newSecret } from "./webhook-sender.ts";

type Channel = z.output<typeof channelContract>;

/** Channels, newest first. */
export async function list(ctx: RequestContext, query: PageQuery): Promise<Page<Channel>> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const { rows, next_cursor } = await walk(
    byId("channels", (below, limit) => channelsBelow(reader, { org_id, below }, limit)),
    query,
  );
  const now = clock.now();
  const data = await Promise.all(rows.map((row) => withServerSettings(ctx, toChannel(row, now))));
  return { data, next_cursor };
}

/** One channel. Throws `not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<Channel> {
  const row = await findChannel(ctx.storage.reader, { org_id: ctx.principal.org_id, id });
  if (!row) throw new Failure("not_found");
  return withServerSettings(ctx, toChannel(row, ctx.clock.now()));
}

/** Adds a channel; its secret is in this answer and nowhere else. */
export async function create(
  ctx: RequestContext,
  { kind, name, url, template, topics, mail }: z.output<
    typeof channelInput
  >,
  idempotency: Idempotency,
) {
  const now = ctx.clock.now();
  const made = await ctx.storage.commit(transactions.createChannel, {
    actor: actorOf(ctx.principal, now),
    channel: { kind, name, topics, config: configOf({ url, template, mail }) },
    secret: newSecret(),
    idempotency: idempotentCall(ctx.principal, now, idempotency),
  });
  return withServerSettings(ctx, made);
}

/** Replaces what its owner writes. Throws `not_found`. */
export async function update(
  ctx: RequestContext,
  id: string,
  { name, url, template, topics, mail }: z.output<typeof channelChange>,
): Promise<Channel> {
  const channel = { name, topics, config: configOf({ url, template, mail }) };
  const input = { ...ofChannel(ctx, id), channel };
  return withServerSettings(ctx, await ctx.storage.commit(transactions.replaceChannel, input));
}

/** Removes a channel with what waits for it. Throws `not_found`. */
export async function remove(ctx: RequestContext, id: string): Promise<{ dropped: number }> {
  for (let dropped = 0;;) {
    const step = await ctx.storage.commit(transactions.removeChannel, {
      ...ofChannel(ctx, id),
      dropped,
    });
    dropped = step.dropped;
    if (step.done) return { dropped };
  }
}

/** Pauses a channel or resumes it. Throws `not_found`. */
export async function pause(ctx: RequestContext, id: string, paused: boolean): Promise<Channel> {
  const { pauseChannel, resumeChannel } = transactions;
  const change = paused ? pauseChannel : resumeChannel;
  const changed = await withServerSettings(
    ctx,
    await ctx.storage.commit(change, ofChannel(ctx, id)),
  );
  if (!paused) await wakeAll(ctx, id, false);
  return changed;
}

/** Has what waits for a channel sent within five seconds; gives how many. Throws `not_found`. */
export async function deliverNow(ctx: RequestContext, id: string): Promise<{ woken: number }> {
  return { woken: await wakeAll(ctx, id, true) };
}

async function wakeAll(ctx: RequestContext, id: string, notifies: boolean): Promise<number> {
  const by = wakesBy(await ctx.storeClock.now());
  for (let woken = 0;;) {
    const now = await ctx.storeClock.now();
    const step = await ctx.storage.commit(wake, {
      ...ofChannel(ctx, id),
      now,
      by,
      woken,
      notifies,
    });
    woken = step.woken;
    if (!step.more) return woken;
  }
}

const HOUR_MS = 60 * 60 * 1000;

/** Gives a channel a fresh secret, which is nowhere but in this answer. Throws `not_found`. */
export async function rotate(
  ctx: RequestContext,
  id: string,
  { overlap_hours }: { overlap_hours: number },
  idempotency: Idempotency,
) {
  const input = ofChannel(ctx, id);
  const rotated = await ctx.storage.commit(transactions.rotateSecret, {
    ...input,
    secret: newSecret(),
    overlapMs: overlap_hours * HOUR_MS,
    idempotency: idempotentCall(ctx.principal, input.actor.now, idempotency),
  });
  return withServerSettings(ctx, rotated);
}

/** A channel with what this server's settings say of it: they may differ from when it was made. */
async function withServerSettings<View extends ChannelView>(ctx: RequestContext, view: View) {
  return {
    ...view,
    missing_outbound: ctx.outbound.missing(view.url) ?? null,
    missing_settings: view.kind === "mail" ? await missingForMail(ctx) : [],
  };
}

function configOf(
  { url, template, mail }: { url?: string; template: string; mail?: MailConfig },
): transactions.ChannelInput["config"] {
  return { ...url === undefined ? {} : { url }, template, ...mail === undefined ? {} : { mail } };
}

function ofChannel(ctx: RequestContext, id: string): transactions.OfChannel {
  return { actor: actorOf(ctx.principal, ctx.clock.now()), id };
}
