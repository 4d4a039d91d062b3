import { type Command, InvalidArgumentError, Option } from "commander";
import { parseTimestamp } from "../kernel/timestamps.ts";
import { exportFile, removeCertificates, sayRenewal } from "./certs-files.ts";
import { importFiles } from "./certs-import.ts";
import { listCertificates } from "./certs-list.ts";
import { withWideOption } from "./desk-options.ts";
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
is told on standard error, each with its file and reason; then the exit code is 1.`,
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
    .option("--expiring <days>", "only what ends within so many days, such as 30d", toDays)
    .option("--expires-before <time>", "only what ends before, such as 2026-12-31", toTime)
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

function toTime(text: string): number {
  const time = parseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (time) return Date.parse(time.text);
  throw new InvalidArgumentError("Expected a day such as 2026-12-31, or an RFC 3339 time.");
}
