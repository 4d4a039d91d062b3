import type { z } from "zod";
import { type Endpoint, refusesUnlisted } from "../contract/endpoint.ts";
import { isSame, type ReadNow, requireAsRead } from "./as-read.ts";
import { type KnownNames, knownNamesOf } from "./known-names.ts";
import { queryOf } from "./query.ts";
import {
  nameOf,
  pathOf,
  refusalOf,
  sayMember,
  sayParameter,
  sayTwice,
  type UnknownMember,
  unknownMembersIn,
} from "./unknown-names.ts";

/** What becomes of names that an endpoint does not list. */
export interface Unlisted {
  /** What the GET of the same path says now; it gives undefined where the caller may not read that. */
  readonly readNow?: (() => Promise<ReadNow | undefined>) | undefined;
  /** Given where they are dropped, as once: hears of them. */
  readonly note?: ((names: readonly string[]) => void) | undefined;
}

/**
 * The parameters of a call's query by their names. Throws `invalid_input` for one that the endpoint does not list, or
 * that stands twice, wherever such are refused.
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
 * What has to be done about such members before the body is parsed. Throws `invalid_input`, and what `requireAsRead`
 * throws.
 */
export function judgeMembers(
  endpoint: Endpoint,
  { value, unknown, ifMatch }: {
    value: unknown;
    unknown: readonly UnknownMember[];
    ifMatch: string | null;
  },
  { readNow, note }: Unlisted,
): undefined | Promise<void> {
  if (unknown.length === 0) return undefined;
  if (note) {
    note(unknown.map(nameOf));
    return undefined;
  }
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

/** Takes members out, in place, that are as the GET shows them, where that has another form than what is set. */
function leaveOutAsRead({ shownOtherwise = [] }: Endpoint, value: unknown, now: ReadNow): void {
  // as: both are objects, since one has members and the other shows them.
  const [sent, shown] = [value, now.value] as Record<string, unknown>[];
  for (const name of shownOtherwise) {
    if (isSame(sent?.[name], shown?.[name])) delete sent?.[name];
  }
}

const NO_MEMBERS: KnownNames = { members: new Map(), isOpen: false, inside: undefined };

function namesOf(schema: z.ZodType | string | undefined): KnownNames | undefined {
  return schema === undefined || typeof schema === "string" ? undefined : knownNamesOf(schema);
}

function namesIn(schema: z.ZodType | string | undefined): string[] {
  return [...namesOf(schema)?.members.keys() ?? []];
}
