import type { Command } from "commander";
import { resolve } from "node:path";
import type { CheckedTable } from "../changes/checked-rows.ts";
import { objectsOf } from "../changes/damages.store.ts";
import { presentObject } from "../contract/former-names.ts";
import type { Config } from "../config.ts";
import { locationOf } from "../open-server.ts";
import { holdsSomething } from "../store-folder.ts";
import { SEALING_KEY_FILE } from "../store-files.ts";
import { Failure } from "../kernel/failure.ts";
import { Sealer } from "../kernel/sealing/sealer.ts";
import { parseSealingKeys } from "../kernel/sealing/sealing-keys.ts";
import { checkedTables } from "../maintenance/damage/checked-rows.store.ts";
import { checkStore, damagedBy } from "../maintenance/damage/checks/all.ts";
import { type CheckFinding, RESTORE } from "../maintenance/damage/checks/check.ts";
import { recount } from "../maintenance/damage/checks/counters.store.ts";
import { acceptRow } from "../maintenance/damage/checksums.transactions.ts";
import { demandAll } from "../maintenance/damage/write-checksums.ts";
import { type Inspection, isStoreDamage } from "../storage/engines/inspection.ts";
import { StoreInUse } from "../storage/engines/store-session.ts";
import { inOne, stepsOf } from "../storage/migrate-session.ts";
import { missingSteps, raiseOldestCode, refuseForeign } from "../storage/migrate.ts";
import { SchemaTooNew, SchemaTooOld } from "../storage/schema-errors.ts";
import { CHECKSUMS_DEMANDED, migrations } from "../storage/migrations/list.ts";
import { openInspection } from "../storage/open-inspection.ts";
import { openSession } from "../storage/open-session.ts";
import { isThere } from "./is-there.ts";
import { configFromEnvironment } from "./environment.ts";
import { type Form, printValues } from "./forms.ts";
import { refuseWithoutStore, withStore } from "./open-store.ts";
import {
  fileProblem,
  openingStore,
  OperatorError,
  reasonOf,
  roomProblem,
  storePlace,
  usersOf,
} from "./operator-error.ts";
import { print } from "./standard-output.ts";
import { tableLine } from "./table.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

interface Options {
  form?: Form;
  accept?: string;
  demand?: boolean;
  recount?: boolean;
}

/** `keydesk check`. */
export function addCheckCommand(program: Command): void {
  touching(program.command("check"), { arguments: "read" })
    .description("look for damage: structure, checksums, counters, references, the audit log")
    .argument("[file]", "a copy that backup made; without it the store itself")
    .option("--json", "print JSON, a line for each finding")
    .option("--accept <row>", "say that a row which fails its checksum is right as it is")
    .option("--recount", "count every list anew")
    .option("--demand", "refuse rows without a checksum from now on; there is no way back")
    .addHelpText(
      "after",
      `
Each line is one result: ok, warn, fail (fix this) or skip (not checked, with the reason). The line
below it says what to do. Without an option the command changes nothing. It reads the whole store,
with or without a running server.

Keys, access tokens and people have a checksum that needs the sealing key. A row that was changed by
another program is not valid. Look at it, correct it by hand if necessary, and accept it: --accept
with the words that check prints. The audit log notes it.

--demand is for stores that an earlier release made. Stop every server and command first: it is
refused while a process has the store open. The earlier release cannot open the store afterwards.

Exit codes: 0 nothing failed, 1 something did or was refused, 2 wrong usage.

Examples:
  keydesk check
  keydesk check /backup/keydesk-2026-03-01.db
  keydesk check --accept key:65a1…:3f79…`,
    )
    .action(run);
}

async function run(file: string | undefined, options: Options): Promise<void> {
  const { accept, demand, recount } = options;
  const asked = [accept !== undefined, demand, recount, file !== undefined].filter(Boolean);
  if (asked.length > 1) {
    throw new OperatorError("give one of FILE, --accept, --recount and --demand", { exitCode: 2 });
  }
  if (accept !== undefined) return await acceptOne(accept);
  if (demand) return await demandChecksums(options.form);
  if (recount) return await recountLists();
  await check(file, options);
}

async function check(file: string | undefined, options: Options): Promise<void> {
  const config = configFromEnvironment();
  await refuseAbsent(config, file);
  let [looked, failed] = [0, 0];
  for await (const finding of findings(config, file)) {
    looked++;
    if (finding.result === "fail") failed++;
    if (options.form) await printValues([finding], options.form);
    else {
      const { result, check, text, advice } = finding;
      await print(`${tableLine([result, check, text], [4, 10])}\n`);
      if (advice !== undefined) await print(`${" ".repeat(6)}${advice}\n`);
    }
  }
  if (failed > 0) throw new OperatorError(`${failed} of ${looked} findings are damage`);
}

async function refuseAbsent(config: Config, file: string | undefined): Promise<void> {
  if (file === undefined && config.DATABASE_URL) return;
  const path = file ?? config.databaseFile;
  if (await isThere(path)) return;
  throw new OperatorError(
    file === undefined
      ? `there is no store in ${storePlace(config)}: start the server once, or run \`keydesk seed\``
      : `there is no ${file}`,
  );
}

