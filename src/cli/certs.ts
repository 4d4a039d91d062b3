import { type Command, InvalidArgumentError, Option } from "commander";
import { styleText } from "node:util";
import { calledSubject } from "../contract/called-certificate.ts";
import type { ServerCall } from "../open-server.ts";
import type { ListedRow } from "../features/certificates/certificate-keys.store.ts";
import * as renewals from "../features/certificates/certificate-renewals.service.ts";
import { everyCertificate } from "../features/certificates/certificate-stream.ts";
import { calledBy } from "../features/certificates/certificate-title.ts";
import {
  fingerprintOf,
  hasPrivate,
  isPublicKey,
  standing,
} from "../features/certificates/certificate.ts";
import * as service from "../features/certificates/certificates.service.ts";
import type { ExportFormat } from "../features/certificates/export.ts";
import { type CertificateQuery, select } from "../features/certificates/selection.ts";
import { parseDetails, toDetails } from "../features/certificates/stored-certificate.ts";
import { Failure } from "../kernel/failure.ts";
import { asOperator } from "./as-operator.ts";
import { importFiles } from "./certs-import.ts";
import { type Form, printValues } from "./forms.ts";
import { withWideOption } from "./server-options.ts";
import { beginsWith, startOf } from "./named.ts";
import { fileProblem, OperatorError } from "./operator-error.ts";
import { toMs } from "./options.ts";
import { print } from "./standard-output.ts";
import { columnsWithin, tableLine } from "./table.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

/** `keydesk certs import|list|export|renewal|rm`. */
export function addCertsCommands(program: Command): void {
  const certs = program.command("certs").description("the inventory of certificates")
    .addHelpText(
      "after",
      `
Examples:
  keydesk certs import /etc/ssl/certs/ca-certificates.crt
  keydesk certs import server.pem --passphrase-file secret
  keydesk certs list --expiring 30d
  keydesk certs export roots.pem --is-ca
  keydesk certs renewal <id> --by <id>
  keydesk certs rm <id>`,
    );
  touching(certs.command("import"), { arguments: "read", "--passphrase-file": "read" })
    .argument("<path...>", "files, or folders whose files are taken")
    .description("take in certificates, chains and keys from files and folders")
    .option("--passphrase-file <file>", "holds the passphrase of keys and PKCS#12 files")
    .option("--no-take-over", "leave owner, tags and mute where a certificate renews another")
    .option("--json", "print the summary as JSON")
    .addHelpText(
      "after",
      `
A file with a private key, a PKCS#12 file and a public key are each one certificate with its chain.
Of any other file each certificate is taken by itself. Expired ones are taken too. What was refused
is named on standard error, each with its file and reason; then the exit code is 1.`,
    )
    .action(importFiles);
  narrowed(
    withWideOption(certs.command("list")).description(
      "list certificates; yellow expires soon, red has expired",
    )
      .option("--json", "print every detail, one JSON object a line"),
  ).action(listCertificates);
  narrowed(
    touching(certs.command("export"), { arguments: "write" }).argument(
      "[file]",
      "standard output where none is named",
    )
      .description("write all certificates that match, never a private key")
      .addOption(
        new Option("--format <format>", "what to write").choices(["pem", "csv", "jsonl"])
          .default("pem"),
      ),
  ).action(exportFile);
  certs.command("renewal <id>")
    .description("say what renews a certificate, or does not; ids as of rm")
    .addOption(new Option("--by <id>", "this one renews it").conflicts(["not", "forget"]))
    .addOption(new Option("--not <id>", "this one does not renew it").conflicts(["by", "forget"]))
    .option("--forget <id>", "the names of the two decide again")
    .option("--json", "print the certificate and what renews it as JSON")
    .addHelpText("after", "\nWithout an option it says what renews the certificate.")
    .action(sayRenewal);
  certs.command("rm <id...>")
    .description(
      "delete certificates with their private keys, by id, SHA-256 fingerprint or its beginning",
    )
    .option("--json", "print one JSON object a line")
    .action(removeCertificates);
}

