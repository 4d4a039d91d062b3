/**
 * An invitation to sign up:
 *
 *     open ──sign up──► used
 *       ├────withdraw─► withdrawn
 *       └────14 days──► expired
 *
 * A finished one is kept for a while, and counts for nothing.
 */
import { toTimestamp } from "../../kernel/clock.ts";
import type { StoredRow } from "../../storage/schema.ts";

/** An invitation as it is stored. */
export type InvitationRow = StoredRow<"developer_invitations">;

/** The topic by which it is mailed. */
export const INVITED = "developer.invited";

type InvitationState = "open" | "used" | "withdrawn" | "expired";

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long an invitation counts, and how long it is kept. */
const LIFE_MS = 14 * DAY_MS;
const KEPT_MS = 30 * DAY_MS;

/** The times of one that is made now; `expires_at`: until then it is kept. */
export function invitationTimes(
  now: number,
): Pick<InvitationRow, "created_at" | "expires_at" | "ended_as" | "ended_at"> {
  return {
    created_at: toTimestamp(now),
    expires_at: toTimestamp(now + KEPT_MS),
    ended_as: null,
    ended_at: null,
  };
}

/** Invitations made at this time or before are expired. */
export function invitedSince(now: number): string {
  return toTimestamp(now - LIFE_MS);
}

/** Until when it counts. */
export function invitationEnd({ created_at }: Pick<InvitationRow, "created_at">): string {
  return toTimestamp(Date.parse(created_at) + LIFE_MS);
}

/** The state at a time. */
export function invitationState(
  row: Pick<InvitationRow, "created_at" | "ended_as">,
  now: number,
): InvitationState {
  if (row.ended_as === "used" || row.ended_as === "withdrawn") return row.ended_as;
  return row.created_at > invitedSince(now) ? "open" : "expired";
}
