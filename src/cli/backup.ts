import { resolve } from "node:path";
import type { Command } from "commander";
import { writeAuditLogRows } from "../calls/audit-notes.transactions.ts";
import type { Config } from "../config.ts";
import { operator } from "../features/people/operator.transactions.ts";
import { findFirstOrganisation } from "../features/people/organisations.store.ts";
import { BACKED_UP } from "../maintenance/server-info/last-backup.store.ts";
import { checkSqliteStore, copySqliteStore } from "../storage/engines/sqlite-copies.ts";
import { storeProblem } from "../store-folder.ts";
import { StoreIncomplete } from "../store-files.ts";
import { configFromEnvironment } from "./environment.ts";
import { type Form, printValues } from "./forms.ts";
import { isThere } from "./is-there.ts";
import { withStore } from "./open-store.ts";
import { fileProblem, OperatorError, reasonOf, roomProblem } from "./operator-error.ts";
import { ProgressBar } from "./progress-bar.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

/** `keydesk backup`. */
export function addBackupCommand(program: Command): void {
  touching(program.command("backup"), { arguments: "write" })
    .description("copy the SQLite store into a file, while servers write to it")
    .argument("[file]", "the copy; must not exist yet")
    .option("--done", "copy nothing: only note that a backup was made by other means")
    .option("--json", "print what was made as JSON")
    .addHelpText(
      "after",
      `
The copy has every change that was acknowledged when the command began. It is checked page by page
before it gets its name, and only you may read it. The sealing key is not in it: keep that apart, or
sealed values cannot be read. For PostgreSQL see docs/operating.md (pg_dump, or base backups with the log).

The audit log of the first organisation notes each backup, and the console's Home shows the age of the
newest. --done notes a backup by other means, such as PostgreSQL's.

Examples:
  keydesk backup /backup/keydesk-$(date +%F).db
  pg_dump … && keydesk backup --done`,
    )
    .action(backupStore);
}

async function backupStore(
  file: string | undefined,
  options: { form?: Form; done?: boolean },
): Promise<void> {
  if ((file === undefined) !== (options.done === true)) {
    throw new OperatorError("give a file, or --done alone", { exitCode: 2 });
  }
  if (file === undefined) return await noteBackup({ by: "other means" });
  const config = configFromEnvironment();
  refusePostgres(config, "backup");
  const target = resolve(file);
  const draft = `${target}.partial`;
  if (await isThere(target)) {
    throw new OperatorError(`${target} exists already; nothing is overwritten`);
  }
  if (!await isThere(config.databaseFile)) {
    const problem = await storeProblem(config);
    if (problem !== undefined) throw new StoreIncomplete(problem);
    throw new OperatorError(`there is no store in ${resolve(config.DATA_DIR)} (KEYDESK_DATA_DIR)`);
  }
  await createEmpty(draft);
  try {
    const bar = new Bar();
    await copySqliteStore(config.databaseFile, draft, (total, copied) => bar.draw(total, copied));
    bar.end();
    const { steps } = await checkSqliteStore(draft);
    await flush(draft);
    await giveName(draft, target);
    const { size: bytes } = await Deno.stat(target);
    const schema = steps.at(-1)?.version ?? 0;
    if (options.form) await printValues([{ file: target, bytes, schema }], options.form);
    else terminal().out(`${target}: ${bytes} bytes, schema ${schema}, checked`);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new OperatorError(`${target} exists already; nothing is overwritten`);
    }
    const reason = await roomProblem(config, error) ?? fileProblem(error) ?? reasonOf(error);
    if (reason === undefined || error instanceof OperatorError) throw error;
    throw new OperatorError(`no backup was made: ${reason}`, { cause: error });
  } finally {
    for (const one of [draft, `${draft}-wal`, `${draft}-shm`, `${draft}-journal`]) {
      await Deno.remove(one).catch(() => {});
    }
  }
  // The copy is whole, whatever becomes of the note: one before an upgrade is of a store that
  // nothing may write to yet.
  await noteBackup({ by: "keydesk backup" }).catch((error) =>
    terminal().err(`The console does not know of it: ${reasonOf(error) ?? error}`)
  );
  terminal().err(`The sealing key is not in it. ${whereTheKeyIs(config)}`);
}

/** Says in the audit log that a backup was made. Makes no steps of the schema. */
async function noteBackup(detail: { by: string }): Promise<void> {
  await withStore(async ({ storage, clock }) => {
    const first = await findFirstOrganisation(storage.reader);
    if (!first) throw new OperatorError("there is no organisation in the store yet");
    const actor = operator(first.id, clock.now());
    await storage.commit(writeAuditLogRows, { rows: [{ actor, event: { ...BACKED_UP, detail } }] });
  }, { reads: true });
}

/** Gives a finished file its name. Throws AlreadyExists where that is taken. */
async function giveName(draft: string, target: string): Promise<void> {
  try {
    // A link is made whole or not at all, and never over a file that is there already.
    await Deno.link(draft, target);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw error;
    // Some file systems know no links.
    if (await isThere(target)) throw new Deno.errors.AlreadyExists();
    await Deno.rename(draft, target);
  }
}

/** The location of the sealing key, for people. */
function whereTheKeyIs(config: Config): string {
  return config.SEALING_KEY
    ? "It is what KEYDESK_SEALING_KEY says: keep that apart from the copy."
    : `It is in ${
      resolve(config.DATA_DIR, "sealing-key")
    }: keep a copy of that apart from this one.`;
}

/** Throws OperatorError where the settings name a PostgreSQL. */
export function refusePostgres(config: Config, verb: string): void {
  if (!config.DATABASE_URL) return;
  throw new OperatorError(
    `${verb} is for SQLite stores, and KEYDESK_DATABASE_URL names a PostgreSQL: use its own tools (docs/operating.md)`,
  );
}

/** Makes an empty file that its owner alone may read. Throws OperatorError where it can't be. */
export async function createEmpty(path: string): Promise<void> {
  try {
    (await Deno.open(path, { write: true, createNew: true, mode: 0o600 })).close();
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new OperatorError(
        `${path} exists: left by a run that was interrupted, or one runs now`,
      );
    }
    const reason = error instanceof Deno.errors.NotFound
      ? "there is no such folder"
      : fileProblem(error) ?? reasonOf(error);
    throw new OperatorError(`can't write ${path}: ${reason}`, { cause: error });
  }
}

/** Waits until a file has reached the disk. */
export async function flush(path: string): Promise<void> {
  const file = await Deno.open(path, { read: true, write: true });
  try {
    await file.sync();
  } finally {
    file.close();
  }
}

/** A progress bar over pages, of which SQLite tells how many there are. */
class Bar {
  #bar: ProgressBar | undefined;
  #done = 0;

  draw(total: number, copied: number): void {
    this.#bar ??= new ProgressBar(total);
    this.#bar.add(copied - this.#done);
    this.#done = copied;
  }

  end(): void {
    this.#bar?.end();
  }
}
