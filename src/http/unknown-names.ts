import { Failure } from "../kernel/failure.ts";
import { meantNames } from "../kernel/near-name.ts";
import type { KnownNames } from "./known-names.ts";

/** A member that the object which it stands in does not list. */
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
 * The members of a JSON value that nothing lists, in their order; those inside an unknown one are not looked at. A
 * body may hold a hundred thousand, so that nothing is made for each but what finds it again.
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

/** Where a member stands, `requests[0].revison`; a long name is cut. */
export function placeOf(member: UnknownMember): string {
  let text = "";
  for (const part of pathOf(member)) {
    text += typeof part === "number" ? `[${part}]` : `${text === "" ? "" : "."}${cut(part)}`;
  }
  return text;
}

/** What is said of an unknown member. `elsewhere`: the names of the query's parameters, where one may have been meant. */
export function sayMember(member: UnknownMember, elsewhere: readonly string[]): string {
  const name = nameOf(member);
  const hint = member.place.within === undefined && elsewhere.includes(name)
    ? "; it belongs in the query"
    : meant(name, [...member.listed.keys()]);
  return `unknown member ${quoted(placeOf(member))}${hint}`;
}

/** The same of an unknown parameter of the query. `elsewhere`: the names of the body's members. */
export function sayParameter(
  name: string,
  listed: readonly string[],
  elsewhere: readonly string[],
): string {
  const hint = elsewhere.includes(name) ? "; it belongs in the body" : meant(name, listed);
  return `unknown parameter ${quoted(cut(name))}${hint}`;
}

/** What is said of a parameter that stands twice. */
export function sayTwice(name: string): string {
  return `the parameter ${quoted(cut(name))} must not come more than once`;
}

/** So many listed names are told where none is near. */
const FEW = 3;

function meant(name: string, listed: readonly string[]): string {
  const near = meantNames(name, listed);
  if (near.length > 0) return `; did you mean ${near.map(quoted).join(" or ")}?`;
  return listed.length > 0 && listed.length <= FEW
    ? `; there is ${listed.map(quoted).join(" and ")}`
    : "";
}

/** No answer lists more than this. */
const MOST_TOLD = 20;

/** `invalid_input` with a sentence for each; `say` is asked for those alone that are told. */
export function refusalOf<T>(slips: readonly T[], say: (slip: T) => string): Failure {
  const told = slips.length > MOST_TOLD ? slips.slice(0, MOST_TOLD - 1) : slips;
  const details = told.map(say);
  if (slips.length > told.length) details.push(`and ${slips.length - told.length} more`);
  return new Failure("invalid_input", { message: details[0] ?? "", details });
}

const LONGEST_NAME = 60;

function cut(name: string): string {
  return name.length > LONGEST_NAME
    ? `${name.slice(0, LONGEST_NAME).toWellFormed()}…`
    : name.toWellFormed();
}

/** As JSON writes it, and with what nobody can see or what turns a line round as an escape. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`,
  );
}
