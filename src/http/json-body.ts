import { Failure } from "../kernel/failure.ts";
import { LONGEST_EXPLAINED } from "../kernel/input-limits.ts";
import { isNestedDeeper } from "./json-depth.ts";
import { jsonErrorPlace } from "./json-error.ts";
import { decodeUtf8 } from "./utf8.ts";

/** JSON nested deeper than this is refused. */
const MAX_DEPTH = 32;
/** An object or array with more members than this is refused. */
const MAX_MEMBERS = 1000;
/** A body that holds more values than this is refused: each can cost far more to judge than its one byte to send. */
const MAX_VALUES = 50_000;

/** Whether members that are `null` go, since they count as absent. */
export type Nulls = "drop nulls" | "keep nulls";

/**
 * Parses a body as JSON, whatever its Content-Type says. A member that is `null` counts as absent and is gone unless
 * nulls are to be kept, and so are names that reach into an object's prototype. Throws `malformed_body`, with the position of the error
 * where the body is not too long to look for it, or `invalid_input` for what JSON allows and the interface does not:
 * NUL, lone surrogates, numbers out of range, too deep, too many. What it says never grows with the names in the body.
 * `look` sees the value before anything is taken out of it or judged.
 */
export function parseJsonBody(
  bytes: Uint8Array,
  nulls: Nulls = "drop nulls",
  look?: (value: unknown) => void,
): unknown {
  const text = decodeUtf8(bytes);
  // Building a million levels costs many times what sending them does. In a short body they are named by their place.
  if (text.length > LONGEST_EXPLAINED && isNestedDeeper(text, MAX_DEPTH)) throw tooDeep();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed(text);
  }
  look?.(value);
  const problems: string[] = [];
  // Only an escape can bring in NUL or half a surrogate pair, so most bodies need no look at each text.
  const suspicious = text.includes("\\u");
  const budget = { values: MAX_VALUES, nulls };
  clean(value, "", 1, suspicious, problems, budget);
  if (budget.values < 0) problems.unshift(`body: expected at most ${MAX_VALUES} values`);
  const [message] = problems;
  if (message !== undefined) throw new Failure("invalid_input", { message, details: problems });
  return value;
}

/** Positions only, never the text around them: a body can hold a password. */
function malformed(text: string): Failure {
  if (text.length > LONGEST_EXPLAINED) return new Failure("malformed_body");
  const { line, column } = jsonErrorPlace(text);
  const details = [`body: the error is at line ${line}, column ${column}`];
  return new Failure("malformed_body", { details });
}

function tooDeep(): Failure {
  const message = `body: nested deeper than ${MAX_DEPTH} levels`;
  return new Failure("invalid_input", { message, details: [message] });
}

function clean(
  value: unknown,
  path: string,
  depth: number,
  suspicious: boolean,
  problems: string[],
  budget: Budget,
): void {
  if (--budget.values < 0 || problems.length >= MAX_PROBLEMS) return;
  switch (typeof value) {
    case "string":
      if (suspicious) checkText(value, path, problems);
      return;
    case "number":
      // A whole number that a double can't tell from its neighbours would come back as another one.
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
        problems.push(`${shown(path)}: expected a number that JSON can give back`);
      }
      return;
    case "object":
      if (value === null) return;
      if (depth > MAX_DEPTH) {
        problems.push(`${shown(path)}: nested deeper than ${MAX_DEPTH} levels`);
        return;
      }
      if (Array.isArray(value)) cleanArray(value, path, depth, suspicious, problems, budget);
      // as: JSON.parse makes plain objects only.
      else cleanObject(value as Record<string, unknown>, path, depth, suspicious, problems, budget);
  }
}

interface Budget {
  /** How many values may still come. */
  values: number;
  readonly nulls: Nulls;
}

/** No answer lists more problems than this. */
const MAX_PROBLEMS = 20;
/** Nor does it name a member with more characters than this. */
const LONGEST_PATH = 200;

function cleanArray(
  items: unknown[],
  path: string,
  depth: number,
  suspicious: boolean,
  problems: string[],
  budget: Budget,
): void {
  if (items.length > MAX_MEMBERS) {
    problems.push(`${shown(path)}: expected at most ${MAX_MEMBERS} items`);
    return;
  }
  for (let i = 0; i < items.length; i++) {
    clean(items[i], `${path}[${i}]`, depth + 1, suspicious, problems, budget);
  }
}

function cleanObject(
  object: Record<string, unknown>,
  path: string,
  depth: number,
  suspicious: boolean,
  problems: string[],
  budget: Budget,
): void {
  const names = Object.keys(object);
  if (names.length > MAX_MEMBERS) {
    problems.push(`${shown(path)}: expected at most ${MAX_MEMBERS} members`);
    return;
  }
  for (const name of names) {
    const member = object[name];
    if (isPrototypeName(name) || (member === null && budget.nulls === "drop nulls")) {
      delete object[name];
      continue;
    }
    if (suspicious) checkText(name, path || "body", problems);
    if (typeof member !== "boolean") {
      const inner = path === "" ? name : `${path}.${name}`;
      clean(member, inner, depth + 1, suspicious, problems, budget);
    }
  }
}

function isPrototypeName(name: string): boolean {
  return name === "__proto__" || name === "constructor" || name === "prototype";
}

/** A path as an answer names it: a member's name can be as long as a body. */
function shown(path: string): string {
  return path === "" ? "body" : path.slice(0, LONGEST_PATH).toWellFormed();
}

function checkText(text: string, path: string, problems: string[]): void {
  if (text.includes("\0")) problems.push(`${shown(path)}: must not hold NUL`);
  else if (!text.isWellFormed()) {
    problems.push(`${shown(path)}: must not hold half a surrogate pair`);
  }
}
