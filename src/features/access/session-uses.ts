import type { Storage } from "../../storage/storage.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { noteSessionUse } from "./sessions.transactions.ts";

/** A session's last use is written at most this often. */
const EVERY_MS = 60_000;
/** The same as a share of the idle end: what is not written yet ends a session earlier by no more than this. */
const SHARE = 0.1;

/** Writes when sessions were used, beside the calls that use them: a use that gets lost ends a session early, never late. */
export class SessionUses {
  readonly #storage: Storage;
  readonly #everyMs: number;
  /** The sessions whose use is being written. */
  readonly #writing = new Set<string>();

  /** `idleMs`: after what time without use sessions end; 0: never. */
  constructor(storage: Storage, idleMs: number) {
    this.#storage = storage;
    this.#everyMs = idleMs === 0 ? EVERY_MS : Math.min(EVERY_MS, idleMs * SHARE);
  }

  /** The session is used now; `lastUse` as the store has it, both in milliseconds. */
  note(session: { org_id: string; id: string }, lastUse: number, now: number): void {
    const { org_id, id } = session;
    if (now - lastUse < this.#everyMs || this.#writing.has(id)) return;
    this.#writing.add(id);
    this.#storage.commit(noteSessionUse, { org_id, id, last_used_at: toTimestamp(now) })
      .catch(() => {})
      .finally(() => this.#writing.delete(id));
  }
}
