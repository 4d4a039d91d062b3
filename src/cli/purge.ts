import type { Command } from "commander";
import { join, resolve } from "node:path";
import type { ServiceContext } from "../calls/context.ts";
import { type Config, retentionOf } from "../config.ts";
import { toTimestamp } from "../kernel/clock.ts";
import {
  countErasures,
  countOldUsage,
  findErasure,
} from "../features/verification/usage/usage.store.ts";
import { lastPurge, slowestClock } from "../maintenance/retention/last-purge.ts";
import { purgeLag } from "../maintenance/retention/purge-lag.ts";
import { oldRowsBehind } from "../maintenance/retention/exported.store.ts";
import { logEnd, logEntries, logHead } from "../maintenance/audit-log/exported-log.ts";
import { appendAll } from "../maintenance/audit-log/appender.ts";
import {
  countedTables,
  cutOf,
  endedUntil,
  hourOf,
  leastIdAt,
  passingTables,
  type RetainedTable,
  retainedTables,
} from "../maintenance/retention/retained.ts";
import {
  AT_ONCE,
  countEnded,
  countOld,
  countOldWaiting,
  organisationIds,
} from "../maintenance/retention/retention.store.ts";
import {
  keepPurgeTime,
  purgeCounts,
  purgeEnded,
  purgeErased,
  purgeOld,
} from "../maintenance/retention/retention.transactions.ts";
import type { Storage } from "../storage/storage.ts";
import {
  countOldEntries,
  CUT_AT_ONCE,
  firstUnsentPlace,
} from "../maintenance/audit-log/logs.store.ts";
import { counted } from "./counted.ts";
import { lineOf } from "./export.ts";
import { type Form, printValues } from "./forms.ts";
import { withStore } from "./open-store.ts";
import { fileProblem, OperatorError, reasonOf } from "./operator-error.ts";
import { printTable } from "./table.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

interface Options {
  now?: boolean;
  dryRun?: boolean;
  export?: string;
  form?: Form;
  yes?: boolean;
}

/** The number of removed rows, or of rows that would be. */
interface Purged {
  table: string;
  /** Empty for counts and what has ended by itself, of whichever organisation. */
  org_id: string;
  before: string;
  rows: number;
}

/** `keydesk purge`. */
export function addPurgeCommand(program: Command): void {
  touching(program.command("purge"), { "--export": "write" })
    .description("remove data older than the settings say, and expired data")
    .option("--dry-run", "only count it; changes nothing")
    .option("--export <folder>", "write rows into files first; only written rows are deleted")
    .option("--now", "go by the clock, and servers from now on too: it is right")
    .option("--yes", "do not ask; needed without a terminal")
    .option("--json", "print the counts, one JSON object a line")
    .addHelpText(
      "after",
      `
A server does this by itself, in small batches (KEYDESK_RETAIN_AUDIT_DAYS, …_OUTBOX_DAYS,
…_ONE_TIME_LINKS_DAYS; 0 keeps for ever; and …_USE_HOURS_DAYS, …_USE_DAYS).

- With --export, rows of audit, outbox and one-time links are exported first: a batch is written as
  JSON lines and flushed to the disk, then exactly its rows are deleted. To delete nothing without an
  export, set 0 for the servers and give the setting to this command only.
- The audit log notes every batch of these three.
- A clock that was set forward deletes nothing: purges use a time that servers measure and the store
  keeps. After a start it catches up by a day in each hour. If this command uses an earlier time than
  the clock's, it says so. --now uses the clock: check it first.
- Deleted rows cannot be restored. The command asks first and shows the number of rows.

Examples:
  keydesk purge --dry-run
  keydesk purge --now --dry-run
  KEYDESK_RETAIN_AUDIT_DAYS=365 keydesk purge --export /archive/keydesk --yes`,
    )
    .action(purge);
}

async function purge(options: Options): Promise<void> {
  const isAsked = !options.dryRun && !options.yes;
  if (isAsked && !terminal().isErrTerminal) {
    throw new OperatorError(
      "what goes is gone for good: say --yes, or look at first with --dry-run what would go",
      { exitCode: 2 },
    );
  }
  await withStore(async (ctx, config) => {
    const folder = options.export === undefined ? undefined : resolve(options.export);
    const now = await purgeTime(ctx, options);
    if (isAsked) {
      const going = await goThrough(ctx, config, { dryRun: true }, now);
      if (!await agrees(going.reduce((sum, { rows }) => sum + rows, 0))) {
        throw new OperatorError("nothing was removed");
      }
    }
    if (folder !== undefined && !options.dryRun) await ensureFolder(folder);
    const purged = await goThrough(ctx, config, { ...options, export: folder }, now);
    if (options.form) return await printValues(purged, options.form);
    printTable(
      purged.map(({ rows, ...rest }) => ({
        ...rest,
        [options.dryRun ? "would go" : "gone"]: String(rows),
      })),
      "nothing",
    );
  }, { reads: options.dryRun === true });
}

