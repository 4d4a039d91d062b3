import { Argument, type Command } from "commander";
import { keyFilters } from "../contract/list-filters.ts";
import type { Key } from "../client/operations.ts";
import { handedOver, keyNotes } from "./issued-key.ts";
import type { ImportCommand } from "./keys-import.ts";
import { developerOf, keyOf, plansOf } from "./named.ts";
import { calls, lists, noun, runs } from "./noun.ts";
import { flag, needed, ofLength, opt, several, toCount, toMs } from "./options.ts";
import { deliver } from "./standard-output.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

const key = { kind: "key", idOf: keyOf };
const once = { idempotencyKey: true } as const;

/** The name and labels of a key. */
const labels = {
  name: opt("--name <text>", "what it is called; the developer sees it too"),
  environment: opt("--environment <text>", "where it is used, such as production"),
  note: opt("--note <text>", "for administrators; no developer sees it"),
  tags: several("--tag <tag>", "to file it under; may be given several times"),
};

const why = (help = "kept with the key and in the audit log") =>
  opt("--reason <text>", help, ofLength(500));

/** `keydesk keys`. */
export const addKeysCommands = noun({
  name: "keys",
  summary: "the keys that were issued or imported",
  examples: [
    "issue dev-ada 5f1a2b3c4d5e6f7081920001",
    "import keys.jsonl --dry-run",
    "import keys.jsonl",
    "list --developer dev-ada --environment production",
    "list --unused-since 180d",
    `label <key id> --name "Checkout, live" --tag payments`,
    `revoke <key id> --reason "found in a public repository"`,
    'restore <key id> --reason "revoked by mistake"',
  ],
  verbs: [
    runs({
      verb: "issue <developer> <plan...>",
      summary: "issue a key for these plans without a key request, and print it this once",
      of: { kind: "developer", idOf: developerOf },
      options: {
        ...labels,
        deliver: flag(
          "--one-time-link",
          "print a link that hands the key over once, instead of the key",
          "one_time_link",
        ),
        expires_at: opt(
          "--expires-at <time>",
          "when it expires, such as 2030-01-31T09:00:00Z; else by its plans",
        ),
        reason: opt("--reason <text>", "why; the audit log keeps it"),
      },
      json: "print JSON",
      about:
        `The key goes to standard output, alone; a user name and an OAuth client have their password or
secret on a second line. With --one-time-link a link does, which you send to the key's holder.
A developer is named by id or e-mail address, a plan by id or name.`,
      examples: [
        `KEY="$(keydesk keys issue dev-ada 5f1a2b3c4d5e6f7081920001)"`,
        `issue ada@example.org "Tides, professional" --one-time-link`,
      ],
      async run({ client, address, id, words: [, ...names], given, form }) {
        const plans = await plansOf(client, names);
        const way = given.deliver ?? "answer" as const;
        const body = { ...given, plans, deliver: way };
        const issued = await client.issueKey({ id, body }, once);
        const { key_id } = issued;
        const { link, lines } = await handedOver(issued, issued, { address, form });
        if (!form) {
          terminal().err(
            link
              ? `Key ${key_id} of ${id} is issued. The link hands it over once, until ${link.expires_at}:`
              : `Key ${key_id} of ${id} is shown this once:`,
          );
        }
        const text = lines.map((line) => `${line}\n`).join("");
        await deliver(text, `revoke key ${key_id} and issue another`);
        const notes = keyNotes(client);
        await notes.ofPlans(plans);
        await notes.ofDeveloper(id);
      },
    }),
    addImportCommand,
    lists({
      verb: "list",
      summary: "list keys, newest first, never the keys themselves",
      filters: keyFilters,
      limit: true,
      read: ({ client, query }) => client.listKeys(query),
      columns: [
        { head: "MASK", width: 26, of: "mask" },
        { head: "NAME", width: 24, of: ({ name }) => name || "-", extra: 7 },
        { head: "ENVIRONMENT", width: 12, of: (one) => one.environment || "-", extra: 5 },
        { head: "STATE", width: 9, of: ({ denied, state }) => denied ?? state },
        { head: "KIND", width: 5, of: "kind", extra: 1 },
        { head: "CREATED", width: 10, of: ({ created }) => created.slice(0, 10), extra: 2 },
        {
          head: "EXPIRES",
          width: 10,
          of: ({ expires_at }) => expires_at?.slice(0, 10) ?? "-",
          extra: 6,
        },
        {
          head: "LEAKED",
          width: 10,
          of: ({ leaked }) => leaked?.reported_at.slice(0, 10) ?? "-",
          extra: 3,
        },
        { head: "DEVELOPER", width: 24, of: "developer_id" },
        { head: "PLANS", width: 24, of: ({ plans }) => plans.join(" "), extra: 4 },
        { head: "KEY ID", of: "key_id" },
      ],
      empty: "There is no key that matches.",
    }),
    calls({
      verb: "label <id>",
      summary: "change what a key is called and filed under",
      of: key,
      options: labels,
      json: "print the key as JSON",
      about:
        'Members without an option stay as they are; an empty text removes them: --note "", --tag "".',
      async call({ client, id: key_id, given }) {
        const key = await client.getKey({ key_id });
        const body = {
          name: given.name ?? key.name,
          environment: given.environment ?? key.environment,
          note: given.note ?? key.note,
          // One empty text takes all of them away.
          tags: (given.tags ?? key.tags).filter((tag) => tag !== ""),
        };
        // A concurrent change by another caller is not lost.
        return await client.setKeyLabels({ key_id, body }, { ifMatch: `"${key.revision}"` });
      },
      done: (_, { id }) => `Key ${id} has its new labels.`,
    }),
    calls({
      verb: "revoke <id...>",
      summary:
        "revoke keys by their ids, or the beginnings of those, for good with approve; every node refuses them within a second",
      of: key,
      past: "revoked",
      options: { reason: needed(why()) },
      json: "print one JSON object a line",
      call: ({ client, id: key_id, given }) => client.revokeKey({ key_id, body: given }, once),
      done: ({ undo }, { id }) =>
        `Key ${id} is revoked${
          undo === null ? " for good" : `, and can be brought back until ${undo.until}`
        }.`,
    }),
    calls({
      verb: "restore <id...>",
      summary: "bring back keys that were revoked without approve, within 7 days",
      of: key,
      past: "brought back",
      options: { reason: needed(why()) },
      json: "print one JSON object a line",
      call: ({ client, id: key_id, given }) => client.restoreKey({ key_id, body: given }, once),
      done: again,
    }),
    calls({
      verb: "suspend <id...>",
      summary: "suspend keys by their ids, or the beginnings of those",
      of: key,
      past: "suspended",
      options: {
        reason: needed(why()),
        minutes: opt(
          "--minutes <n>",
          "resume them by themselves after so long, up to a day",
          toCount,
        ),
      },
      json: "print one JSON object a line",
      call: ({ client, id: key_id, given }) => client.suspendKey({ key_id, body: given }, once),
      done: (_, { id, given: { minutes } }) =>
        `Key ${id} is suspended${minutes === undefined ? "" : ` for ${minutes} min`}.`,
    }),
    calls({
      verb: "resume <id...>",
      summary: "make suspended keys valid again",
      of: key,
      past: "resumed",
      options: { reason: needed(why()) },
      json: "print one JSON object a line",
      call: ({ client, id: key_id, given }) => client.resumeKey({ key_id, body: given }, once),
      done: again,
    }),
    calls({
      verb: "schedule <id>",
      summary: "show what comes next for a key by itself, and who tried it since it is suspended",
      of: key,
      json: "print JSON",
      call: ({ client, id: key_id }) => client.getKeySchedule({ key_id }),
    }),
    calls({
      verb: "keep <id...>",
      summary: "say that unused keys are needed: what their schedule has done is undone",
      of: key,
      past: "kept",
      options: { reason: why("kept in the audit log") },
      json: "print one JSON object a line",
      call: ({ client, id: key_id, given }) => client.keepKey({ key_id, body: given }, once),
      done: ({ state }, { id }) => `Key ${id} is ${state}, and its days without a use begin anew.`,
    }),
    calls({
      verb: "elsewhere",
      args: [
        new Argument("<id>", "the key's id, or its beginning"),
        new Argument("<answer>", "yes, no, or unsaid").choices(["yes", "no", "unsaid"]),
      ],
      summary:
        "say whether gateways that do not check with Keydesk allow a key: it is then left alone",
      of: key,
      json: "print JSON",
      call: ({ client, id: key_id, words: [, answer] }) => {
        const body = answer === "unsaid" ? {} : { elsewhere: answer === "yes" };
        return client.setKeyElsewhere({ key_id, body });
      },
      done: ({ elsewhere }, { id }) =>
        `Key ${id} ${elsewhere.valid ? "is" : "is not"} valid elsewhere.`,
    }),
  ],
});

