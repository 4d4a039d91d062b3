import { toTimestamp } from "../../kernel/clock.ts";
import type { Storage } from "../../storage/storage.ts";
import type { KnownKey } from "./known-key.ts";
import { noteUses } from "./last-uses.transactions.ts";
import type { UseRow } from "./verification.store.ts";

/** A key's last use is written at most this often. */
const EVERY_MS = 60_000;
/** Uses that are written in one transaction, and how long the first of them waits. */
const TOGETHER = 500;
const WAIT_MS = 5000;
/** Beyond this, a store that takes nothing is given up on. */
const MOST_WAITING = 50_000;

/** Writes when keys were used, in batches and as well as it can be done: a use that gets lost stops nobody. */
export class LastUses {
  readonly #storage: Storage;
  #waiting: UseRow[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The key was used now. */
  note(key: KnownKey, now: number): void {
    if (now - key.notedAt < EVERY_MS) return;
    key.notedAt = now;
    const { org_id, key_id } = key;
    if (this.#waiting.length < MOST_WAITING) {
      this.#waiting.push({ org_id, key_id, last_used_at: toTimestamp(now) });
    }
    if (this.#waiting.length >= TOGETHER) void this.flush();
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => void this.flush(), WAIT_MS);
      this.#timer.unref();
    }
  }

  /** Writes what waits. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0) {
      const uses = this.#waiting.splice(0, TOGETHER)
        // In one order everywhere, so that two nodes can't deadlock.
        .sort((a, b) => a.org_id + a.key_id < b.org_id + b.key_id ? -1 : 1);
      try {
        await this.#storage.commit(noteUses, { uses });
      } catch {
        return;
      }
    }
  }
}
