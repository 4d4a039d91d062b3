import type { z } from "zod";
import { type Endpoint, refusesUnlisted } from "../contract/endpoint.ts";
import { Failure } from "../kernel/failure.ts";
import { queryOf } from "./query.ts";
import {
  type KnownNames,
  knownNamesOf,
  nameOf,
  pathOf,
  placeOf,
  refusalOf,
  sayMember,
  sayMemberTwice,
  sayParameter,
  sayTwice,
  type UnknownMember,
  unknownMembersIn,
} from "./unknown-names.ts";

/** The handling of names that an endpoint does not list. */
export interface Unlisted {
  /** The present answer of the same path's GET; undefined if the caller may not read it. */
  readonly readNow?: (() => Promise<ReadNow | undefined>) | undefined;
  /** Given where they are dropped, as once: hears of them. */
  readonly note?: ((names: readonly string[]) => void) | undefined;
}

/**
 * The parameters of a call's query by their names. Throws `invalid_input` for one that the endpoint
 * does not list, or that is twice, wherever such are refused.
 */
export function parametersOf(
  endpoint: Endpoint,
  url: string,
  { note }: Unlisted,
): Record<string, string> {
  if (!refusesUnlisted(endpoint)) return queryOf(url);
  const slips: string[] = [];
  const parameters = queryOf(url, slips);
  const listed = namesOf(endpoint.query)?.members;
  for (const name in parameters) if (!listed?.has(name)) slips.push(name);
  if (slips.length === 0) return parameters;
  const names = [...new Set(slips)];
  if (!note) throw refusalOf(names, sayingParameters(endpoint));
  note(names);
  return parameters;
}

function sayingParameters({ query, body }: Endpoint): (name: string) => string {
  const listed = namesIn(query);
  const members = namesIn(body);
  return (name) => listed.includes(name) ? sayTwice(name) : sayParameter(name, listed, members);
}

/** The members of a body that its endpoint neither lists nor drops by name. */
export function unlistedMembers(endpoint: Endpoint, value: unknown): readonly UnknownMember[] {
  const found = unknownMembersIn(value, namesOf(endpoint.body) ?? NO_MEMBERS);
  const { droppedMembers } = endpoint;
  return found.length === 0 || !droppedMembers
    ? found
    : found.filter((member) =>
      member.place.within !== undefined || !droppedMembers.includes(nameOf(member))
    );
}

/**
 * The handling of such members, and of repeated ones, before the body is parsed. Throws
 * `invalid_input`, and the error of `requireAsRead`.
 */
export function judgeMembers(
  endpoint: Endpoint,
  { value, unknown, twice, ifMatch }: {
    value: unknown;
    unknown: readonly UnknownMember[];
    twice: readonly string[];
    ifMatch: string | null;
  },
  { readNow, note }: Unlisted,
): undefined | Promise<void> {
  if (unknown.length === 0 && twice.length === 0) return undefined;
  if (note) {
    note([...twice, ...unknown.map(nameOf)]);
    return undefined;
  }
  if (twice.length > 0) throw refusalOf([...new Set(twice)], sayMemberTwice);
  const parameters = namesIn(endpoint.query);
  const refusal = () => refusalOf(unknown, (member) => sayMember(member, parameters));
  if (!readNow) throw refusal();
  return readNow().then((now) => {
    if (!now) throw refusal();
    requireAsRead(unknown, now, { ifMatch, parameters });
    for (const member of unknown) takeOut(value, pathOf(member));
    leaveOutAsRead(endpoint, value, now);
  });
}

/** Takes a member out, in place: a schema may be strict by itself. */
function takeOut(value: unknown, path: readonly (string | number)[]): void {
  let at = value;
  // as: the path was found in this very value.
  for (const name of path.slice(0, -1)) at = (at as Record<string | number, unknown>)[name];
  delete (at as Record<string | number, unknown>)[path.at(-1) ?? ""];
}

/**
 * Takes members out, in place, that are as the GET shows them, where that has another form than
 * what is set.
 */
function leaveOutAsRead({ answeredOtherwise = [] }: Endpoint, value: unknown, now: ReadNow): void {
  // as: both are objects, since one has members and the other shows them.
  const [sent, view] = [value, now.value] as Record<string, unknown>[];
  for (const name of answeredOtherwise) {
    if (isSame(sent?.[name], view?.[name])) delete sent?.[name];
  }
}

const NO_MEMBERS: KnownNames = { members: new Map(), isOpen: false, inside: undefined };

function namesOf(schema: z.ZodType | string | undefined): KnownNames | undefined {
  return schema === undefined || typeof schema === "string" ? undefined : knownNamesOf(schema);
}

function namesIn(schema: z.ZodType | string | undefined): string[] {
  return [...namesOf(schema)?.members.keys() ?? []];
}

/** The present answer of a GET. */
export interface ReadNow {
  readonly value: unknown;
  /** The names of its answer. */
  readonly names: KnownNames | undefined;
  /** Its entity tag, with the quotes. */
  readonly etag: string | undefined;
}

/**
 * Members that a thing's own GET shows and that can't be set may be sent back as they were read.
 * Throws `invalid_input` for one that is none of those, or is another value by now;
 * `precondition_failed` instead of the latter where `ifMatch`, the header, names another state than
 * this.
 */
function requireAsRead(
  unknown: readonly UnknownMember[],
  now: ReadNow,
  { ifMatch, parameters }: { ifMatch: string | null; parameters: readonly string[] },
): void {
  const strange: UnknownMember[] = [];
  const changed: UnknownMember[] = [];
  for (const member of unknown) {
    const view = valueAt(pathOf(member), now);
    if (!view) strange.push(member);
    else if (!isSame(member.value, view.value)) changed.push(member);
  }
  if (strange.length > 0) throw refusalOf(strange, (member) => sayMember(member, parameters));
  if (changed.length === 0) return;
  if (ifMatch !== null && ifMatch.trim() !== "*" && !namesTag(ifMatch, now.etag)) {
    throw new Failure("precondition_failed");
  }
  throw refusalOf(changed, sayChanged);
}

function sayChanged(member: UnknownMember): string {
  return `${placeOf(member)}: can't be set here; leave it out, or as it is read`;
}

function namesTag(ifMatch: string, etag: string | undefined): boolean {
  return etag === undefined || ifMatch.split(",").some((tag) => tag.trim() === etag);
}

/** The answer's value at a path; undefined if it has no such member. */
function valueAt(
  path: readonly (string | number)[],
  { value, names }: ReadNow,
): { value: unknown } | undefined {
  let [at, known]: [unknown, KnownNames | undefined] = [value, names];
  for (const [n, name] of path.entries()) {
    const isListed = typeof name === "string" && known?.members.has(name);
    if (n === path.length - 1 && !isListed) return undefined;
    known = isListed ? known?.members.get(name) : known?.inside;
    // as: only objects and arrays have members.
    at = Object.hasOwn(Object(at), name) ? (at as Record<string | number, unknown>)[name] : null;
  }
  return { value: at };
}

/** Whether two JSON values are the same; a member that is null counts as absent. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return (a ?? null) === (b ?? null);
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length &&
      a.every((item, n) => isSame(item, b[n]));
  }
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  const own = (object: object, name: string): unknown =>
    Object.hasOwn(object, name) ? Object.getOwnPropertyDescriptor(object, name)?.value : null;
  return [...names].every((name) => isSame(own(a, name), own(b, name)));
}
