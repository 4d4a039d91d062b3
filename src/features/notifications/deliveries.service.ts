import { presentAction } from "../../contract/former-names.ts";
import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import type { Page } from "../../contract/paging.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { readCursor, writeCursor } from "../../kernel/cursor.ts";
import { Failure } from "../../kernel/failure.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import { byId, walk } from "../../kernel/walk.ts";
import type { Connection } from "../../storage/storage.ts";
import {
  delivery,
  type deliveryCounts,
  deliveryQuery,
  deliveryWithAttempts,
  type replayInput,
} from "./deliveries.contract.ts";
import { attemptsOf, deliveriesBelow, findDelivery } from "./deliveries.store.ts";
import type { DeliveryRow } from "./fan-out.store.ts";
import { readRecipient } from "./recipient.ts";
import { replayOne, replaySpan } from "./replay.transactions.ts";
import { findChannel } from "./channels.store.ts";
import { waitingOf } from "./wake.store.ts";

type Delivery = z.output<typeof delivery>;

/** Deliveries, newest first. Throws `invalid_input` for a cursor of another list. */
export async function list(
  ctx: RequestContext,
  query: z.output<typeof deliveryQuery>,
): Promise<Page<Delivery>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const { channel_id, state, topic, object_id, limit, cursor } = query;
  const after = query.after === undefined ? "" : wholeMs(query.after);
  const before = query.before === undefined ? "~" : wholeMs(query.before);
  const filter = { org_id, object_id: object_id ?? "", state: state ?? "" } as const;
  const lowest = query.after === undefined ? "" : secondOf(after);
  const highest = query.before === undefined ? "~" : secondOf(before, 1);
  const walked = byId(
    "deliveries",
    (below, atOnce) => deliveriesBelow(reader, { ...filter, lowest }, below, atOnce),
  );
  const { rows, next_cursor } = await walk<DeliveryRow>({
    ...walked,
    first: { sort: "", id: highest },
    wanted: (row) =>
      (channel_id === undefined || row.target_id === channel_id) &&
      (state === undefined || row.state === state) &&
      (topic === undefined || presentAction(row.topic) === topic) &&
      row.at >= after && row.at < before,
  }, { limit, cursor });
  return { data: rows.map(serialize), next_cursor };
}

/** One delivery with its tries. Throws `not_found`. */
export async function get(
  ctx: RequestContext,
  id: string,
): Promise<z.output<typeof deliveryWithAttempts>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const row = await findDelivery(reader, org_id, id);
  if (!row) throw new Failure("not_found");
  return { ...serialize(row), tries: await attemptsOf(reader, org_id, id) };
}

/** Sends a delivery once more. Throws `not_found`. */
export async function replay(ctx: RequestContext, id: string): Promise<Delivery> {
  const { storage, principal, clock, storeClock } = ctx;
  const due = await storeClock.now();
  await storage.commit(replayOne, { actor: actorOf(principal, clock.now()), id, due });
  const row = await findDelivery(storage.reader, principal.org_id, id);
  if (!row) throw new Failure("not_found");
  return serialize(row);
}

/** Messages that a call looks at, at the most: so many steps. */
const STEPS = 10;

/** Names the order of a replay in its cursors. */
const ORDER = "replay";

/**
 * Sends many once more, so many as one call does. Throws `not_found`, and `invalid_input` for
 * another cursor.
 */
export async function replayMany(
  ctx: RequestContext,
  body: z.output<typeof replayInput>,
): Promise<{ replayed: number; next_cursor: string | null }> {
  const { storage, principal, clock, storeClock } = ctx;
  const { channel_id, topics = null, object_id = null, states } = body;
  if (!await findChannel(storage.reader, { org_id: principal.org_id, id: channel_id })) {
    throw new Failure("not_found");
  }
  const after = wholeMs(body.after);
  const before = body.before === undefined ? "~" : wholeMs(body.before);
  const until = body.before === undefined ? "~" : secondOf(before, 1);
  let behind: string | null = body.cursor === undefined
    ? secondOf(after)
    : readCursor(body.cursor, ORDER).id;
  let replayed = 0;
  for (let step = 0; step < STEPS && behind !== null; step++) {
    const done: { replayed: number; behind: string | null } = await storage.commit(replaySpan, {
      actor: actorOf(principal, clock.now()),
      target_id: channel_id,
      behind,
      until,
      after,
      before,
      topics,
      object_id,
      states,
      due: await storeClock.now(),
    });
    replayed += done.replayed;
    behind = done.behind;
  }
  return {
    replayed,
    next_cursor: behind === null ? null : writeCursor(ORDER, { sort: "", id: behind }),
  };
}

function serialize(row: DeliveryRow): Delivery {
  const { id, target_id, topic, object_id, event_id, at, state, due_at, ended_at } = row;
  return {
    id,
    channel_id: target_id,
    recipient: readRecipient(row.recipient),
    topic: presentAction(topic),
    object_id,
    event_id,
    event_at: at,
    state,
    blocked: Number(row.blocked) === 1,
    attempts: Number(row.attempts),
    next_try_at: due_at,
    ended_at,
  };
}

/** A time as our own are written: the first whole millisecond that is not before it. */
function wholeMs(time: string): string {
  const { instant = "" } = parseTimestamp(time) ?? {};
  const ms = Date.parse(`${instant.slice(0, 23)}Z`);
  return toTimestamp(instant.slice(23) === "000000Z" ? ms : ms + 1);
}

/** The prefix of ids that were made in the second of a time, or `later` seconds after it. */
function secondOf(at: string, later = 0): string {
  const second = Math.floor(Date.parse(at) / 1000) + later;
  return Math.min(Math.max(second, 0), 0xffffffff).toString(16).padStart(8, "0");
}

/** So many failed deliveries are looked at, at the most. */
const COUNTED = 1000;

/** How many messages were given up, by channel; of each channel's newest what the last try said. */
export async function countDeliveries(
  { storage: { reader }, principal: { org_id } }: RequestContext,
): Promise<z.output<typeof deliveryCounts>> {
  const dead = await deliveriesBelow(
    reader,
    { org_id, object_id: "", state: "dead", lowest: "" },
    "~",
    COUNTED,
  );
  const byChannel = Map.groupBy(dead, ({ target_id }) => target_id);
  const dead_by_channel = [];
  for (const [channel_id, [newest, ...others]] of byChannel) {
    if (!newest) continue;
    const [last] = await attemptsOf(reader, org_id, newest.id, 1);
    const { status = 0, error = "" } = last ?? {};
    dead_by_channel.push({ channel_id, dead: others.length + 1, status: Number(status), error });
    // One cause can be shown, and a few; more are not read.
    if (dead_by_channel.length === CHANNELS) break;
  }
  return { dead: dead.length, dead_by_channel, ...await countWaiting(reader, org_id) };
}

async function countWaiting(reader: Connection, org_id: string) {
  const waiting = await waitingOf(reader, { org_id });
  const byChannel = Map.groupBy(waiting, ({ target_id }) => target_id);
  const waiting_by_channel = [...byChannel].slice(0, CHANNELS).map(([channel_id, rows]) => ({
    channel_id,
    waiting: rows.length,
    next_try_at: rows.flatMap(({ due_at }) => due_at ?? []).toSorted()[0] ?? null,
  }));
  return { waiting: waiting.length, waiting_by_channel };
}

const CHANNELS = 20;
