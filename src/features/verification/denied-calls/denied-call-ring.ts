import { inTime } from "../../../kernel/in-time.ts";
import type { Storage } from "../../../storage/storage.ts";
import { knownGateways } from "../usage/gateway-names.ts";
import type { NewDeniedCall } from "./denied-call.ts";
import { addDeniedCalls } from "./denied-calls.transactions.ts";

/** A first denied call waits so long before it is written. */
const EVERY_MS = 500;
/** Denied calls that a node keeps of one second: in all, of what no one knows, and of one key. */
const EACH_SECOND = 200;
const UNKNOWN_EACH_SECOND = 50;
const OF_A_KEY_EACH_SECOND = 10;
/** Denied calls of one transaction, and those that wait while the store is away; the oldest go. */
const TOGETHER = 200;
const MOST_WAITING = 1000;
/** A store that says nothing for so long is away. */
const PATIENCE_MS = 500;

/**
 * Keeps single denied calls in memory until they are written, half a second later. Bounded:
 * whatever a flood brings, so many are kept of a second and no more, and what no one knows takes a
 * quarter of them at most. Counts are kept elsewhere and lose nothing by it. Calls that wait when
 * the process is killed are lost; a batch whose commit fails is lost too.
 */
export class DeniedCallRing {
  readonly #storage: Storage;
  #waiting: NewDeniedCall[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #second = 0;
  #kept = 0;
  #keptUnknown = 0;
  readonly #keptOf = new Map<string, number>();
  #leftOut = 0;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** How many denied calls were counted alone, since there was no room for them. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /**
   * Whether there is room for one more denied call of this key, "" for what no one knows, at `now`,
   * in milliseconds since 1970; takes that room.
   */
  takeRoom(org_id: string, key_id: string, now: number): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#kept = this.#keptUnknown = 0;
      this.#keptOf.clear();
    }
    if (this.#kept >= EACH_SECOND || !this.#takeRoomOf(org_id, key_id)) {
      this.#leftOut++;
      return false;
    }
    this.#kept++;
    return true;
  }

  /** Keeps a denied call for which there was room. Never fails, never waits. */
  add(call: NewDeniedCall): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#waiting.shift();
      this.#leftOut++;
    }
    this.#waiting.push(call);
    this.#wake();
  }

  /** Writes all that waits, as far as the store takes it. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#writing = this.#writing.then(() => this.#write());
  }

  #takeRoomOf(org_id: string, key_id: string): boolean {
    if (key_id === "") {
      if (this.#keptUnknown >= UNKNOWN_EACH_SECOND) return false;
      this.#keptUnknown++;
      return true;
    }
    const name = org_id + key_id;
    const kept = this.#keptOf.get(name) ?? 0;
    if (kept >= OF_A_KEY_EACH_SECOND) return false;
    this.#keptOf.set(name, kept + 1);
    return true;
  }

  #wake(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#turn(), EVERY_MS);
    this.#timer.unref();
  }

  async #turn(): Promise<void> {
    await this.flush();
    if (this.#waiting.length > 0) this.#wake();
  }

  async #write(): Promise<void> {
    try {
      // A store that is away costs no batch.
      if (this.#waiting.length === 0 || !await this.#isThere()) return;
      while (this.#waiting.length > 0) {
        const some = this.#waiting.splice(0, TOGETHER);
        const nameOf = await knownGateways(this.#storage.reader, some.map(({ org_id }) => org_id));
        const calls = some.map((one) => ({ ...one, gateway: nameOf(one.org_id, one.gateway) }));
        await this.#storage.commit(addDeniedCalls, { calls });
      }
    } catch {
      // The next ones are tried again.
    }
  }

  #isThere(): Promise<boolean> {
    return inTime(this.#storage.ping().then(() => true), PATIENCE_MS, () => false);
  }
}
