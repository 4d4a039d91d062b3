import { contentHash, type StoredEvent } from "../../changes/audit-content.ts";
import { leafHash } from "../../kernel/merkle.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";

/**
 * How a row came into the log: `written` with its own hash, which held; from before there were logs (`upgrade`);
 * without a hash after that, as code of an earlier release writes it (`older`); or with a hash that did not hold
 * (`unproven`). The word is part of the leaf.
 */
export const leafKinds = ["written", "upgrade", "older", "unproven"] as const;
/** One of them. */
export type LeafKind = typeof leafKinds[number];

/** A row as it is stored, with the hash that it brought. */
export interface HashedEvent extends StoredEvent {
  content_hash: string | null;
  mark: string | null;
}

/** The hash of the leaf that stands for a row, hex: RFC 6962's of the text `<kind>:<content hash>`. */
export function leafOf(kind: LeafKind, content_hash: string): string {
  return leafHash(utf8.encode(`${kind}:${content_hash}`));
}

/** The leaf of a row as it stands now; undefined where it is not as Keydesk writes any. */
export function leafNow(kind: LeafKind, row: StoredEvent): string | undefined {
  try {
    return leafOf(kind, contentHash(row));
  } catch {
    return undefined;
  }
}

/** Whether a row that waits carries the hash of what it holds, with the mark of this desk. */
export function isProven(row: HashedEvent, sealer: Sealer): boolean {
  const { content_hash, mark } = row;
  if (content_hash === null || mark === null) return false;
  try {
    return contentHash(row) === content_hash && sealer.isMark(content_hash, mark);
  } catch {
    return false;
  }
}

/** The origin of an organisation's log: the first line of its checkpoints. */
export function originOf(org_id: string): string {
  return `keydesk/${org_id}`;
}

const utf8 = new TextEncoder();
