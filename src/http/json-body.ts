import { Failure } from "../kernel/failure.ts";
import { LONGEST_EXPLAINED } from "../kernel/input-limits.ts";

/** JSON nested deeper than this is refused. */
const MAX_DEPTH = 32;
/** An object or array with more members than this is refused. */
const MAX_MEMBERS = 1000;
/**
 * A body that holds this many times as many values is refused: each can cost far more to judge than
 * its one byte to send.
 */
const VALUES_A_MEMBER = 50;

/** Whether members that are `null` go, since they count as absent. */
type Nulls = "drop nulls" | "keep nulls";

/**
 * Parses a body as JSON, whatever its Content-Type says. A member that is `null` counts as absent
 * and is gone unless nulls are to be kept, and so are names that reach into an object's prototype.
 * Throws `malformed_body`, with the position of the error where the body is not too long to look
 * for it, or `invalid_input` for what JSON allows and the interface does not: NUL, lone surrogates,
 * numbers out of range, too deep, too many. The error's length never grows with the names in the
 * body. `look` sees the value before anything is taken out of it or judged, and the text that it
 * was. `most`: members of an object or array.
 */
export function parseJsonBody(
  bytes: Uint8Array,
  nulls: Nulls = "drop nulls",
  look?: (value: unknown, text: string) => void,
  most = MAX_MEMBERS,
): unknown {
  const text = decodeUtf8(bytes);
  // Building a million levels costs many times what sending them does. In a short body they are
  // named by their place.
  if (text.length > LONGEST_EXPLAINED && isNestedDeeper(text, MAX_DEPTH)) throw tooDeep();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed(text);
  }
  look?.(value, text);
  const problems: string[] = [];
  // Only an escape can bring in NUL or half a surrogate pair, so most bodies need no look at each
  // text.
  const suspicious = text.includes("\\u");
  const budget = { values: most * VALUES_A_MEMBER, nulls, most };
  clean(value, "", 1, suspicious, problems, budget);
  if (budget.values < 0) {
    problems.unshift(`body: expected at most ${most * VALUES_A_MEMBER} values`);
  }
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
        problems.push(`${quotedPath(path)}: expected a number that JSON can give back`);
      }
      return;
    case "object":
      if (value === null) return;
      if (depth > MAX_DEPTH) {
        problems.push(`${quotedPath(path)}: nested deeper than ${MAX_DEPTH} levels`);
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
  readonly most: number;
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
  if (items.length > budget.most) {
    problems.push(`${quotedPath(path)}: expected at most ${budget.most} items`);
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
  if (names.length > budget.most) {
    problems.push(`${quotedPath(path)}: expected at most ${budget.most} members`);
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
function quotedPath(path: string): string {
  return path === "" ? "body" : path.slice(0, LONGEST_PATH).toWellFormed();
}

function checkText(text: string, path: string, problems: string[]): void {
  if (text.includes("\0")) problems.push(`${quotedPath(path)}: must not hold NUL`);
  else if (!text.isWellFormed()) {
    problems.push(`${quotedPath(path)}: must not hold half a surrogate pair`);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether arrays and objects stand deeper in each other than `levels` in a text, which need be no
 * JSON. It makes nothing, so that it costs far less than building them only to refuse them.
 */
export function isNestedDeeper(text: string, levels: number): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) {
      inText = true;
    } else if ((code | 0x20) === 0x7b) {
      // `[` and `{` differ in one bit, as `]` and `}` do.
      if (++depth > levels) return true;
    } else if ((code | 0x20) === 0x7d) {
      depth--;
    }
  }
  return false;
}

/** A place in a text, both counted from 1. */
interface Place {
  line: number;
  column: number;
}

/**
 * The position at which a text stops being the beginning of any JSON text (RFC 8259): at the first
 * character that none could have there, at the first of a word that is none of JSON's, or at its
 * end. Call it with a text that JSON.parse refuses. Its cost is linear in the text.
 */
export function jsonErrorPlace(text: string): Place {
  const before = text.slice(0, errorAt(text));
  const lines = before.split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

/**
 * The expected next part: a value, a value or `]`, a name or `}`, a name, `:`, `,` or end, nothing.
 */
type Wanted = "value" | "first item" | "first name" | "name" | "colon" | "more" | "end";

const BLANKS = /[\t\n\r ]*/y;
/**
 * As much of a text as is well formed, its closing quote excepted; then as much as could become an
 * escape.
 */
// deno-lint-ignore no-control-regex -- JSON allows none inside a text
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*/y;
const ESCAPE_BEGUN = /(?:\\(?:u[0-9A-Fa-f]{0,3})?)?/y;
/** As much as could become a number, and what is one. */
const NUMBER_BEGUN = /-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" };

function errorAt(text: string): number {
  const open: string[] = [];
  let wanted: Wanted = "value";
  for (let at = 0;;) {
    at = endOf(BLANKS, text, at);
    const next = text.charAt(at);
    const isValue: boolean = wanted === "value" || wanted === "first item";
    if (isValue && (next === "[" || next === "{")) {
      open.push(next);
      wanted = next === "[" ? "first item" : "first name";
      at++;
    } else if (closes(next, open.at(-1), wanted)) {
      open.pop();
      wanted = open.length === 0 ? "end" : "more";
      at++;
    } else if (next === "," && wanted === "more") {
      wanted = open.at(-1) === "[" ? "value" : "name";
      at++;
    } else if (next === ":" && wanted === "colon") {
      wanted = "value";
      at++;
    } else if (isValue || (next === '"' && (wanted === "name" || wanted === "first name"))) {
      const { end, isWhole }: Scalar = scalar(text, at, next);
      if (!isWhole) return end;
      at = end;
      wanted = !isValue ? "colon" : open.length === 0 ? "end" : "more";
    } else {
      return at;
    }
  }
}

function closes(next: string, open: string | undefined, wanted: Wanted): boolean {
  return next === "]"
    ? open === "[" && (wanted === "more" || wanted === "first item")
    : next === "}" && open === "{" && (wanted === "more" || wanted === "first name");
}

/** How far a text, a number or a word reaches, and whether it is whole. */
interface Scalar {
  end: number;
  isWhole: boolean;
}

function scalar(text: string, at: number, first: string): Scalar {
  if (first === '"') {
    const end = endOf(STRING, text, at);
    return text.charAt(end) === '"'
      ? { end: end + 1, isWhole: true }
      : { end: endOf(ESCAPE_BEGUN, text, end), isWhole: false };
  }
  const word = WORDS[first];
  if (word !== undefined) {
    const isWhole = text.startsWith(word, at);
    return { end: isWhole ? at + word.length : at, isWhole };
  }
  const end = endOf(NUMBER_BEGUN, text, at);
  return { end, isWhole: NUMBER.test(text.slice(at, end)) };
}

/** The end of a sticky pattern that begins here; it matches everywhere, if only nothing. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A body as text. Throws `malformed_body` for what is no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Failure("malformed_body", { details: ["body: is not valid UTF-8"] });
  }
}