/** Whether a person at the terminal says yes. */
async function agrees(rows: number): Promise<boolean> {
  terminal().draw(
    `${rows} rows go for good (keydesk purge --dry-run lists them by table). Go on? [y/N] `,
  );
  const reader = terminal().input.getReader();
  try {
    const { value } = await reader.read();
    return /^\s*y(es)?\s*$/i.test(new TextDecoder().decode(value).split("\n")[0] ?? "");
  } finally {
    reader.releaseLock();
  }
}

/** Removes what is older than the settings say, table by table, or counts it. */
async function goThrough(
  ctx: ServiceContext,
  config: Config,
  { dryRun, export: folder }: Pick<Options, "dryRun" | "export">,
  now: number,
): Promise<Purged[]> {
  const purged: Purged[] = [];
  // Retention cuts rows off the log, so they have to be in it.
  if (!dryRun) await appendAll(ctx);
  const run = toTimestamp(ctx.clock.now()).replaceAll(/[-:]|\.\d+/g, "");
  for (const table of retainedTables) {
    const before = cutOf(retentionOf(config)[table], now);
    if (before === undefined) continue;
    for (const org_id of await organisationIds(ctx.storage.reader)) {
      const place = { table, org_id, before };
      const rows = dryRun
        ? await countGoing(ctx, place)
        : folder !== undefined && table === "audit_events"
        ? await exportAndCut(ctx, place, join(folder, `${table}.${org_id}.${run}.jsonl`))
        : folder === undefined
        ? await untilFew(() =>
          ctx.storage.commit(purgeOld, { ...place, by: "operator", now: ctx.clock.now() })
        )
        : await exportAndPurge(ctx, place, join(folder, `${table}.${org_id}.${run}.jsonl`));
      purged.push({ ...place, rows });
      if (table === "audit_events") await reportStaying(ctx, place, dryRun ? rows : 0);
    }
  }
  for (const table of countedTables) {
    const before = cutOf(retentionOf(config)[table], now);
    if (before === undefined) continue;
    const rows = dryRun
      ? await countOldUsage(ctx.storage.reader, table, hourOf(before))
      : await untilFew(() => ctx.storage.commit(purgeCounts, { table, before }));
    purged.push({ table, org_id: "", before, rows });
  }
  const keys = await countErasures(ctx.storage.reader);
  if (!dryRun) await eraseCounts(ctx);
  purged.push({ table: "usage_erasures", org_id: "", before: toTimestamp(now), rows: keys });
  for (const table of passingTables) {
    const before = endedUntil(table, now);
    const rows = dryRun
      ? await countEnded(ctx.storage.reader, table, before)
      : await untilFew(() => ctx.storage.commit(purgeEnded, { table, now }));
    purged.push({ table, org_id: "", before, rows });
  }
  return purged;
}

/** The time to go by: the store's, or with --now the clock's, which the store then keeps. */
async function purgeTime({ storage, clock }: ServiceContext, options: Options): Promise<number> {
  const now = await slowestClock(storage.reader, clock);
  if (options.now) {
    if (!options.dryRun) await storage.commit(keepPurgeTime, { until: now });
    return now;
  }
  const until = Math.min(now, await lastPurge(storage.reader, now));
  const reason = purgeLag(until, now);
  if (reason !== undefined) terminal().err(reason);
  return until;
}

interface Place {
  table: RetainedTable;
  org_id: string;
  before: string;
}

/**
 * How many rows a run would remove. Of the audit log a first stretch of its log, to which what
 * waits is added first.
 */
async function countGoing({ storage }: ServiceContext, place: Place): Promise<number> {
  const { table, org_id, before } = place;
  const { reader } = storage;
  if (table !== "audit_events") return await countOld(reader, table, org_id, before);
  const { entries, stopsAt } = await countCut(storage, place);
  return stopsAt === "end" ? entries + await countOldWaiting(reader, org_id, before) : entries;
}

