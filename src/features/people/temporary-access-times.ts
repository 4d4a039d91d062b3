import { toTimestamp } from "../../kernel/clock.ts";
import type { Storage } from "../../storage/storage.ts";
import type { TemporaryAccessRow } from "./temporary-access.store.ts";
import { noteSeen } from "./temporary-access.transactions.ts";

/** How often the latest time of temporary access is written, in milliseconds. */
const EVERY_MS = 15_000;
/** Temporary access whose time is carried on here. */
const KEPT = 1000;

/**
 * The time by which temporary access ends. It never goes back: it is the latest of what the clock
 * says, what any node has seen and stored, and what was seen here, carried on by a clock that no
 * one sets. So a clock that is set ahead ends temporary access early, and one that is set back
 * prolongs none; over a restart by EVERY_MS at the most, which is how often what was seen is
 * stored.
 */
export class TemporaryAccessTimes {
  readonly #seen = new Map<string, { at: number; measured: number }>();
  readonly #writing = new Set<string>();

  /** `measured`: milliseconds of a clock that no one sets. */
  constructor(
    private readonly storage: Storage,
    private readonly measured: () => number = () => performance.now(),
  ) {}

  /** The time to go by, of temporary access as it is stored; it is seen now. */
  at(
    row: Pick<TemporaryAccessRow, "org_id" | "id" | "started_at" | "seen_at">,
    now: number,
  ): number {
    const { org_id, id } = row;
    const stored = Date.parse(row.seen_at ?? row.started_at ?? "");
    const measured = this.measured();
    const before = this.#seen.get(id);
    const carried = before ? before.at + Math.floor(measured - before.measured) : 0;
    const at = Math.max(now, Number.isNaN(stored) ? 0 : stored, carried);
    if (this.#seen.size >= KEPT && !before) this.#seen.clear();
    this.#seen.set(id, { at, measured });
    if (!(at - stored < EVERY_MS) && !this.#writing.has(id)) {
      this.#writing.add(id);
      this.storage.commit(noteSeen, { org_id, id, seen_at: toTimestamp(at) })
        .catch(() => {})
        .finally(() => this.#writing.delete(id));
    }
    return at;
  }
}
