import { type Command, Option } from "commander";
import { resolve } from "node:path";
import type { ServiceContext } from "../calls/context.ts";
import { locationOf } from "../open-server.ts";
import { type KeyForm, keyForms } from "../../packages/x509/post-quantum.ts";
import { isRecipient } from "../maintenance/archive/age.ts";
import { type Encryption, REPORT_FILE } from "../maintenance/export/export-folder.ts";
import {
  ExportInterrupted,
  exportOrganisation,
  type ExportReport,
  organisationDigest,
} from "../maintenance/export/export.service.ts";
import { type TargetHash, targetHashes } from "../maintenance/export/names-there.ts";
import { OrganisationUnreadable } from "../maintenance/export/open-rows.ts";
import type { StoreSession } from "../storage/engines/store-session.ts";
import { openSession } from "../storage/open-session.ts";
import { type Form, printValues } from "./forms.ts";
import { textIn } from "./import-sources.ts";
import { interruption } from "./interruption.ts";
import { withStore } from "./open-store.ts";
import { fileProblem, OperatorError } from "./operator-error.ts";
import { organisationOf, organisationOption } from "./organisation.ts";
import { printable, printTable } from "./table.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

interface Options {
  withSecrets?: boolean;
  passphraseFile?: string;
  recipient: string[];
  targetHash?: TargetHash;
  digest?: boolean;
  dryRun?: boolean;
  keyForm?: KeyForm;
  organisation?: string;
  form?: Form;
}

/** `keydesk export tyk`. */
export function addExportTykCommand(command: Command): void {
  touching(command.command("tyk"), { arguments: "write", "--passphrase-file": "read" })
    .description("write one organisation into a new folder, in the forms of a Tyk dashboard")
    .argument("[folder]", "made, and must not exist yet")
    .option("--with-secrets", "with keys, passwords and private keys; the files are encrypted")
    .option("--passphrase-file <file>", "encrypt with the passphrase in it")
    .option(
      "--recipient <key>",
      "encrypt to a public key of age, age1…; may be given several times",
      (key: string, all: string[]) => [...all, key],
      [],
    )
    .addOption(
      new Option("--target-hash <function>", "how the gateway hashes keys that it goes to")
        .choices(targetHashes),
    )
    .addOption(
      new Option("--key-form <form>", "the form of private keys of ML-DSA and ML-KEM")
        .choices(keyForms),
    )
    .option(
      "--dry-run",
      "write nothing: say which data would be missing, and which would be refused",
    )
    .option("--digest", "write nothing: print a digest of the organisation, to compare two of them")
    .option(...organisationOption)
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
One organisation as it is at one moment, beside a running server or without one.
\`keydesk import tyk run --files <folder>\` reads it, and so do the tools of that dashboard's
database. With secrets, an empty server becomes the same one by it: --digest says the same on
both sides. Without, the report names what is missing. Access tokens, sessions and the audit log
stay behind. --dry-run reads all of it and writes nothing. docs/migration.md has the whole.

Examples:
  keydesk export tyk out/
  keydesk export tyk out/ --with-secrets --passphrase-file /run/secrets/export
  keydesk export tyk --dry-run --target-hash sha256
  keydesk export tyk --digest`,
    )
    .action(run);
}

/** Options of `export` that stand for nothing here; the parser takes them wherever they stand. */
const OF_LINES = ["from", "until", "format", "proof", "follow"] as const;

async function run(folder: string | undefined, own: Options, command: Command): Promise<void> {
  const { parent } = command;
  const foreign = OF_LINES.find((name) => parent?.getOptionValueSource(name) === "cli");
  if (foreign) throw new OperatorError(`--${foreign} is not of \`export tyk\``, { exitCode: 2 });
  const options: Options = {
    ...own,
    organisation: own.organisation ?? parent?.opts().organisation,
  };
  const asked = [folder !== undefined, options.digest === true, options.dryRun === true];
  if (asked.filter((one) => one).length !== 1) {
    throw new OperatorError("name either a folder, --dry-run or --digest", { exitCode: 2 });
  }
  const encryption = await encryptionOf(options);
  await withStore(async (ctx, config) => {
    const org_id = await organisationOf(ctx, options);
    const session = await openSession(locationOf(config));
    try {
      if (options.digest) await printDigest(ctx, session, org_id, options);
      else {
        const path = folder === undefined ? undefined : resolve(folder);
        await write(ctx, session, { ...options, org_id, path, encryption });
      }
    } catch (error) {
      throw error instanceof OrganisationUnreadable ? new OperatorError(error.message) : error;
    } finally {
      await session.close();
    }
  }, { reads: true });
}

