/** A place in a text, both counted from 1. */
export interface Place {
  line: number;
  column: number;
}

/**
 * Where a text stops being the beginning of any JSON text (RFC 8259): at the first character that none could have
 * there, at the first of a word that is none of JSON's, or at its end. Call it with what JSON.parse refuses. Its cost
 * is linear in the text.
 */
export function jsonErrorPlace(text: string): Place {
  const before = text.slice(0, errorAt(text));
  const lines = before.split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

/** What may come next: a value, a value or `]`, a name or `}`, a name, `:`, `,` or an end, nothing more. */
type Wanted = "value" | "first item" | "first name" | "name" | "colon" | "more" | "end";

const BLANKS = /[\t\n\r ]*/y;
/** As much of a text as is well formed, its closing quote excepted; then as much as could become an escape. */
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

/** Where a sticky pattern ends that begins here; it matches everywhere, if only nothing. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
