import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Tx } from "../../storage/storage.ts";
import { declineLocked } from "./decisions.transactions.ts";
import { dueStep, EXPIRY, NOT_IN_TIME } from "./expiry.ts";
import { DUE_AT_ONCE, lockDue, setEnds } from "./expiry.store.ts";
import { findDecider } from "./own-request.ts";
import { namesOfRequest } from "./request-names.store.ts";

/** The result of a batch. */
export interface WorkedOff {
  reminded: number;
  ended: number;
  /** True: more may be due. */
  more: boolean;
}

/**
 * Reminds of requests that end soon, and declines those whose end has come, up to DUE_AT_ONCE: each
 * is held, so whatever else happens to it comes before or behind, and it is reminded of once and
 * ended once. Steps that were given stay with it. `now`: by the store's clock.
 */
export async function workOffDue(
  tx: Tx,
  { org_id, now }: { org_id: string; now: number },
): Promise<WorkedOff> {
  const actor: Actor = { org_id, user_id: EXPIRY, token_id: "", now };
  const rows = await lockDue(tx, { org_id, now: toTimestamp(now) });
  const done = { reminded: 0, ended: 0, more: rows.length === DUE_AT_ONCE };
  for (const row of rows) {
    const { id } = row;
    const step = dueStep(row, now);
    if (step.what === "end") {
      const decider = await findDecider(tx, { org_id, id, user_id: EXPIRY });
      await declineLocked(tx, actor, { id, row, decider, reason: NOT_IN_TIME });
      done.ended++;
      continue;
    }
    await setEnds(tx, { org_id, id, ...step.ends });
    if (step.what === "wait") continue;
    await recordChange(tx, actor, {
      action: "key_request.expires_soon",
      object_id: id,
      detail: { expires_at: step.ends.expires_at },
      names: await namesOfRequest(tx, org_id, row),
    });
    done.reminded++;
  }
  return done;
}