/** The shortest passphrase that is taken, in characters. */
const LEAST_PASSPHRASE = 12;

async function encryptionOf(options: Options): Promise<Encryption> {
  const { recipient: recipients, passphraseFile, withSecrets = false } = options;
  const refuse = (message: string) => new OperatorError(message, { exitCode: 2 });
  if (recipients.length > 0 && passphraseFile !== undefined) {
    throw refuse("name --passphrase-file or --recipient, not both");
  }
  for (const recipient of recipients) {
    if (!await isRecipient(recipient)) throw refuse("--recipient: expected a key such as age1…");
  }
  const passphrase = await textIn(passphraseFile);
  if (passphrase !== undefined && passphrase.length < LEAST_PASSPHRASE) {
    throw refuse(`--passphrase-file: ${LEAST_PASSPHRASE} characters or more`);
  }
  if (passphrase !== undefined) return { passphrase };
  if (recipients.length > 0) return { recipients };
  if (withSecrets && !options.dryRun) {
    throw refuse("--with-secrets: say how it is encrypted, by --passphrase-file or --recipient");
  }
  return undefined;
}

const DRAWN_EACH_MS = 200;

async function write(
  ctx: ServiceContext,
  session: StoreSession,
  options: Options & { org_id: string; path: string | undefined; encryption: Encryption },
): Promise<void> {
  const { org_id, path, encryption, withSecrets = false, targetHash, keyForm } = options;
  const { isErrTerminal, draw } = terminal();
  const started = performance.now();
  let written = 0;
  const interrupt = interruption();
  try {
    const report = await exportOrganisation(ctx, session, {
      org_id,
      path,
      withSecrets,
      encryption,
      targetHash,
      keyForm,
    }, {
      written: (documents) => {
        if (!isErrTerminal || performance.now() - written < DRAWN_EACH_MS) return;
        written = performance.now();
        const rate = Math.round(documents / ((written - started) / 1000));
        draw(`\r\x1b[K${documents} ${path ? "written" : "read"}, ${rate} a second`);
      },
      get isOver() {
        return interrupt.asked;
      },
    });
    if (isErrTerminal) draw("\r\x1b[K");
    if (options.form) await printValues([report], options.form);
    else printReport(path, report);
  } catch (error) {
    if (error instanceof ExportInterrupted) throw new OperatorError("interrupted; nothing is left");
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new OperatorError(
        `${path} or ${path}.partial exists already: nothing is overwritten, and an export may run or have been interrupted`,
      );
    }
    const problem = fileProblem(error);
    throw problem === undefined ? error : new OperatorError(`${path}: ${problem}`);
  } finally {
    interrupt.stop();
  }
}

function printReport(path: string | undefined, report: ExportReport): void {
  const where = path ?? "nothing written";
  terminal().out(`${where}: ${report.documents} documents, ${secretsText(path, report)}`);
  const parts = [
    ["Missing:", report.missing],
    ["Data that Tyk can't take:", report.unknown_to_the_original],
  ] as const;
  for (const [title, losses] of parts) {
    if (losses.length === 0) continue;
    terminal().out(`\n${title}`);
    printTable(
      losses.map(({ what, count, meaning }) => ({ what, count: String(count), meaning })),
      "nothing",
    );
    for (const { what, names = [] } of losses) printNames(what, names);
  }
}

/** How many are named at the terminal; the report in the folder names all. */
const MOST_NAMED = 20;

function printNames(what: string, names: readonly string[]): void {
  if (names.length === 0) return;
  const others = names.length - MOST_NAMED;
  const rest = others > 0 ? ` and ${others} more, which ${REPORT_FILE} names` : "";
  terminal().out(`\n${what}: ${printable(names.slice(0, MOST_NAMED).join(", "))}${rest}`);
}

function secretsText(path: string | undefined, { with_secrets }: ExportReport): string {
  if (!with_secrets) return "without secrets";
  return path === undefined ? "with secrets" : "with secrets, encrypted";
}

async function printDigest(
  ctx: ServiceContext,
  session: StoreSession,
  organisation: string,
  { form }: Options,
): Promise<void> {
  const digest = await organisationDigest(ctx, session, organisation, () => {});
  if (form) return await printValues([{ organisation, ...digest }], form);
  printTable(
    digest.tables.map(({ holds, rows, sha256 }) => ({ holds, rows: String(rows), sha256 })),
    "nothing",
  );
  terminal().out(`\n${digest.sha256}  ${digest.rows} rows`);
}
