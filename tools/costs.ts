/**
 * What a run of tests costs, file by file, beside the last figures in bench/suite.json, which are
 * its budget: a file that takes half as much processor time again fails the run. A run with
 * `--figures` among its words writes them anew.
 */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { COST_NOTES } from "./note-cost.ts";

const FIGURES = fileURLToPath(new URL("../bench/suite.json", import.meta.url));
const repository = fileURLToPath(new URL("..", import.meta.url));
const DEAREST = 10;

/** Of one file: seconds of the processor, and of the clock. */
export type Cost = readonly [processor: number, clock: number];

/** The last figures: when they were taken, the processor seconds of the whole, and each file's. */
interface Figures {
  readonly when: string;
  readonly sum: number;
  readonly files: Readonly<Record<string, Cost>>;
}

/** The costs of one run. */
export interface Costs {
  /** What `deno test` and its environment are given so that the files are noted. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /**
   * Tells what was noted: every file in CI, else the dearest. Writes the figures where that is
   * asked for. Gives the files that are above their budget.
   */
  tell(): Promise<string[]>;
}

/** Begins to note what the files of a run cost. */
export async function noteCosts(writes: boolean): Promise<Costs> {
  const notes = await Deno.makeTempFile({ prefix: "keydesk-costs-" });
  return {
    words: [`--preload=${fileURLToPath(new URL("./note-cost.ts", import.meta.url))}`],
    env: { [COST_NOTES]: notes },
    tell: async () => {
      const { files, sum } = costsOf(await Deno.readTextFile(notes));
      await Deno.remove(notes);
      if (files.size === 0) return [];
      const last = readFigures();
      for (const line of linesOf(files, sum, last)) console.log(line);
      if (!writes) return aboveBudget(files, last);
      await Deno.writeTextFile(FIGURES, textOf(figuresOf(files, sum, last)));
      return [];
    },
  };
}

/**
 * What the notes tell of each file: its process's time while it ran. The sum is of whole processes,
 * with what they did before and after.
 */
export function costsOf(notes: string): { files: Map<string, Cost>; sum: number } {
  const files = new Map<string, Cost>();
  const processes = new Map<string, { processor: number; clock: number }>();
  for (const line of notes.trimEnd().split("\n").filter(Boolean)) {
    const [, id = "", what, processor, clock, path = ""] =
      /^(\d+) (\w+) (\S+) (\S+) (.*)$/.exec(line) ?? [];
    const now = { processor: Number(processor), clock: Number(clock) };
    const before = processes.get(id) ?? now;
    processes.set(id, now);
    const file = relative(repository, path);
    // A module that gathers files has no time of its own.
    if (what !== "ends" || file.startsWith(".tmp/")) continue;
    const [spent, took] = files.get(file) ?? [0, 0];
    files.set(file, [spent + now.processor - before.processor, took + now.clock - before.clock]);
  }
  return { files, sum: [...processes.values()].reduce((sum, one) => sum + one.processor, 0) };
}

/** What is told of a run. */
export function linesOf(
  files: ReadonlyMap<string, Cost>,
  sum: number,
  last: Figures | undefined,
  tellsAll = Deno.env.has("CI"),
): string[] {
  const dearest = [...files].toSorted(([, [a]], [, [b]]) => b - a);
  const lineOf = ([file, [processor]]: readonly [string, Cost]) => {
    const [before] = last?.files[file] ?? [];
    const beside = before === undefined ? "" : `, ${before.toFixed(1)} before`;
    // Measured in ticks: of next to nothing a tick too many may be taken off.
    return `${Math.max(processor, 0).toFixed(1).padStart(8)} ${file}${beside}`;
  };
  const above = new Set(aboveBudget(files, last));
  const of = last === undefined ? "no figures yet" : `${Math.round(last.sum)} on ${last.when}`;
  return [
    ...tellsAll ? ["Processor seconds of each file:", ...dearest.map(lineOf)] : [],
    "The dearest files, in processor seconds:",
    ...dearest.slice(0, DEAREST).map(lineOf),
    ...above.size === 0
      ? []
      : ["ABOVE BUDGET:", ...dearest.filter(([file]) => above.has(file)).map(lineOf)],
    `${Math.round(sum)} processor seconds in ${files.size} files; ${of}`,
  ];
}

/**
 * The files that took more than they may: half as much again as their last figure, and 10 seconds.
 * On a slower machine as much more as the files that both runs know cost there. A file without a
 * figure has no budget yet.
 */
export function aboveBudget(
  files: ReadonlyMap<string, Cost>,
  last: Figures | undefined,
): string[] {
  if (last === undefined) return [];
  const known = [...files].filter(([file]) => last.files[file] !== undefined);
  const now = known.reduce((sum, [, [processor]]) => sum + processor, 0);
  const then = known.reduce((sum, [file]) => sum + (last.files[file]?.[0] ?? 0), 0);
  const slower = then > 0 ? Math.max(1, now / then) : 1;
  return known.filter(([file, [processor]]) =>
    processor > ((last.files[file]?.[0] ?? 0) * 1.5 + 10) * slower
  ).map(([file]) => file);
}

/**
 * The new figures: of files that did not run the last ones stay, as long as there is such a file.
 */
function figuresOf(
  files: ReadonlyMap<string, Cost>,
  sum: number,
  last: Figures | undefined,
): Figures {
  const rounded = [...files].map(([file, [processor, clock]]) =>
    [file, [Math.round(processor * 10) / 10, Math.round(clock * 10) / 10]] as const
  );
  const all = Object.entries<Cost>({ ...last?.files, ...Object.fromEntries(rounded) })
    .filter(([file]) => existsSync(`${repository}/${file}`))
    .toSorted(([a], [b]) => a < b ? -1 : 1);
  const isWhole = all.length === files.size;
  const told = all.reduce((one, [, [processor]]) => one + processor, 0);
  return {
    when: new Date().toISOString().slice(0, 10),
    sum: Math.round(isWhole ? sum : told),
    files: Object.fromEntries(all),
  };
}

/** As JSON, a file a line. */
function textOf({ when, sum, files }: Figures): string {
  const lines = Object.entries(files).map(([file, [processor, clock]]) =>
    `    ${JSON.stringify(file)}: [${processor}, ${clock}]`
  );
  return [
    "{",
    `  "when": ${JSON.stringify(when)},`,
    `  "sum": ${sum},`,
    `  "files": {\n${lines.join(",\n")}\n  }`,
    "}\n",
  ].join("\n");
}

/** What each file cost the last time. */
export function lastCosts(): Readonly<Record<string, Cost>> {
  return readFigures()?.files ?? {};
}

function readFigures(): Figures | undefined {
  return existsSync(FIGURES) ? JSON.parse(Deno.readTextFileSync(FIGURES)) : undefined;
}
