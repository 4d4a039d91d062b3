/**
 * What a run gives beside the last figures of RESULTS.md, and the new figures there: a ratio in
 * turns holds from day to day, as calls a second do not.
 */
import { type Quietness, quietWords, wordsOf } from "./machine.ts";

const RESULTS = new URL("RESULTS.md", import.meta.url);

/** A ratio that fell by more than this part is named. */
const TOLERATED = 0.05;

/** A row of a table: what was measured, and the ratio as it is printed, such as `**0.45**`. */
export interface Figure {
  readonly name: string;
  readonly ratio: string;
}

/**
 * Lines for whoever ran it: each row whose ratio is more than 5 % below the one of the same name in
 * a section of RESULTS.md, and the names that have none there.
 */
export async function besideLastFigures(section: string, rows: Figure[]): Promise<string[]> {
  return besideFigures(lastFigures(await Deno.readTextFile(RESULTS), section), rows);
}

/** The names of the rows that fell by more than 5 %. */
export async function slowerThanLast(section: string, rows: Figure[]): Promise<string[]> {
  return slowerRows(lastFigures(await Deno.readTextFile(RESULTS), section), rows)
    .map(({ name }) => name);
}

/** The names of the rows that have no last figures. */
export async function unknownToLast(section: string, rows: Figure[]): Promise<string[]> {
  const last = lastFigures(await Deno.readTextFile(RESULTS), section);
  return rows.map(({ name }) => name).filter((name) => !last.has(name));
}

/** A ratio as it is printed, so that 5 % of it can be seen. */
export function ratioText(ratio: number): string {
  return ratio.toFixed(ratio < 0.2 ? 3 : 2);
}

/**
 * The end of a check of one run, or of two if rows fell in the first one: 1 if one fell in both, 2
 * if the runs say nothing.
 */
export function verdictOf(
  runs: readonly { fell: readonly string[]; unknown: readonly string[] }[],
  machine: Quietness,
): { code: number; words: string } {
  if (!machine.isQuiet) return { code: 2, words: `no verdict: ${wordsOf(machine, 0)}` };
  const unknown = runs[0]?.unknown ?? [];
  if (unknown.length > 0) {
    return { code: 2, words: `no verdict: no last figures of ${unknown.join("; ")}` };
  }
  const fell = (runs[0]?.fell ?? []).filter((row) => runs.every((run) => run.fell.includes(row)));
  return fell.length > 0
    ? { code: 1, words: `more than 5 % below the last figures in two runs: ${fell.join("; ")}` }
    : { code: 0, words: "no row fell by more than 5 % in two runs" };
}

/** The rows whose ratio is more than 5 % below the last one. */
function slowerRows(last: ReadonlyMap<string, number>, rows: Figure[]): Figure[] {
  return rows.filter(({ name, ratio }) =>
    numberOf(ratio) / (last.get(name) ?? NaN) < 1 - TOLERATED
  );
}

/** As `besideLastFigures`, beside these figures. */
export function besideFigures(last: ReadonlyMap<string, number>, rows: Figure[]): string[] {
  const slower = slowerRows(last, rows).map(({ name, ratio }) =>
    `slower than the last figures: ${name}, ${numberOf(ratio)} after ${last.get(name)}`
  );
  const unknown = rows.filter(({ name }) => !last.has(name)).map(({ name }) => name);
  return [
    ...slower,
    ...unknown.length === 0 ? [] : [`no last figures: ${unknown.join("; ")}`],
    ...slower.length === 0 && unknown.length === 0 ? ["no row is slower by more than 5 %"] : [],
  ];
}

/**
 * Writes rows into the first table of a section of RESULTS.md, with the date, the rounds and the
 * words on the machine below it. Throws on a loaded machine, and writes nothing.
 */
export async function writeFigures(
  section: string,
  head: readonly string[],
  rows: readonly string[][],
): Promise<void> {
  const words = `${new Date().toISOString().slice(0, 10)}, ${quietWords()}.`;
  const results = await Deno.readTextFile(RESULTS);
  await Deno.writeTextFile(RESULTS, withFigures(results, section, { head, rows, words }));
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", RESULTS.pathname] }).output();
}

/** Words that a run has written below a table. */
const WORDS = /^\d{4}-\d\d-\d\d, (\d+ rounds?, )?quiet: .*\.$/;

/**
 * The text with these cells in a section's first table that has ratios: rows by their name, columns
 * by their head. A column that `head` lacks keeps its cells, and a row without a name there comes
 * last.
 */
export function withFigures(
  results: string,
  section: string,
  { head, rows, words }: {
    head: readonly string[];
    rows: readonly string[][];
    words: string;
  },
): string {
  const lines = results.split("\n");
  const begin = lines.indexOf(`## ${section}`);
  const first = lines.findIndex((line, at) => at > begin && line.startsWith("|"));
  const columns = cellsOf(lines[first] ?? "");
  if (begin === -1 || !columns.includes("ratio")) {
    throw new Error(`RESULTS.md has no ratios under ${section}`);
  }
  let end = first;
  while (lines[end]?.startsWith("|")) end++;
  const kept = lines.slice(first + 2, end).map(cellsOf);
  // Two columns may have one head: the second is the second there.
  const places = head.map((name, at) => {
    const earlier = head.slice(0, at).filter((one) => one === name).length;
    return columns.flatMap((column, place) => column === name ? [place] : [])[earlier];
  });
  for (const row of rows) {
    let old = kept.find(([name]) => name === row[0]);
    if (!old) kept.push(old = columns.map(() => ""));
    for (const [at, cell] of row.entries()) {
      const place = places[at];
      if (place !== undefined) old[place] = cell;
    }
  }
  const table = kept.map((cells) => `| ${cells.join(" | ")} |`);
  const after = lines.slice(end);
  if (WORDS.test(after[1] ?? "")) after.splice(0, 2);
  return [...lines.slice(0, first + 2), ...table, "", words, ...after].join("\n");
}

/**
 * The ratios by name of a section's first table that has a column `ratio`. Throws where there is
 * none.
 */
export function lastFigures(results: string, section: string): Map<string, number> {
  const text = results.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? "";
  const rows = text.split("\n").filter((line) => line.startsWith("|")).map(cellsOf);
  const at = rows[0]?.indexOf("ratio") ?? -1;
  if (at === -1) throw new Error(`RESULTS.md has no ratios under ${section}`);
  const figures = rows.slice(2).map(([name = "", ...cells]): [string, number] => [
    name,
    numberOf(cells[at - 1] ?? ""),
  ]);
  return new Map(figures.filter(([, ratio]) => ratio > 0));
}

function cellsOf(line: string): string[] {
  return line.split("|").slice(1, -1).map((cell) => cell.trim());
}

function numberOf(cell: string): number {
  return Number(cell.replaceAll("*", ""));
}
