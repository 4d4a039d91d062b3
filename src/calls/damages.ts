import { presentObject } from "../contract/former-names.ts";
import { type CheckedRow, type CheckedTable, isWhole } from "../changes/checked-rows.ts";
import { demandsChecksums } from "../changes/checksum-demand.store.ts";
import { type Damaged, listDamages, MOST_NOTED, objectsOf } from "../changes/damages.store.ts";
import { newestEvent } from "../changes/audit-events.store.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Sealer } from "../kernel/sealing/sealer.ts";
import type { Problems } from "../kernel/problems.ts";
import type { Storage } from "../storage/storage.ts";
import { noteDamage } from "./damages.transactions.ts";
import type { RevokedLately } from "./revoked-lately.ts";

/** The problem that goes on while rows are damaged. */
const DAMAGE_PROBLEM = "damage_found";
/**
 * The problem that goes on since the engine called a page of the store damaged, until it can be
 * read again.
 */
export const PAGE_PROBLEM = "store_damaged";

/** The problem that lasts while the store calls active what was revoked. */
const REVOKED_PROBLEM = "revoked_again";

/** The problem of a row with a wrong checksum. */
const WRONG_CHECKSUM = "its checksum is wrong: it was changed by something else than Keydesk";

/** Rows that this process has reported; beyond this number a row may be reported again. */
const MOST_REMEMBERED = 10_000;

interface DamagesContext {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly problems: Problems;
  readonly revokedLately: RevokedLately;
}

/**
 * Refuses rows that are not as they were written, and reports each of them once: to the audit
 * log, the server's log and `/readyz`. Refuses what was revoked and is called active by a store
 * that was put back.
 */
export class Damages {
  readonly #ctx: DamagesContext;
  readonly #noted = new Set<string>();
  readonly #writing = new Set<Promise<unknown>>();
  readonly #listeners: ((damaged: Damaged & { what: string }) => void)[] = [];
  /** Since this process began: rows that it found, each once. */
  found = 0;

  constructor(ctx: DamagesContext) {
    this.#ctx = ctx;
  }

  /** `listener` is called once for every row that is found later; it must not throw. */
  listen(listener: (damaged: Damaged & { what: string }) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Whether a row is invalid because it is damaged or older than its revocation; reports it if so.
   * Throws `unavailable`.
   */
  async refuses<T extends CheckedTable>(
    table: T,
    row: CheckedRow<T> & { readonly org_id: string },
    object_id: string,
  ): Promise<boolean> {
    const { storage, sealer } = this.#ctx;
    if (isWhole(sealer, table, row)) return await this.#wasRevoked(table, row, object_id);
    if (!await demandsChecksums(storage.reader, sealer)) return false;
    this.note({ org_id: row.org_id, object: objectsOf[table], object_id });
    return true;
  }

  async #wasRevoked<T extends CheckedTable>(
    table: T,
    row: CheckedRow<T> & { readonly org_id: string },
    object_id: string,
  ): Promise<boolean> {
    const { storage, problems, revokedLately } = this.#ctx;
    const { org_id } = row;
    const object = objectsOf[table];
    const since = revokedLately.since({ org_id, object, object_id });
    if (since === undefined || saysRevoked(row)) return false;
    const action = "credential.restored";
    const restored = await newestEvent(storage.reader, { org_id, object_id, action });
    if (object === "credential" && restored && restored.at > since) {
      // The file hears of it with the next look at the audit log.
      return false;
    }
    const reason =
      `${
        presentObject(object)
      } ${object_id} was revoked at ${since}, and the store says that it is not: it stays refused; ` +
      "was the store put back to an older state? `keydesk audit accept` takes it as it is";
    problems.begin(REVOKED_PROBLEM, { reason, stops: "nothing" });
    return true;
  }

  /** Tells of a damaged row, unless that was done. */
  note(damaged: Damaged, what = WRONG_CHECKSUM): void {
    const { storage, clock, problems } = this.#ctx;
    problems.begin(DAMAGE_PROBLEM, { reason: REASON, stops: "nothing" });
    const name = [damaged.object, damaged.org_id, damaged.object_id].join("\0");
    if (this.#noted.has(name)) return;
    if (this.#noted.size >= MOST_REMEMBERED) this.#noted.clear();
    this.#noted.add(name);
    this.found++;
    for (const listener of this.#listeners) listener({ ...damaged, what });
    const writing = storage.commit(noteDamage, { ...damaged, what, now: clock.now() })
      // If the store can't be written now, the next look reports it.
      .catch(() => this.#noted.delete(name))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /**
   * Learns from the store whether anything is damaged, whichever node found or mended it, and looks
   * at damaged pages once more. Throws `unavailable`.
   */
  async refresh(): Promise<void> {
    const { storage, problems } = this.#ctx;
    await this.flush();
    await storage.lookAgain();
    const known = await listDamages(storage.reader);
    if (known.length > 0) problems.begin(DAMAGE_PROBLEM, { reason: REASON, stops: "nothing" });
    else problems.end(DAMAGE_PROBLEM);
    const names = new Set(known.map((one) => [one.object, one.org_id, one.object_id].join("\0")));
    // A fixed problem that comes back is reported again.
    if (known.length < MOST_NOTED) {
      for (const name of this.#noted) if (!names.has(name)) this.#noted.delete(name);
    }
  }

  /** Waits until what was found is written, or could not be. */
  async flush(): Promise<void> {
    await Promise.all(this.#writing);
  }
}

const REASON = "rows are not as they were written; `keydesk check` names them and says what to do";

/** Whether a row itself says that it opens nothing any more. */
function saysRevoked(row: object): boolean {
  const { state, revoked_at = null, deactivated_at = null } = row as {
    state?: unknown;
    revoked_at?: unknown;
    deactivated_at?: unknown;
  };
  return state === "revoked" || revoked_at !== null || deactivated_at !== null;
}
