import type { Command } from "commander";
import type { ServiceContext } from "../calls/context.ts";
import { NoCheckpoint, parseVerifier, verifierText } from "../kernel/checkpoint.ts";
import { isId } from "../kernel/ids.ts";
import { newTrailKey, usableKey } from "../operations/trail/trail-key.ts";
import { keysOf } from "../operations/trail/trail-log.store.ts";
import { WITNESS, witnessKeyText } from "../operations/witness/witness-key.ts";
import {
  forgetLog,
  makeWitnessKey,
  witnessLog,
} from "../operations/witness/witness.transactions.ts";
import { listWitnessedLogs } from "../operations/witness/witnessed-logs.store.ts";
import { printJsonLines } from "./listing.ts";
import { withStore } from "./open-store.ts";
import { OperatorError } from "./operator-error.ts";
import { print } from "./standard-output.ts";
import { printTable } from "./table.ts";
import { terminal } from "./terminal.ts";

/** `keydesk witness key|list|add|remove`. */
export function addWitnessCommands(program: Command): void {
  const witness = program.command("witness")
    .description("sign the heads of others' logs, so that none of them can be written anew")
    .addHelpText(
      "after",
      `
A witness signs a head only where it goes on from the one that it signed before (C2SP tlog-witness).
Any log of that form can be added: another Keydesk's trail, or one of something else. This desk's own
witnesses are named by KEYDESK_TRAIL_WITNESSES.

Examples:
  keydesk witness key                                   on the desk that is to sign
  keydesk audit head --keys                             on the desk whose trail is signed
  keydesk witness add keydesk/65b0…+0a1b2c3d+AQ…        on the desk that is to sign
  keydesk witness list`,
    );
  witness.command("key")
    .description("print the key that this desk signs by as a witness, for the logs of others")
    .action(key);
  witness.command("list")
    .description("list logs whose heads are signed, and how far each has come")
    .option("--json", "print one JSON object a line")
    .action(list);
  witness.command("add <key...>")
    .description("sign the heads of a log that one of these keys signed; names its keys anew")
    .option("--origin <text>", "what the log calls itself, where that is not its key's name")
    .action(add);
  witness.command("remove <origin>")
    .description("sign no heads of a log any more, and forget how far it had come")
    .addHelpText(
      "after",
      `
A log that was put back to an older state, with the knowledge of its operator, is added again after
this. Ask why first: this is what a witness is there to find.`,
    )
    .action(remove);
}

async function key(): Promise<void> {
  await withStore(async (ctx) => await print(`${witnessKeyText(await keyOf(ctx))}\n`));
}

/** The key by which the desk signs as a witness, made where there is none. */
async function keyOf({ storage, sealer, clock }: ServiceContext) {
  const newKey = newTrailKey(sealer, WITNESS);
  await storage.commit(makeWitnessKey, { newKey, now: clock.now() });
  const known = usableKey(await keysOf(storage.reader, { org_id: WITNESS }));
  if (!known) throw new Error("a key that was made is gone");
  return known;
}

async function list({ json }: { json?: boolean }): Promise<void> {
  await withStore(async ({ storage }) => {
    const logs = (await listWitnessedLogs(storage.reader)).map((row) => ({
      origin: row.origin,
      size: Number(row.size),
      signed_at: row.at || null,
      // as: witness.transactions.ts writes a list of texts.
      keys: JSON.parse(row.keys) as string[],
    }));
    if (json) return await printJsonLines(logs);
    printTable(
      logs.map(({ origin, size, signed_at }) => ({
        origin,
        entries: String(size),
        signed: signed_at ?? "never",
      })),
      "No log is witnessed here.",
    );
  }, { reads: true });
}

async function add(texts: string[], { origin }: { origin?: string }): Promise<void> {
  const keys = texts.map((text) => {
    try {
      return parseVerifier(text);
    } catch (error) {
      if (!(error instanceof NoCheckpoint)) throw error;
      throw new OperatorError(error.message, { exitCode: 2, cause: error });
    }
  });
  const names = new Set(keys.map(({ name }) => name));
  const [named = ""] = names;
  if (names.size > 1 && origin === undefined) {
    throw new OperatorError("the keys have several names: say --origin", { exitCode: 2 });
  }
  const log = origin ?? named;
  if (log.trim() !== log || !isId(log)) {
    throw new OperatorError("--origin is no line", { exitCode: 2 });
  }
  await withStore(async ({ storage, sealer, clock }) => {
    await storage.commit(witnessLog, {
      origin: log,
      keys: keys.map(verifierText),
      newKey: newTrailKey(sealer, WITNESS),
      now: clock.now(),
    });
  });
  terminal().err(`Heads of ${log} are signed from now on, at POST /v1/witness/add-checkpoint.`);
}

async function remove(origin: string): Promise<void> {
  const isGone = await withStore(({ storage }) => storage.commit(forgetLog, { origin }));
  if (!isGone) throw new OperatorError(`${origin} is no log that is witnessed here`);
  terminal().err(`Heads of ${origin} are signed no more.`);
}
