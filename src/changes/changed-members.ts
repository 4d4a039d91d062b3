/** What differs between two states of something, as the audit trail keeps it: the members alone that changed. */
export type ChangedMembers = {
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  /** True where more changed than is kept. */
  shortened?: true;
};

/** Characters that a single value may have, and all values of a change together. */
const VALUE_LENGTH = 500;
const TOTAL_LENGTH = 16_000;
/** What a member costs beside its name and value: quotation marks, colon, comma. */
const MARKS = 4;

/** Members whose text is nobody's business, whoever put it there: clients may send members of their own. */
const SECRET_NAME =
  /secret|password|passphrase|token|credential|(^|_)(api|private|sso|signing)_?key$/i;

/**
 * The members that differ, nested as they are; one that is absent on one side stands on the other side alone. Values
 * are small: long ones end in "…", and beyond some thousand characters the rest is left out, which `shortened` says.
 * What looks like a secret by its name reads "(hidden)".
 */
export function changedMembers(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ChangedMembers {
  const budget: Budget = { left: TOTAL_LENGTH, shortened: false };
  const changed = difference(before, after, budget);
  const { shortened } = budget;
  return { before: changed.before, after: changed.after, ...shortened ? { shortened } : {} };
}

interface Budget {
  left: number;
  shortened: boolean;
}

type Members = Readonly<Record<string, unknown>>;

function difference(before: Members, after: Members, budget: Budget) {
  const was: [string, unknown][] = [];
  const is: [string, unknown][] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [memberOf(before, name), memberOf(after, name)];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    if (isNested(old, now) && !SECRET_NAME.test(name)) {
      if (!spend(budget, name.length + MARKS)) continue;
      const nested = difference(membersOf(old), membersOf(now), budget);
      if (Object.keys(nested.before).length > 0) was.push([name, nested.before]);
      if (Object.keys(nested.after).length > 0) is.push([name, nested.after]);
      continue;
    }
    if (old !== undefined) keep(was, name, old, budget);
    if (now !== undefined) keep(is, name, now, budget);
  }
  // Made of entries: a member called __proto__ is a member like others here.
  return { before: Object.fromEntries(was), after: Object.fromEntries(is) };
}

function keep(members: [string, unknown][], name: string, value: unknown, budget: Budget): void {
  const kept = shortened(shownAs(name, value));
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

/** A member's value without what looks like a secret, in it too. A switch or a number is none, whatever its name. */
function shownAs(name: string, value: unknown): unknown {
  const isSwitch = typeof value === "boolean" || typeof value === "number";
  if (SECRET_NAME.test(name) && !isSwitch) return "(hidden)";
  if (Array.isArray(value)) return value.map((one) => shownAs("", one));
  if (!isMembers(value)) return value;
  const members = Object.entries(value).map(([inner, one]) => [inner, shownAs(inner, one)]);
  return Object.fromEntries(members);
}

/** True where both have members, or one has some that the other lacks as a whole: each of them is a change then. */
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
