import { contentHash, type Entered, type StoredEvent } from "../../changes/audit-content.ts";

/**
 * How a row came into the log: `written` with its own hash, or without one. The row's content says
 * the same.
 */
export type LeafKind = "written" | Entered;

/** A row as it is stored, with the hash that it brought. */
export interface HashedEvent extends StoredEvent {
  content_hash: string | null;
}

/** The leaf of a row as it is now; undefined where it is not as Keydesk writes any. */
export function leafNow(kind: string, row: StoredEvent): string | undefined {
  const entered = kind === "upgrade" || kind === "older" ? kind : undefined;
  if (entered === undefined && kind !== "written") return undefined;
  try {
    return contentHash(row, entered);
  } catch {
    return undefined;
  }
}

/** The origin of an organisation's log: the first line of its checkpoints. */
export function originOf(org_id: string): string {
  return `keydesk/${org_id}`;
}
