import { terminal } from "./terminal.ts";

/**
 * Prints rows as columns, with the names of their members as the head; `empty`, on standard error,
 * where there are none. At a terminal it is cut to its width as other lists are, but for `isWide`.
 */
export function printTable(
  rows: readonly Record<string, string>[],
  empty: string,
  { isWide = false, extra = [] }: { isWide?: boolean; extra?: readonly string[] } = {},
): void {
  const [first] = rows;
  if (!first) return terminal().err(empty);
  const names = Object.keys(first);
  const cells = rows.map((row) => names.map((name) => row[name] ?? ""));
  const all = [names.map((name) => name.toUpperCase()), ...cells];
  const natural = names.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const { isOutTerminal, outWidth } = terminal();
  const { visible, widths } = columnsWithin(
    { head: names.map((name) => name.toUpperCase()), widths: natural, extra },
    isOutTerminal && !isWide ? outWidth : Infinity,
  );
  terminal().out(all.map((row) => tableLine(visible.map((i) => row[i] ?? ""), widths)).join("\n"));
}

/**
 * One line of a table: each cell padded to the width of its column, or cut to it unless it is to be
 * `isWhole`. A cell without a width is whole, as the last one may be where the rows to come are not
 * known yet. No control character reaches the terminal.
 */
export function tableLine(
  cells: readonly string[],
  widths: readonly number[],
  isWhole = false,
): string {
  return cells.map((cell, i) => fitted(cell, widths[i], isWhole)).join("  ").trimEnd();
}

/**
 * Which columns are shown within so many characters, by their places, and how wide. Those of
 * `extra` go first, in their order; then the widest are cut, an id last of all, since the next
 * command takes it whole. The last column takes what is left.
 */
export function columnsWithin(
  { head, widths, extra = [] }: {
    readonly head: readonly string[];
    readonly widths: readonly number[];
    readonly extra?: readonly string[];
  },
  width: number,
): { visible: number[]; widths: number[] } {
  const all = head.map((_, i) => i);
  if (width === Infinity) return { visible: all, widths: [...widths] };
  const wanted = head.map((_, i) => widths[i] ?? LAST);
  let visible = all;
  for (const name of extra) {
    if (lengthOf(visible.map((i) => wanted[i] ?? 0)) <= width) break;
    visible = visible.filter((i) => head[i] !== name);
  }
  const fitting = shrunk(
    visible.map((i) => wanted[i] ?? 0),
    width,
    visible.map((i) => IDS.includes(head[i] ?? "")),
  );
  const before = lengthOf(fitting.slice(0, -1));
  // The last column gets the remaining width.
  return { visible, widths: [...fitting.slice(0, -1), Math.max(LEAST, width - before - 2)] };
}

/** Ids that commands take whole. Key ids and fingerprints are taken by their beginnings too. */
const IDS: readonly string[] = ["ID", "DEVELOPER"];
/** The assumed width of a last column whose width is unknown. */
const LAST = 24;
/** No column is cut to less. */
const LEAST = 6;

/**
 * Cuts the widest columns until the line is no longer than `width`, or nothing more can go; those
 * that are `kept` once the others are as narrow as can be.
 */
function shrunk(widths: readonly number[], width: number, kept: readonly boolean[]): number[] {
  const cut = [...widths];
  while (lengthOf(cut) > width) {
    const others = cut.map((one, i) => kept[i] ? 0 : one);
    const among = Math.max(...others) > LEAST ? others : cut;
    const widest = Math.max(...among);
    if (widest <= LEAST) break;
    cut[among.indexOf(widest)] = widest - 1;
  }
  return cut;
}

/** A line's characters, with the two blanks between its cells. */
function lengthOf(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + 2, -2);
}

function fitted(text: string, width: number | undefined, isWhole: boolean): string {
  const characters = [...text.replaceAll(/\p{C}/gu, "\ufffd")];
  if (width === undefined) return characters.join("");
  return characters.length > width && !isWhole
    ? `${characters.slice(0, width - 1).join("")}…`
    : characters.join("") + " ".repeat(Math.max(0, width - characters.length));
}

/** Text by others, of any number of lines, without control characters for the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, "\ufffd");
}
