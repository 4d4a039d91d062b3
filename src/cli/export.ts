import { Argument, type Command, InvalidArgumentError } from "commander";
import { type TrailRow, writeTrailRows } from "../calls/trail-notes.transactions.ts";
import { operator } from "../features/access/access.transactions.ts";
import { type Clock, toTimestamp } from "../kernel/clock.ts";
import { type ExportedRow, oldRowsBehind } from "../operations/retention/exported.store.ts";
import type { RetainedTable } from "../operations/retention/retained.ts";
import { organisationIds } from "../operations/retention/retention.store.ts";
import { withStore } from "./open-store.ts";
import { print } from "./standard-output.ts";

const exported: Record<string, RetainedTable> = { audit: "audit_events", outbox: "outbox_events" };

/** `keydesk export`. */
export function addExportCommand(program: Command): void {
  program.command("export")
    .description("print the audit trail or the outbox as JSON lines, of all organisations")
    .addArgument(new Argument("<what>", "which of them").choices(Object.keys(exported)))
    .option("--until <time>", "only what lies before this time, in whole seconds", (text) => {
      const at = Date.parse(text);
      if (Number.isNaN(at)) throw new InvalidArgumentError("Expected a time such as 2026-03-01.");
      return toTimestamp(at);
    })
    .addHelpText(
      "after",
      `
One organisation after the other, each from its oldest row on. Memory stays flat.

Example:
  keydesk export audit --until 2026-03-01 | gzip >audit-until-march.jsonl.gz`,
    )
    .action(exportRows);
}

async function exportRows(what: string, options: { until?: string }): Promise<void> {
  const table = exported[what] ?? "audit_events";
  await withStore(async ({ storage, clock }) => {
    const before = options.until ?? "2106-01-01T00:00:00.000Z";
    for (const org_id of await organisationIds(storage.reader)) {
      await storage.commit(writeTrailRows, { rows: [exportRow(org_id, what, options, clock)] });
      let behind: ExportedRow | undefined;
      while (true) {
        const rows = await oldRowsBehind(storage.reader, table, org_id, before, behind);
        behind = rows.at(-1);
        if (!behind) break;
        await print(rows.map((row) => lineOf(org_id, row)).join(""));
      }
    }
  });
}

/** Says that it happened, in the trail of everybody whose rows go out. */
function exportRow(
  org_id: string,
  what: string,
  options: { until?: string },
  clock: Clock,
): TrailRow {
  const name = what === "audit" ? "activity" : what;
  const event = { action: `${name}.exported`, object: "export", object_id: name, detail: options };
  return { actor: operator(org_id, clock.now()), event };
}

/** A row as one line of JSON, its columns as they are stored; what is JSON in the store already is an object here. */
export function lineOf(org_id: string, row: ExportedRow): string {
  const { detail, personal, ...rest } = row;
  const more = typeof detail === "string" && typeof personal === "string"
    ? { detail: JSON.parse(detail), personal: JSON.parse(personal) }
    : {};
  return `${JSON.stringify({ org_id, ...rest, ...more })}\n`;
}
