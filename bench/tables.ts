/** What benchmarks print. */

/** A table in Markdown, with an empty line behind it; short rows are filled up. */
export function table(head: string[], rows: string[][]): string[] {
  return [
    `| ${head.join(" | ")} |`,
    `|${"---|".repeat(head.length)}`,
    ...rows.map((row) => `| ${[...row, ...head.slice(row.length).map(() => "")].join(" | ")} |`),
    "",
  ];
}

/**
 * The answers of a server by their status, out of its log, and what it said of those that failed.
 */
export function statusesOf(lines: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const { status, error, message } = parse(line);
    const name = status === undefined ? error ?? message : status;
    if (status === undefined && error === undefined) continue;
    counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
  }
  return [...counts].map(([name, n]) => `${n} × ${name}`).join(", ");
}

function parse(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
