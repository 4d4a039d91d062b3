import { type Command, InvalidArgumentError, Option } from "commander";
import type { NativeDeveloper } from "../client/operations.ts";
import { developerFilters } from "../contract/list-filters.ts";
import { type FilterOptions, filterQuery, withFilters } from "./filters.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { forEach, forOne } from "./each.ts";
import { markedEmail } from "./marked-email.ts";
import { developerOf, developersOf } from "./named.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { listDeletedDevelopers, restoreDeveloper } from "./deleted-developers.ts";
import { toCount } from "./requests.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** `keydesk developers list|show|add|tag|confirm-email|deactivate|reactivate|rm` and more. */
export function addDevelopersCommands(program: Command): void {
  const developers = program.command("developers").description("who asks for keys")
    .addHelpText(
      "after",
      `
Examples:
  keydesk developers add grace@example.org --field name=Grace --field company=Example
  keydesk developers list -q example.org
  keydesk developers tag dev-ada --tag partners --tag beta
  keydesk developers show dev-ada --json
  keydesk developers confirm-email dev-ada ada@example.org
  keydesk developers deactivate dev-ada --keys suspend
  keydesk developers rm dev-ada --keys revoke
  keydesk developers restore dev-ada`,
    );
  const listing = withWideOption(withDeskOptions(developers.command("list")))
    .description("list and search developers, newest first");
  withFilters(withFilters(listing, developerFilters, ["state", "q"]), developerFilters)
    .option("--oldest", "the oldest first")
    .option("--limit <n>", "so many at the most", toCount)
    .option("--json", "print one JSON object a line")
    .action(list);
  withDeskOptions(developers.command("show <developer>"))
    .description("show one developer, with the newest key for each plan")
    .option("--json", "print JSON")
    .action(show);
  withDeskOptions(developers.command("add <e-mail>"))
    .description("register a developer and print the id")
    .option("--id <id>", "this id instead of a fresh one")
    .option("--field <name=value>", "what is known about them; may be given several times", toField)
    .option("--json", "print the developer as JSON")
    .action(add);
  withDeskOptions(developers.command("tag <developer>"))
    .description(
      "file a developer under these tags, in place of their own; without any, under none",
    )
    .option("--tag <tag>", "one of them; several times", more)
    .option("--json", "print the developer as JSON")
    .action(setTags);
  withDeskOptions(developers.command("confirm-email <developer> <e-mail>"))
    .description("confirm a developer's changed e-mail address, in the place of the one before it")
    .option("--json", "print the developer as JSON")
    .addHelpText(
      "after",
      `
A developer who was registered under an id that had keys gets those by it; keydesk developers show
says so before.`,
    )
    .action(confirmEmail);
  addEndingCommands(developers);
}

/** Commands that end a developer's access, and bring it back. */
function addEndingCommands(developers: Command): void {
  withDeskOptions(developers.command("deactivate <developer...>"))
    .description(
      "stop developers signing in to the portal; their open claim links are withdrawn",
    )
    .addOption(
      new Option("--keys <choice>", "what becomes of their keys")
        .choices(["keep", "suspend", "revoke"]).makeOptionMandatory(),
    )
    .option("--json", "print one JSON object a line")
    .action(deactivate);
  withDeskOptions(developers.command("reactivate <developer...>"))
    .description("let developers sign in to the portal again")
    .addOption(
      new Option("--keys <choice>", "what becomes of the keys that were suspended with them")
        .choices(["keep", "resume"]).default("keep"),
    )
    .option("--json", "print one JSON object a line")
    .action(reactivate);
  withDeskOptions(developers.command("rm <developer...>"))
    .description("delete developers with their undecided requests")
    .addOption(
      new Option("--keys <choice>", "what becomes of their keys").choices(["revoke", "keep"])
        .makeOptionMandatory(),
    )
    .option("--json", "print one JSON object a line")
    .addHelpText(
      "after",
      `
Within 7 days keydesk developers restore brings them back, with the keys that were shut with them.`,
    )
    .action(remove);
  withWideOption(withDeskOptions(developers.command("deleted")))
    .description("list deleted developers who can be brought back, the latest first")
    .option("--limit <n>", "so many at the most", toCount)
    .option("--json", "print one JSON object a line")
    .action(listDeletedDevelopers);
  withDeskOptions(developers.command("restore <id>"))
    .description("bring back a developer who was deleted within 7 days, with maps and keys")
    .option("--deletion <id>", "which deletion, where there were several")
    .option("--json", "print the developer as JSON")
    .action(restoreDeveloper);
}

type ChangeOptions = { json?: boolean } & DeskOptions;

