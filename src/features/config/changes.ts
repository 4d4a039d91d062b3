import { Failure } from "../../kernel/failure.ts";
import type { Declared } from "./declaration.ts";
import type { At, Kind, Members, Present } from "./kind.ts";
import { hasReference } from "./references.ts";

/** A change of one thing, as a declaration wants it. */
export interface WantedChange {
  readonly kind: Kind;
  readonly key: string;
  readonly action: "create" | "update" | "delete";
  /** As it is; undefined: it is not there. */
  readonly present?: Present;
  /** The members that change, and all of them afterwards; none of what is deleted. */
  readonly changed: Members;
  readonly after: Members;
  /** The changed members as they were written, with references in the place of secrets. */
  readonly written: Members;
  /** Everything that was written of it, and its place in its list; absent of what is deleted. */
  readonly all?: Members;
  readonly index?: number;
}

/** A declared thing and the one that it means. */
export interface Matched {
  readonly declared: Declared;
  readonly key: string;
  /** Undefined: there is none yet. */
  readonly present: Present | undefined;
}

/**
 * Which present thing each declared one means. `present`: everything of every kind. Throws
 * `invalid_input` where two declared ones mean the same.
 */
export function matched(
  at: At,
  declared: readonly Declared[],
  present: ReadonlyMap<Kind, ReadonlyMap<string, Present>>,
): Matched[] {
  const taken = new Map<Kind, Map<string, number>>();
  return declared.map((one) => {
    const { kind, members } = one;
    const things = present.get(kind) ?? new Map<string, Present>();
    const counts = taken.get(kind) ?? new Map<string, number>();
    taken.set(kind, counts);
    const bare = kind.keyOf(members, things, at.names);
    const before = counts.get(bare) ?? 0;
    counts.set(bare, before + 1);
    if (before > 0 && !kind.maySame) {
      const message = `${kind.name}: ${labelOf(kind, members)} is declared twice`;
      throw new Failure("invalid_input", { message, details: [message] });
    }
    const key = numbered(bare, before);
    const there = things.get(key);
    if (there || !kind.foresee) return { declared: one, key, present: there };
    return { declared: one, key: kind.foresee(at, members), present: undefined };
  });
}

/** The things of a kind by their keys; several with one key are numbered in their order. */
export function byKey(things: readonly Present[]): Map<string, Present> {
  const counts = new Map<string, number>();
  return new Map(things.map((one) => {
    const before = counts.get(one.key) ?? 0;
    counts.set(one.key, before + 1);
    return [numbered(one.key, before), one];
  }));
}

function numbered(key: string, before: number): string {
  return before === 0 ? key : `${key}\n${before + 1}`;
}

/** How people call a thing: by the members that name it. */
export function labelOf({ name, needs = [] }: Kind, members: Members): string {
  const label = members.name ?? (needs.length > 0 ? members[needs[0] ?? ""] : name);
  return String(label ?? name);
}

/**
 * The change that one matched declaration wants; undefined: none. Throws `invalid_input` for
 * members that can't change, and for a thing that no file can make.
 */
export function changeOf({ declared, key, present }: Matched): WantedChange | undefined {
  const { kind, members, written, index } = declared;
  if (!present) return creation(declared, key);
  const different = Object.keys(members).filter((name) =>
    members[name] !== undefined && !kind.givenOnce?.includes(name) &&
    !isSame(kind, name, members[name], valueOf(present, kind, name))
  );
  if (different.length === 0) return undefined;
  const stuck = different.find((name) => kind.fixed?.includes(name));
  if (stuck !== undefined) {
    const message = `${kind.name}: ${labelOf(kind, members)}: ${stuck} can't be changed`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
  const changed = Object.fromEntries(different.map((name) => [name, members[name]]));
  // A secret goes along unchanged: another address takes it anew.
  const secrets = (kind.secrets ?? []).filter((name) => members[name] !== undefined)
    .map((name) => [name, members[name]]);
  return {
    kind,
    key,
    action: "update",
    present,
    changed,
    after: { ...present.members, ...Object.fromEntries(secrets), ...changed },
    written: Object.fromEntries(different.map((name) => [name, written[name]])),
    all: written,
    index,
  };
}

function creation(
  { kind, members, written, index }: Declared,
  key: string,
): WantedChange | undefined {
  const after = Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  );
  const { usual } = kind;
  if (usual) {
    const isUsual = Object.keys(after).every((name) =>
      kind.needs?.includes(name) || isSame(kind, name, after[name], usual[name])
    );
    if (isUsual) return undefined;
  }
  if (!kind.create) {
    const message = `${kind.name}: there is no ${kind.noun} ${
      labelOf(kind, members)
    }, and no file can make one`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return {
    kind,
    key,
    action: "create",
    changed: after,
    after: { ...usual, ...after },
    written,
    all: written,
    index,
  };
}

/** The present value of a member, a secret among them. */
function valueOf({ members, secrets }: Present, kind: Kind, name: string): unknown {
  return kind.secrets?.includes(name) ? secrets?.[name] ?? "" : members[name];
}

/** Whether a declared value says what is there. */
function isSame(kind: Kind, name: string, declared: unknown, present: unknown): boolean {
  if (kind.partial?.includes(name)) return isPartOf(declared, present);
  const isSet = kind.sets?.includes(name);
  return textOf(isSet ? sorted(declared) : declared) === textOf(isSet ? sorted(present) : present);
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value.map(String))].sort() : value;
}

/** Whether an object, or a list of such, says nothing else than another one. */
function isPartOf(declared: unknown, present: unknown): boolean {
  if (!Array.isArray(declared)) return isPart(declared as Members, present as Members ?? {});
  return Array.isArray(present) && declared.length === present.length &&
    declared.every((one: Members, at) => isPart(one, present[at]));
}

function isPart(one: Members, there: Members): boolean {
  return Object.keys(one).every((name) =>
    one[name] === undefined || textOf(one[name]) === textOf(there[name])
  );
}

/** A value as text, the same for objects whose members have another order. */
export function textOf(value: unknown): string {
  return JSON.stringify(
    value,
    (_, one: unknown) =>
      typeof one === "object" && one !== null && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0))
        : one,
  ) ?? "";
}

/** A member before and after, as people see it: without the values of references. */
interface MemberChange {
  member: string;
  before?: unknown;
  after?: unknown;
}

/** Shown in the place of a secret. */
const HIDDEN = "(hidden)";

/** The members of a change. */
export function membersOf(
  { kind, action, present, changed, written }: WantedChange,
): MemberChange[] {
  if (action === "delete") return [];
  return Object.keys(changed).map((member) => {
    const isHidden = kind.secrets?.includes(member) || hasReference(written[member]);
    const after = isHidden ? written[member] : changed[member];
    if (!present) return { member, after };
    const before = isHidden ? HIDDEN : present.members[member];
    return { member, ...before === undefined ? {} : { before }, after };
  });
}
