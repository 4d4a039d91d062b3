import type { Delivery } from "../api/deliveries.ts";
import { Pill, type Tone } from "./pill.tsx";
import { exactTime, relativeTime } from "./time.tsx";

const MINUTE_MS = 60_000;

/** A delivery that is not accepted within this time is late. */
export const LATE_MS = 15 * MINUTE_MS;

/** How a message stands, for people. */
export function wordOf({ state, event_at }: Delivery): { tone: Tone; text: string } {
  if (state === "delivered") return { tone: "good", text: "Delivered" };
  if (state === "dead") return { tone: "bad", text: "Failed" };
  // Of a state that only newer servers know nothing is claimed but its name.
  if (state !== "waiting") return { tone: "quiet", text: nameOf(state) };
  const isLate = Date.now() - Date.parse(event_at) > LATE_MS;
  return isLate ? { tone: "waiting", text: "Late" } : { tone: "quiet", text: "Waiting" };
}

/** The note of a delivery: the next try, or its end. */
export function noteOf(one: Delivery): string {
  const { state, attempts, next_try_at, ended_at, blocked } = one;
  if (state === "delivered") return attempts > 1 ? `at the ${ordinal(attempts)} try` : "";
  if (state === "dead") return ended_at === null ? "" : `gave up ${relativeTime(ended_at)}`;
  if (next_try_at !== null) return `try ${attempts + 1} ${soon(next_try_at)}`;
  return blocked ? "behind an earlier message" : "";
}

/** The state in its pill. */
export function DeliveryPill({ of }: { of: Delivery }) {
  const { tone, text } = wordOf(of);
  return <Pill tone={tone}>{text}</Pill>;
}

const hours = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;
const clock = new Intl.DateTimeFormat(undefined, { ...hours, second: "2-digit" });
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  ...hours,
  day: "numeric",
  month: "short",
});

/** The time of today, or the day and time of an earlier one, with the zone. */
export function clockTime(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return (isToday ? clock : dayAndClock).format(date);
}

/** The time of today, or the day and time of an earlier one; below it how long ago that was. */
export function StackedTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      <span class="line-1">{clockTime(at)}</span>
      <span class="line-2">{relativeTime(at)}</span>
    </time>
  );
}

function nameOf(state: string): string {
  return state.slice(0, 1).toUpperCase() + state.slice(1);
}

/** "in 4 min.", and "now" for what is due. */
function soon(at: string): string {
  return Date.parse(at) <= Date.now() + MINUTE_MS ? "within a minute" : relativeTime(at);
}

/** "184 ms", "10.0 s". */
export function durationText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** "503", or "No answer". */
export function statusText(status: number): string {
  return status === 0 ? "No answer" : String(status);
}

function ordinal(n: number): string {
  const rules = { one: "st", two: "nd", few: "rd", other: "th", zero: "th", many: "th" };
  return n + rules[new Intl.PluralRules("en", { type: "ordinal" }).select(n)];
}
