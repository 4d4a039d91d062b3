import { type Command, InvalidArgumentError } from "commander";
import type { Config } from "../config.ts";
import {
  NoCheckpoint,
  parseVerifier,
  type Verifier,
  verifierText,
} from "../../packages/audit-log/checkpoint.ts";
import { toTimestamp } from "../kernel/clock.ts";
import { createLog } from "../kernel/log.ts";
import { leastIdAt } from "../maintenance/retention/retained.ts";
import { appendAll } from "../maintenance/audit-log/appender.ts";
import { eraseAuditLog, type ErasedAuditLog } from "../maintenance/audit-log/erase.ts";
import { originOf } from "../maintenance/audit-log/leaf.ts";
import { findingText } from "../maintenance/audit-log/finding-text.ts";
import { acceptRewound } from "../maintenance/restored/accept-rewound.ts";
import { HeadWatch } from "../maintenance/audit-log/head-watch.ts";
import { HeadsUnreadable, type KeptHead, readHeads } from "../maintenance/audit-log/kept-heads.ts";
import type { Finding } from "../maintenance/audit-log/log-found.ts";
import { findLog } from "../maintenance/audit-log/logs.store.ts";
import { NotProvable, verifyLines } from "../maintenance/audit-log/verify-file.ts";
import {
  headsWithoutLog,
  keptNote,
  storeVerifiers,
  type Verified,
  type VerifyOptions,
  verifyStore,
} from "../maintenance/audit-log/verify-store.ts";
import { counted } from "./counted.ts";
import { withStore } from "./open-store.ts";
import { listOf } from "./reopened-lines.ts";
import { fileProblem, OperatorError, reasonOf } from "./operator-error.ts";
import { isOfReceiver, linesFrom, named, verifyReceived } from "./audit-received.ts";
import { type Form, printValues } from "./forms.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

/** A command's output informs the person who runs it. */
const silent = createLog("silent", () => {});

interface Options {
  organisation?: string;
  key?: Verifier[];
  since?: string;
  olderUntil?: string;
  form?: Form;
}

/** `keydesk audit`. */
export function addAuditCommands(program: Command): void {
  const audit = program.command("audit")
    .description("verify the audit log, and print its checkpoints for witnesses");
  touching(audit.command("verify"), { arguments: "read", "--since": "read" })
    .argument("[file]", "an export made with --proof, or one row's proof; without one, the store")
    .description("find every row of the audit log that was changed, removed or put in by hand")
    .option("--organisation <id>", "only this organisation's audit log")
    .option(
      "--key <key>",
      "who must have signed, as `audit checkpoint --keys` prints it; may be repeated",
      toKeys,
    )
    .option("--since <file>", "checkpoints that were noted earlier: what they said must still hold")
    .option(
      "--older-until <time>",
      "take rows without a hash for an earlier release's until then",
      toTime,
    )
    .option("--json", "print JSON, one organisation a line")
    .addHelpText(
      "after",
      `
The command reads everything once and changes nothing. A server may run meanwhile. Each finding
names the organisation, the entry of the log, the row and its time. The exit code is 1 if there is one.

- A file of KEYDESK_AUDIT_STREAM or of a syslog receiver is compared with the store: rows can be
  present, doubled, missing or changed.
- Without --key, the keys are those of the store (its sealing key decrypts them) or those that the
  file names: compare them with the keys that you know. After a key change, give both: --key NEW --key OLD.
- A store is compared with the checkpoints in the data directory (trail-heads.json): an older state
  of the store is found.
- Without --since, a holder of the store, its sealing key and that file can write another history.
  docs/audit-log.md explains witnesses.

Examples:
  keydesk audit verify
  keydesk audit checkpoint >checkpoints.txt  keep it where the server cannot write
  keydesk audit verify --since checkpoints.txt
  keydesk audit verify audit.jsonl --key keydesk/65b0…+0a1b2c3d+AQ…
  keydesk audit verify proof.json      one row, as GET /v1/audit-log/ID/proof gives it
  keydesk audit verify received.log    what KEYDESK_AUDIT_STREAM was sent, against this store`,
    )
    .action(verify);
  audit.command("checkpoint")
    .description("print the newest checkpoint of each log, signed")
    .option("--organisation <id>", "only this organisation's log")
    .option("--keys", "print the public keys instead")
    .addHelpText(
      "after",
      `
Checkpoints have the form of C2SP's tlog-checkpoint, the newest entries of the last second aside.

Example:
  keydesk audit checkpoint --organisation 65b0c1d2e3f4a5b6c7d8e9f0 | mail -s checkpoint auditor@example.com`,
    )
    .action(head);
  addRepairCommands(audit);
}

