/**
 * What a run of tests costs in processor seconds, file by file, beside the last figures in
 * bench/suite.json. A run with `--figures` among its words writes them anew. What is dearer is
 * named and fails nothing.
 */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { COST_NOTES } from "./note-cost.ts";

const FIGURES = fileURLToPath(new URL("../bench/suite.json", import.meta.url));
const repository = fileURLToPath(new URL("..", import.meta.url));
const DEAREST = 10;

/** The last figures of a command: when they were taken, the whole, and each file's. */
interface Figures {
  readonly when: string;
  readonly sum: number;
  readonly files: Readonly<Record<string, number>>;
}

/** The costs of one run. */
export interface Costs {
  /** What `deno test` and its environment are given so that the files are noted. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /**
   * Tells what was noted: every file in CI, else the dearest. Writes the figures where that is
   * asked for.
   */
  tell(): Promise<void>;
}

/** Begins to note what the files of a command cost. */
export async function noteCosts(command: string, writes: boolean): Promise<Costs> {
  const notes = await Deno.makeTempFile({ prefix: "keydesk-costs-" });
  return {
    words: [`--preload=${fileURLToPath(new URL("./note-cost.ts", import.meta.url))}`],
    env: { [COST_NOTES]: notes },
    tell: async () => {
      const { files, sum } = costsOf(await Deno.readTextFile(notes));
      await Deno.remove(notes);
      if (files.size === 0) return;
      const all = readFigures();
      for (const line of linesOf(command, files, sum, all[command])) console.log(line);
      if (!writes) return;
      all[command] = figuresOf(files, sum, all[command]);
      await Deno.writeTextFile(FIGURES, `${JSON.stringify(all, null, 2)}\n`);
    },
  };
}

/**
 * Each file's part of what the notes tell: what its process took while it ran, shared with the
 * files that ran beside it in there. The sum is of whole processes, with what they did before and
 * after.
 */
export function costsOf(notes: string): { files: Map<string, number>; sum: number } {
  const files = new Map<string, number>();
  const processes = new Map<string, { before: number; running: Set<string> }>();
  for (const line of notes.trimEnd().split("\n").filter(Boolean)) {
    const [, id = "", what, seconds, path = ""] = /^(\d+) (\w+) (\S+) (.*)$/.exec(line) ?? [];
    const file = relative(repository, path);
    const one = processes.get(id) ?? { before: 0, running: new Set() };
    processes.set(id, one);
    const now = Number(seconds);
    for (const other of one.running) {
      files.set(other, (files.get(other) ?? 0) + (now - one.before) / one.running.size);
    }
    one.before = now;
    if (what === "begins") one.running.add(file);
    else one.running.delete(file);
  }
  // A module that gathers files has no time of its own.
  for (const file of files.keys()) if (file.startsWith(".tmp/")) files.delete(file);
  return { files, sum: [...processes.values()].reduce((sum, { before }) => sum + before, 0) };
}

/** What is told of a run. */
export function linesOf(
  command: string,
  files: ReadonlyMap<string, number>,
  sum: number,
  last: Figures | undefined,
  tellsAll = Deno.env.has("CI"),
): string[] {
  const dearest = [...files].toSorted(([, a], [, b]) => b - a);
  const lineOf = ([file, cost]: readonly [string, number]) => {
    const before = last?.files[file];
    const beside = before === undefined ? "" : `, ${before.toFixed(1)} before`;
    // Measured in ticks: of next to nothing a tick too many may be taken off.
    return `${Math.max(cost, 0).toFixed(1).padStart(8)} ${file}${beside}`;
  };
  const above = dearest.filter(([file, cost]) => cost > budgetOf(file, files, last));
  const of = last === undefined ? "no figures yet" : `${Math.round(last.sum)} on ${last.when}`;
  return [
    ...tellsAll ? ["Processor seconds of each file:", ...dearest.map(lineOf)] : [],
    "The dearest files, in processor seconds:",
    ...dearest.slice(0, DEAREST).map(lineOf),
    ...above.length === 0 || last === undefined ? [] : ["ABOVE BUDGET:", ...above.map(lineOf)],
    `${command}: ${Math.round(sum)} processor seconds in ${files.size} files; ${of}`,
  ];
}

/**
 * What a file may cost: half as much again as its last figure, and 5 seconds, which is all that a
 * new file has. On a slower machine as much more as the files that both runs know cost there.
 */
function budgetOf(
  file: string,
  files: ReadonlyMap<string, number>,
  last: Figures | undefined,
): number {
  const known = [...files].filter(([one]) => last?.files[one] !== undefined);
  const now = known.reduce((sum, [, cost]) => sum + cost, 0);
  const then = known.reduce((sum, [one]) => sum + (last?.files[one] ?? 0), 0);
  const slower = then > 0 ? Math.max(1, now / then) : 1;
  return ((last?.files[file] ?? 0) * 1.5 + 5) * slower;
}

/**
 * The new figures: of files that did not run the last ones stay, as long as there is such a file.
 */
function figuresOf(
  files: ReadonlyMap<string, number>,
  sum: number,
  last: Figures | undefined,
): Figures {
  const rounded = [...files].map(([file, cost]) => [file, Math.round(cost * 10) / 10] as const);
  const all = Object.entries({ ...last?.files, ...Object.fromEntries(rounded) })
    .filter(([file]) => existsSync(`${repository}/${file}`))
    .toSorted(([a], [b]) => a < b ? -1 : 1);
  const isWhole = all.length === files.size;
  const told = all.reduce((one, [, cost]) => one + cost, 0);
  return {
    when: new Date().toISOString().slice(0, 10),
    sum: Math.round(isWhole ? sum : told),
    files: Object.fromEntries(all),
  };
}

/** What each file of a command cost the last time, in processor seconds. */
export function lastCosts(command: string): Readonly<Record<string, number>> {
  return readFigures()[command]?.files ?? {};
}

function readFigures(): Record<string, Figures> {
  return existsSync(FIGURES) ? JSON.parse(Deno.readTextFileSync(FIGURES)) : {};
}
