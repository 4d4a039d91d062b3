/**
 * What the launcher has of every command. Its help, in pieces that are laid out to the width of a
 * terminal: dist/help.json, by the words of the command. A piece is a text as it stands, `[text]`,
 * a paragraph, or `[term, width of the terms, meaning]`. With `--pages` also what it may touch,
 * bin/verbs.json, and the table of docs/command-line.md.
 */
import { utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { createProgram } from "../src/cli/program.ts";
import { touchLines } from "../src/cli/touched.ts";
import { betweenMarks } from "./reference-pages.ts";
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

/** The guide to a command, as a link of docs/command-line.md. */
const GUIDES: Readonly<Record<string, string>> = {
  access: "signing-in.md#temporary-access-break-glass",
  alerts: "alerts.md",
  audit: "audit-log.md",
  backup: "operating.md#backup",
  certs: "certificates.md",
  channels: "webhooks.md",
  check: "operating.md#damage",
  completion: "#completion",
  delegation: "v1.md#approval-policies",
  doctor: "#doctor",
  "export tyk": "migration.md#the-way-back",
  gateways: "gateways.md",
  import: "migration.md",
  jobs: "v1.md#jobs",
  keys: "keys.md",
  leaks: "leaks.md",
  logs: "usage.md#single-denied-calls",
  "move-store": "postgresql.md",
  policies: "v1.md#approval-policies",
  providers: "signing-in.md#the-companys-identity-provider",
  roles: "signing-in.md#roles",
  upgrade: "upgrading.md",
};

/** `docs/command-line.md` with the table of commands between its marks. Throws without these. */
export async function commandLinePage(page: string): Promise<string> {
  const rows = (await createProgram()).commands.flatMap((command) => {
    const name = command.name();
    if (doesItself(command)) {
      const below = command.commands.map((one) => rowOf(`${name} ${one.name()}`, one));
      return [rowOf(name, command), ...below];
    }
    const [first = "", ...others] = verbsOf(command).map((verb) => `\`${verb}\``);
    return [rowOf(name, command, [`\`keydesk ${name} ${first.slice(1)}`, ...others].join(", "))];
  });
  return betweenMarks(page, "commands", ["| Command | Does |", "|---|---|", ...rows].join("\n"));
}

/** A line of the table: the words of a command, and its description with its page. */
function rowOf(name: string, command: Command, words = `\`keydesk ${name}\``): string {
  const guide = GUIDES[name];
  const does = command.description();
  return `| ${words} | ${guide === undefined ? does : `[${does}](${guide})`} |`;
}

/** The words of each command below a command, which take what they do. */
function verbsOf(command: Command, path: readonly string[] = []): string[] {
  return command.commands.flatMap((below) => {
    const words = [...path, below.name()];
    return [...doesItself(below) ? [words.join(" ")] : [], ...verbsOf(below, words)];
  });
}

/** Whether a command does something, beside those below it. */
function doesItself(command: Command): boolean {
  return command.commands.length === 0 || command.registeredArguments.length > 0;
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
    const page = join(root, "docs/command-line.md");
    writeWhole(page, await commandLinePage(Deno.readTextFileSync(page)));
  }
  writeWhole(file, await helpFileText());
  // Not the end of it: what is changed meanwhile is newer.
  utimesSync(file, began, began);
}
