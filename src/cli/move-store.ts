import type { Command } from "commander";
import { dirname, resolve } from "node:path";
import { keyChecks } from "../changes/checksum-demand.store.ts";
import { formOf, parseSealingKeys } from "../kernel/sealing/sealing-keys.ts";
import { beginMove, hasEnded } from "../maintenance/move-store/begin-move.ts";
import { MoveRefused } from "../maintenance/move-store/in-move.ts";
import {
  copyTables,
  gatherStatistics,
  type Move,
  MoveDiffers,
  openTarget,
  translationFor,
  verifyTables,
} from "../maintenance/move-store/move-store.ts";
import { closingMark, countRows, openAgain } from "../maintenance/move-store/moving.store.ts";
import { NotTranslatable } from "../maintenance/move-store/translation.ts";
import { DatabaseUrlInvalid, hasPassword, withPassword } from "../storage/engines/postgres-url.ts";
import { StoreInUse, type StoreSession } from "../storage/engines/store-session.ts";
import { closedNames } from "../storage/migrate.ts";
import { openSession } from "../storage/open-session.ts";
import type { StorageLocation } from "../storage/open-storage.ts";
import { holdsSomething } from "../store-folder.ts";
import { createEmpty } from "./backup.ts";
import { isThere } from "./is-there.ts";
import { configFromEnvironment } from "./environment.ts";
import { type Form, printValues } from "./forms.ts";
import { fileProblem, OperatorError, reasonOf, usersOf } from "./operator-error.ts";
import { ProgressBar } from "./progress-bar.ts";
import { printTable } from "./table.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

interface Options {
  from?: string;
  to?: string;
  reopen?: string;
  fromPasswordFile?: string;
  toPasswordFile?: string;
  form?: Form;
}

const STORES = {
  needs: "settings",
  "--from": "store",
  "--to": "store",
  "--reopen": "store",
  "--from-password-file": "read",
  "--to-password-file": "read",
} as const;

/** `keydesk move-store`. */
export function addMoveStoreCommand(program: Command): void {
  touching(program.command("move-store"), STORES)
    .description("move everything into another store: SQLite to PostgreSQL, or the other way round")
    .option("--from <store>", "sqlite:FILE or postgres://…")
    .option("--to <store>", "sqlite:FILE or postgres://…; must be empty")
    .option("--reopen <store>", "open a source again that a move has closed, and do nothing else")
    .option("--from-password-file <file>", "the PostgreSQL password of --from or --reopen")
    .option("--to-password-file <file>", "the PostgreSQL password of --to")
    .option("--json", "print what each table holds, one JSON object a line")
    .addHelpText(
      "after",
      `
Stop all servers and Litestream first.

- The source is closed before the first row is copied, and stays closed: no release starts on it.
- The new store is closed until it is complete. At the end every table of both stores is compared, by
  its rows and their SHA-256.
- After an interruption the same command continues. To give up, or after a rehearsal: --reopen.
- The sealing key must be the source's: KEYDESK_SEALING_KEY, or the file sealing-key beside it. It is
  checked and not copied.
- A password in a URL is refused, because every user of the machine can read arguments: name a file
  that has it, or set KEYDESK_DATABASE_PASSWORD.

Examples:
  keydesk move-store --from sqlite:data/keydesk.db --to postgres://keydesk@db/keydesk \\
    --to-password-file /run/secrets/database
  keydesk move-store --reopen sqlite:data/keydesk.db`,
    )
    .action(moveStore);
}

