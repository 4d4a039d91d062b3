import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import type { TemporaryAccessEnd } from "../../contract/temporary-access.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { openedRule } from "./temporary-access.ts";
import {
  findTemporaryAccess,
  findTemporaryAccessRule,
  markTemporaryAccessEnded,
  noteTemporaryAccessSeen,
  temporaryAccessesUnderWay,
  type TemporaryAccessRow,
} from "./temporary-access.store.ts";

/** The topic of temporary access that is over, and of one that was only asked for. */
const ENDED = "elevation.ended";

/**
 * Ends temporary access that is asked or open: nothing is done by it from here on, and what is
 * being done in it is either committed and counted, or never is. False where it has ended already.
 */
export async function endTemporaryAccess(
  tx: Tx,
  actor: Actor,
  id: string,
  end_reason: TemporaryAccessEnd,
): Promise<boolean> {
  const { org_id, user_id, now } = actor;
  const end = { ended_at: toTimestamp(now), ended_by: user_id, end_reason };
  const rule = await ruleOf(tx, org_id, id);
  if (!await markTemporaryAccessEnded(tx, { org_id, id, ...end })) return false;
  const row = await findTemporaryAccess(tx, { org_id, id });
  if (!row) return false;
  const { person_id, rule_id, started_at, deeds } = row;
  await recordChange(tx, besides(actor), {
    action: started_at === null ? "elevation.unanswered" : ENDED,
    object_id: id,
    detail: {
      person_id,
      rule_id,
      end_reason,
      deeds: Number(deeds),
      told: rule?.receivers ?? [],
    },
    names: { object: rule?.name },
  });
  return true;
}

async function ruleOf(tx: Tx, org_id: string, id: string) {
  const row = await findTemporaryAccess(tx, { org_id, id });
  const rule = row && await findTemporaryAccessRule(tx, { org_id, id: row.rule_id });
  return rule && openedRule(tx.sealer, rule);
}

/** The actor, in no temporary access: what is done to one is no deed in it. */
export function besides(actor: Actor): Actor {
  return actor.call ? { ...actor, call: { ...actor.call, temporaryAccess: undefined } } : actor;
}

/** Ends those that are asked or open and that `isMeant` names. Tells how many. */
export async function endTemporaryAccesses(
  tx: Tx,
  actor: Actor,
  reason: TemporaryAccessEnd,
  isMeant: (row: TemporaryAccessRow) => boolean,
): Promise<number> {
  let ended = 0;
  for (const row of await temporaryAccessesUnderWay(tx, { org_id: actor.org_id })) {
    if (isMeant(row) && await endTemporaryAccess(tx, actor, row.id, reason)) ended++;
  }
  return ended;
}

/** Keeps when temporary access was seen. No audit row: no one decided anything. */
export const noteSeen = defineTransaction(
  "access.note-temporary-access-seen",
  async (tx, input: { org_id: string; id: string; seen_at: string }) => {
    await noteTemporaryAccessSeen(tx, input);
  },
);