/** Commands that change what the audit log holds. */
function addRepairCommands(audit: Command): void {
  audit.command("accept")
    .description("accept logs that were changed as they are")
    .requiredOption("--reason <text>", "why, for the audit log")
    .option("--organisation <id>", "only this organisation's log")
    .option("--reopen", "leave valid what was revoked since")
    .addHelpText(
      "after",
      `
Use this if the store was put back to an older state and you know why: the problem audit_log_rewound
ends, and the checkpoints of the data directory begin anew.

- Keys, access tokens and people that were revoked in the last 30 days, and that the store calls
  active, are listed and revoked again. All sessions are revoked. --reopen leaves them valid.
- Suspensions and reduced permissions of that time are not known.
- The audit log has the reason.
- \`keydesk restore\` does this by itself. If several nodes have a data directory each, run it on each.

Example:
  keydesk audit accept --reason "put back to Monday 09:00 after the failed import"`,
    )
    .action(accept);
  audit.command("erase")
    .description("take what names a person out of the audit log; its proof stays whole")
    .option("--person <text>", "an e-mail address, an id, a name or a client's address")
    .option("--before <time>", "rows before this time, in whole seconds", toTime)
    .option("--organisation <id>", "only in this organisation's audit log")
    .option("--dry-run", "only count it; changes nothing")
    .option("--json", "print JSON, one organisation a line")
    .addHelpText(
      "after",
      `
- --person erases names, e-mail addresses and reasons of each row that is about this id or has the
  text, and the client's address of each row in which the id acted. Run it for the id and for each
  e-mail address.
- --before erases the same of all rows before that time. Both together: of that person's rows before
  that time. Rows of releases that kept personal values in the detail lose their detail.
- The action, the time and the id stay, and \`keydesk audit verify\` still proves them.
- It cannot be undone. Backups, earlier exports and the outbox are not changed.
- Each batch of 100 rows adds a row with counts to the audit log.
- The exit code is 1 if rows could not be erased.

Examples:
  keydesk audit erase --person jane@example.com --dry-run
  keydesk audit erase --person 65b0c1d2e3f4a5b6c7d8e9f0
  keydesk audit erase --before 2025-01-01`,
    )
    .action(erase);
}

