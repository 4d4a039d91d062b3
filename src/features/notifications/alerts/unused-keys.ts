import type { ServiceContext } from "../../../calls/context.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { endlessSuspensions, overSuspensions } from "../../keys/timed-suspensions.store.ts";
import { LONGEST_MINUTES } from "../../../contract/key-suspension.ts";
import { MINUTE_MS } from "../../keys/timed-suspension.ts";
import { everyIdOf, planIdsOf } from "../../plans/plan-ids.store.ts";
import { type RuleRow, rulesOf, termsIn } from "../../hygiene/unused/rules.store.ts";
import {
  dueSchedules,
  isAnyScheduleDue,
  keyIn,
  keysBehind,
  scheduleIn,
} from "../../hygiene/unused/schedules.store.ts";
import {
  DAY_MS,
  gentlest,
  idleSince,
  isInForce,
  isUnused,
  type UnusedTerms,
} from "../../hygiene/unused/unused-rule.ts";
import type { Found } from "../../hygiene/unused/work-off.transactions.ts";
import { noteUnusedKeys, resumeTimedKey, workOffUnusedKey } from "./unused-keys.transactions.ts";

/** Keys of a plan that are read at once. */
const AT_ONCE = 500;
/** Such reads of one look: anyone who has a million keys has them looked at within two hours. */
const READS = 20;
/** Keys whose schedules are worked off in one look, so that no minute mails to everybody. */
const STEPS = 1000;
/** How often the keys of a plan are gone through. */
const ROUND_MS = DAY_MS;

/** The context of the search: one node at a time, by its lease. */
export interface Looking {
  ctx: Pick<ServiceContext, "storage" | "storeClock">;
  org_id: string;
  holder: string;
  /** Whether it is to end with what it is at. */
  isLeaving(): boolean;
}

/** Resumes keys that were suspended for a while which is over; gives how many. */
export async function resumeTimedKeys(looking: Looking): Promise<number> {
  const { ctx: { storage, storeClock }, org_id, holder } = looking;
  const now = await storeClock.now();
  const latest = toTimestamp(now + LONGEST_MINUTES * MINUTE_MS);
  const over = [
    ...await overSuspensions(storage.reader, { org_id, now: toTimestamp(now) }),
    ...await endlessSuspensions(storage.reader, { org_id, latest }),
  ];
  let resumed = 0;
  for (const { key_id } of over) {
    if (looking.isLeaving()) break;
    const look = { org_id, holder, now: await storeClock.now(), key_id };
    const done = await storage.commit(resumeTimedKey, look);
    if (done === null) break;
    if (done) resumed++;
  }
  return resumed;
}

/** Finds keys that no one uses, and does what is due of those that were found; gives how many. */
export async function lookAtUnusedKeys(looking: Looking): Promise<number> {
  const { ctx: { storage: { reader }, storeClock }, org_id } = looking;
  const rows = await rulesOf(reader, { org_id });
  const rules = new Map(rows.map((row) => [row.plan, termsIn(row)]));
  let reads = READS;
  for (const row of rows) {
    if (rules.get(row.plan)?.action === "off") continue;
    reads = await lookAtPlan(looking, { row, rules, reads });
    if (reads === 0 || looking.isLeaving()) break;
  }
  const now = toTimestamp(await storeClock.now());
  return await isAnyScheduleDue(reader, { org_id, now }) ? await workOff(looking) : 0;
}

type Place = [plan_id: string, issued_at: string, key_id: string];

/** Goes on through the keys of one plan; gives how many reads are left of the look. */
async function lookAtPlan(
  looking: Looking,
  { row, rules, reads }: {
    row: Omit<RuleRow, "org_id">;
    rules: ReadonlyMap<string, UnusedTerms>;
    reads: number;
  },
): Promise<number> {
  const { ctx: { storage, storeClock }, org_id, holder } = looking;
  const { plan, updated_at } = row;
  const began = await storeClock.now();
  const isUnderWay = row.place !== "";
  // After a jump of the clock back a round that began later is none.
  const rested = began - Date.parse(row.round_at);
  if (!isUnderWay && row.round_at !== "" && rested >= 0 && rested < ROUND_MS) return reads;
  const ids = await everyIdOf(storage.reader, org_id, [plan]);
  // as: this function writes it.
  let place: Place | undefined = isUnderWay
    ? JSON.parse(row.place) as Place
    : [ids[0] ?? plan, "", ""];
  const round_at = isUnderWay ? row.round_at : toTimestamp(began);
  for (let left = reads; left > 0; left--) {
    if (looking.isLeaving() || place === undefined) return left;
    const now = await storeClock.now();
    const [plan_id, issued_at, key_id]: Place = place;
    const after = { org_id, plan_id, issued_at, key_id };
    const keys = await keysBehind(storage.reader, after, AT_ONCE);
    const last = keys.length === AT_ONCE ? keys.at(-1) : undefined;
    const nextId = ids[ids.indexOf(plan_id) + 1];
    place = last
      ? [plan_id, last.issued_at, last.key_id]
      : nextId === undefined || !ids.includes(plan_id)
      ? undefined
      : [nextId, "", ""];
    const found = await unusedAmong(looking, keys, rules, now);
    const at = { plan, updated_at, round_at, place: place ? JSON.stringify(place) : "" };
    if (!await storage.commit(noteUnusedKeys, { org_id, holder, now, found, at })) return 0;
    if (place === undefined) return left - 1;
  }
  return 0;
}

/** Those of keys that no one uses, and that no schedule knows as such yet. */
async function unusedAmong(
  { ctx: { storage: { reader } }, org_id }: Looking,
  keys: Awaited<ReturnType<typeof keysBehind>>,
  rules: ReadonlyMap<string, UnusedTerms>,
  now: number,
): Promise<Found[]> {
  // as: a key's plans are stored as an array of ids.
  const plansOf = keys.map(({ plans }) => JSON.parse(plans) as string[]);
  const ids = await planIdsOf(reader, org_id, [...new Set(plansOf.flat())]);
  const found: Found[] = [];
  for (const [i, row] of keys.entries()) {
    const own = (plansOf[i] ?? []).map((one) => rules.get(ids.get(one)?._id ?? one));
    const rule = gentlest(own);
    if (!rule) continue;
    const key = keyIn(row, rule, toTimestamp(now));
    const idle_since = idleSince(key);
    if (key.state !== "active" || !isUnused(idle_since, rule, now)) continue;
    const schedule = scheduleIn(row);
    const isKnown = schedule && schedule.step !== "kept" && isInForce(schedule, key) &&
      !(schedule.step === "elsewhere" && !key.elsewhere);
    // A key that rested after its second warning goes on if the rule now goes further.
    const goesOn = isKnown && schedule.step === "warned_again" && schedule.due_at === null &&
      rule.action !== "warn";
    if (isKnown && !goesOn) continue;
    found.push({ key_id: row.key_id, idle_since, seen_at: schedule?.at ?? "" });
  }
  return found;
}

async function workOff(looking: Looking): Promise<number> {
  const { ctx: { storage, storeClock }, org_id, holder } = looking;
  const now = toTimestamp(await storeClock.now());
  const due = await dueSchedules(storage.reader, { org_id, now }, STEPS);
  let done = 0;
  for (const { key_id } of due) {
    if (looking.isLeaving()) break;
    const look = { org_id, holder, now: await storeClock.now(), key_id };
    const did = await storage.commit(workOffUnusedKey, look);
    if (did === null) break;
    if (did) done++;
  }
  return done;
}
