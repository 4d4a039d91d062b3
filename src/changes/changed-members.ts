import type { Known } from "./known-members.ts";

/**
 * The difference between two states of something, as the audit log keeps it: the changed members
 * alone.
 */
export type ChangedMembers = {
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  /** True where more changed than is kept. */
  shortened?: true;
};

/** Characters that a single value may have, and all values of a change together. */
const VALUE_LENGTH = 500;
const TOTAL_LENGTH = 16_000;
/** The size of a member beside its name and value: quotation marks, colon, comma. */
const MARKS = 4;

/** Members whose text is no one's business: clients may send members of their own. */
const SECRET_NAME =
  /secret|password|passphrase|passwd|pwd|token|credential|authori[sz]ation|hmac|bearer|cookie|(^|[_-])(pass|jwt)$|^private$|(^|[_-])(access|api|encryption|licen[cs]e|private|shared|signing|sso)[_-]?key$/i;

/** The user info between the scheme of a URL and its host. */
const USER_INFO = /(:\/\/)[^/\s?#]*@/g;

const HIDDEN = "(hidden)";

/**
 * The members that differ, nested as they are; one that is absent on one side is on the other side
 * alone. Values are small: long ones end in "…", and beyond some thousand characters the rest is
 * left out, which `shortened` says. A member with the name of a secret reads "(hidden)", as does
 * the user of a URL. Members that `known` does not list have their names alone, with "(changed)".
 */
export function changedMembers(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  known: Known = everything,
): ChangedMembers {
  const budget: Budget = { left: TOTAL_LENGTH, shortened: false };
  const changed = difference(before, after, known, budget);
  const { shortened } = budget;
  return { before: changed.before, after: changed.after, ...shortened ? { shortened } : {} };
}

function everything(): true {
  return true;
}

interface Budget {
  left: number;
  shortened: boolean;
}

type Members = Readonly<Record<string, unknown>>;

function difference(before: Members, after: Members, known: Known, budget: Budget) {
  const was: [string, unknown][] = [];
  const is: [string, unknown][] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [memberOf(before, name), memberOf(after, name)];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    const inner = known(name);
    if (inner && isNested(old, now) && !SECRET_NAME.test(name)) {
      if (!spend(budget, name.length + MARKS)) continue;
      const nested = difference(membersOf(old), membersOf(now), innerOf(inner), budget);
      if (Object.keys(nested.before).length > 0) was.push([name, nested.before]);
      if (Object.keys(nested.after).length > 0) is.push([name, nested.after]);
      continue;
    }
    if (old !== undefined) keep(was, name, loggedAs(name, old, inner), budget);
    if (now !== undefined) keep(is, name, loggedAs(name, now, inner), budget);
  }
  // Made of entries: a member called __proto__ is a member like others here.
  return { before: Object.fromEntries(was), after: Object.fromEntries(is) };
}

function keep(members: [string, unknown][], name: string, value: unknown, budget: Budget): void {
  const kept = shortened(value);
  if (spend(budget, name.length + MARKS + JSON.stringify(kept).length)) members.push([name, kept]);
}

/** Takes this much of what is left. False where it is not: what is smaller may still fit. */
function spend(budget: Budget, length: number): boolean {
  const fits = length <= budget.left;
  if (fits) budget.left -= length;
  else budget.shortened = true;
  return fits;
}

/** The value where it is small, else the beginning of its text. */
function shortened(value: unknown): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= VALUE_LENGTH) return value;
  const start = text.slice(0, VALUE_LENGTH);
  // Half a character is none.
  return `${start.isWellFormed() ? start : start.slice(0, -1)}…`;
}

/**
 * A member's value without what looks like a secret, in it too. A switch or a number is none,
 * whatever its name.
 */
function loggedAs(name: string, value: unknown, known: Known | true | undefined): unknown {
  if (known === undefined) return "(changed)";
  const isSwitch = typeof value === "boolean" || typeof value === "number";
  if (SECRET_NAME.test(name) && !isSwitch) return HIDDEN;
  if (typeof value === "string") return value.replaceAll(USER_INFO, `$1${HIDDEN}@`);
  if (Array.isArray(value)) return value.map((one) => loggedAs("", one, known));
  if (!isMembers(value)) return value;
  // As headers are often written: { "name": "X-Api-Key", "value": … }.
  const isSecret = typeof value.name === "string" && SECRET_NAME.test(value.name);
  const members = Object.entries(value).map(([inner, one]) => {
    const isValue = isSecret && inner.toLowerCase() === "value";
    return [inner, isValue ? HIDDEN : loggedAs(inner, one, innerOf(known)(inner))];
  });
  return Object.fromEntries(members);
}

function innerOf(known: Known | true): Known {
  return known === true ? everything : known;
}

/**
 * True where both have members, or one has some that the other lacks as a whole: each of them is a
 * change then.
 */
function isNested(old: unknown, now: unknown): boolean {
  if (isMembers(old) && isMembers(now)) return true;
  if (old !== undefined && now !== undefined) return false;
  return Object.keys(membersOf(old ?? now)).length > 0;
}

function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

function memberOf(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
