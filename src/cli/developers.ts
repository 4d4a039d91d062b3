import { type Command, InvalidArgumentError, Option } from "commander";
import type { NativeDeveloper } from "../client/operations.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions } from "./desk-options.ts";
import { forEach, forOne } from "./each.ts";
import { markedEmail } from "./marked-email.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { toCount } from "./requests.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** `keydesk developers list|show|add|confirm-email|deactivate|reactivate|rm`. */
export function addDevelopersCommands(program: Command): void {
  const developers = program.command("developers").description("who asks for keys")
    .addHelpText(
      "after",
      `
Examples:
  keydesk developers add grace@example.org --field name=Grace --field company=Example
  keydesk developers list -q example.org
  keydesk developers show dev-ada --json
  keydesk developers confirm-email dev-ada ada@example.org
  keydesk developers rm dev-ada --keys revoke`,
    );
  withDeskOptions(developers.command("list"))
    .description("list and search developers, newest first")
    .addOption(
      new Option("--state <state>", "only developers in this state")
        .choices(["active", "inactive"]),
    )
    .option("-q, --q <text>", "only those with words that begin so: id, e-mail address, fields")
    .option("--oldest", "the oldest first")
    .option("--limit <n>", "so many at the most", toCount)
    .option("--json", "print one JSON object a line")
    .action(list);
  withDeskOptions(developers.command("show <id>"))
    .description("show one developer, with the newest key for each plan")
    .option("--json", "print JSON")
    .action(show);
  withDeskOptions(developers.command("add <e-mail>"))
    .description("register a developer and print the id")
    .option("--id <id>", "this id instead of a fresh one")
    .option("--field <name=value>", "what is known of them; may be given several times", toField)
    .option("--json", "print the developer as JSON")
    .action(add);
  withDeskOptions(developers.command("confirm-email <id> <e-mail>"))
    .description("confirm a developer's changed e-mail address, in the place of the one before it")
    .option("--json", "print the developer as JSON")
    .action(confirmEmail);
  for (const [verb, description] of Object.entries(changes)) {
    withDeskOptions(developers.command(`${verb} <id...>`)).description(description)
      .option("--json", "print one JSON object a line")
      .action((ids: string[], options: ChangeOptions) => change(verb, ids, options));
  }
  withDeskOptions(developers.command("rm <id...>"))
    .description("delete developers with their undecided requests")
    .addOption(
      new Option("--keys <choice>", "what becomes of their keys").choices(["revoke", "keep"])
        .makeOptionMandatory(),
    )
    .option("--json", "print one JSON object a line")
    .action(remove);
}

const changes: Readonly<Record<string, string>> = {
  deactivate: "let developers sign in to the portal no more; their keys live on",
  reactivate: "let developers sign in to the portal again",
};

type ChangeOptions = { json?: boolean } & DeskOptions;

async function list(
  options:
    & { state?: "active" | "inactive"; q?: string; oldest?: boolean }
    & ListOptions
    & DeskOptions,
): Promise<void> {
  const { state, q, oldest } = options;
  const sort = oldest ? "oldest" : undefined;
  await atDesk(options, ({ client }) =>
    printList(
      (place) => client.listNativeDevelopers({ ...place, state, q, sort }),
      options,
      {
        head: ["ID", "STATE", "SINCE", "REQUESTS", "KEYS", "E-MAIL"],
        widths: [24, 8, 10, 8, 5],
        cells,
        empty: "There is no developer that matches.",
      },
    ));
}

async function show(id: string, options: ChangeOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const shown = await forOne("developer", id, () => client.getNativeDeveloper({ id }));
    await printObject(shown, options);
  });
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

async function confirmEmail(id: string, email: string, options: ChangeOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const confirmed = await forOne(
      "developer",
      id,
      () => client.confirmDeveloperEmail({ id, body: { email } }, { idempotencyKey: true }),
    );
    if (options.json) return await print(`${JSON.stringify(confirmed)}\n`);
    console.error(
      confirmed.email_state === "proved"
        ? `The e-mail address of developer ${id} is confirmed.`
        : "It is confirmed from here, and counts once the link that was mailed there is opened.",
    );
  });
}

async function change(verb: string, ids: readonly string[], options: ChangeOptions): Promise<void> {
  await atDesk(options, ({ client }) =>
    forEach("developer", ids, `${verb}d`, async (id) => {
      const call = { idempotencyKey: true } as const;
      const changed = verb === "deactivate"
        ? await client.deactivateDeveloper({ id }, call)
        : await client.reactivateDeveloper({ id }, call);
      if (options.json) await print(`${JSON.stringify(changed)}\n`);
      else terminal().err(`Developer ${id} is ${changed.inactive ? "inactive" : "active"}.`);
    }));
}

async function remove(
  ids: readonly string[],
  options: { keys: "revoke" | "keep" } & ChangeOptions,
): Promise<void> {
  await atDesk(options, ({ client }) =>
    forEach("developer", ids, "deleted", async (id) => {
      const deleted = await client.deleteNativeDeveloper({ id, keys: options.keys });
      if (options.json) return await print(`${JSON.stringify(deleted)}\n`);
      const { revoked_keys, deleted_requests } = deleted;
      terminal().err(
        `Developer ${id} is deleted: ${revoked_keys} keys revoked, ${deleted_requests} requests deleted.`,
      );
    }));
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
