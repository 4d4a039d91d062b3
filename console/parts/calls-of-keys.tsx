import { useEffect, useRef } from "preact/hooks";
import { api } from "../api/client.ts";
import { getUsageOfKeys } from "../api/endpoints.ts";
import { grouped } from "../api/numbers.ts";
import { say } from "../said.ts";
import { type Signal, signal } from "../signal.ts";

/** The calls of a key in the last seven days; undefined until they are read. */
type Calls = {
  readonly success: number;
  readonly error: number;
  /** All calls of each day, the oldest first. */
  readonly days: readonly number[];
} | undefined;

/** Keys that are asked for at once. */
const TOGETHER = 50;
/** Rows that come into view within so long are asked for together. */
const PAUSE_MS = 100;
/** After so long a row's calls are read again when it is seen. */
const OLD_MS = 30_000;
/** Keys that are remembered; beyond that all are forgotten. */
const MOST = 5000;

const known = new Map<string, { calls: Signal<Calls>; readAt: number }>();
let waiting = new Set<string>();

/**
 * How often a key was allowed and denied lately, and how that went from day to day: read for all
 * rows that are seen.
 */
export default function CallsOfKey({ id }: { id: string }) {
  const entry = entryOf(id);
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    // A column that is switched off reads nothing.
    if (Date.now() - entry.readAt < OLD_MS || !place.current?.checkVisibility()) return;
    entry.readAt = Date.now();
    if (waiting.size === 0) setTimeout(() => void readAll(), PAUSE_MS);
    waiting.add(id);
  });
  const { success, error, days } = entry.calls.value ?? { success: 0, error: 0, days: [] };
  const all = success + error;
  if (all === 0) {
    return <span ref={place} class="muted">{entry.calls.value ? "none" : "\u00a0"}</span>;
  }
  return (
    <span
      ref={place}
      title={say`${grouped(success)} allowed, ${grouped(error)} denied, in the last 7 days`}
    >
      <span class="line-1">
        {grouped(all)}
        {error > 0 && <span class="unseen">, {grouped(error)} denied</span>}
      </span>
      <Days of={days} isDenied={error / all >= MANY} />
    </span>
  );
}

/** From this share of denied calls on the bars show it. */
const MANY = 0.1;

/** Pixels: the height of the bars, and of a day with any call at least. */
const [HEIGHT, LEAST] = [14, 2];

/** So many calls a day fill the height, in powers of ten. */
const FULL = 5;

/**
 * A bar for each day. Within a row they compare the days; the highest one is higher the more calls
 * it stands for, which compares the rows.
 */
function Days({ of: days, isDenied }: { of: readonly number[]; isDenied: boolean }) {
  const most = Math.max(...days);
  const highest = HEIGHT * Math.min(1, Math.log10(most + 1) / FULL);
  const width = 100 / days.length;
  return (
    <svg
      class={isDenied ? "calls-days is-denied" : "calls-days"}
      width="100%"
      height={HEIGHT}
      aria-hidden="true"
    >
      {days.map((calls, at) => {
        const height = calls === 0 ? 1 : Math.max(LEAST, calls / most * highest);
        return (
          <rect
            key={at}
            class={calls === 0 ? "is-none" : undefined}
            x={`${at * width}%`}
            width={`${width * 0.8}%`}
            y={HEIGHT - height}
            height={height}
          />
        );
      })}
    </svg>
  );
}

function entryOf(id: string) {
  const found = known.get(id);
  if (found) return found;
  if (known.size >= MOST) known.clear();
  const made = { calls: signal<Calls>(undefined), readAt: 0 };
  known.set(id, made);
  return made;
}

async function readAll(): Promise<void> {
  const ids = [...waiting];
  waiting = new Set();
  for (let at = 0; at < ids.length; at += TOGETHER) {
    const some = ids.slice(at, at + TOGETHER);
    try {
      const { data } = await api.call(getUsageOfKeys, { query: { keys: some.join() } });
      for (const { key_id, ...calls } of data) {
        const entry = known.get(key_id);
        if (entry) entry.calls.value = calls;
      }
    } catch {
      // A row without a bar; it is read again when it is seen again.
      for (const id of some) known.delete(id);
    }
  }
}
