import { murmurIdsOf } from "../credentials/murmur.ts";
import { hasMurmurKeys } from "../credentials/murmur.store.ts";
import { adoptMurmurKey } from "../keys/adopt-murmur-key.transactions.ts";
import type { Clock } from "../lib/clock.ts";
import type { Storage } from "../storage/storage.ts";
import { findImported } from "./verification.store.ts";

/** For how long it is remembered whether an organisation has such keys. */
const REMEMBERED_MS = 1000;
const MOST_REMEMBERED = 10_000;

/** Keys that were imported by the original's murmur3 hash: at its first use such a key gets its SHA-256. */
export class ImportedKeys {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #has = new Map<string, { has: boolean; until: number }>();

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** Looks for an imported key by its old hashes and gives it its SHA-256, `key_id`. True: look again. */
  async adopt(org_id: string, key: string, key_id: string): Promise<boolean> {
    if (!await this.#hasAny(org_id)) return false;
    for (const murmur_id of await murmurIdsOf(key)) {
      if (!await findImported(this.#storage.reader, org_id, murmur_id)) continue;
      const actor = { org_id, user_id: "verification", token_id: "", now: this.#clock.now() };
      // Whoever adopts it, it is there under its new id afterwards.
      await this.#storage.commit(adoptMurmurKey, { actor, murmur_id, key_id });
      return true;
    }
    return false;
  }

  async #hasAny(org_id: string): Promise<boolean> {
    const now = this.#clock.now();
    const known = this.#has.get(org_id);
    if (known && now < known.until) return known.has;
    const has = await hasMurmurKeys(this.#storage.reader, org_id);
    if (this.#has.size >= MOST_REMEMBERED) this.#has.clear();
    this.#has.set(org_id, { has, until: now + REMEMBERED_MS });
    return has;
  }
}
