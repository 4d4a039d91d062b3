import { type Clock, toTimestamp } from "../../kernel/clock.ts";
import type { Storage } from "../../storage/storage.ts";
import { hasMurmurKeys } from "../keys/murmur.store.ts";
import { murmurIdsOf } from "../keys/murmur.ts";
import { adoptMurmurKey } from "../keys/adopt-murmur-key.transactions.ts";
import { stateOf } from "../keys/key.ts";
import { findImported } from "./verification.store.ts";

/** For how long it is remembered whether an organisation has such keys. */
const REMEMBERED_MS = 1000;
const MOST_REMEMBERED = 10_000;

/** Keys that were imported by the original's murmur3 hash: at its first use such a key gets its SHA-256. */
export class ImportedKeys {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #any = new Map<string, { any: boolean; until: number }>();

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /**
   * Whether the organisation has any such key, as of the last second. Ask before looking for the SHA-256: when
   * there was none then, nobody adopted one while it was looked for.
   */
  async hasAny(org_id: string): Promise<boolean> {
    const now = performance.now();
    const known = this.#any.get(org_id);
    if (known && now < known.until) return known.any;
    const any = await hasMurmurKeys(this.#storage.reader, { org_id });
    if (this.#any.size >= MOST_REMEMBERED) this.#any.clear();
    this.#any.set(org_id, { any, until: now + REMEMBERED_MS });
    return any;
  }

  /**
   * Gives an imported key its SHA-256, `key_id`, if it is in force. Whether it did or somebody else has done it:
   * look for the SHA-256 again.
   */
  async adopt(org_id: string, key: string, key_id: string): Promise<void> {
    const now = this.#clock.now();
    for (const murmur_id of await murmurIdsOf(key)) {
      const found = await findImported(this.#storage.reader, { org_id, key_id: murmur_id });
      if (!found || stateOf(found, toTimestamp(now)) !== "active") continue;
      const actor = { org_id, user_id: "verification", token_id: "", now };
      await this.#storage.commit(adoptMurmurKey, { actor, murmur_id, key_id });
      return;
    }
  }
}
