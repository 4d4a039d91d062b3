/**
 * The steps of an unused key, by the rules of its plans:
 *
 *     idle ──► warned ──► warned again ──► suspended ──30 days──► revoked
 *       └──► elsewhere                                        (7 days: can be brought back)
 *
 * A warning counts once it was sent, and so many days lie between two steps, counted from there. A
 * use, and every change of the key by people, takes it out at once: its idle time begins anew.
 */
import { type UnusedAction, unusedActions } from "../../../contract/unused-actions.ts";

/** The rule of a plan for its unused keys. */
export interface UnusedTerms {
  action: UnusedAction;
  /** Without a use for so long a key counts as unused. */
  after_days: number;
  /** Days between the two warnings, and between the second and a suspension. */
  warn_days: number;
  /** True: imported keys count too, since no gateway that knew them is left. */
  imported: boolean;
}

/** The rule if none is set. */
export const SWITCHED_OFF: UnusedTerms = {
  action: "off",
  after_days: 90,
  warn_days: 14,
  imported: false,
};

const HOUR_MS = 60 * 60 * 1000;
/** Milliseconds of a day. */
export const DAY_MS = 24 * HOUR_MS;
/** For how long an unused key is suspended before it is revoked. */
const SUSPENDED_DAYS = 30;
/** A use of the last moments may still be on its way from another node. */
const SECOND_LOOK_MS = 5 * 60 * 1000;
/** How often it is looked at what goes no further as rules stand. */
const REST_MS = 7 * DAY_MS;

/**
 * The rule of a key, out of those of all its plans: the gentlest counts in everything. Undefined:
 * it is left alone, since one of them says nothing or is switched off.
 */
export function gentlest(rules: readonly (UnusedTerms | undefined)[]): UnusedTerms | undefined {
  const set = rules.flatMap((one) => one && one.action !== "off" ? [one] : []);
  const [first] = set;
  if (first === undefined || set.length < rules.length) return undefined;
  return set.reduce((one, other) => ({
    action: unusedActions.find((word) => word === one.action || word === other.action) ?? "off",
    after_days: Math.max(one.after_days, other.after_days),
    warn_days: Math.max(one.warn_days, other.warn_days),
    imported: one.imported && other.imported,
  }), first);
}

/** The data of a key that determine since when it is idle. */
interface Idleness {
  issued_at: string;
  state_changed_at: string | null;
  last_used_at: string | null;
  /** When a person said that it is needed. */
  kept_at: string | null;
}

/** Since when no one used a key, nor did anything to it. */
export function idleSince(key: Idleness): string {
  const times = [key.state_changed_at, key.last_used_at, key.kept_at];
  return times.reduce<string>((last, at) => at !== null && at > last ? at : last, key.issued_at);
}

/** Whether a key has been idle for as long as its rule says. */
export function isUnused(idle_since: string, { after_days }: UnusedTerms, now: number): boolean {
  return Date.parse(idle_since) <= now - after_days * DAY_MS;
}

/** The steps of a schedule, as they are stored. */
export type UnusedStep =
  | "idle"
  | "warned"
  | "warned_again"
  | "suspended"
  | "revoked"
  | "elsewhere"
  | "kept";

/** How far a key is, as it is stored. */
export interface Schedule {
  step: UnusedStep;
  at: string;
  idle_since: string;
  due_at: string | null;
  event_id: string;
  sent_at: string | null;
}

/** A key as its schedule sees it. */
export interface ScheduledKey extends Idleness {
  /** `ended`: it opens nothing any more, or soon will not. */
  state: "active" | "suspended" | "revoked" | "ended";
  /** Gateways that ask no one open for it too. */
  elsewhere: boolean;
}

/** Whether what a schedule says is still true of its key: no one used it or did anything to it. */
export function isInForce(row: Schedule, key: ScheduledKey): boolean {
  if (row.step === "suspended" || row.step === "revoked") {
    return key.state === row.step && key.state_changed_at === row.at;
  }
  if (row.step === "kept") return true;
  return key.state === "active" && idleSince(key) <= row.idle_since;
}

/** The next step of a schedule. Times in milliseconds since 1970. */
export type DueAction =
  /** Nothing is left to do: the key is none that no one uses, or no rule speaks of it. */
  | { do: "leave" }
  | { do: "leave_alone" }
  | { do: "wait"; until: number | null; sent_at?: string }
  | { do: "warn"; step: "warned" | "warned_again" }
  | { do: "suspend" | "resume" | "revoke" };

