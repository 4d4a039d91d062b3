import type { Members } from "./source.ts";

/** Thrown for what can't be taken over; the message names no value. */
export class Unreadable extends Error {}

/** JSON nested deeper than this is refused. */
const MAX_DEPTH = 32;

/**
 * A document of an export as the interface would send it: MongoDB's extended JSON (v1 and v2,
 * relaxed and canonical) as plain values, without members that are null. Throws Unreadable for
 * texts that no engine keeps, and for numbers that JSON can't give back.
 */
export function plainMembers(document: object): Members {
  const value = plain(document, 1);
  if (isObject(value)) return value;
  throw new Unreadable("is no object");
}

function plain(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new Unreadable(`nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === "string") return keptText(value);
  if (typeof value === "number") return keptNumber(value);
  if (Array.isArray(value)) {
    return value.filter((one) => one !== null).map((one) => plain(one, depth + 1));
  }
  if (!isObject(value)) return value;
  const special = specialValue(value);
  if (special !== undefined) return special;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== null && !UNSAFE.has(name))
      .map(([name, member]) => [keptText(name), plain(member, depth + 1)]),
  );
}

const UNSAFE: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** The value of `{"$oid": …}` and the like; undefined for any other object. */
function specialValue(value: Members): unknown {
  const [name, ...more] = Object.keys(value);
  if (name === undefined || more.length > 1 || !name.startsWith("$")) return undefined;
  const inner = value[name];
  switch (name) {
    case "$oid":
    case "$uuid":
    case "$symbol":
      return typeof inner === "string" ? keptText(inner) : undefined;
    case "$numberInt":
    case "$numberLong":
    case "$numberDouble":
    case "$numberDecimal":
      return keptNumber(Number(inner));
    case "$date":
      return timeOf(inner);
    case "$binary":
      return isObject(inner) ? inner.base64 : inner;
    default:
      return undefined;
  }
}

/** RFC 3339 of a date as text, as milliseconds, or as `{"$numberLong"}`. */
function timeOf(inner: unknown): string {
  if (typeof inner === "string" && !/^-?\d+$/.test(inner)) return inner.replace(OFFSET, "$1:$2");
  const ms = isObject(inner) ? Number(inner.$numberLong) : Number(inner);
  // Go's zero time lies before what a date of JavaScript shows with four digits of a year.
  if (!Number.isFinite(ms) || ms < FIRST_MS) return "0001-01-01T00:00:00Z";
  if (ms > LAST_MS) throw new Unreadable("holds a time past the year 9999");
  return new Date(ms).toISOString();
}

const OFFSET = /([+-]\d\d)(\d\d)$/;
const FIRST_MS = Date.parse("0001-01-02T00:00:00Z");
const LAST_MS = Date.UTC(9999, 11, 31);

function keptText(text: string): string {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new Unreadable("holds a text with NUL or half a surrogate pair");
  }
  return text;
}

function keptNumber(number: number): number {
  if (Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))) {
    return number;
  }
  throw new Unreadable("holds a number that JSON can't give back");
}

/** Whether a value is an object with members. */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
