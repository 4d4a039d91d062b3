import type { Origin } from "../../calls/origin.ts";
import { actorOf, type Principal } from "../../calls/principal.ts";
import { GatheredRows } from "../../changes/gathered-rows.ts";
import { type Clock, toTimestamp } from "../../kernel/clock.ts";
import type { Storage } from "../../storage/storage.ts";
import type { TokenUseRow } from "./access-tokens.store.ts";
import { noteRefusedAddress, noteTokenUses } from "./token-uses.transactions.ts";

/** A use of an access token, and a refusal of one, is written at most this often. */
const EVERY_MS = 60_000;
/** Access tokens of which that is remembered; beyond it, all are forgotten, and written anew. */
const KEPT = 10_000;

/** Which access token it is, and whose. */
type TokenPlace = Pick<Principal, "org_id" | "user_id" | "token_id">;

/** The server's part for features that receive access tokens themselves. */
export interface WithTokenUses {
  readonly tokenUses: TokenUses;
}

/** Writes when and from where access tokens were used or refused, as well as it can be done. */
export class TokenUses {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #rows: GatheredRows<TokenUseRow>;
  /** When each was last written, by the access token's id. */
  readonly #used = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  /** Rows of the audit log on their way. */
  readonly #writing = new Set<Promise<unknown>>();

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
    this.#rows = new GatheredRows(
      (uses) => storage.commit(noteTokenUses, { uses }),
      ({ org_id, token_id }) => org_id + token_id,
    );
  }

  /**
   * The access token, or a session of it, was used now. The address is kept as the audit log may
   * keep it.
   */
  used({ org_id, token_id }: TokenPlace, origin: Origin): void {
    const now = this.#clock.now();
    if (!isDue(this.#used, token_id, now)) return;
    const address = origin.client_address || null;
    this.#rows.add({ org_id, token_id, last_used_at: toTimestamp(now), address });
  }

  /**
   * The access token was presented from an address where it opens nothing: a row of the audit log.
   */
  refused({ org_id, user_id, token_id }: TokenPlace, origin: Origin | undefined): void {
    const now = this.#clock.now();
    if (!isDue(this.#refused, token_id, now)) return;
    const actor = actorOf({ org_id, user_id, token_id, permissions: [], origin }, now);
    const writing = this.#storage.commit(noteRefusedAddress, { actor })
      .catch(() => void this.#refused.delete(token_id))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** Writes what waits. Never rejects. */
  async flush(): Promise<void> {
    await Promise.all([this.#rows.flush(), ...this.#writing]);
  }
}

/** True at most once in EVERY_MS for each id. */
function isDue(written: Map<string, number>, id: string, now: number): boolean {
  if (now - (written.get(id) ?? -Infinity) < EVERY_MS) return false;
  if (written.size >= KEPT) written.clear();
  written.set(id, now);
  return true;
}
