/**
 * A developer who was deleted and can be brought back, by a person with `approve`: all that they
 * were, sealed for the deletion's row, until its end. Then it is forgotten.
 */
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { LiveKey } from "../keys/end-keys.store.ts";
import type { KeysChoice } from "../keys/end-keys.transactions.ts";
import type { Developer } from "../developers/developer.ts";
import type { EmailProofRow } from "../developers/email-proof.ts";
import { withKeyIds, withoutKeys, withPlansOfKeys } from "../developers/key-maps.ts";

/** The kept data of a deleted developer. */
export interface KeptDeveloper {
  /** With their secrets. */
  developer: Developer;
  /** Columns that the developer does not tell; see kept-developers.store.ts. */
  columns: Record<string, string | number | null>;
  /** Whether their address was confirmed; null: nothing was kept of it. */
  proof: EmailProofRow | null;
  keys: KeysChoice;
  /** The ids of keys that lived on: those that ended meanwhile leave the maps. */
  live: string[];
  /** From this instant on no one comes back; as in the row. */
  until: string;
}

/** A row of `deleted_developers`. */
export interface DeletedRow {
  /** The deletion. */
  id: string;
  developer_id: string;
  deleted_at: string;
  deleted_by: string;
  keys: number;
  kept: string | null;
  expires_at: string;
}

/** The kept data, sealed for its row. */
export function sealDeveloper(
  sealer: Sealer,
  org_id: string,
  deletion: string,
  kept: KeptDeveloper,
): string {
  return sealer.seal(place(org_id, deletion), JSON.stringify(kept));
}

/** The kept data; undefined: it is expired at `now`, lost, or differs from its row. */
export function openDeleted(
  sealer: Sealer,
  org_id: string,
  row: DeletedRow,
  now: string,
): KeptDeveloper | undefined {
  const { id, developer_id, kept, expires_at } = row;
  if (kept === null || expires_at <= now || !sealer.canOpen(place(org_id, id), kept)) {
    return undefined;
  }
  // as: sealDeveloper wrote exactly this.
  const opened = JSON.parse(sealer.open(place(org_id, id), kept)) as KeptDeveloper;
  return opened.until === expires_at && opened.developer.id === developer_id ? opened : undefined;
}

/** The developer as they come back where keys lived on: with those that live still. */
export function withLiveKeys(
  { developer, live }: KeptDeveloper,
  now: readonly LiveKey[],
): Developer {
  const named = now.filter(({ replaced_by }) => replaced_by === null);
  const adopted = named.filter(({ key_id, imported_as }) =>
    imported_as !== null && !Object.hasOwn(developer.keys, key_id) &&
    Object.hasOwn(developer.keys, imported_as)
  );
  const renamed = withKeyIds(
    developer,
    new Map(adopted.map(({ key_id, imported_as }) => [imported_as ?? "", key_id])),
  );
  const alive = new Set(named.map(({ key_id }) => key_id));
  const settled = withoutKeys(renamed, live.filter((key_id) => !alive.has(key_id)));
  const changed = named.filter(({ key_id, plans }) =>
    JSON.stringify(settled.keys[key_id]) !== JSON.stringify(plans)
  );
  return withPlansOfKeys(settled, changed);
}

/**
 * The mark of keys that were revoked before a deletion; each of them is restored by itself after
 * the developer.
 */
export function beforeDeletion(deletion: string): string {
  return `before ${deletion}`;
}

function place(org_id: string, id: string) {
  return { table: "deleted_developers", org_id, id, column: "kept" };
}
