import { toTimestamp } from "../../../kernel/clock.ts";
import type { Connection } from "../../../storage/storage.ts";
import { ruleOfKey } from "./rule-of-key.ts";
import { findScheduledKey, type KeyFacts, keyIn, scheduleIn } from "./schedules.store.ts";
import {
  comesNext,
  isInForce,
  type Schedule,
  SWITCHED_OFF,
  type UnusedTerms,
} from "./unused-rule.ts";

/** The warning as the key's developer sees it. */
interface OwnWarning {
  unused_since: string;
  /** Before it the key is not suspended; null: nothing is known to come. */
  suspended_from: string | null;
}

/** The warning of a key that holds at this moment; undefined: none does. */
export function warningIn(row: KeyFacts, rule: UnusedTerms, now: string): Schedule | undefined {
  const schedule = scheduleIn(row);
  const isWarned = schedule?.step === "warned" || schedule?.step === "warned_again";
  return isWarned && isInForce(schedule, keyIn(row, rule, now)) ? schedule : undefined;
}

/** The warning of a key, as rules stand; null: none holds, or it is left alone by now. */
export async function ownWarning(
  db: Connection,
  { org_id, key_id }: { org_id: string; key_id: string },
  now: number,
): Promise<OwnWarning | null> {
  const at = toTimestamp(now);
  const row = await findScheduledKey(db, { org_id, key_id });
  if (!row || !warningIn(row, SWITCHED_OFF, at)) return null;
  // as: a key's plans are stored as an array of ids.
  const rule = await ruleOfKey(db, org_id, JSON.parse(row.plans) as string[]);
  const warning = rule && warningIn(row, rule, at);
  if (!warning || keyIn(row, rule, at).elsewhere) return null;
  const next = comesNext(warning, rule);
  const suspends = next?.what === "suspend" ? toTimestamp(Math.max(next.at, now)) : null;
  return { unused_since: warning.idle_since, suspended_from: suspends };
}