function toKeys(text: string, before: Verifier[] = []): Verifier[] {
  try {
    return [...before, parseVerifier(text)];
  } catch (error) {
    if (error instanceof NoCheckpoint) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

function toTime(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError("Expected a time such as 2026-03-01.");
  return toTimestamp(at);
}

async function verify(file: string | undefined, options: Options): Promise<void> {
  const noted = options.since === undefined ? [] : await notesOf(options.since);
  const optionsFor = (org_id: string): VerifyOptions => ({
    verifiers: options.key?.filter(({ name }) => name === originOf(org_id)),
    since: noted.filter((note) => note.startsWith(`${originOf(org_id)}\n`)),
    olderUntil: options.olderUntil,
  });
  let findings = 0;
  let kept: KeptHead[] = [];
  const seen: string[] = [];
  const report = async (result: { verified: Verified; findings: Finding[] }) => {
    findings += result.findings.length;
    seen.push(result.verified.org_id);
    await (options.form ? printValues([result], options.form) : print(textOf(result)));
  };
  if (file !== undefined && await isOfReceiver(file)) {
    return await verifyReceived(file, options);
  }
  if (file === undefined) {
    await withStore(async (ctx, config) => {
      kept = await headsOf(config);
      for (const org_id of await named(ctx, options)) {
        const head = kept.find((one) => one.org_id === org_id);
        await report(await verifyStore(ctx, org_id, { ...optionsFor(org_id), kept: head }));
      }
    }, { reads: true });
  } else {
    try {
      for await (const result of verifyLines(linesFrom(file), optionsFor)) {
        const { organisation = result.verified.org_id } = options;
        if (result.verified.org_id === organisation) await report(result);
      }
    } catch (error) {
      if (error instanceof NotProvable) {
        throw new OperatorError(`${file}: ${error.message}`, { cause: error });
      }
      throw error;
    }
  }
  for (const finding of headsWithoutLog([...noted, ...kept.map(keptNote)], seen)) {
    const { organisation = finding.org_id } = options;
    if (finding.org_id !== organisation) continue;
    findings++;
    await (options.form
      ? printValues([{ verified: null, findings: [finding] }], options.form)
      : print(`${originOf(finding.org_id)}: does not hold\n  ${finding.wrong}: ${finding.why}\n`));
  }
  if (findings > 0) throw new OperatorError(counted(findings, "finding"));
}

async function accept(
  options: { reason: string; organisation?: string; reopen?: boolean },
): Promise<void> {
  const reason = options.reason.trim();
  if (reason === "") throw new OperatorError("--reason is empty", { exitCode: 2 });
  await withStore(async (ctx, config) => {
    await appendAll(ctx);
    const { DATA_DIR, AUDIT_CHECKPOINTS_FILE: headsFile } = config;
    const watch = new HeadWatch(ctx, DATA_DIR, silent, { headsFile });
    const rewound = (await watch.look()).filter(({ known: { org_id } }) =>
      org_id === (options.organisation ?? org_id)
    );
    const { reopen = false } = options;
    const endings = await acceptRewound(ctx, watch, rewound, { reason, reopen });
    for (const { known, why } of rewound) {
      await print(`${originOf(known.org_id)}: taken as it is\n  ${why}\n`);
    }
    if (rewound.length > 0) await print(`${listOf(endings, reopen).join("\n")}\n`);
    if (rewound.length === 0) await print("every log goes on from its checkpoint\n");
  });
}

/** The heads that the servers of this machine keep outside of the store. */
async function headsOf({ DATA_DIR }: Config): Promise<KeptHead[]> {
  try {
    return (await readHeads(DATA_DIR))?.heads ?? [];
  } catch (error) {
    if (!(error instanceof HeadsUnreadable)) throw error;
    throw new OperatorError(error.message, { cause: error });
  }
}

async function head(options: { organisation?: string; keys?: boolean }): Promise<void> {
  await withStore(async (ctx) => {
    const { reader } = ctx.storage;
    for (const org_id of await named(ctx, options)) {
      if (options.keys) {
        const keys = await storeVerifiers(reader, org_id);
        const own = (await storeVerifiers(reader, org_id, ctx.sealer)).map(verifierText);
        for (const key of keys.map(verifierText).filter((text) => !own.includes(text))) {
          terminal().err(`${key} can't be told from a key that an intruder put into the store`);
        }
        await print(keys.map((key) => `${verifierText(key)}\n`).join(""));
      } else {
        const checkpoint = (await findLog(reader, org_id))?.checkpoint ?? "";
        if (checkpoint !== "") await print(`${checkpoint}\n`);
      }
    }
  }, { reads: true });
}

interface EraseOptions {
  person?: string;
  before?: string;
  organisation?: string;
  dryRun?: boolean;
  form?: Form;
}

async function erase({ person, before, dryRun = false, ...options }: EraseOptions): Promise<void> {
  if (person === undefined && before === undefined) {
    throw new OperatorError("give --person, --before or both", { exitCode: 2 });
  }
  if (person?.trim() === "") throw new OperatorError("--person is empty", { exitCode: 2 });
  const selection = {
    person: person?.trim(),
    before: before === undefined ? undefined : leastIdAt(before),
  };
  let kept = 0;
  await withStore(async (ctx) => {
    // The proof of an earlier row is made when it is appended to the log.
    if (!dryRun) await appendAll(ctx);
    for (const org_id of await named(ctx, options)) {
      const erased = await eraseAuditLog(ctx, org_id, selection, dryRun);
      if (!dryRun) kept += erased.waiting + erased.unreadable;
      await (options.form
        ? printValues([erased], options.form)
        : print(erasedText(erased, dryRun)));
    }
    if (!dryRun) await appendAll(ctx);
  });
  if (kept > 0) throw new OperatorError(`${kept} rows were left as they are`);
}

function erasedText(erased: ErasedAuditLog, isDry: boolean): string {
  const { org_id, rows, values, waiting, unreadable, left } = erased;
  const notes = [
    ...waiting > 0 ? [`${waiting} rows are not in the log yet: look again in a minute`] : [],
    ...unreadable > 0
      ? [`${unreadable} rows are not as Keydesk writes any: see keydesk audit verify`]
      : [],
    ...left > 0
      ? [`${left} rows hold the text elsewhere, or as a part of another: they stay as they are`]
      : [],
  ];
  const sum = `${originOf(org_id)}: ${values} values of ${rows} rows ${
    isDry ? "would go" : "gone"
  }`;
  return [sum, ...notes.map((note) => `  ${note}`), ""].join("\n");
}

/** The checkpoints in a file, as `audit checkpoint` printed them one after the other. */
async function notesOf(file: string): Promise<string[]> {
  const text = await Deno.readTextFile(file).catch((error) => {
    throw new OperatorError(`${file}: ${fileProblem(error) ?? reasonOf(error)}`, { cause: error });
  });
  const notes = text.match(/[^\n]+\n\d+\n[^\n]+\n\n(?:\u2014 [^\n]+\n)+/g);
  if (notes) return notes;
  throw new OperatorError(`${file}: there is no checkpoint in it`);
}

function textOf({ verified, findings }: { verified: Verified; findings: Finding[] }): string {
  const { org_id, size, cut, waiting, waitingLong, upgrade, older, erased, purgedByOlder } =
    verified;
  const lines = findings.map(findingText);
  const { head, signedBy } = verified;
  const notes = [
    `${verified.entries} entries read, ${size} in all${cut > 0 ? `, from ${cut} on` : ""}`,
    head && signedBy
      ? `proved to ${head.size} by ${verifierText(signedBy)}`
      : "proved by no checkpoint",
    verified.compared
      ? `compared with the checkpoint of ${verified.compared.size} entries that was kept at ${verified.compared.at}`
      : "compared with no checkpoint outside of it",
    ...waiting > 0 ? [`${waiting} rows not in the log yet`] : [],
    ...waitingLong > 0
      ? [
        `${waitingLong} of them for more than five minutes: no server ran, or it reports audit_log_stuck`,
      ]
      : [],
    ...upgrade > 0 ? [`${upgrade} entered at the upgrade`] : [],
    ...older > 0 ? [`${older} written by an earlier release`] : [],
    ...erased > 0 ? [`personal values erased in ${erased}`] : [],
    ...verified.late > 0
      ? [
        `${verified.late} say a time an hour or more before the entry in front of them, from entry ${verified.firstLate} on, ` +
        "which is no sign of change by itself: imports and demos write older times",
      ]
      : [],
    ...purgedByOlder > 0 ? [`${purgedByOlder} purged by an earlier release`] : [],
  ];
  const isProved = head !== undefined && signedBy !== undefined;
  const conclusion = findings.length > 0
    ? "does not hold"
    : isProved
    ? "holds"
    : "nothing is proved";
  const sum = `${originOf(org_id)}: ${conclusion}`;
  return [sum, ...notes.map((note) => `  ${note}`), ...lines.map((line) => `  ${line}`), ""]
    .join("\n");
}
