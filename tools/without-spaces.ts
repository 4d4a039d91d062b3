/** Takes spaces out of a script. */
import { parseSync } from "rolldown/utils";

/**
 * The script without indentation and without spaces that its words do not need: the same words on
 * the same lines, so a stack names the same lines. Throws if the script can't be parsed.
 */
export function withoutSpaces(name: string, script: string): string {
  const { program, comments, errors: [error] } = parseSync(name, script, {
    sourceType: "commonjs",
  });
  if (error) throw new Error(`${name}: ${error.message}`);
  const parts: string[] = [];
  let at = 0;
  const addCode = (end: number) => {
    const dense = script.slice(at, end).replace(/[ \t]+/g, (spaces, offset) => {
      const [start, next] = [at + offset, at + offset + spaces.length];
      return areNeeded(script.slice(start - 1, start) + script.slice(next, next + 1)) ? " " : "";
    });
    parts.push(dense);
  };
  const kept = [...comments, ...textsIn(program)].sort((a, b) => a.start - b.start);
  for (const { start, end } of kept) {
    addCode(start);
    parts.push(script.slice(start, end));
    at = end;
  }
  addCode(script.length);
  return parts.join("");
}

/** A part of the script, by its offsets. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The strings, templates and regular expressions, whose spaces are their content. */
function* textsIn(node: unknown): Generator<Span> {
  if (typeof node !== "object" || node === null) return;
  if (isText(node)) yield node;
  else for (const part of Object.values(node)) yield* textsIn(part);
}

function isText(node: object): node is Span {
  const { type, value } = node as { type?: string; value?: unknown };
  if (type === "TemplateElement") return true;
  return type === "Literal" && (typeof value === "string" || "regex" in node);
}

/**
 * Whether spaces between these two characters are needed: between words, after a regular
 * expression, between a number and its point, and between signs that would become another one
 * (`+ +`, `/ /`, `< !--`, `-- >`).
 */
function areNeeded(beforeAndAfter: string): boolean {
  return /[\w$\\]{2}|\/[\w$]|\d\.|\+\+|--|\/\/|\/\*|<!|->|[^\0-\x7f]/.test(beforeAndAfter);
}
