/** Options of commands as data: by the member of a body or a query that each of them sets. */
import { InvalidArgumentError, Option } from "commander";
import { parseTimestamp } from "../kernel/timestamps.ts";
import { toTimestamp } from "../kernel/clock.ts";
import type { Client } from "../client/keydesk-client.ts";
import type { Named } from "./touched.ts";

/** An option whose value is a `T`. */
interface Opt<T> {
  readonly option: Option;
  /** The one that takes it away, and what is in its place then. */
  readonly no?: { readonly option: Option; readonly gives: unknown };
  /** The thing outside of the store that its value names; absent: none. */
  readonly names?: Named;
  /** Finds what the value means where people may write something else. */
  readonly finds?: (client: Client, value: never) => Promise<unknown>;
  readonly is?: T;
}

/** Options by the members that they set. */
export type Options = Readonly<Record<string, Opt<unknown>>>;

/** The values of options, by the same names. */
export type Given<O extends Options> = {
  [Member in keyof O]: O[Member] extends Opt<infer T> ? T : never;
};

/** An option with a value: the text itself, or what `parse` makes of it. */
export function opt(flags: string, help: string): Opt<string | undefined>;
export function opt<T>(
  flags: string,
  help: string,
  parse: (text: string, before: T | undefined) => T,
): Opt<T | undefined>;
export function opt<T>(
  flags: string,
  help: string,
  parse?: (text: string, before: T | undefined) => T,
): Opt<T | string | undefined> {
  const option = new Option(flags, help);
  return { option: parse ? option.argParser<T | undefined>(parse) : option };
}

/** One without a value: true, or what it represents. */
export function flag(flags: string, help: string): Opt<boolean | undefined>;
export function flag<const T>(flags: string, help: string, value: T): Opt<T | undefined>;
export function flag(flags: string, help: string, value: unknown = true): Opt<unknown> {
  return { option: new Option(flags, help).preset(value) };
}

/** One that may be given several times, or takes several values. */
export function several(flags: string, help: string): Opt<string[] | undefined> {
  const option = new Option(flags, help);
  return { option: option.variadic ? option : option.argParser(more) };
}

function more(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** One of these words. */
export function choice<const T extends string>(
  flags: string,
  help: string,
  of: readonly T[],
): Opt<T | undefined> {
  return { option: new Option(flags, help).choices(of) };
}

/** The name of a file that is read. */
export function file(flags: string, help: string): Opt<string | undefined> {
  return { ...opt(flags, help), names: "read" };
}

/** The option as a required one. */
export function needed<T>(one: Opt<T>): Opt<NonNullable<T>> {
  one.option.makeOptionMandatory();
  return { ...one, is: undefined };
}

/** The option with a default value. */
export function usual<T>(one: Opt<T>, value: NonNullable<T>): Opt<NonNullable<T>> {
  one.option.default(value);
  return { ...one, is: undefined };
}

/** The option with a value that may also be a name. */
export function found<T>(
  one: Opt<T | undefined>,
  finds: (client: Client, value: T) => Promise<T>,
): Opt<T | undefined> {
  return { ...one, finds };
}

/** The values of options after their names are looked up. */
export async function foundOf<O extends Options>(
  client: Client,
  options: O,
  given: Given<O>,
): Promise<Given<O>> {
  const all: Record<string, unknown> = { ...given };
  for (const [member, { finds }] of Object.entries(options)) {
    // as: it is what the option gives.
    if (finds && all[member] !== undefined) all[member] = await finds(client, all[member] as never);
  }
  // as: the same members with values of the same kinds.
  return all as Given<O>;
}

/** The option, and beside it one that sets its member to something else, such as null. */
export function or<T, const N>(
  one: Opt<T>,
  flags: string,
  help: string,
  gives: N,
): Opt<T | N> {
  return { ...one, no: { option: new Option(flags, help), gives }, is: undefined };
}

/** The given values of these options, out of the parser's values. */
export function givenOf<O extends Options>(
  options: O,
  values: Readonly<Record<string, unknown>>,
): Given<O> {
  const given = Object.entries(options).map(([member, { option, no }]) => {
    const value = values[option.attributeName()];
    const isTakenAway = no !== undefined && values[no.option.attributeName()] === false;
    const isAbsent = value === undefined || (isTakenAway && value === false);
    return [member, isAbsent && isTakenAway ? no.gives : value];
  });
  // as: each member has what its option was declared to give.
  return Object.fromEntries(given) as Given<O>;
}

/** A whole number of 1 or more. */
export function toCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text) && count >= 1) return count;
  throw new InvalidArgumentError("Expected a whole number of 1 or more.");
}

/** A whole number from 0 to `most`; `expected`: what the refusal of another says. */
export function upTo(most: number, expected: string): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(expected);
  };
}

/** A text of 1 to `most` characters, without blanks around it. */
export function ofLength(most: number): (text: string) => string {
  return (text) => {
    const said = text.trim();
    if (said.length >= 1 && said.length <= most) return said;
    throw new InvalidArgumentError(`Expected 1 to ${most} characters.`);
  };
}

/** A time, as ISO 8601. */
export function toTime(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError("Expected a time such as 2026-03-01.");
  return toTimestamp(at);
}

/** A day or an RFC 3339 time, in milliseconds since 1970. */
export function toMs(text: string): number {
  const time = parseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (time) return Date.parse(time.text);
  throw new InvalidArgumentError("Expected a day such as 2026-12-31, or an RFC 3339 time.");
}

/** Members with their values, `name=value`, of which `read` makes each. */
export function pairs<T>(
  expected: string,
  read: (text: string) => T,
): (text: string, before: Record<string, T> | undefined) => Record<string, T> {
  return (text, before = {}) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return { ...before, [name]: read(value) };
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}