function again({ state }: Key, { id }: { id: string }): string {
  return `Key ${id} is ${state} again.`;
}

function addImportCommand(keys: Command): void {
  touching(keys.command("import <file>"), { arguments: "read" })
    .description("take over existing keys from a file of JSON lines; - reads standard input")
    .option("--dry-run", "judge every line and write nothing")
    .option("--allow-murmur", "take hashes of murmur3 with 64 and 128 bits too")
    .option(
      "--murmur-until <time>",
      "needed with it: a murmur key that was not used until then is not valid any more",
      toMs,
    )
    .option("--json", "print the summary as JSON")
    .addHelpText(
      "after",
      `
One JSON object a line:
  key          the plain key (kind basic: the user name, kind oauth: the client_id), or
  hash         its hash, in hexadecimal, with algorithm: sha256 (default), murmur64, murmur128
  developer    its developer's id; an unknown one is registered without an e-mail address
  plans        ids of its plans
  kind         token, basic or oauth; absent: as the plans say
  password     of a user name or OAuth client, or secret_hash, the SHA-256 of it
  expires_at, created, state (active, suspended, revoked)
  name, environment, note, tags (a list)

Plain keys are stored as their SHA-256 only. A reader of a murmur hash can make a key that fits. It is
therefore imported on request only, replaced by a SHA-256 at the first use of the key, and expires on
a day that you name. Hashes of 32 bits are always refused: a fitting key is found within minutes.

You can interrupt the command and run it again: known keys are counted and not changed. Refused lines
are printed on standard error with number and reason; the exit code is then 1.`,
    )
    .action(async (file: string, options: ImportCommand, command: Command) => {
      if ((options.allowMurmur ?? false) !== (options.murmurUntil !== undefined)) {
        command.error("error: --allow-murmur and --murmur-until belong together");
      }
      const { importKeyFile } = await import("./keys-import.ts");
      await importKeyFile(file, options);
    });
}
