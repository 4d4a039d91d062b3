import type { z } from "zod";
import type { Principal } from "../calls/principal.ts";
import { presentName } from "../contract/former-names.ts";
import { Failure } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { meantNames } from "../kernel/near-name.ts";

/** A member that the object which it is in does not list. */
export interface UnknownMember {
  readonly place: Place;
  readonly value: unknown;
  /** The names that are listed there. */
  readonly listed: KnownNames["members"];
}

/** A place in a value: a name or an index, and where that is. */
interface Place {
  readonly name: string | number;
  readonly within: Place | undefined;
}

/**
 * The members of a JSON value that nothing lists, in their order; those inside an unknown one are
 * not looked at. A body may hold a hundred thousand, so that nothing is made for each but what
 * finds it again.
 */
export function unknownMembersIn(value: unknown, names: KnownNames): UnknownMember[] {
  const found: UnknownMember[] = [];
  look(value, names, undefined, found);
  return found;
}

function look(
  value: unknown,
  { members, isOpen, inside }: KnownNames,
  within: Place | undefined,
  found: UnknownMember[],
): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (!inside) return;
    for (let name = 0; name < value.length; name++) {
      look(value[name], inside, { name, within }, found);
    }
    return;
  }
  for (const name of Object.keys(value)) {
    // as: one of its own names.
    const member = (value as Record<string, unknown>)[name];
    const names = members.has(name) ? members.get(name) : inside;
    if (names) look(member, names, { name, within }, found);
    else if (!isOpen && !members.has(name)) {
      found.push({ place: { name, within }, value: member, listed: members });
    }
  }
}

/** The names and indices that lead to a member, its own name last. */
export function pathOf({ place }: UnknownMember): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Place | undefined = place; at; at = at.within) path.push(at.name);
  return path.reverse();
}

/** A member's own name. */
export function nameOf({ place }: UnknownMember): string {
  return String(place.name);
}

/** The position of a member, `requests[0].revison`; a long name is cut. */
export function placeOf(member: UnknownMember): string {
  let text = "";
  for (const part of pathOf(member)) {
    text += typeof part === "number" ? `[${part}]` : `${text === "" ? "" : "."}${cut(part)}`;
  }
  return text;
}

/**
 * The error of an unknown member. `elsewhere`: the names of the query's parameters, one of which
 * may have been meant.
 */
export function sayMember(member: UnknownMember, otherPlaces: readonly string[]): string {
  const name = nameOf(member);
  const hint = member.place.within === undefined && otherPlaces.includes(name)
    ? "; it belongs in the query"
    : meant("members", name, [...member.listed.keys()]);
  return `unknown member ${quoted(placeOf(member))}${hint}`;
}

/** The error of an unknown field of a form, or of a repeated one that is listed. */
export function sayField(
  name: string,
  listed: readonly string[],
  otherPlaces: readonly string[],
): string {
  if (listed.includes(name)) return `the field ${quoted(name)} must not come more than once`;
  const hint = otherPlaces.includes(name)
    ? "; it belongs in the query"
    : meant("members", name, listed);
  return `unknown field ${quoted(cut(name))}${hint}`;
}

/**
 * The error of an unknown parameter of the query. `elsewhere`: the names of the body's members.
 */
export function sayParameter(
  name: string,
  listed: readonly string[],
  otherPlaces: readonly string[],
): string {
  const hint = otherPlaces.includes(name)
    ? "; it belongs in the body"
    : meant("parameters", name, listed);
  return `unknown parameter ${quoted(cut(name))}${hint}`;
}

/** The error of a repeated parameter. */
export function sayTwice(name: string): string {
  return `the parameter ${quoted(cut(name))} must not come more than once`;
}

/** The error of a repeated member, in any object. */
export function sayMemberTwice(name: string): string {
  return `the member ${quoted(cut(name))} must not come more than once`;
}

/** How many known names a message lists if none is similar. */
const FEW = 3;

function meant(sort: "members" | "parameters", name: string, listed: readonly string[]): string {
  const present = presentName(sort, name) ??
    (sort === "members" ? presentName("mails", name) : undefined);
  if (present !== undefined && listed.includes(present)) {
    return `; it is ${quoted(present)} since 0.9.0`;
  }
  const near = meantNames(name, listed);
  if (near.length > 0) return `; did you mean ${near.map(quoted).join(" or ")}?`;
  return listed.length > 0 && listed.length <= FEW
    ? `; there is ${listed.map(quoted).join(" and ")}`
    : "";
}

/** No answer lists more than this. */
const MOST_REPORTED = 20;

/**
 * `invalid_input` with a sentence for each name; `say` is called only for those that are listed.
 */
