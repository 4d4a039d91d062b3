import type { Connection } from "../storage/storage.ts";
import { listEntries } from "./catalogue.store.ts";

/** The JSON text of the first live entry of each plan, by policy_id. */
export type LiveEntries = ReadonlyMap<string, string>;

const NONE: LiveEntries = new Map();
/** Catalogues kept in memory; a catalogue is small, organisations may be many. */
const KEPT = 64;

/**
 * Keeps organisations' catalogues in memory. It is never stale: a reader brings the revision that it saw in the
 * row's own statement, and another revision than the kept one loads the catalogue again.
 */
export class LiveCatalogue {
  readonly #kept = new Map<string, { revision: number; entries: LiveEntries }>();

  /** The live entries of an organisation at this revision; null where it has no catalogue. */
  async at(db: Connection, org_id: string, revision: number | null): Promise<LiveEntries> {
    if (revision === null) return NONE;
    const kept = this.#kept.get(org_id);
    if (kept && kept.revision === revision) return kept.entries;
    const entries = new Map<string, string>();
    for (const entry of await listEntries(db, org_id)) {
      // An entry without a plan (a key-less API has none) describes no other entry without a plan.
      if (entry.policy_id === "") continue;
      if (!entries.has(entry.policy_id)) entries.set(entry.policy_id, entry.document);
    }
    this.#kept.delete(org_id);
    this.#kept.set(org_id, { revision, entries });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
    return entries;
  }
}
