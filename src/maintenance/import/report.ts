import type { Connection } from "../../storage/storage.ts";
import { meaningOf } from "./findings.ts";
import { countImported, findingsAfter, runsOf } from "./imports.store.ts";
import type { Kind } from "./source.ts";
import { orders } from "./sources.ts";

/** A difference as the report shows it. */
interface ReportedFinding {
  kind: string;
  id: string;
  code: string;
  detail: string;
}

/** A kind as the report shows it: what was read there and what of it is known here. */
export type ReportedKind =
  & Readonly<Record<string, string | number | null | Record<string, number>>>
  & {
    readonly kind: string;
  };

/** The content of a report; `findings` gives them anew each time that it is called. */
export interface Report {
  org_id: string;
  kinds: readonly ReportedKind[];
  findings(): AsyncIterable<ReportedFinding>;
}

/** Findings that are read at once. */
const CHUNK = 500;

/** The store's data of the newest run. */
export async function reportOf(db: Connection, org_id: string): Promise<Report> {
  const kinds: ReportedKind[] = [];
  for (const run of await runsOf(db, org_id)) {
    const here = await countImported(db, { org_id, kind: run.kind });
    const dropped: Record<string, number> = JSON.parse(run.dropped);
    // as: the newest run wrote exactly this.
    const [sources, passed_over] = JSON.parse(run.sources) as Record<string, number>[];
    kinds.push({ ...run, dropped, sources: sources ?? {}, passed_over: passed_over ?? {}, here });
  }
  return { org_id, kinds, findings: () => storedFindings(db, org_id) };
}

async function* storedFindings(db: Connection, org_id: string): AsyncGenerator<ReportedFinding> {
  let after = { kind: "", id: "", code: "" };
  while (true) {
    const rows = await findingsAfter(db, org_id, after, CHUNK);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < CHUNK) return;
    after = last;
  }
}

/** How often each difference was found, with what it means. */
export async function countedDifferences(
  report: Report,
): Promise<{ code: string; how: string; meaning: string; count: number }[]> {
  const counts = new Map<string, number>();
  for await (const { code } of report.findings()) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].map(([code, count]) => {
    const [how, meaning] = meaningOf(code);
    return { code, how, meaning, count };
  });
}

/** The report as one JSON document, in pieces. */
export async function* reportAsJson(report: Report): AsyncGenerator<string> {
  const { org_id, kinds } = report;
  const differences = await countedDifferences(report);
  const head = JSON.stringify({ organisation: org_id, kinds, differences });
  yield `${head.slice(0, -1)},"findings":[`;
  let separator = "\n";
  for await (const finding of report.findings()) {
    yield separator + JSON.stringify(finding);
    separator = ",\n";
  }
  yield "]}\n";
}

/** The report as one page that needs nothing else, in pieces. */
export async function* reportAsHtml(report: Report): AsyncGenerator<string> {
  yield `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>What moved in</title>
<style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #bbb;padding:.25rem .6rem;text-align:left;vertical-align:top}
td.n{text-align:right}</style>
<h1>What moved in</h1><p>Organisation ${escaped(report.org_id)}</p><h2>Kinds</h2>
`;
  for (const kind of report.kinds) {
    yield `<h3>${escaped(kind.kind)}</h3><table>`;
    for (const [name, value] of Object.entries(kind)) {
      if (name === "kind") continue;
      if (typeof value === "object" && value !== null && Object.keys(value).length === 0) continue;
      const text = typeof value === "object" && value !== null
        ? listed(value)
        : String(value ?? "");
      yield `<tr><th>${escaped(name)}</th><td>${escaped(text)}</td></tr>`;
    }
    const why = whyFirst(kind);
    yield `</table>${why === undefined ? "" : `<p>${escaped(why)}</p>`}\n`;
  }
  yield "<h2>Differences</h2><table><tr><th>what</th><th>how</th><th>meaning</th><th>count</th></tr>";
  for (const { code, how, meaning, count } of await countedDifferences(report)) {
    yield `<tr><td>${escaped(code)}</td><td>${how}</td><td>${escaped(meaning)}</td>` +
      `<td class="n">${count}</td></tr>\n`;
  }
  yield "</table><h2>Each of them</h2><table><tr><th>kind</th><th>object</th><th>what</th><th>detail</th></tr>";
  for await (const { kind, id, code, detail } of report.findings()) {
    yield `<tr>${
      [kind, id, code, detail].map((text) => `<td>${escaped(text)}</td>`).join("")
    }</tr>\n`;
  }
  yield "</table></html>\n";
}

/** Which source counts for a kind and why; undefined if no two have the same object. */
export function whyFirst({ kind, passed_over }: ReportedKind): string | undefined {
  const over = Object.entries(typeof passed_over === "object" ? passed_over ?? {} : {})
    .filter(([, count]) => count > 0);
  // as: only a kind can have been read.
  const order = orders[kind as Kind];
  if (over.length === 0) return undefined;
  const counts = over.map(([name, count]) => `${count} of ${name}`).join(", ");
  const types = order.types.join(" before ");
  return `${counts} did not count: ${types}, since ${order.why}`;
}

function listed(members: Record<string, number>): string {
  return Object.entries(members).map(([name, count]) => `${name}: ${count}`).join(", ");
}

/** Neither markup nor a control character reaches who reads the page, or a terminal. */
function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, "\ufffd").replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}
