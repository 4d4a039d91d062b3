import type { Actor } from "../../changes/audit.ts";
import { personalReason } from "../../changes/personal.ts";
import { recordAlone } from "../../changes/record-change.ts";
import { defineTransaction } from "../../storage/storage.ts";

/** How far a log had come: entries, and the root of their tree, hex. */
interface LogState {
  size: number;
  root: string;
}

/** Says in the audit log that a log which goes back behind a known head was taken as it is. */
export const recordAcceptance = defineTransaction(
  "trail.accept",
  async (
    tx,
    input: {
      org_id: string;
      /** The known state, and the present one; null: none. */
      known: LogState;
      found: LogState | null;
      reason: string;
      now: number;
    },
  ): Promise<null> => {
    const { org_id, known, found, reason, now } = input;
    const actor: Actor = { org_id, user_id: "operator", token_id: "", now };
    await recordAlone(tx, actor, {
      action: "trail.accepted",
      object: "trail_log",
      object_id: org_id,
      detail: { before: { ...known }, after: found },
      personal: personalReason(reason),
    });
    return null;
  },
);
