/**
 * What a run gives beside the last figures of RESULTS.md: a ratio in turns holds from day to day,
 * as calls a second do not.
 */

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
  const results = await Deno.readTextFile(new URL("RESULTS.md", import.meta.url));
  return besideFigures(lastFigures(results, section), rows);
}

/** The same beside other figures. */
export function besideFigures(last: ReadonlyMap<string, number>, rows: Figure[]): string[] {
  const slower = rows.flatMap(({ name, ratio }) => {
    const before = last.get(name);
    const part = before === undefined ? NaN : numberOf(ratio) / before;
    return part < 1 - TOLERATED
      ? [`slower than the last figures: ${name}, ${numberOf(ratio)} after ${before}`]
      : [];
  });
  const unknown = rows.filter(({ name }) => !last.has(name)).map(({ name }) => name);
  return [
    ...slower,
    ...unknown.length === 0 ? [] : [`no last figures: ${unknown.join("; ")}`],
    ...slower.length === 0 && unknown.length === 0 ? ["no row is slower by more than 5 %"] : [],
  ];
}

/**
 * The ratios by name of a section's first table that has a column `ratio`. Throws where there is
 * none.
 */
export function lastFigures(results: string, section: string): Map<string, number> {
  const text = results.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? "";
  const rows = text.split("\n").filter((line) => line.startsWith("|")).map((line) =>
    line.split("|").slice(1, -1).map((cell) => cell.trim())
  );
  const at = rows[0]?.indexOf("ratio") ?? -1;
  if (at === -1) throw new Error(`RESULTS.md has no ratios under ${section}`);
  const figures = rows.slice(2).map(([name = "", ...cells]): [string, number] => [
    name,
    numberOf(cells[at - 1] ?? ""),
  ]);
  return new Map(figures.filter(([, ratio]) => ratio > 0));
}

function numberOf(cell: string): number {
  return Number(cell.replaceAll("*", ""));
}
