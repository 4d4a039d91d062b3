import { terminal } from "./terminal.ts";

/** Prints rows as columns, with the names of their members as the head; `empty`, on standard error, where there are none. */
export function printTable(rows: readonly Record<string, string>[], empty: string): void {
  const [first] = rows;
  if (!first) return terminal().err(empty);
  const names = Object.keys(first);
  const cells = rows.map((row) => names.map((name) => row[name] ?? ""));
  const all = [names.map((name) => name.toUpperCase()), ...cells];
  const widths = names.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  terminal().out(all.map((row) => tableLine(row, widths)).join("\n"));
}

/**
 * One line of a table: each cell padded to the width of its column, or cut to it. A cell without a width is whole, as
 * the last one may be where the rows to come are not known yet. No control character reaches the terminal.
 */
export function tableLine(cells: readonly string[], widths: readonly number[]): string {
  return cells.map((cell, i) => fitted(cell, widths[i])).join("  ").trimEnd();
}

function fitted(text: string, width: number | undefined): string {
  const characters = [...text.replaceAll(/\p{C}/gu, "\ufffd")];
  if (width === undefined) return characters.join("");
  return characters.length > width
    ? `${characters.slice(0, width - 1).join("")}…`
    : characters.join("") + " ".repeat(width - characters.length);
}

/** What somebody else wrote, of any number of lines, with nothing in it that a terminal would do. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, "\ufffd");
}