async function* findings(
  config: Config,
  file: string | undefined,
): AsyncGenerator<CheckFinding, void, void> {
  let inspection: Inspection | undefined;
  try {
    inspection = await openingStore(config, () => openInspection(locationOf(config), file));
    const steps = await inspection.steps();
    refuseForeign(steps);
    const schema = steps.at(-1)?.version;
    if (schema === undefined) {
      const text = "it is a database, but no store of Keydesk";
      return yield { check: "structure", result: "fail", text, advice: RESTORE };
    }
    const sealer = await sealerOf(config);
    const { connection, problems, frozen } = inspection;
    const store = { connection, sealer, schema, problems, frozen };
    yield* checkStore(store);
    const newest = migrations.at(-1)?.version ?? 0;
    if (schema < newest) {
      const text = `schema ${schema}; this release's is ${newest}`;
      yield {
        check: "schema",
        result: "warn",
        text,
        advice: config.UPGRADE === "off"
          ? "KEYDESK_UPGRADE is off: `keydesk upgrade` brings it up to date"
          : "the next start brings it up to date",
      };
    }
  } catch (error) {
    if (error instanceof SchemaTooNew || error instanceof SchemaTooOld) {
      throw new OperatorError(error.message);
    }
    if (isStoreDamage(error)) return yield damagedBy(error);
    const reason = await roomProblem(config, error) ?? reasonOf(error);
    if (reason === undefined || error instanceof OperatorError) throw error;
    throw new OperatorError(`the store can't be looked at: ${reason}`, { cause: error });
  } finally {
    await inspection?.close();
  }
}

/** By the sealing keys of setting or file; undefined where there are none. Makes no file. */
async function sealerOf(config: Config): Promise<Sealer | undefined> {
  if (config.SEALING_KEY) return new Sealer(config.SEALING_KEY);
  const path = resolve(config.DATA_DIR, SEALING_KEY_FILE);
  if (!await holdsSomething(path)) return undefined;
  try {
    return new Sealer(parseSealingKeys(await Deno.readTextFile(path)));
  } catch (error) {
    throw new OperatorError(`${path}: ${fileProblem(error) ?? reasonOf(error)}`, { cause: error });
  }
}

async function acceptOne(words: string): Promise<void> {
  const [object, org_id = "", id = ""] = words.split(":");
  const table = checkedTables.find((one: CheckedTable) => presentObject(objectsOf[one]) === object);
  if (!table || org_id === "" || id === "") {
    throw new OperatorError(
      `--accept: expected ${
        Object.values(objectsOf).map(presentObject).join(", or ")
      }, the organisation's id and the row's, with colons between`,
      { exitCode: 2 },
    );
  }
  await withStore(async (ctx) => {
    try {
      const input = { table, place: { org_id, id }, now: ctx.clock.now() };
      await ctx.storage.commit(acceptRow, input);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "not_found") throw error;
      throw new OperatorError(`organisation ${org_id} has no ${object} ${id}`);
    }
    terminal().out(`accepted ${words}`);
  });
}

async function demandChecksums(form: Form | undefined): Promise<void> {
  const config = configFromEnvironment();
  await refuseWithoutStore(config);
  await shutOutOthers(config);
  await withStore(async (ctx) => {
    const written = await demandAll(ctx);
    if (form) return await printValues([{ written }], form);
    terminal().out(`${written} rows were given a checksum; from now on every row needs its own`);
  });
}

/**
 * Sees to it that nothing of an earlier release writes to the store from now on. Throws
 * OperatorError where a process has it open: what that one answered as done would open nothing.
 */
async function shutOutOthers(config: Config): Promise<void> {
  const session = await openingStore(config, () => openSession(locationOf(config)));
  try {
    const steps = await stepsOf(session);
    refuseForeign(steps);
    if (missingSteps(steps).length > 0) {
      throw new OperatorError("the store has an older schema: run `keydesk upgrade` first");
    }
    await session.lockAlone();
    await raiseOldestCode(session, CHECKSUMS_DEMANDED);
    // Holding a PostgreSQL is a transaction.
    if (session.dialect === "postgres") await session.exec("commit");
  } catch (error) {
    if (!(error instanceof StoreInUse)) throw error;
    throw new OperatorError(
      `a process has ${
        storePlace(config)
      } open: stop every server and command that uses it, of this release and of the one before, and Litestream; nothing was changed${
        usersOf(error)
      }`,
    );
  } finally {
    await session.close();
  }
}

async function recountLists(): Promise<void> {
  const config = configFromEnvironment();
  await refuseWithoutStore(config);
  const session = await openingStore(config, () => openSession(locationOf(config)));
  try {
    refuseForeign(await openingStore(config, () => stepsOf(session)));
    await inOne(session, async () => {
      if (session.dialect === "postgres") {
        await session.exec("lock table list_counts in exclusive mode");
      }
      await recount(session);
    });
  } finally {
    await session.close();
  }
  terminal().out("every list is counted anew");
}
