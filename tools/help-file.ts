/**
 * What the launcher has of every command. Its help, in pieces that are laid out to the width of a
 * terminal: dist/help.json, by the words of the command. A piece is a text as it stands, `[text]`,
 * a paragraph, or `[term, width of the terms, meaning]`. With `--pages` also what it may touch:
 * bin/verbs.json.
 */
import { utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { createProgram } from "../src/cli/program.ts";
import { touchLines } from "../src/cli/touched.ts";
import { writeWhole } from "./whole-file.ts";

/** A part of a help text. */
export type HelpPiece = string | readonly [string] | readonly [string, number, string];

/** The text of dist/help.json. */
export async function helpFileText(): Promise<string> {
  return `${JSON.stringify(Object.fromEntries(helpsOf(await createProgram(), [])))}\n`;
}

/** The text of bin/verbs.json. */
export async function verbsFileText(): Promise<string> {
  return `${JSON.stringify(touchLines(await createProgram()), null, 2)}\n`;
}

/** The help of a command and of those below it, by their words. */
export function helpsOf(command: Command, path: readonly string[]): [string, HelpPiece[]][] {
  return [
    [path.join(" "), piecesOf(command)],
    ...command.commands.flatMap((below) => helpsOf(below, [...path, below.name()])),
  ];
}

/** As the parser puts them together, before it breaks lines. */
function piecesOf(command: Command): HelpPiece[] {
  const said: string[] = [];
  const marked = (...piece: unknown[]) => `${MARK}${JSON.stringify(piece)}${MARK}`;
  command.configureOutput({ writeOut: (text) => void said.push(text.replace(/\n$/, ""), "\n") });
  command.configureHelp({
    ...command.configureHelp(),
    boxWrap: (text) => marked(text),
    formatItem: (term, width, meaning) => marked(term, width, meaning),
  });
  command.outputHelp();
  return said.join("").split(MARK).map((text, i) => i % 2 === 0 ? text : JSON.parse(text));
}

/** Stands around pieces; JSON and texts for people hold none. */
const MARK = "\0";

if (import.meta.main) {
  const began = new Date();
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const file = join(root, "dist/help.json");
  if (Deno.args.includes("--pages")) {
    writeWhole(join(root, "bin/verbs.json"), await verbsFileText());
  }
  writeWhole(file, await helpFileText());
  // Not the end of it: what is changed meanwhile is newer.
  utimesSync(file, began, began);
}
