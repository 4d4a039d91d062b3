import type { Personal } from "./personal.ts";

/**
 * The names of an event's things when it happens, so that people can read the audit log after they
 * are renamed or gone. A member is absent if the name is not at hand, or there is none.
 */
export interface EventNames {
  /** Of the thing itself: a plan's name, a key's mask, what a certificate is issued to. */
  object?: string | undefined;
  plan?: string | undefined;
  /** The developer's name, and their e-mail address. Both are personal. */
  developer?: string | undefined;
  email?: string | undefined;
}

/** The member of a detail that holds what is not personal of them. */
const NAMES = "names";
const DEVELOPER = `/${NAMES}/developer`;
const EMAIL = `/${NAMES}/email`;
/** Longer names are cut. */
const LENGTH = 200;

/** A detail with the names in it, and those that are personal. */
export function withNames(
  detail: Readonly<Record<string, unknown>>,
  personal: Personal | undefined,
  names: EventNames | undefined,
): { detail: Readonly<Record<string, unknown>>; personal: Personal | undefined } {
  if (names === undefined) return { detail, personal };
  const { object, plan, developer, email } = names;
  // Every change waits for this, so members are written out.
  let named = detail;
  if (object || plan) {
    const plain: Record<string, string> = {};
    if (object) plain.object = shortened(object);
    if (plan) plain.plan = shortened(plan);
    named = { ...detail, [NAMES]: plain };
  }
  if (!developer && !email) return { detail: named, personal };
  const apart: Record<string, string> = { ...personal };
  if (developer) apart[DEVELOPER] = shortened(developer);
  if (email) apart[EMAIL] = shortened(email);
  return { detail: named, personal: apart };
}

/** The names that stand in a detail as people read it, and the detail without them. */
export function splitNames(
  whole: Readonly<Record<string, unknown>>,
): { detail: Readonly<Record<string, unknown>>; names: EventNames } {
  const { [NAMES]: kept, ...detail } = whole;
  return typeof kept === "object" && kept !== null
    ? { detail, names: kept }
    : { detail: whole, names: {} };
}

/** The names of several plans as one. */
export function together(names: readonly (string | undefined)[]): string | undefined {
  const known = names.filter((name) => name !== undefined && name !== "");
  return known.length === 0 ? undefined : known.join(", ");
}

function shortened(text: string): string {
  return text.length <= LENGTH ? text : `${text.slice(0, LENGTH).toWellFormed()}…`;
}
