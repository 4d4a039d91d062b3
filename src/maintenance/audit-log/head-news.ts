import type { ServiceContext } from "../../calls/context.ts";
import { wants } from "../../features/notifications/delivery.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { repeatedly } from "../../kernel/repeatedly.ts";
import type { Connection } from "../../storage/storage.ts";
import { allLogs } from "./followed-log.store.ts";
import { topicsOfChannels } from "./announced-checkpoints.store.ts";
import { HEAD_TOPIC, notifyOfCheckpoint } from "./announced-checkpoints.transactions.ts";

/** How often is looked whether a day is over. */
const EVERY_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Later than every time. */
const EVER = "~";

type Context = Pick<ServiceContext, "storage" | "clock">;

/** Whether a channel of the organisation takes the heads of its log. */
export async function headsGoToChannels(db: Connection, org_id: string): Promise<boolean> {
  // as: channels.transactions.ts writes a list of texts.
  return (await topicsOfChannels(db, { org_id })).some((topics) =>
    wants(JSON.parse(topics) as string[], HEAD_TOPIC)
  );
}

/** Tells channels that name them the heads of the logs, once each since `before`. */
async function notifyAll({ storage, clock }: Context, before: string): Promise<boolean> {
  let isNotified = false;
  for (const { org_id } of await allLogs(storage.reader)) {
    if (!await headsGoToChannels(storage.reader, org_id)) continue;
    const notified = await storage.commit(notifyOfCheckpoint, { org_id, now: clock.now(), before });
    isNotified ||= notified;
  }
  return isNotified;
}

/**
 * Sends the size of each log to channels that want `trail.head`: once a day, and once more when it
 * is stopped, which returns whether it did. Any number of nodes may do so. Never rejects.
 */
export function startHeadNews(ctx: Context): { stop(): Promise<boolean> } {
  // A store that can't be reached now is asked again at the next turn; calls tell of it.
  const turns = repeatedly(async () => {
    await notifyAll(ctx, toTimestamp(ctx.clock.now() - DAY_MS)).catch(() => {});
    return EVERY_MS;
  }, EVERY_MS);
  return {
    stop: async () => {
      await turns.stop();
      return await notifyAll(ctx, EVER).catch(() => false);
    },
  };
}