/** The state of the last warning. */
export interface Warning {
  state: "none" | "waiting" | "sent";
  /** When it was sent. */
  at: string | null;
}

/** The action on a due key. `knocked`: the last call with it while it was suspended. */
export function dueActionOf(
  row: Schedule,
  key: ScheduledKey,
  { rule, warning, triedAt, now }: {
    rule: UnusedTerms | undefined;
    warning: Warning;
    triedAt: string | null;
    now: number;
  },
): DueAction {
  if (row.step === "kept" || row.step === "revoked") return { do: "wait", until: null };
  if (!isInForce(row, key)) return { do: "leave" };
  if (row.step === "suspended") return afterSuspension(row, key, { rule, triedAt, now });
  if (!rule || !isUnused(row.idle_since, rule, now)) return { do: "leave" };
  if (key.elsewhere) return { do: "leave_alone" };
  if (row.step === "idle" || row.step === "elsewhere") return { do: "warn", step: "warned" };
  const step = row.step;
  const gap = rule.warn_days * DAY_MS;
  if (row.sent_at === null) return afterWarning(row, warning, { step, gap, now });
  const next = Math.max(Date.parse(row.sent_at), Date.parse(row.at)) + gap;
  if (step === "warned_again" && rule.action === "warn") return { do: "wait", until: null };
  if (now < next) return { do: "wait", until: next };
  return step === "warned" ? { do: "warn", step: "warned_again" } : { do: "suspend" };
}

/** A warning counts once it was sent. One that was not sent is repeated, as rarely as others. */
function afterWarning(
  row: Schedule,
  { state, at }: Warning,
  { step, gap, now }: { step: "warned" | "warned_again"; gap: number; now: number },
): DueAction {
  if (state === "sent" && at !== null) {
    return { do: "wait", until: Math.max(Date.parse(at), Date.parse(row.at)) + gap, sent_at: at };
  }
  const again = Date.parse(row.at) + gap;
  if (state === "none" && now >= again) return { do: "warn", step };
  // The longer it takes, the more seldom it is looked at.
  const waited = (now - Date.parse(row.at)) / 2;
  return { do: "wait", until: now + Math.min(Math.max(waited, HOUR_MS), DAY_MS) };
}

function afterSuspension(
  row: Schedule,
  key: ScheduledKey,
  { rule, triedAt, now }: { rule: UnusedTerms | undefined; triedAt: string | null; now: number },
): DueAction {
  const used = key.last_used_at !== null && key.last_used_at > row.idle_since;
  if (used || key.elsewhere) return { do: "resume" };
  const since = triedAt !== null && triedAt > row.at ? triedAt : row.at;
  const end = Date.parse(since) + SUSPENDED_DAYS * DAY_MS;
  if (now < end) return { do: "wait", until: end };
  return rule?.action === "revoke" ? { do: "revoke" } : { do: "wait", until: now + REST_MS };
}

/** When a key is looked at first after a step; null: not by itself. */
export function firstLook(step: UnusedStep, now: number): number | null {
  if (step === "warned" || step === "warned_again") return now + SECOND_LOOK_MS;
  return step === "suspended" ? now + SECOND_LOOK_MS : step === "idle" ? now : null;
}

/**
 * The next step of a key and its time, in milliseconds since 1970, by the present rules; null:
 * none.
 */
export function comesNext(
  row: Schedule,
  rule: UnusedTerms | undefined,
): { what: "warn" | "suspend" | "revoke"; at: number } | null {
  if (!rule) return null;
  if (row.step === "suspended") {
    const at = Date.parse(row.at) + SUSPENDED_DAYS * DAY_MS;
    return rule.action === "revoke" ? { what: "revoke", at } : null;
  }
  if (row.step === "idle") return { what: "warn", at: Date.parse(row.at) };
  if (row.step !== "warned" && row.step !== "warned_again") return null;
  const at = Date.parse(row.sent_at ?? row.at) + rule.warn_days * DAY_MS;
  if (row.step === "warned") return { what: "warn", at };
  return rule.action === "warn" ? null : { what: "suspend", at };
}
