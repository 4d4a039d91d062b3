import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import type { ElevationEnd } from "../../contract/elevations.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { openedRule } from "./elevation.ts";
import {
  type ElevationRow,
  elevationsUnderWay,
  findElevation,
  findElevationRule,
  markElevationEnded,
  noteElevationSeen,
} from "./elevations.store.ts";

/** The topic of an elevation that is over, and of one that was only asked for. */
const ENDED = "elevation.ended";

/**
 * Ends an elevation that is asked or open: nothing is done by it from here on, and what is being
 * done in it is either committed and counted, or never is. False where it has ended already.
 */
export async function endElevation(
  tx: Tx,
  actor: Actor,
  id: string,
  end_reason: ElevationEnd,
): Promise<boolean> {
  const { org_id, user_id, now } = actor;
  const end = { ended_at: toTimestamp(now), ended_by: user_id, end_reason };
  const rule = await ruleOf(tx, org_id, id);
  if (!await markElevationEnded(tx, { org_id, id, ...end })) return false;
  const row = await findElevation(tx, { org_id, id });
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
  const row = await findElevation(tx, { org_id, id });
  const rule = row && await findElevationRule(tx, { org_id, id: row.rule_id });
  return rule && openedRule(tx.sealer, rule);
}

/** The actor, in no elevation: what is done to one is no deed in it. */
export function besides(actor: Actor): Actor {
  return actor.call ? { ...actor, call: { ...actor.call, elevation: undefined } } : actor;
}

/** Ends those that are asked or open and that `isMeant` names. Tells how many. */
export async function endElevations(
  tx: Tx,
  actor: Actor,
  reason: ElevationEnd,
  isMeant: (row: ElevationRow) => boolean,
): Promise<number> {
  let ended = 0;
  for (const row of await elevationsUnderWay(tx, { org_id: actor.org_id })) {
    if (isMeant(row) && await endElevation(tx, actor, row.id, reason)) ended++;
  }
  return ended;
}

/** Keeps when an elevation was seen. No audit row: nobody decided anything. */
export const noteSeen = defineTransaction(
  "access.note-elevation-seen",
  async (tx, input: { org_id: string; id: string; seen_at: string }) => {
    await noteElevationSeen(tx, input);
  },
);
