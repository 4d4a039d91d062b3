import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { ServiceContext } from "../calls/context.ts";
import { type AuditLogRow, writeAuditLogRows } from "../calls/audit-notes.transactions.ts";
import { operator } from "../features/people/operator.transactions.ts";
import { type Clock, toTimestamp } from "../kernel/clock.ts";
import { type ExportedRow, oldRowsBehind } from "../maintenance/retention/exported.store.ts";
import { leastIdAt, type RetainedTable } from "../maintenance/retention/retained.ts";
import { organisationIds } from "../maintenance/retention/retention.store.ts";
import { eventLine, exportedLog } from "../maintenance/audit-log/exported-log.ts";
import type { FoundEvent } from "../maintenance/audit-log/log-found.ts";
import { leavesFrom, rowsOf } from "../maintenance/audit-log/log-reading.store.ts";
import { ocsfEvent } from "../maintenance/audit-log/ocsf.ts";
import { findLog } from "../maintenance/audit-log/logs.store.ts";
import { addExportConfigCommand } from "./config.ts";
import { addExportTykCommand } from "./export-tyk.ts";
import { withStore } from "./open-store.ts";
import { OperatorError } from "./operator-error.ts";
import { organisationOf } from "./organisation.ts";
import { print } from "./standard-output.ts";

const exported: Record<string, RetainedTable> = { audit: "audit_events", outbox: "outbox_events" };

interface Options {
  until?: string;
  from?: string;
  organisation?: string;
  format: string;
  proof?: boolean;
  follow?: boolean;
}

/** `keydesk export`. */
export function addExportCommand(program: Command): void {
  const command = program.command("export")
    .description("print the audit log or the outbox as JSON lines, of all organisations")
    .addArgument(new Argument("<what>", "which of them").choices(Object.keys(exported)))
    .option("--from <time>", "only what lies at this time or after it, in whole seconds", toTime)
    .option("--until <time>", "only what lies before this time, in whole seconds", toTime)
    .option("--organisation <id>", "only what is this organisation's")
    .addOption(
      new Option("--format <format>", "JSON lines as they are stored, or events of OCSF")
        .choices(["jsonl", "ocsf"]).default("jsonl"),
    )
    .option("--proof", "with all that `keydesk audit verify` needs")
    .option("--follow", "go on with what is taken into the log, until you end it")
    .addHelpText(
      "after",
      `
Prints one organisation after the other, each from its oldest row on.

--follow goes on with new rows, in the order of the log, within a second. --proof also prints the log,
to its newest entry; docs/audit-log.md has its form. Neither works with --until.

Examples:
  keydesk export audit --until 2026-03-01 | gzip >audit-until-march.jsonl.gz
  keydesk export audit --proof >audit-log.jsonl && keydesk audit verify audit-log.jsonl
  keydesk export audit --format ocsf --from 2026-03-01 --follow`,
    )
    .action(exportRows);
  addExportTykCommand(command);
  addExportConfigCommand(command);
}

function toTime(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError("Expected a time such as 2026-03-01.");
  return toTimestamp(at);
}

async function exportRows(what: string, options: Options): Promise<void> {
  const table = exported[what] ?? "audit_events";
  refuseMixed(table, options);
  await withStore(async (ctx) => {
    const { storage, clock } = ctx;
    const { organisation } = options;
    const orgs = organisation === undefined
      ? await organisationIds(storage.reader)
      : [await organisationOf(ctx, { organisation })];
    if (options.follow) return await follow(ctx, orgs, options);
    for (const org_id of orgs) {
      await storage.commit(writeAuditLogRows, { rows: [exportRow(org_id, what, options, clock)] });
      if (options.proof) await printLog(ctx, org_id, options);
      else await printRows(ctx, table, org_id, options);
    }
  }, { reads: true });
}

