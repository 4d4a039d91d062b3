import { say } from "../said.ts";

/** The zone of the person who looks, by its name: "Europe/Berlin". */
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Says in which zone a time is typed. */
export const IN_ZONE = say`In your time zone, ${zone}.`;

/** Says when a day that is typed ends. */
export const ENDS_IN_ZONE = say`It ends with that day in your time zone, ${zone}.`;

/** The last second of a day such as 2026-11-21, in that zone; undefined: it is no day. */
export function endOfDay(day: string): string | undefined {
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}
