/**
 * A key that was ended and can be brought back: a revoked key with a row of `ended_keys`, until
 * that row's end. The earlier state is sealed for its place, so without the sealing key a revoked
 * key can't be made restorable.
 */
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { KeyMaps } from "../developers/key-maps.ts";

/** The kept data of a key that was revoked. */
interface KeptKey {
  state: "active" | "suspended";
  /** Why it was suspended. */
  reason: string | null;
  /** From this instant on it does not come back; as in the row. */
  until: string;
  /**
   * The entries of its developer's maps; null: there is no developer, or the developer is restored
   * whole.
   */
  maps: KeyMaps | null;
}

/** A row of `ended_keys`. */
interface EndedKeyRow {
  key_id: string;
  developer_id: string;
  /** "": it comes back by itself. */
  deletion: string;
  ended_by: string;
  kept: string | null;
  expires_at: string;
}

/** The kept data of a key, sealed for its row. */
export function sealKept(sealer: Sealer, org_id: string, key_id: string, kept: KeptKey): string {
  return sealer.seal(place(org_id, key_id), JSON.stringify(kept));
}

/** The kept data; undefined: it is expired at `now`, lost, or differs from its row. */
export function openKept(
  sealer: Sealer,
  org_id: string,
  row: EndedKeyRow,
  now: string,
): KeptKey | undefined {
  const { key_id, kept, expires_at } = row;
  if (kept === null || expires_at <= now || !sealer.canOpen(place(org_id, key_id), kept)) {
    return undefined;
  }
  // as: sealKept wrote exactly this.
  const opened = JSON.parse(sealer.open(place(org_id, key_id), kept)) as KeptKey;
  return opened.until === expires_at ? opened : undefined;
}

function place(org_id: string, id: string) {
  return { table: "ended_keys", org_id, id, column: "kept" };
}
