import { type Clock, toTimestamp } from "../../kernel/clock.ts";
import type { Storage } from "../../storage/storage.ts";
import { adoptImportedKey } from "../keys/adopt-imported-key.transactions.ts";
import { isTooShort, isWeak, type Wrapping } from "../keys/chosen-keys.ts";
import { chosenIdsOf, wrappingsIn } from "../keys/chosen-keys.store.ts";
import { stateOf } from "../keys/key.ts";
import { murmurIdsOf } from "../keys/murmur.ts";
import { hasMurmurKeys } from "../keys/murmur.store.ts";
import { findImported, findUnused, type VerifiedRow } from "./verification.store.ts";

/** For how long it is remembered which such keys an organisation has. */
const REMEMBERED_MS = 1000;
const MOST_REMEMBERED = 10_000;

/** Which imported keys of an organisation no one has used yet. */
interface Unused {
  hasMurmur: boolean;
  wrappings: readonly Wrapping[];
}

/**
 * Keys that were imported by another hash than the SHA-256 of what is presented: the original's
 * murmur3, or that of a text that a person chose, wrapped. At its first use such a key gets its
 * SHA-256.
 */
export class ImportedKeys {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #unused = new Map<string, Unused & { until: number }>();

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /**
   * Whether the organisation has any such key, as of the last second. Ask before looking for the
   * SHA-256: when there was none then, no one adopted one while it was looked for.
   */
  async hasAny(org_id: string): Promise<boolean> {
    const { hasMurmur, wrappings } = await this.#unusedIn(org_id);
    return hasMurmur || wrappings.length > 0;
  }

  /**
   * Gives an imported key its SHA-256, `key_id`, if it is in force. Whether it did or another
   * person has done it: look for the SHA-256 again.
   */
  async adopt(org_id: string, key: string, key_id: string): Promise<void> {
    const { reader } = this.#storage;
    if (isTooShort(key)) return;
    const { hasMurmur, wrappings } = await this.#unusedIn(org_id);
    for (const former_id of hasMurmur ? await murmurIdsOf(key) : []) {
      const found = await findImported(reader, { org_id, key_id: former_id });
      if (!found || stateOf(found, toTimestamp(this.#clock.now())) !== "active") continue;
      return await this.#adopt(org_id, former_id, key_id, isWeak(key));
    }
    for (const former_id of await chosenIdsOf(reader, org_id, key, wrappings)) {
      await this.#adopt(org_id, former_id, key_id, isWeak(key));
    }
  }

  /**
   * The imported key in force that adopt would give an id, as it is until then, and remains;
   * undefined: there is none.
   */
  async unused(
    org_id: string,
    key: string,
  ): Promise<(VerifiedRow & { key_id: string }) | undefined> {
    const { reader } = this.#storage;
    if (isTooShort(key)) return undefined;
    const { hasMurmur, wrappings } = await this.#unusedIn(org_id);
    const ids = [
      ...hasMurmur ? await murmurIdsOf(key) : [],
      ...await chosenIdsOf(reader, org_id, key, wrappings),
    ];
    for (const key_id of ids) {
      const row = await findUnused(reader, { org_id, key_id });
      if (row && stateOf(row, toTimestamp(this.#clock.now())) === "active") return row;
    }
    return undefined;
  }

  async #adopt(
    org_id: string,
    former_id: string,
    key_id: string,
    isWeak: boolean,
  ): Promise<void> {
    const now = this.#clock.now();
    const actor = { org_id, user_id: "verification", token_id: "", now };
    await this.#storage.commit(adoptImportedKey, { actor, former_id, key_id, isWeak });
  }

  async #unusedIn(org_id: string): Promise<Unused> {
    const now = performance.now();
    const known = this.#unused.get(org_id);
    if (known && now < known.until) return known;
    const { reader } = this.#storage;
    const unused = {
      hasMurmur: await hasMurmurKeys(reader, { org_id }),
      wrappings: await wrappingsIn(reader, org_id),
      until: now + REMEMBERED_MS,
    };
    if (this.#unused.size >= MOST_REMEMBERED) this.#unused.clear();
    this.#unused.set(org_id, unused);
    return unused;
  }
}
