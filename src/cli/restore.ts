import type { Command } from "commander";
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { toTimestamp } from "../kernel/clock.ts";
import { formOf, parseSealingKeys, type SealingKeys } from "../kernel/sealing/sealing-keys.ts";
import {
  besideCopy,
  type CheckedStore,
  checkSqliteStore,
  NoStore,
  setAside,
  whileUnused,
} from "../storage/engines/sqlite-copies.ts";
import { StoreInUse } from "../storage/engines/store-session.ts";
import { refuseForeign } from "../storage/migrate.ts";
import { type EndedSince, endedSince } from "../maintenance/restored/ended-since.ts";
import { writeRestored } from "../maintenance/restored/restored-file.ts";
import { acceptAtNextLook } from "../maintenance/audit-log/kept-heads.ts";
import { holdsSomething } from "../store-folder.ts";
import { createEmpty, flush, refusePostgres } from "./backup.ts";
import { isThere } from "./is-there.ts";
import { configFromEnvironment } from "./environment.ts";
import { fileProblem, OperatorError, reasonOf } from "./operator-error.ts";
import { wordsOf } from "./reopened-lines.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

/** `keydesk restore`. */
export function addRestoreCommand(program: Command): void {
  touching(program.command("restore"), { arguments: "read" })
    .description("put a copy that backup made in the place of the SQLite store")
    .argument("<file>", "the copy; it is read and stays")
    .option("--replace", "if a store exists already: set it aside, under another name")
    .option("--reopen", "leave valid all that was revoked since the copy was made")
    .addHelpText(
      "after",
      `
No server may run on the data directory. The copy is checked page by page. This release must serve its
schema, and its sealing key must be the present one, if there is one. Then it becomes the store, in one
step. Put the sealing key back before the first start.

In a copy, keys that were revoked after it was made are active. If the replaced store is present, the
command lists keys, access tokens, people, developers and one-time links that were revoked, deactivated,
suspended or restricted since. The first start does so again and revokes all sessions. --reopen leaves
them valid. Without that store they are unknown: the command says so, and Home shows it for 7 days.

Example:
  keydesk restore /backup/keydesk-2026-03-01.db --replace`,
    )
    .action(restore);
}

async function restore(
  file: string,
  options: { replace?: boolean; reopen?: boolean },
): Promise<void> {
  const config = configFromEnvironment();
  refusePostgres(config, "restore");
  const store = resolve(config.databaseFile);
  const occupied = await isThere(store);
  if (occupied && !options.replace) {
    throw new OperatorError(
      `there is a store at ${store}; with --replace it is set aside, under another name`,
    );
  }
  await Deno.mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 });
  const draft = `${store}.restoring`;
  await createEmpty(draft);
  try {
    await copyInto(file, draft);
    const checked = await checkedStore(file, draft);
    refuseForeign(checked.steps);
    const key = await keyProblem(config, checked);
    await flush(draft);
    const reopen = options.reopen === true;
    if (occupied) {
      let aside = "";
      await whileUnused(store, async (replaced) => {
        const since = replaced && await besideCopy(replaced, draft, endedSince);
        await leaveToFirstStart(config, draft, since, reopen);
        aside = await setAside(store);
        await Deno.link(draft, store);
      });
      terminal().err(`The previous store is now ${aside}`);
    } else {
      await leaveToFirstStart(config, draft, undefined, reopen);
      await setAside(store);
      await Deno.link(draft, store);
    }
    // The copy is older than what is known of it: anyone who puts it back means that.
    await acceptAtNextLook(config.DATA_DIR, `restored from ${file}`, toTimestamp(Date.now()));
    const schema = checked.steps.at(-1)?.version ?? 0;
    terminal().out(`${store}: restored from ${file}, schema ${schema}, checked`);
    if (key) terminal().err(key);
  } catch (error) {
    if (error instanceof StoreInUse) {
      throw new OperatorError(`a process has ${store} open; stop the server first`);
    }
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new OperatorError(`meanwhile a store came into being at ${store}; nothing was changed`);
    }
    throw error;
  } finally {
    for (const one of ["", "-wal", "-shm", "-journal"]) {
      await Deno.remove(draft + one).catch(() => {});
    }
  }
}

/** Says what opens again by the copy, and leaves to the first start what is to be ended. */
async function leaveToFirstStart(
  { DATA_DIR }: Config,
  draft: string,
  since: EndedSince | undefined,
  reopen: boolean,
): Promise<void> {
  const { ino: inode } = await Deno.stat(draft);
  const endings = since?.endings ?? [];
  const at = toTimestamp(Date.now());
  await writeRestored(DATA_DIR, { at, inode, known: since !== undefined, reopen, endings });
  for (const line of wordsOf(since, reopen)) terminal().err(line);
}

async function copyInto(from: string, to: string): Promise<void> {
  try {
    const source = await Deno.open(from);
    const target = await Deno.open(to, { write: true });
    // Closes both.
    await source.readable.pipeTo(target.writable);
  } catch (error) {
    const reason = fileProblem(error) ?? reasonOf(error);
    if (reason === undefined) throw error;
    throw new OperatorError(`${from}: ${reason}`, { cause: error });
  }
}

async function checkedStore(file: string, draft: string): Promise<CheckedStore> {
  try {
    return await checkSqliteStore(draft);
  } catch (error) {
    if (!(error instanceof NoStore)) throw error;
    throw new OperatorError(`${file} is no usable copy; ${error.message}. Nothing was changed.`);
  }
}

/** Throws OperatorError where the key at hand is another; what to tell where there is none yet. */
async function keyProblem(config: Config, store: CheckedStore): Promise<string | undefined> {
  const keys = config.SEALING_KEY ?? await keysOfFile(config);
  const place = resolve(config.DATA_DIR, "sealing-key");
  if (!keys) {
    return `The sealing key is missing: put it back into ${place} (or KEYDESK_SEALING_KEY) before the start.`;
  }
  for (const check of store.keys) {
    if (formOf(keys, check) === "wrong") {
      throw new OperatorError(
        `the sealing key at hand (${
          config.SEALING_KEY ? "KEYDESK_SEALING_KEY" : place
        }), version ${check.version}, is not the one of this copy; put that back first`,
      );
    }
  }
  return undefined;
}

async function keysOfFile(config: Config): Promise<SealingKeys | undefined> {
  const path = resolve(config.DATA_DIR, "sealing-key");
  return await holdsSomething(path) ? parseSealingKeys(await Deno.readTextFile(path)) : undefined;
}