function narrowed(command: Command): Command {
  return command
    .option(
      "--expiring <days>",
      "only certificates that expire within so many days, such as 30d",
      toDays,
    )
    .option(
      "--expires-before <time>",
      "only certificates that expire before, such as 2026-12-31",
      toMs,
    )
    .addOption(
      new Option("--status <status>", "only those of this status")
        .choices(["valid", "expiring", "expired", "not_yet_valid", "invalid"]),
    )
    .option("--is-ca", "only authorities")
    .option("--with-key", "only certificates with a private key")
    .option("-q, --q <text>", "part of a name, issuer, serial number or fingerprint")
    .addOption(
      new Option("--sort <order>", "in this order")
        .choices(["date_added", "not_after", "subject_cn"]),
    )
    .option("--desc", "the other way round");
}

function toDays(text: string): number {
  const match = /^(\d{1,5})d?$/.exec(text);
  if (match) return Number(match[1]);
  throw new InvalidArgumentError("Expected a number of days such as 30d.");
}

/** The filters of `certs list` and `certs export`. */
interface NarrowingOptions extends Pick<CertificateQuery, "status" | "q" | "sort"> {
  /** Days from now. */
  expiring?: number;
  /** Milliseconds since 1970. */
  expiresBefore?: number;
  isCa?: boolean;
  withKey?: boolean;
  desc?: boolean;
}

/** The query that these options stand for, at `nowMs`. */
function toQuery(options: NarrowingOptions, nowMs: number): CertificateQuery {
  const soon = options.expiring === undefined ? undefined : nowMs + options.expiring * 86_400_000;
  return {
    status: options.status,
    expires_before: soon ?? options.expiresBefore,
    is_ca: options.isCa,
    has_private: options.withKey,
    q: options.q,
    sort: options.sort,
    direction: options.desc ? "desc" : undefined,
  };
}

/** `keydesk certs list`. */
async function listCertificates(
  options: NarrowingOptions & { form?: Form; output?: "wide" },
): Promise<void> {
  await asOperator(async (ctx) => {
    const now = ctx.clock.now();
    const { org_id } = ctx.principal;
    const chunks = everyCertificate(ctx, org_id, select(toQuery(options, now), now), "details");
    await (options.form
      ? printDetails(chunks, now, options.form)
      : printRows(chunks, now, options.output));
  });
}

async function printDetails(
  chunks: AsyncIterable<ListedRow[]>,
  now: number,
  form: Form,
): Promise<void> {
  for await (const rows of chunks) {
    const texts = rows.map((row) => toDetails(row, now));
    if (form === "yaml") await printValues(texts.map((text) => JSON.parse(text)), form);
    else if (rows.length > 0) await print(texts.map((text) => `${text}\n`).join(""));
  }
}

async function printRows(
  chunks: AsyncIterable<ListedRow[]>,
  now: number,
  output: "wide" | undefined,
): Promise<void> {
  const { isOutTerminal, outWidth } = terminal();
  const isWhole = !isOutTerminal || output === "wide";
  const extra = ["KEY", "DAYS", "ISSUER"];
  const columns = {
    isWhole,
    ...columnsWithin({ head: HEAD, widths: WIDTHS, extra }, isWhole ? Infinity : outWidth),
  };
  let isEmpty = true;
  for await (const rows of chunks) {
    if (rows.length === 0) continue;
    if (isEmpty) {
      await print(`${lineOf(HEAD, columns)}\n`);
    }
    isEmpty = false;
    await print(rows.map((row) => `${rowText(row, now, columns)}\n`).join(""));
  }
  if (isEmpty) terminal().err("There is no certificate that matches.");
}

function rowText(row: ListedRow, now: number, columns: Columns): string {
  const { issuer } = parseDetails(row);
  const { status, days_left } = standing(row, now);
  const text = lineOf([
    calledBy(row) || "-",
    issuer.CommonName || calledSubject(issuer) || "-",
    isPublicKey(row) ? "-" : row.not_after.slice(0, 10),
    days_left === null ? "-" : String(days_left),
    status,
    hasPrivate(row.kind) ? "yes" : "no",
    row.fingerprint,
  ], columns);
  const colour =
    ({ expired: "red", invalid: "red", expiring: "yellow", not_yet_valid: "cyan" } as const)[
      status as "expired"
    ];
  return colour && terminal().isColoured
    ? styleText(colour, text, { validateStream: false })
    : text;
}

