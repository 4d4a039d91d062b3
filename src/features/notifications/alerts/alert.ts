/**
 * An alert says that a certificate or a key expires soon, or has expired. Each rule, such as 14
 * days before, reports an object once: the organisation's progress notes the expiry up to which the
 * rule has processed its objects, so that work that resumes after any time reports nothing twice
 * and leaves nothing out. If several rules fell due meanwhile, only the newest alert is sent.
 */
import { toTimestamp } from "../../../kernel/clock.ts";

/** The objects with an expiry. */
export const objects = ["certificate", "key"] as const;

/** One of them. */
export type AlertObject = typeof objects[number];

/** Their names in messages: the topic's first half. */
export const topicOf = { certificate: "certificate", key: "credential" } as const;

/** When an expiry is reported: days before it, and at the expiry itself. */
export interface AlertRules {
  days: readonly number[];
  at_end: boolean;
}

/** The rules of an organisation that has set none. */
export const USUAL: AlertRules = { days: [60, 30, 14, 7, 3, 1], at_end: true };

const DAY_MS = 24 * 60 * 60 * 1000;

/** For how long what became of an alert is kept behind the end. */
export const KEPT_MS = 90 * DAY_MS;

/** Days before the end of each rule, the least first; 0: the end itself. */
export function stepsOf({ days, at_end }: AlertRules): number[] {
  return [...at_end ? [0] : [], ...new Set(days)].sort((a, b) => a - b);
}

/** The last end, as stored, that a rule looks at now: whole seconds for certificates. */
export function reach(object: AlertObject, days: number, now: number): string {
  const text = toTimestamp(now + days * DAY_MS);
  return object === "key" ? text : `${text.slice(0, 19)}Z`;
}

/**
 * A place in the order in which a rule goes through its objects: an end, and which of the objects
 * with it.
 */
export interface Place {
  ends_at: string;
  tie: string;
}

/** Behind every object with this end. */
export function behindAll(object: AlertObject, ends_at: string): Place {
  return { ends_at, tie: object === "key" ? "~" : String(Number.MAX_SAFE_INTEGER) };
}

/** The next alert of an object, as rules stand; undefined: there is none. */
export function nextAlert(
  rules: AlertRules,
  ends_at: string,
  now: number,
): { at: string; days: number } | undefined {
  const end = Date.parse(ends_at);
  const days = stepsOf(rules).findLast((step) => end - step * DAY_MS > now);
  return days === undefined ? undefined : { at: toTimestamp(end - days * DAY_MS), days };
}

/** Whether any alert of an object has fallen due by now, as rules stand. */
export function isDue(rules: AlertRules, ends_at: string, now: number): boolean {
  return stepsOf(rules).some((step) => Date.parse(ends_at) - step * DAY_MS <= now);
}