export function refusalOf<T>(slips: readonly T[], say: (slip: T) => string): Failure {
  const listed = slips.length > MOST_REPORTED ? slips.slice(0, MOST_REPORTED - 1) : slips;
  const details = listed.map(say);
  if (slips.length > listed.length) details.push(`and ${slips.length - listed.length} more`);
  return new Failure("invalid_input", { message: details[0] ?? "", details });
}

const LONGEST_NAME = 60;

function cut(name: string): string {
  return name.length > LONGEST_NAME
    ? `${name.slice(0, LONGEST_NAME).toWellFormed()}…`
    : name.toWellFormed();
}

/** As JSON writes it, and with what no one can see or what turns a line round as an escape. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`,
  );
}

/** Which names a JSON value may hold, level by level. */
export interface KnownNames {
  /** The members that an object lists, each with what holds inside it. */
  readonly members: ReadonlyMap<string, KnownNames | undefined>;
  /** True: an object may have others too. */
  readonly isOpen: boolean;
  /** The names for each item of an array, and each entry of a map. */
  readonly inside: KnownNames | undefined;
}

/**
 * The names that a schema lists, at every depth; undefined where it lists none. Of several
 * alternatives each gives its own. Made once for each schema.
 */
export function knownNamesOf(schema: z.core.$ZodType): KnownNames | undefined {
  if (cache.has(schema)) return cache.get(schema);
  const names: KnownNames = { ...FREE };
  // A schema that holds itself finds this while it is made.
  cache.set(schema, names);
  const read = namesIn(schema);
  cache.set(schema, read && Object.assign(names, read));
  return read && names;
}

/** Any names at all. */
const FREE: KnownNames = { members: new Map(), isOpen: true, inside: undefined };
const cache = new WeakMap<z.core.$ZodType, KnownNames | undefined>();

function namesIn(schema: z.core.$ZodType): KnownNames | undefined {
  // as: every schema of the contract is one of zod's own.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object": {
      const members = new Map(
        Object.entries(def.shape).map(([name, member]) => [name, knownNamesOf(member)]),
      );
      const isOpen = def.catchall !== undefined && def.catchall._zod.def.type !== "never";
      return { members, isOpen, inside: undefined };
    }
    case "array":
      return { ...FREE, inside: knownNamesOf(def.element) };
    case "record":
      return recordNames(def);
    case "unknown":
    case "any":
      return FREE;
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return knownNamesOf(def.innerType);
    case "pipe":
      return knownNamesOf(def.in);
    case "lazy":
      return knownNamesOf(def.getter());
    case "union":
      return def.options.map(knownNamesOf).reduce(either, undefined);
    default:
      return undefined;
  }
}

/** A map whose names are an enum lists those. */
function recordNames({ keyType, valueType }: z.core.$ZodRecordDef): KnownNames {
  const inside = knownNamesOf(valueType);
  // as: every schema of the contract is one of zod's own.
  const { def } = (keyType as z.core.$ZodTypes)._zod;
  if (def.type !== "enum") return { ...FREE, inside };
  const members = new Map(Object.values(def.entries).map((name) => [String(name), inside]));
  return { members, isOpen: false, inside: undefined };
}

function either(a: KnownNames | undefined, b: KnownNames | undefined): KnownNames | undefined {
  if (!a || !b) return a ?? b;
  const members = new Map(a.members);
  for (const [name, names] of b.members) members.set(name, either(members.get(name), names));
  return { members, isOpen: a.isOpen || b.isOpen, inside: either(a.inside, b.inside) };
}

/** So many lines are written in an hour at the most. */
const MOST_LINES = 1000;
const HOUR_MS = 60 * 60 * 1000;

/**
 * Notes names that an endpoint does not list and that were dropped, so that anyone who sends them
 * can be found before they are refused. An equal note of one caller is written once an hour.
 */
export class UnknownNotes {
  readonly #log: Log;
  readonly #noted = new Set<string>();
  #until = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** `path`: the pattern. */
  add(
    method: string,
    path: string,
    names: readonly string[],
    { user_id: principal, token_id: token }: Pick<Principal, "user_id" | "token_id">,
  ): void {
    const now = performance.now();
    if (now > this.#until) {
      this.#noted.clear();
      this.#until = now + HOUR_MS;
    }
    for (const one of new Set(names.slice(0, MOST_NAMES).map(harmless))) {
      const line = `${method} ${path} ${one} ${token}`;
      if (this.#noted.size >= MOST_LINES || this.#noted.has(line)) continue;
      this.#noted.add(line);
      this.#log.line("warn", "unknown name dropped", { method, path, name: one, principal, token });
    }
  }
}

const MOST_NAMES = 20;

/** A name may be anything, even a misplaced key: only what looks like a name is repeated. */
function harmless(name: string): string {
  return /^[A-Za-z_][\w.-]{0,31}$/.test(name) ? name : "(no name of ours)";
}
