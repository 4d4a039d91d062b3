import type { StoredRow } from "../storage/schema.ts";
import { change, one } from "../storage/statement-functions.ts";
import { puts } from "../storage/table-statements.ts";

/** The object of a mute. */
type OfObject = Pick<MuteRow, "org_id" | "object" | "object_id">;

/** A mute as it is stored. */
export type MuteRow = StoredRow<"alert_mutes">;

/** Mutes an object, in place of a mute that it has. */
export const putMute = change(puts("alert_mutes"));

/** The mute of an object that lasts at this time, or undefined. */
export const findMute = one((db, p: OfObject & { now: string }) =>
  db.selectFrom("alert_mutes").select(["reason", "muted_by", "muted_at", "expires_at"])
    .where("org_id", "=", p.org_id).where("object", "=", p.object)
    .where("object_id", "=", p.object_id).where("expires_at", ">", p.now)
);
