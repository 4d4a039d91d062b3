import { GatheredRows } from "../../changes/gathered-rows.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Storage } from "../../storage/storage.ts";
import type { KnownKey } from "./known-key.ts";
import { noteUses } from "./last-uses.transactions.ts";
import type { UseRow } from "./verification.store.ts";

/** A key's last use is written at most this often. */
const EVERY_MS = 60_000;

/**
 * Writes when keys were used, in batches and as well as it can be done: a use that gets lost stops
 * nobody.
 */
export class LastUses {
  readonly #rows: GatheredRows<UseRow>;

  constructor(storage: Storage) {
    this.#rows = new GatheredRows(
      (uses) => storage.commit(noteUses, { uses }),
      ({ org_id, key_id }) => org_id + key_id,
    );
  }

  /** The key was used now. */
  note(key: KnownKey, now: number): void {
    if (now - key.notedAt < EVERY_MS) return;
    key.notedAt = now;
    const { org_id, key_id } = key;
    this.#rows.add({ org_id, key_id, last_used_at: toTimestamp(now) });
  }

  /** Writes what waits. */
  flush(): Promise<void> {
    return this.#rows.flush();
  }
}