async function list(
  options: { oldest?: boolean } & ListOptions & FilterOptions & DeskOptions,
): Promise<void> {
  const sort = options.oldest ? "oldest" : undefined;
  await atDesk(options, async ({ client }) => {
    const query = { ...await filterQuery(client, developerFilters, options), sort } as const;
    await printList((place) => client.listNativeDevelopers({ ...place, ...query }), options, {
      head: ["ID", "STATE", "SINCE", "REQUESTS", "KEYS", "E-MAIL"],
      widths: [24, 8, 10, 8, 5],
      cells,
      empty: "There is no developer that matches.",
    });
  });
}

async function show(word: string, options: ChangeOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await developerOf(client, word);
    const shown = await forOne("developer", id, () => client.getNativeDeveloper({ id }));
    await printObject(shown, options);
  });
}

async function setTags(word: string, options: { tag?: string[] } & ChangeOptions): Promise<void> {
  const { tag: tags = [], json } = options;
  await atDesk(options, async ({ client }) => {
    const id = await developerOf(client, word);
    const call = () => client.setDeveloperTags({ id, body: { tags } });
    const tagged = await forOne("developer", id, call);
    if (json) return await print(`${JSON.stringify(tagged)}\n`);
    const under = tagged.tags.length === 0 ? "nothing" : tagged.tags.join(", ");
    terminal().err(`${id} is filed under ${under}.`);
  });
}

function more(one: string, others: string[] = []): string[] {
  return [...others, one];
}

async function add(
  email: string,
  options: { id?: string; field?: Record<string, string> } & ChangeOptions,
): Promise<void> {
  const { id, field: fields = {}, json } = options;
  await atDesk(options, async ({ client }) => {
    const added = await client.createNativeDeveloper(
      { body: { ...id === undefined ? {} : { id }, email, fields } },
      { idempotencyKey: true },
    );
    if (json) return await print(`${JSON.stringify(added)}\n`);
    terminal().err("The developer is registered under the id:");
    await print(`${added.id}\n`);
  });
}

async function confirmEmail(word: string, email: string, options: ChangeOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await developerOf(client, word);
    const confirmed = await forOne(
      "developer",
      id,
      () => client.confirmDeveloperEmail({ id, body: { email } }, { idempotencyKey: true }),
    );
    if (options.json) return await print(`${JSON.stringify(confirmed)}\n`);
    terminal().err(
      confirmed.email_state === "proved"
        ? `The e-mail address of developer ${id} is confirmed.`
        : `It is confirmed from here, and counts once the link that was mailed there is opened${
          confirmed.has_former_keys ? "; then the keys from before are theirs" : ""
        }.`,
    );
  });
}

async function deactivate(
  words: readonly string[],
  options: { keys: "keep" | "suspend" | "revoke" } & ChangeOptions,
): Promise<void> {
  const body = { keys: options.keys };
  await atDesk(
    options,
    async ({ client }) =>
      await forEach("developer", await developersOf(client, words), "deactivated", async (id) => {
        const changed = await client.deactivateDeveloper({ id, body }, { idempotencyKey: true });
        if (options.json) await print(`${JSON.stringify(changed)}\n`);
        else terminal().err(`Developer ${id} is inactive${suspendedOf(changed)}.`);
      }),
  );
}

async function reactivate(
  words: readonly string[],
  options: { keys: "keep" | "resume" } & ChangeOptions,
): Promise<void> {
  const body = { keys: options.keys };
  await atDesk(
    options,
    async ({ client }) =>
      await forEach("developer", await developersOf(client, words), "reactivated", async (id) => {
        const changed = await client.reactivateDeveloper({ id, body }, { idempotencyKey: true });
        if (options.json) return await print(`${JSON.stringify(changed)}\n`);
        terminal().err(`Developer ${id} is active${suspendedOf(changed)}.`);
      }),
  );
}

/** What is suspended with a developer, in words. */
function suspendedOf({ suspended_keys }: { suspended_keys: number }): string {
  if (suspended_keys === 0) return "";
  return `; ${suspended_keys} keys that were suspended with them are so: reactivate --keys resume resumes them`;
}

async function remove(
  words: readonly string[],
  options: { keys: "revoke" | "keep" } & ChangeOptions,
): Promise<void> {
  await atDesk(
    options,
    async ({ client }) =>
      await forEach("developer", await developersOf(client, words), "deleted", async (id) => {
        const deleted = await client.deleteNativeDeveloper({ id, keys: options.keys });
        if (options.json) return await print(`${JSON.stringify(deleted)}\n`);
        const { revoked_keys, deleted_requests, undo_until } = deleted;
        terminal().err(
          `Developer ${id} is deleted: ${revoked_keys} keys revoked, ${deleted_requests} requests deleted; developers restore brings them back until ${undo_until}.`,
        );
      }),
  );
}

function cells(developer: NativeDeveloper): string[] {
  return [
    developer.id,
    developer.inactive ? "inactive" : "active",
    developer.date_created.slice(0, 10),
    String(developer.requests),
    String(developer.keys),
    markedEmail(developer.email, developer.email_state, developer.email_changed_at),
  ];
}

function toField(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError("Expected name=value.");
  }
  return { ...before, [name]: value };
}
