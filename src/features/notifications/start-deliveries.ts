import type { Log } from "../../kernel/log.ts";
import { type DeliveryContext, DeliveryEngine, reportDelay } from "./delivery-engine.ts";

/** How long the engine rests when nothing is to be done. */
const REST_MS = 500;
/**
 * With more changes than this in a second the server is busy: a turn is short then, and is followed
 * by a rest of this many times the time of its transactions.
 */
const BUSY_CHANGES = 500;
const BUSY_FACTOR = 25;

/** The delivery engine. */
interface Deliveries {
  /**
   * `sendsOnce`: what is due is begun before the stop, since the stopping caller caused it. Never
   * rejects.
   */
  stop(options?: { sendsOnce: boolean }): Promise<void>;
}

/** Delivers until it is stopped; then the other nodes do so at once. Never rejects. */
export function startDeliveries(ctx: DeliveryContext, log: Pick<Log, "line">): Deliveries {
  const engine = new DeliveryEngine(ctx, log);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let last = { at: performance.now(), changes: 0 };
  const isBusy = () => {
    const now = performance.now();
    const changes = ctx.storage.stats().commits - engine.commits;
    const rate = (changes - last.changes) / Math.max(now - last.at, 1) * 1000;
    last = { at: now, changes };
    return rate > BUSY_CHANGES;
  };
  let committed = 0;
  let isTurning = false;
  let isBegged = false;
  const turn = async () => {
    isTurning = true;
    isBegged = false;
    let rest = REST_MS;
    try {
      if (await engine.begin()) rest = 0;
    } catch (error) {
      reportDelay(log, error);
    }
    const tookMs = engine.committingMs - committed;
    committed += tookMs;
    rests = isBusy();
    if (rests) rest = Math.max(REST_MS, BUSY_FACTOR * tookMs);
    else if (isBegged) rest = 0;
    isTurning = false;
    if (!stopped) timer = setTimeout(begin, rest);
  };
  let turning: Promise<void> | undefined;
  const begin = () => {
    turning = turn();
  };
  let rests = false;
  engine.onMore = () => {
    isBegged = true;
    if (isTurning || rests || stopped) return;
    clearTimeout(timer);
    timer = setTimeout(begin, 0);
  };
  timer = setTimeout(begin, REST_MS);
  return {
    stop: async ({ sendsOnce } = { sendsOnce: false }) => {
      stopped = true;
      clearTimeout(timer);
      if (sendsOnce) {
        await turning;
        await engine.begin().catch(() => {});
      }
      engine.leaves();
      await turning;
      await engine.giveBack().catch(() => {});
    },
  };
}
