import { type Command, InvalidArgumentError } from "commander";
import { keyFilters } from "../contract/list-filters.ts";
import { parseTimestamp } from "../kernel/timestamps.ts";
import { withDeskOptions, withWideOption } from "./desk-options.ts";
import { withFilters } from "./filters.ts";
import type { ImportCommand } from "./keys-import.ts";
import { issueKey, labelKey, listKeyRows, restoreKeys, revokeKeys } from "./keys-work.ts";
import { addUnusedKeysCommands } from "./keys-unused.ts";
import { toCount } from "./requests.ts";

/** `keydesk keys issue|import|list|label|revoke|restore`, and what keys-unused.ts adds. */
export function addKeysCommands(program: Command): void {
  const keys = program.command("keys").description("the keys that were issued or imported")
    .addHelpText(
      "after",
      `
Examples:
  keydesk keys issue dev-ada 5f1a2b3c4d5e6f7081920001
  keydesk keys import keys.jsonl --dry-run
  keydesk keys import keys.jsonl
  keydesk keys list --developer dev-ada --environment production
  keydesk keys list --unused-since 180d
  keydesk keys label <key id> --name "Checkout, live" --tag payments
  keydesk keys revoke <key id> --reason "found in a public repository"
  keydesk keys restore <key id> --reason "ended by mistake"`,
    );
  labelled(withDeskOptions(keys.command("issue <developer> <plan...>")))
    .description("issue a key for these plans without a key request, and print it this once")
    .option("--claim", "print a link that hands the key over once, instead of the key")
    .option("--expires-at <time>", "when it ends, such as 2030-01-31T09:00:00Z; else by its plans")
    .option("--reason <text>", "why; the audit log keeps it")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
The key goes to standard output, alone; a user name and an OAuth client have their password or
secret on a second line. With --claim a link does, which you send to whoever is to have the key.
A developer is named by id or e-mail address, a plan by id or name.

Examples:
  KEY="$(keydesk keys issue dev-ada 5f1a2b3c4d5e6f7081920001)"
  keydesk keys issue ada@example.org "Tides, professional" --claim`,
    )
    .action(issueKey);
  keys.command("import <file>")
    .description("take over existing keys from a file of JSON lines; - reads standard input")
    .option("--dry-run", "judge every line and write nothing")
    .option("--allow-murmur", "take hashes of murmur3 with 64 and 128 bits too")
    .option(
      "--murmur-until <time>",
      "needed with it: a murmur key that nobody used until then opens nothing any more",
      toTime,
    )
    .option("--json", "print the summary as JSON")
    .addHelpText(
      "after",
      `
One JSON object a line:
  key          the plain key (kind basic: the user name, kind oauth: the client_id), or
  hash         its hash, in hexadecimal, with algorithm: sha256 (default), murmur64, murmur128
  developer    its developer's id; one that is not known is registered without an e-mail address
  plans        ids of its plans
  kind         token, basic or oauth; what the plans call for where it is absent
  password     of a user name or OAuth client, or secret_hash, the SHA-256 of it
  expires_at, created, state (active, suspended, revoked)
  name, environment, note, tags (a list)

Plain keys are stored as their SHA-256 only. A murmur hash is not made for secrets: whoever can read it
can make a key that fits. So it is taken only when asked for, becomes a SHA-256 at the first use of
the key, and ends on a day that you name. Hashes of 32 bits are always refused: whoever tries keys finds
one that fits within minutes.

It can be interrupted and run again: what is there already is counted and not changed. Refused lines
are told on standard error with their number and reason; then the exit code is 1.`,
    )
    .action(async (file: string, options: ImportCommand, command: Command) => {
      if ((options.allowMurmur ?? false) !== (options.murmurUntil !== undefined)) {
        command.error("error: --allow-murmur and --murmur-until belong together");
      }
      const { importKeyFile } = await import("./keys-import.ts");
      await importKeyFile(file, options);
    });
  addStandingCommands(keys);
}

/** Commands on keys that there are. */
function addStandingCommands(keys: Command): void {
  withFilters(withWideOption(withDeskOptions(keys.command("list"))), keyFilters)
    .description("list keys, newest first, never the keys themselves")
    .option("--limit <n>", "so many at the most", toCount)
    .option("--json", "print one JSON object a line")
    .action(listKeyRows);
  labelled(withDeskOptions(keys.command("label <id>")))
    .description("change what a key is called and filed under")
    .option("--json", "print the key as JSON")
    .addHelpText(
      "after",
      `
What no option names stays as it is; an empty text takes it away: --note "", --tag "".`,
    )
    .action(labelKey);
  withDeskOptions(keys.command("revoke <id...>"))
    .description(
      "revoke keys by their ids, or the beginnings of those, for good with approve; every node refuses them within a second",
    )
    .requiredOption("--reason <text>", "kept with the key and in the audit log", toReason)
    .option("--json", "print one JSON object a line")
    .action(revokeKeys);
  withDeskOptions(keys.command("restore <id...>"))
    .description("bring back keys that were revoked without approve, within 7 days")
    .requiredOption("--reason <text>", "kept with the key and in the audit log", toReason)
    .option("--json", "print one JSON object a line")
    .action(restoreKeys);
  addUnusedKeysCommands(keys, toReason);
}

function labelled(command: Command): Command {
  return command
    .option("--name <text>", "what it is called; the developer sees it too")
    .option("--environment <text>", "where it is used, such as production")
    .option("--note <text>", "for administrators; no developer sees it")
    .option(
      "--tag <tag>",
      "to file it under; may be given several times",
      (tag: string, tags: string[] = []) => [...tags, tag],
    );
}

function toTime(text: string): number {
  const time = parseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (time) return Date.parse(time.text);
  throw new InvalidArgumentError("Expected a day such as 2026-12-31, or an RFC 3339 time.");
}

function toReason(text: string): string {
  const reason = text.trim();
  if (reason.length >= 1 && reason.length <= 500) return reason;
  throw new InvalidArgumentError("Expected 1 to 500 characters.");
}