type Columns = ReturnType<typeof columnsWithin> & { readonly isWhole: boolean };

function lineOf(cells: readonly string[], { visible, widths, isWhole }: Columns): string {
  return tableLine(visible.map((i) => cells[i] ?? ""), widths, isWhole);
}

const HEAD = ["SUBJECT", "ISSUER", "NOT AFTER", "DAYS", "STATUS", "KEY", "FINGERPRINT"];

/** Columns of fixed width, because the rows to come are not known yet; the last one is whole. */
const WIDTHS = [36, 28, 10, 6, 13, 3];

/** `keydesk certs export`. */
async function exportFile(
  file: string | undefined,
  options: NarrowingOptions & { format: ExportFormat },
): Promise<void> {
  await asOperator(async (ctx) => {
    const query = toQuery(options, ctx.clock.now());
    const { body: pieces } = await service.exportAll(ctx, options.format, query);
    if (file === undefined) {
      for await (const piece of pieces) await print(piece);
      return;
    }
    const draft = `${file}.partial`;
    try {
      using out = await Deno.open(draft, { write: true, create: true, truncate: true });
      for await (const piece of pieces) {
        const bytes = new TextEncoder().encode(piece);
        for (let done = 0; done < bytes.length;) done += await out.write(bytes.subarray(done));
      }
      await out.sync();
    } catch (error) {
      throw fileError(file, error);
    }
    await Deno.rename(draft, file);
  });
}

/** `keydesk certs rm`. */
async function removeCertificates(
  ids: readonly string[],
  options: { form?: Form },
): Promise<void> {
  await asOperator(async (ctx) => {
    let missing = 0;
    for (const word of ids) {
      const fingerprint = await wholeFingerprint(ctx, word);
      const id = fingerprint === undefined ? word : ctx.principal.org_id + fingerprint;
      try {
        await service.remove(ctx, id);
        if (options.form) await printValues([{ id, deleted: true }], options.form);
        else terminal().err(`Certificate ${id} is deleted.`);
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== "certificate_not_removed") throw error;
        terminal().err(`${word}: there is no such certificate`);
        missing++;
      }
    }
    if (missing > 0) throw new OperatorError(`${missing} of ${ids.length} not found`);
  });
}

/** `keydesk certs renewal`. */
async function sayRenewal(
  word: string,
  options: { by?: string; not?: string; forget?: string; form?: Form },
): Promise<void> {
  await asOperator(async (ctx) => {
    const idOf = async (one: string) => {
      const fingerprint = await wholeFingerprint(ctx, one);
      if (fingerprint === undefined) {
        throw new OperatorError(`${one}: there is no such certificate`);
      }
      return ctx.principal.org_id + fingerprint;
    };
    const id = await idOf(word);
    const other = options.by ?? options.not ?? options.forget;
    if (other !== undefined) {
      const renews = options.by !== undefined ? true : options.not !== undefined ? false : null;
      await renewals.setRenewal(ctx, id, { certificate: await idOf(other), renews });
    }
    const { renewed_by, says } = await renewals.renewalOf(ctx, id);
    if (options.form) await printValues([{ id, renewed_by }], options.form);
    else if (renewed_by === null) await print("No certificate renews it.\n");
    else await print(`It is renewed by ${renewed_by}.${says}\n`);
  });
}

/**
 * The fingerprint that a word is, or is the beginning of; undefined where it is none. Throws
 * OperatorError where several begin so, with all of them.
 */
async function wholeFingerprint(ctx: ServerCall, word: string): Promise<string | undefined> {
  const whole = fingerprintOf(ctx.principal.org_id, word) ?? word;
  if (/^[0-9a-f]{64}$/.test(whole)) return whole;
  const start = startOf(word);
  if (start === undefined) return undefined;
  const selected = select({ q: start }, ctx.clock.now());
  const found: string[] = [];
  for await (const rows of everyCertificate(ctx, ctx.principal.org_id, selected, "details")) {
    found.push(...rows.map(({ fingerprint }) => fingerprint));
  }
  return beginsWith("certificate", start, found);
}

function fileError(path: string, error: unknown): unknown {
  const problem = fileProblem(error);
  return problem === undefined ? error : new OperatorError(`${path}: ${problem}`);
}
