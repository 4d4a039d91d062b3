import { useEffect, useRef } from "preact/hooks";
import { api } from "../api/client.ts";
import { getUsageOfKeys } from "../api/endpoints.ts";
import { grouped } from "../api/numbers.ts";
import { say } from "../said.ts";
import { type Signal, signal } from "../signal.ts";

/** The calls of a key in the last seven days; undefined until they are read. */
type Calls = { readonly success: number; readonly error: number } | undefined;

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

/** How often a key was let in and refused lately, as a bar: read for all rows that are seen. */
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
  const { success, error } = entry.calls.value ?? { success: 0, error: 0 };
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
      <svg class="calls-bar" width="100%" height={4} aria-hidden="true">
        <rect width="100%" height={4} />
        <rect class="is-refused" width={`${error / all * 100}%`} height={4} />
      </svg>
    </span>
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
      for (const { key_id, success, error } of data) {
        const entry = known.get(key_id);
        if (entry) entry.calls.value = { success, error };
      }
    } catch {
      // A row without a bar; it is read again when it is seen again.
      for (const id of some) known.delete(id);
    }
  }
}
