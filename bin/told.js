// What the launcher tells itself, without starting Deno: the version, and the help of each command,
// as the program would. The help is in dist/help.json, which tools/help-file.ts makes of the
// program's own commands.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * The text that answers these words on an output of so many columns. Undefined where the program
 * has to: for all other words, and where a clone has changed since its help was written down.
 */
export function told(words, columns, packageDir) {
  if (words.length === 1 && VERSION.includes(words[0])) {
    return `${JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")).version}\n`;
  }
  const path = pathOfHelp(words);
  if (path === undefined || columns === undefined) return undefined;
  const pieces = helpOf(packageDir)?.get(path.join(" "));
  return pieces?.map((piece) => typeof piece === "string" ? piece : laidOut(piece, columns)).join(
    "",
  );
}

const VERSION = ["version", "--version", "-V"];

/** The words of the command whose help is asked for. */
function pathOfHelp(words) {
  if (["--help", "-h"].includes(words.at(-1))) return words.slice(0, -1);
  return words[0] === "help" ? words.slice(1) : undefined;
}

/** The pieces of each help by the words of its command. Undefined where none is there or as new. */
export function helpOf(packageDir) {
  const file = join(packageDir, "dist", "help.json");
  try {
    const text = readFileSync(file, "utf8");
    return isOlder(file, packageDir) ? undefined : new Map(Object.entries(JSON.parse(text)));
  } catch {
    return undefined;
  }
}

/** In a clone any file may hold a word of it; a package comes whole. */
function isOlder(file, packageDir) {
  const { mtimeMs } = statSync(file);
  const changed = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs > mtimeMs;
  const changedBelow = (folder) =>
    changed(folder) || readdirSync(folder, { withFileTypes: true }).some((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? changedBelow(path) : changed(path);
    });
  const src = join(packageDir, "src");
  return statSync(src, { throwIfNoEntry: false }) !== undefined &&
    (changed(join(packageDir, "package.json")) || changedBelow(src));
}

/**
 * A paragraph, or a row of a term and what it means, in so many columns: as the program's parser
 * breaks lines.
 */
function laidOut(piece, columns) {
  if (piece.length === 1) return wrapped(piece[0], columns);
  const [term, termWidth, description] = piece;
  if (!description) return `  ${term}`;
  const indent = termWidth + 4;
  const width = columns - indent;
  const text = width < LEAST_WIDTH || /\n[^\S\r\n]/.test(description)
    ? description.replaceAll("\n", "\n  ")
    : wrapped(description, width).replaceAll("\n", `\n${" ".repeat(indent)}`);
  return `  ${term.padEnd(termWidth)}  ${text}`;
}

/** Narrower ones break nowhere. */
const LEAST_WIDTH = 40;

function wrapped(text, width) {
  if (width < LEAST_WIDTH) return text;
  return text.split(/\r\n|\n/).flatMap((line) => {
    const lines = [""];
    for (const word of line.match(/\s*\S+/g) ?? []) {
      const isFirst = lines.length === 1 && lines[0] === "";
      if (isFirst || lines.at(-1).length + word.length <= width) lines.push(lines.pop() + word);
      else lines.push(word.trimStart());
    }
    return lines;
  }).join("\n");
}