function refuseMixed(table: RetainedTable, options: Options): void {
  const { format, proof, follow, until } = options;
  if (table !== "audit_events" && (proof || follow || format === "ocsf")) {
    throw new OperatorError("--format ocsf, --proof and --follow are of the audit log alone", {
      exitCode: 2,
    });
  }
  if (until !== undefined && (proof || follow)) {
    throw new OperatorError(
      "--until can't be with --proof or --follow: both go to the newest row",
      {
        exitCode: 2,
      },
    );
  }
  if (proof && (follow || format === "ocsf")) {
    throw new OperatorError("--proof is JSON lines, and ends", { exitCode: 2 });
  }
}

async function printLog(
  { storage }: ServiceContext,
  org_id: string,
  { from }: Options,
): Promise<void> {
  const range = from === undefined ? {} : { from: leastIdAt(from) };
  for await (const text of exportedLog(storage.reader, org_id, range)) await print(text);
}

async function printRows(
  { storage }: ServiceContext,
  table: RetainedTable,
  org_id: string,
  options: Options,
): Promise<void> {
  const before = options.until ?? "2106-01-01T00:00:00.000Z";
  const { from } = options;
  // Behind what sorts right before all ids of that time.
  let behind: ExportedRow | undefined = from === undefined ? undefined : { id: leastIdAt(from) };
  while (true) {
    const rows = await oldRowsBehind(storage.reader, table, org_id, before, behind);
    behind = rows.at(-1);
    if (!behind) break;
    const isOcsf = options.format === "ocsf";
    await print(rows.map((row) => isOcsf ? ocsfLine(org_id, row) : lineOf(org_id, row)).join(""));
  }
}

/** How long is waited for further entries. */
const LOOK_MS = 500;

/**
 * Prints what is in the logs and then what is taken in, in the order of each log, until the process
 * ends.
 */
async function follow(
  { storage, clock }: ServiceContext,
  orgs: readonly string[],
  options: Options,
): Promise<void> {
  const places = new Map<string, number>();
  const from = options.from === undefined ? "" : leastIdAt(options.from);
  for (const org_id of orgs) {
    await storage.commit(writeAuditLogRows, { rows: [exportRow(org_id, "audit", options, clock)] });
    places.set(org_id, (await findLog(storage.reader, org_id))?.cut_size ?? 0);
  }
  while (true) {
    let n = 0;
    for (const org_id of orgs) {
      const leaves = await leavesFrom(storage.reader, org_id, places.get(org_id) ?? 0);
      const rows = await rowsOf(storage.reader, org_id, leaves);
      for (const { leaf_index, event_id } of leaves) {
        const row = rows.get(leaf_index);
        if (row && event_id >= from) await print(followedLine(row, leaf_index, options));
        places.set(org_id, leaf_index + 1);
      }
      n += leaves.length;
    }
    if (n === 0) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function followedLine(row: FoundEvent, leaf_index: number, { format }: Options): string {
  return format === "ocsf"
    ? `${JSON.stringify(ocsfEvent(row, leaf_index))}\n`
    : eventLine(row, leaf_index);
}

function ocsfLine(org_id: string, row: ExportedRow): string {
  // as: the columns of audit_events, which are all texts; what else they hold is not looked at.
  const event = { org_id, salts: "{}", erased: "{}", ...row } as unknown as FoundEvent;
  return `${JSON.stringify(ocsfEvent(event, null))}\n`;
}

/** Says that it happened, in the audit log of everybody whose rows go out. */
function exportRow(
  org_id: string,
  what: string,
  { from, until, format, proof, follow: followed }: Options,
  clock: Clock,
): AuditLogRow {
  const name = what === "audit" ? "activity" : what;
  const detail = {
    from,
    until,
    ...format === "jsonl" ? {} : { format },
    proof,
    follow: followed,
  };
  const event = { action: `${name}.exported`, object: "export", object_id: name, detail };
  return { actor: operator(org_id, clock.now()), event };
}

/**
 * A row as one line of JSON, its columns as they are stored; what is JSON in the store already is
 * an object here.
 */
export function lineOf(org_id: string, row: ExportedRow): string {
  const { detail, personal, ...rest } = row;
  const more = typeof detail === "string" && typeof personal === "string"
    ? { detail: JSON.parse(detail), personal: JSON.parse(personal) }
    : {};
  return `${JSON.stringify({ org_id, ...rest, ...more })}\n`;
}
