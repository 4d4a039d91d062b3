import type { ServiceContext } from "../../calls/context.ts";
import type { WithVerifier } from "../../features/verification/verifier.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { inTime } from "../../kernel/in-time.ts";
import { version } from "../../kernel/version.ts";
import { leaveNodes, noteNode } from "./nodes.transactions.ts";
import { LATE_MS } from "./node-state.ts";
import { listNodes } from "./nodes.store.ts";
import type { WithNode } from "./this-node.ts";

/** How often a process says that it serves. */
const EVERY_MS = 5000;
/** How long its end waits for the store to forget it. */
const LEAVE_MS = 1000;

/**
 * Says in the store that this process serves, again and again, until it is stopped. Says nothing
 * over SQLite: a flush each time would keep a quiet disk awake, to tell one process of itself.
 * Tells of clocks that are too far apart, of all processes whose signs are fresh. Never rejects: a
 * sign that can't be left is missing, and nothing else.
 */
export function startHeartbeat(
  ctx: ServiceContext & WithNode & WithVerifier,
  everyMs = EVERY_MS,
): { stop(): Promise<void> } {
  const { storage, node, verifier, clock, storeClock, problems } = ctx;
  if (storage.reader.dialect === "sqlite") return { stop: async () => {} };
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const beat = async () => {
    const at = await storeClock.now();
    await storage.commit(noteNode, {
      id: node.id,
      name: node.name,
      version,
      up_ms: node.upMs,
      now: clock.now(),
      stale_ms: Math.round(verifier.stalenessMs() ?? -1),
      ahead_ms: storeClock.aheadMs() ?? null,
    });
    const fresh = await listNodes(storage.reader, toTimestamp(at - LATE_MS));
    const reason = clocksApart(
      fresh.flatMap(({ name, ahead_ms }) => ahead_ms === null ? [] : { name, ahead_ms }),
    );
    if (reason === undefined) problems.end(CLOCKS_APART);
    else problems.begin(CLOCKS_APART, { reason, stops: "nothing" });
  };
  let last = Promise.resolve();
  const turn = () => {
    last = beat().catch(() => {}).then(() => {
      if (!stopped) timer = setTimeout(turn, everyMs);
    });
  };
  turn();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      // After the last sign, which would else come back behind it.
      const left = last.then(() => storage.commit(leaveNodes, { id: node.id }));
      await inTime(left.catch(() => {}), LEAVE_MS, () => {});
    },
  };
}

/** The name of the problem that lasts as long as clocks are too far apart. */
export const CLOCKS_APART = "clocks_apart";

/** So far apart clocks may be. */
const APART_MS = 30_000;

/** A smaller difference of clocks is not reported: half a second is. */
const REPORTED_MS = 500;

/** A process, and how far its clock is ahead of the database's in milliseconds. */
interface NodeClock {
  name: string;
  ahead_ms: number;
}

/**
 * The difference between the clocks of processes and the database's, in a sentence; undefined: it
 * is small.
 */
export function clocksApart(clocks: readonly NodeClock[]): string | undefined {
  const sorted = [{ name: "", ahead_ms: 0 }, ...clocks].toSorted((a, b) => a.ahead_ms - b.ahead_ms);
  const [slowest, fastest] = [sorted[0], sorted.at(-1)];
  if (!slowest || !fastest || fastest.ahead_ms - slowest.ahead_ms <= APART_MS) return undefined;
  const parts = [
    ...fastest.ahead_ms >= REPORTED_MS
      ? [`that of ${fastest.name} is ${seconds(fastest.ahead_ms)} ahead`]
      : [],
    ...slowest.ahead_ms <= -REPORTED_MS
      ? [`that of ${slowest.name} is ${seconds(slowest.ahead_ms)} behind`]
      : [],
  ];
  return `clocks are more than ${seconds(APART_MS)} apart: by the database's clock ` +
    `${parts.join(" and ")}. Set them by NTP`;
}

function seconds(ms: number): string {
  return `${Math.round(Math.abs(ms) / 1000)} s`;
}
