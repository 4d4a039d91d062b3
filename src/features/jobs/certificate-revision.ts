import { revisionOf } from "../../kernel/entity-tag.ts";
import type { MuteRow } from "../../changes/alert-mutes.store.ts";
import { type StoredCare, toCare } from "../certificates/stored-certificate.ts";
import type { OwnKind } from "../../contract/job-kinds.ts";

/** A mute that lasts. */
type Mute = Pick<MuteRow, "reason" | "muted_by" | "muted_at" | "expires_at"> | undefined;

/**
 * The part of a certificate that a job of this kind changes: its revision tells whether others have
 * changed it.
 */
export function revisionFor(kind: OwnKind, row: StoredCare, mute: Mute): string {
  if (!isOfMutes(kind)) return revisionOf(toCare(row));
  const { reason, muted_by, muted_at, expires_at } = mute ?? {};
  return revisionOf([reason, muted_by, muted_at, expires_at]);
}

/** Whether a kind looks at mutes. */
export function isOfMutes(kind: OwnKind): boolean {
  return kind === "mute_certificates" || kind === "unmute_certificates";
}
