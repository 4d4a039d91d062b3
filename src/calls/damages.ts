import { type CheckedRow, type CheckedTable, isWhole } from "../changes/checked-rows.ts";
import { demandsChecksums } from "../changes/checksum-demand.store.ts";
import { type Damaged, listDamages, MOST_TOLD, objectsOf } from "../changes/damages.store.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Sealer } from "../kernel/sealing/sealer.ts";
import type { Troubles } from "../kernel/troubles.ts";
import type { Storage } from "../storage/storage.ts";
import { noteDamage } from "./damages.transactions.ts";

/** The trouble that goes on while rows are damaged. */
const DAMAGE_TROUBLE = "damage_found";
/**
 * The trouble that goes on since the engine called a page of the store damaged, until it can be
 * read again.
 */
export const PAGE_TROUBLE = "store_damaged";

/** What is wrong with a row whose checksum is another one. */
const WRONG_CHECKSUM = "its checksum is wrong: it was changed by something else than Keydesk";

/** Rows that were told of by this process; more than so many are told of again. */
const MOST_TOLD_OF = 10_000;

/**
 * Refuses rows that are not as they were written, and tells of each of them once: to trail, log and
 * `/readyz`.
 */
export class Damages {
  readonly #desk: { storage: Storage; sealer: Sealer; clock: Clock; troubles: Troubles };
  readonly #toldOf = new Set<string>();
  readonly #writing = new Set<Promise<unknown>>();
  readonly #listeners: ((damaged: Damaged & { what: string }) => void)[] = [];
  /** Since this process began: rows that it found, each once. */
  found = 0;

  constructor(desk: { storage: Storage; sealer: Sealer; clock: Clock; troubles: Troubles }) {
    this.#desk = desk;
  }

  /** Every row that is found later is told to `listener`, once, which must not throw. */
  listen(listener: (damaged: Damaged & { what: string }) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Whether a row that was read opens nothing because it is damaged. It is told of then. Throws
   * `unavailable`.
   */
  async refuses<T extends CheckedTable>(
    table: T,
    row: CheckedRow<T> & { readonly org_id: string },
    object_id: string,
  ): Promise<boolean> {
    const { storage, sealer } = this.#desk;
    if (isWhole(sealer, table, row)) return false;
    if (!await demandsChecksums(storage.reader, sealer)) return false;
    this.tell({ org_id: row.org_id, object: objectsOf[table], object_id });
    return true;
  }

  /** Tells of a damaged row, unless that was done. */
  tell(damaged: Damaged, what = WRONG_CHECKSUM): void {
    const { storage, clock, troubles } = this.#desk;
    troubles.begin(DAMAGE_TROUBLE, { reason: REASON, stops: "nothing" });
    const name = [damaged.object, damaged.org_id, damaged.object_id].join("\0");
    if (this.#toldOf.has(name)) return;
    if (this.#toldOf.size >= MOST_TOLD_OF) this.#toldOf.clear();
    this.#toldOf.add(name);
    this.found++;
    for (const listener of this.#listeners) listener({ ...damaged, what });
    const writing = storage.commit(noteDamage, { ...damaged, what, now: clock.now() })
      // A store that can't be written to now is told of it at the next look.
      .catch(() => this.#toldOf.delete(name))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /**
   * Learns from the store whether anything is damaged, whichever node found or mended it, and looks
   * at damaged pages once more. Throws `unavailable`.
   */
  async refresh(): Promise<void> {
    const { storage, troubles } = this.#desk;
    await this.flush();
    await storage.lookAgain();
    const known = await listDamages(storage.reader);
    if (known.length > 0) troubles.begin(DAMAGE_TROUBLE, { reason: REASON, stops: "nothing" });
    else troubles.end(DAMAGE_TROUBLE);
    const names = new Set(known.map((one) => [one.object, one.org_id, one.object_id].join("\0")));
    // What is mended and breaks again is told of again.
    if (known.length < MOST_TOLD) {
      for (const name of this.#toldOf) if (!names.has(name)) this.#toldOf.delete(name);
    }
  }

  /** Waits until what was found is written, or could not be. */
  async flush(): Promise<void> {
    await Promise.all(this.#writing);
  }
}

const REASON = "rows are not as they were written; `keydesk check` names them and says what to do";
