/** Prints rows as columns, with the names of their members as the head; `empty` where there are none. */
export function printTable(rows: readonly Record<string, string>[], empty: string): void {
  const [first] = rows;
  if (!first) return console.log(empty);
  const names = Object.keys(first);
  const widths = names.map((name) =>
    Math.max(name.length, ...rows.map((row) => (row[name] ?? "").length))
  );
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd();
  console.log(line(names.map((name) => name.toUpperCase())));
  for (const row of rows) console.log(line(names.map((name) => row[name] ?? "")));
}