async function countCut({ reader, outlet }: Storage, { org_id, before }: Place) {
  const unsentAt = outlet && await firstUnsentPlace(reader, org_id);
  return await countOldEntries(reader, org_id, leastIdAt(before), unsentAt);
}

/**
 * Says why old rows of an audit log stay, where any do. `going`: how many of those that are there
 * now would go.
 */
async function reportStaying(
  { storage }: ServiceContext,
  place: Place,
  going: number,
): Promise<void> {
  const { org_id, before } = place;
  const staying = await countOld(storage.reader, "audit_events", org_id, before) - going;
  if (staying <= 0) return;
  const { stopsAt } = await countCut(storage, place);
  terminal().err(
    `${org_id}: ${counted(staying, "audit row")} from before ${before} ` +
      `stay${staying === 1 ? "s" : ""}: ${WHY_STAYING[stopsAt]}`,
  );
}

const WHY_STAYING = {
  younger:
    "the audit log is removed from the beginning of its log on, and a younger row comes first",
  gap: "an entry of the log in front of them is gone, which `keydesk audit verify` reports",
  unsent: "the audit log stream (KEYDESK_AUDIT_STREAM) may lack a row in front of them",
  end: "not in the audit log's log yet, so they go at a later run",
};

/** Runs batches until one is not full; gives how many rows went in all. */
async function untilFew(batch: () => Promise<number>): Promise<number> {
  let total = 0;
  while (true) {
    const removed = await batch();
    total += removed;
    if (removed < AT_ONCE) return total;
  }
}

/** Removes the counts of keys whose developers are gone; leaves those that a server is removing. */
async function eraseCounts({ storage }: ServiceContext): Promise<void> {
  for (
    let next = await findErasure(storage.reader);
    next && await storage.commit(purgeErased, next) !== null;
    next = await findErasure(storage.reader)
  );
}

/** A batch is on the disk before its rows go, and exactly these go. Nothing: no file. */
async function exportAndPurge(ctx: ServiceContext, place: Place, path: string): Promise<number> {
  const { table, org_id, before } = place;
  let file: Deno.FsFile | undefined;
  let total = 0;
  try {
    while (true) {
      const rows = await oldRowsBehind(ctx.storage.reader, table, org_id, before, undefined);
      if (rows.length === 0) return total;
      file ??= await createFile(path);
      await writeAll(file, rows.map((row) => lineOf(org_id, row)).join(""));
      await file.sync();
      const input = { ...place, ids: rows.map(({ id }) => id), by: "operator" };
      total += await ctx.storage.commit(purgeOld, { ...input, now: ctx.clock.now() });
    }
  } finally {
    file?.close();
  }
}

/**
 * Exports with the audit log: its log goes into the file too, so that it can be verified with
 * nothing but the file.
 */
async function exportAndCut(ctx: ServiceContext, place: Place, path: string): Promise<number> {
  const { table, org_id, before } = place;
  const { reader, outlet } = ctx.storage;
  const range = { until: leastIdAt(before) };
  const { log, piece } = await logHead(reader, org_id, range);
  let file: Deno.FsFile | undefined;
  let { next } = piece;
  const unsentAt = outlet && await firstUnsentPlace(reader, org_id);
  const end = Math.min(log?.size ?? 0, unsentAt ?? Infinity);
  try {
    while (true) {
      const to = Math.min(end, next + CUT_AT_ONCE);
      const entries = await logEntries(reader, org_id, { from: next, to, ...range });
      if (!entries) break;
      if (!file) {
        file = await createFile(path);
        await writeAll(file, piece.text);
      }
      await writeAll(file, entries.text);
      await file.sync();
      const input = { table, org_id, before, cutTo: entries.next, by: "operator" };
      await ctx.storage.commit(purgeOld, { ...input, now: ctx.clock.now() });
      next = entries.next;
    }
    if (file) {
      await writeAll(file, await logEnd(reader, org_id, next));
      await file.sync();
    }
    return next - piece.next;
  } finally {
    file?.close();
  }
}

async function ensureFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new OperatorError(`${path}: ${fileProblem(error) ?? reasonOf(error)}`, { cause: error });
  }
}

/** A new file that its owner alone may read, whose name has reached the disk. */
async function createFile(path: string): Promise<Deno.FsFile> {
  try {
    const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    const folder = await Deno.open(resolve(path, "..")).catch(() => undefined);
    await folder?.sync();
    folder?.close();
    return file;
  } catch (error) {
    throw new OperatorError(`${path}: ${fileProblem(error) ?? reasonOf(error)}`, { cause: error });
  }
}

async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
}
