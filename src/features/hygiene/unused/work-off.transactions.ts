import type { Actor } from "../../../changes/audit.ts";
import { addToOutbox } from "../../../changes/outbox.ts";
import { recordAlone } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import type { Connection, Tx } from "../../../storage/storage.ts";
import { namesOfDeveloper } from "../../developers/developer-names.ts";
import { undoUntil } from "../../keys/ending.ts";
import { type LockedKey, lockKeyWithOwner } from "../../keys/lock-key.transactions.ts";
import { changeLockedKey } from "../../keys/key-life.transactions.ts";
import { calledKey } from "../../keys/key-labels.ts";
import { suspendedCallsOf } from "./suspended-calls.ts";
import { ruleOfKey } from "./rule-of-key.ts";
import {
  enterSchedule,
  findScheduledKey,
  keyIn,
  mailsOfWarning,
  putSchedule,
  removeSchedule,
  scheduleIn,
} from "./schedules.store.ts";
import {
  DAY_MS,
  type DueAction,
  dueActionOf,
  firstLook,
  idleSince,
  type Schedule,
  SWITCHED_OFF,
  type UnusedStep,
  type UnusedTerms,
  type Warning,
} from "./unused-rule.ts";

/** The actor that warns of unused keys, suspends, resumes and revokes them automatically. */
export const actorOfSchedule = (org_id: string, now: number): Actor => ({
  org_id,
  user_id: "schedule",
  token_id: "",
  now,
});

/** A key that a look found unused. */
export interface Found {
  key_id: string;
  idle_since: string;
  /** When the step was done at which it was seen; "": it was at none. */
  seen_at: string;
}

/** Puts keys that no one uses at the first step, except those that were moved on meanwhile. */
export async function enterSchedules(
  tx: Tx,
  { org_id, now, found }: { org_id: string; now: number; found: readonly Found[] },
): Promise<void> {
  const at = toTimestamp(now);
  for (const { key_id, idle_since, seen_at } of found) {
    const row = { org_id, key_id, idle_since, at, due_at: at, event_id: "", sent_at: null };
    await enterSchedule(tx, { ...row, step: "idle", seen_at });
  }
}

/**
 * Does what is due of one key's schedule, with everything that tells of it, as the key and its
 * plans' rules are now. Gives whether it did something that people see.
 */
export async function workOffSchedule(
  tx: Tx,
  { org_id, key_id, now }: { org_id: string; key_id: string; now: number },
): Promise<boolean> {
  const locked = await lockKeyWithOwner(tx, org_id, key_id);
  const row = await findScheduledKey(tx, { org_id, key_id });
  const schedule = row && scheduleIn(row);
  if (!locked || !row || !schedule) {
    await removeSchedule(tx, { org_id, key_id });
    return false;
  }
  const at = toTimestamp(now);
  if (schedule.due_at === null || schedule.due_at > at) return false;
  const rule = await ruleOfKey(tx, org_id, locked.credential.plans);
  const key = keyIn(row, rule ?? SWITCHED_OFF, at);
  const action = dueActionOf(schedule, key, {
    rule,
    warning: await warningOf(tx, org_id, schedule.event_id),
    triedAt: schedule.step === "suspended"
      ? (await suspendedCallsOf(tx, { org_id, key_id, since: schedule.at })).last_at
      : null,
    now,
  });
  const of = { org_id, now, locked, schedule, idle_since: idleSince(key), rule };
  return await take(tx, of, action);
}

interface Of {
  org_id: string;
  now: number;
  locked: LockedKey;
  schedule: Schedule;
  idle_since: string;
  rule: UnusedTerms | undefined;
}

async function take(tx: Tx, of: Of, action: DueAction): Promise<boolean> {
  const { org_id, now, locked, schedule } = of;
  const { credential: { key_id } } = locked;
  switch (action.do) {
    case "leave":
      await removeSchedule(tx, { org_id, key_id });
      return false;
    case "leave_alone":
      await put(tx, of, "elsewhere");
      return false;
    case "wait": {
      const due_at = action.until === null ? null : toTimestamp(action.until);
      const sent_at = action.sent_at ?? schedule.sent_at;
      await putSchedule(tx, { org_id, key_id, ...schedule, due_at, sent_at });
      return false;
    }
    case "warn":
      await put(tx, of, action.step, await warn(tx, of, action.step));
      return true;
    case "resume":
      await changeLockedKey(tx, actorOfSchedule(org_id, now), locked, "resume", NOT_UNUSED);
      await removeSchedule(tx, { org_id, key_id });
      return true;
    case "suspend":
    case "revoke": {
      const actor = actorOfSchedule(org_id, now);
      const ending = { undo_until: undoUntil(now), at_most: null };
      const reason = `It has not been used since ${schedule.idle_since.slice(0, 10)}.`;
      await changeLockedKey(tx, actor, locked, action.do, reason, ending);
      await put(tx, of, action.do === "suspend" ? "suspended" : "revoked");
      return true;
    }
  }
}

const NOT_UNUSED = "It is used, or opens elsewhere too.";

async function put(tx: Tx, of: Of, step: UnusedStep, event_id = ""): Promise<void> {
  const { org_id, now, locked: { credential: { key_id } }, schedule } = of;
  const look = firstLook(step, now);
  await putSchedule(tx, {
    org_id,
    key_id,
    step,
    at: toTimestamp(now),
    idle_since: schedule.idle_since,
    due_at: look === null ? null : toTimestamp(look),
    event_id,
    sent_at: null,
  });
}

/** Tells of a key that no one uses; gives the message's id. */
async function warn(tx: Tx, of: Of, step: "warned" | "warned_again"): Promise<string> {
  const { org_id, now, locked: { credential, developer }, schedule, rule } = of;
  const { key_id: object_id } = credential;
  const { idle_since } = schedule;
  const days = Math.floor((now - Date.parse(idle_since)) / DAY_MS);
  const left = (rule?.warn_days ?? 0) * (step === "warned" ? 2 : 1);
  const ends = rule?.action === "warn" ? "" : toTimestamp(now + left * DAY_MS);
  const detail = { warning: step === "warned" ? 1 : 2, idle_since, days, ends };
  const actor = actorOfSchedule(org_id, now);
  await recordAlone(tx, actor, {
    action: UNUSED,
    object_id,
    detail,
    names: { object: calledKey(credential), ...namesOfDeveloper(developer) },
  });
  return await addToOutbox(tx, actor, { topic: UNUSED, object_id, detail });
}

/** The topic of a warning. */
const UNUSED = "credential.unused";

/** Mails of one message that are looked at. */
const MOST = 100;

/**
 * The state of a warning. It was sent once a mail server has taken a mail of it to its developer: a
 * webhook's answer warns no one.
 */
async function warningOf(
  db: Connection,
  org_id: string,
  event_id: string,
): Promise<Warning> {
  if (event_id === "") return { state: "none", at: null };
  const mails = await mailsOfWarning(db, { org_id, event_id, behind: `${event_id}~` }, MOST);
  const sent = mails.filter(({ state }) => state === "delivered")
    .flatMap(({ ended_at }) => ended_at === null ? [] : [ended_at]).sort();
  if (sent[0] !== undefined) return { state: "sent", at: sent[0] };
  return { state: mails.some(({ state }) => state === "waiting") ? "waiting" : "none", at: null };
}
