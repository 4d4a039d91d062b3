/**
 * How many rows a second go into the audit log's log, where as many wait: `deno run -A
 * bench/audit-log-tree.ts`, `--rows 30000`. One process, on SQLite and on PostgreSQL.
 */
import { parseArgs } from "node:util";
import { appendAll } from "../src/maintenance/audit-log/appender.ts";
import { extra, record } from "../test/maintenance/audit-log/log-desk.ts";
import { openTestDesk } from "../test/support/desk.ts";
import { table } from "./tables.ts";
import "./machine.ts";

const { values } = parseArgs({ options: { rows: { type: "string", default: "30000" } } });
const rows = Number(values.rows);
const lines: string[][] = [];
for (const engine of ["sqlite", "postgres"] as const) {
  await using desk = await openTestDesk(engine, { extra });
  const { storage, clock } = desk.app.ctx;
  for (let n = 0; n < rows; n += 500) {
    await storage.commit(record, { org_id: desk.org_id, n: 500, now: clock.now() });
  }
  const began = performance.now();
  await appendAll(desk.app.ctx);
  const seconds = (performance.now() - began) / 1000;
  lines.push([engine, String(rows), seconds.toFixed(2), String(Math.round(rows / seconds))]);
}
console.log(table(["engine", "rows", "seconds", "rows a second"], lines).join("\n"));
