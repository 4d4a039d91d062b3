import { Failure } from "../kernel/failure.ts";
import type { KnownNames } from "./known-names.ts";
import { pathOf, placeOf, refusalOf, sayMember, type UnknownMember } from "./unknown-names.ts";

/** What the GET of a thing says of it at this moment. */
export interface ReadNow {
  readonly value: unknown;
  /** The names of its answer. */
  readonly names: KnownNames | undefined;
  /** Its entity tag, with the quotes. */
  readonly etag: string | undefined;
}

/**
 * Members that a thing's own GET shows and that can't be set may be sent back as they were read. Throws `invalid_input`
 * for one that is none of those, or is another value by now; `precondition_failed` instead of the latter where `ifMatch`,
 * the header, names another state than this.
 */
export function requireAsRead(
  unknown: readonly UnknownMember[],
  now: ReadNow,
  { ifMatch, parameters }: { ifMatch: string | null; parameters: readonly string[] },
): void {
  const strange: UnknownMember[] = [];
  const changed: UnknownMember[] = [];
  for (const member of unknown) {
    const shown = shownAt(pathOf(member), now);
    if (!shown) strange.push(member);
    else if (!isSame(member.value, shown.value)) changed.push(member);
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

/** What is shown at a place; undefined where the answer has no such member. */
function shownAt(
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
export function isSame(a: unknown, b: unknown): boolean {
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