async function moveStore(options: Options): Promise<void> {
  const { from, to, reopen, form, fromPasswordFile, toPasswordFile } = options;
  if (reopen !== undefined) return await reopenStore(reopen, fromPasswordFile);
  if (from === undefined || to === undefined) {
    throw new OperatorError("both --from and --to are needed", { exitCode: 2 });
  }
  const sourceAt = await locationOf("--from", from, fromPasswordFile);
  const targetAt = await locationOf("--to", to, toPasswordFile);
  const source = await open(sourceAt, "source");
  try {
    await checkKey(source, sourceAt);
    if ("path" in targetAt && !await isThere(targetAt.path)) await createEmpty(targetAt.path);
    const target = await open(targetAt, "target");
    try {
      await run(source, target, form);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  terminal().err(
    "url" in targetAt
      ? "Start the servers with KEYDESK_DATABASE_URL and the same sealing key as KEYDESK_SEALING_KEY."
      : `Start the server on the folder of ${targetAt.path}, with the same sealing key.`,
  );
}

async function run(
  source: StoreSession,
  target: StoreSession,
  form: Form | undefined,
): Promise<void> {
  const started = performance.now();
  try {
    if (await hasEnded(source, target)) {
      await gatherStatistics(target);
      terminal().err("This move is done already: the target is complete, and open");
      return;
    }
    const { move, resumed } = await beginMove(source, target);
    const total = await rowsIn(move);
    terminal().err(
      `${resumed ? "Going on with" : "Copying"} ${total} rows of ${move.tables.length} tables`,
    );
    const translation = await translationFor(move);
    const copying = new ProgressBar(total);
    await copyTables(move, translation, (n) => copying.add(n));
    copying.end();
    const copied = performance.now();
    terminal().err(`Copied in ${seconds(copied - started)} s; comparing`);
    const comparing = new ProgressBar(2 * total);
    const digests = await verifyTables(move, translation, (n) => comparing.add(n));
    comparing.end();
    await openTarget(move);
    terminal().err(`Compared in ${seconds(performance.now() - copied)} s: both hold the same`);
    if (form) await printValues(digests, form);
    else {
      printTable(
        digests.map(({ table, rows, sha256 }) => ({ table, rows: String(rows), sha256 })),
        "nothing",
      );
    }
  } catch (error) {
    throw toOperatorError(error);
  }
}

function toOperatorError(error: unknown): unknown {
  if (error instanceof StoreInUse) {
    return new OperatorError(
      `a server uses the source, or Litestream, or another move-store: stop all of them first${
        usersOf(error)
      }`,
    );
  }
  if (error instanceof MoveDiffers) {
    return new OperatorError(
      `the target differs from the source: ${error.message}. It stays closed: empty it and run this again`,
    );
  }
  if (error instanceof MoveRefused || error instanceof NotTranslatable) {
    return new OperatorError(error.message);
  }
  const reason = reasonOf(error);
  return reason === undefined || error instanceof OperatorError
    ? error
    : new OperatorError(`broken off: ${reason}. Run the same command again to go on`, {
      cause: error,
    });
}

async function rowsIn({ source, tables }: Move): Promise<number> {
  let total = 0;
  for (const { from } of tables) total += await countRows(source, from);
  return total;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

async function reopenStore(text: string, passwordFile?: string): Promise<void> {
  const session = await open(await locationOf("--reopen", text, passwordFile), "store");
  try {
    const mark = await closingMark(session).catch(() => undefined);
    if (mark?.startsWith(closedNames.arriving)) {
      throw new OperatorError(
        "this is the target of a move that is not done, so it may hold a part: run that command again, or empty it",
      );
    }
    if (mark === undefined || !await openAgain(session)) {
      throw new OperatorError("the store is not closed");
    }
  } finally {
    await session.close();
  }
  terminal().out("open again");
  terminal().err(
    "Stores that were moved from it and are in use have changes of their own from now on.",
  );
}

async function locationOf(
  option: string,
  text: string,
  passwordFile: string | undefined,
): Promise<StorageLocation> {
  const file = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (file !== undefined) return { path: resolve(file) };
  if (!/^postgres(ql)?:\/\//.test(text)) {
    throw new OperatorError(`${option}: expected sqlite:FILE or postgres://…`, { exitCode: 2 });
  }
  if (urlHasPassword(option, text)) {
    throw new OperatorError(
      `${option}: everyone on this machine can read a password in an argument. Leave it out, and give it by ${
        option === "--to" ? "--to-password-file" : "--from-password-file"
      } or in KEYDESK_DATABASE_PASSWORD; change it, too`,
      { exitCode: 2 },
    );
  }
  const password = passwordFile === undefined
    ? configFromEnvironment().DATABASE_PASSWORD
    : await passwordIn(passwordFile);
  return { url: password === undefined ? text : withPassword(text, password) };
}

function urlHasPassword(option: string, url: string): boolean {
  try {
    return hasPassword(url);
  } catch (error) {
    if (!(error instanceof DatabaseUrlInvalid)) throw error;
    throw new OperatorError(`${option}: ${error.message}`, { exitCode: 2 });
  }
}

async function passwordIn(file: string): Promise<string> {
  try {
    return (await Deno.readTextFile(file)).replace(/\r?\n$/, "");
  } catch (error) {
    const problem = fileProblem(error);
    if (problem === undefined) throw error;
    throw new OperatorError(`${file}: ${problem}`);
  }
}

async function open(location: StorageLocation, role: string): Promise<StoreSession> {
  if ("path" in location && !await isThere(location.path)) {
    throw new OperatorError(`${location.path}: there is no such file`);
  }
  try {
    return await openSession(location);
  } catch (error) {
    // The text of an invalid URL would show it whole, password included.
    const reason = error instanceof TypeError && /invalid url/i.test(error.message)
      ? "is no URL; special characters of a password are written as %40 and the like"
      : reasonOf(error);
    if (reason === undefined) throw error;
    throw new OperatorError(`can't open the ${role}: ${reason}`, { cause: error });
  }
}

/** Throws OperatorError where the key at hand is not the one that the source was sealed with. */
async function checkKey(source: StoreSession, location: StorageLocation): Promise<void> {
  const config = configFromEnvironment();
  const file = "path" in location ? resolve(dirname(location.path), "sealing-key") : undefined;
  const keys = config.SEALING_KEY ??
    (file !== undefined && await holdsSomething(file)
      ? parseSealingKeys(await Deno.readTextFile(file))
      : undefined);
  if (!keys) {
    throw new OperatorError(
      "the source's sealing key is needed: KEYDESK_SEALING_KEY, or the file sealing-key beside it",
    );
  }
  // A source without a schema is refused further on.
  const checks = await keyChecks(source).catch(() => []);
  const newest = checks.at(-1)?.version;
  const wrong = checks.filter((check) => {
    const form = formOf(keys, check);
    return form === "wrong" || (form === "absent" && check.version === newest);
  });
  if (wrong.length > 0) {
    throw new OperatorError(
      `the sealing key, version ${
        wrong.map(({ version }) => version).join(", ")
      }, is not the one that the source was sealed with`,
    );
  }
}
