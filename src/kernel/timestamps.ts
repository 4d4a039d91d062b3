/**
 * RFC 3339 §5.6, upper-case `T` and `Z`, 0–9 fraction digits. Groups: seconds part, day, fraction
 * with its dot, offset.
 */
const RFC_3339 =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,9})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** The time that is where none is known. */
export const NO_TIME = "0001-01-01T00:00:00Z";

/** A time that a client sent, or undefined where it represents none, as Go writes it. */
export function timeGiven(text: string | undefined): string | undefined {
  return text === undefined || parseTimestamp(text)?.instant === NO_INSTANT ? undefined : text;
}

const NO_INSTANT = "0001-01-01T00:00:00.000000000Z";

/**
 * A time as it is kept: the text to give back, and the instant as text of one width that sorts like
 * the instant.
 */
interface Timestamp {
  /**
   * RFC 3339, always `Z`; as it came in when it came in with `Z`, else moved to UTC with its
   * fraction kept.
   */
  text: string;
  /** `YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ`, 30 characters: comparing the texts compares the instants. */
  instant: string;
}

let lastInput = "";
let lastParsed: Timestamp | undefined;

/** Reads an RFC 3339 time. `undefined`: it is none, or outside the years 0000–9999 in UTC. */
export function parseTimestamp(input: string): Timestamp | undefined {
  // A contract asks twice for the same text: whether it is a time, and then for its normal form.
  if (input !== lastInput) {
    lastParsed = readTimestamp(input);
    lastInput = input;
  }
  return lastParsed;
}

function readTimestamp(input: string): Timestamp | undefined {
  const match = RFC_3339.exec(input);
  if (!match) return undefined;
  const [, local = "", day = "", fraction = "", offset = ""] = match;
  if (Number(day) > 28 && !isCalendarDay(local)) return undefined;
  const seconds = offset === "Z" ? local : toUtc(local, offset);
  if (seconds === undefined) return undefined;
  return {
    text: offset === "Z" ? input : `${seconds}${fraction}Z`,
    instant: `${seconds}.${fraction.slice(1).padEnd(9, "0")}Z`,
  };
}

/** `YYYY-MM-DDTHH:MM:SS` moved to UTC; undefined outside the years 0000–9999. */
function toUtc(local: string, offset: string): string | undefined {
  const utc = new Date(local + offset).toISOString().slice(0, -5);
  return utc.length === 19 ? utc : undefined;
}

/** `Date` rolls 31 February over into March; a calendar does not. */
function isCalendarDay(local: string): boolean {
  const day = new Date(`${local.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.getUTCDate() === Number(local.slice(8, 10));
}
