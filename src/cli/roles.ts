import { type Command, Option } from "commander";
import { type Permission, permissions } from "../contract/permissions.ts";
import type { Client } from "../client/keydesk-client.ts";
import type { Role } from "../client/operations.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { roleOf } from "./named.ts";
import { warnOfOpenApprovals } from "./open-approvals.ts";
import { OperatorError } from "./operator-error.ts";
import { permissionsText, toPermissions } from "./permission-list.ts";
import { printable } from "./table.ts";
import { terminal } from "./terminal.ts";

/** `keydesk roles list|show|add|change|remove`. */
export function addRolesCommands(program: Command): void {
  const roles = program.command("roles")
    .description("what people, access tokens and groups may do, by one word")
    .addHelpText(
      "after",
      `
Every organisation has seven, which are not changed, and up to 100 of its own. A role is meant by its
id or by its name.

Permissions:
${permissionsText()}

Examples:
  keydesk roles list
  keydesk roles add "First line" --allow portal:read,revoke
  keydesk roles change "First line" --allow portal:read
  keydesk roles remove "First line"
  keydesk token create nightly --role auditor`,
    );
  withWideOption(withDeskOptions(roles.command("list")))
    .description("list roles: those that every organisation has, then its own")
    .option("--json", "print one JSON object a line")
    .action(list);
  withDeskOptions(roles.command("show <role>"))
    .description("show one, and how many have it")
    .option("--json", "print JSON")
    .action(show);
  withDeskOptions(roles.command("add <name>"))
    .description("add one of the organisation's own")
    .addOption(allowOption().makeOptionMandatory())
    .option("--json", "print JSON")
    .action(add);
  withDeskOptions(roles.command("change <role>"))
    .description("set what is given: everybody who has it may do so within a second")
    .option("--name <name>", "what it is called from now on")
    .addOption(allowOption())
    .option("--json", "print JSON")
    .action(change);
  withDeskOptions(roles.command("remove <role>"))
    .description("remove one that nobody has")
    .action(remove);
}

function allowOption(): Option {
  return new Option("--allow <permissions>", "what it lets one do, separated by commas")
    .choices(permissions).argParser(toPermissions);
}

interface Terms extends DeskOptions {
  name?: string;
  allow?: Permission[];
  json?: boolean;
}

async function list(options: ListOptions & DeskOptions): Promise<void> {
  await atDesk(options, ({ client }) =>
    printList(
      async () => ({ ...await client.listRoles(), next_cursor: null }),
      options,
      {
        head: ["ID", "PEOPLE", "TOKENS", "GROUPS OF", "NAME", "PERMISSIONS"],
        widths: [24, 6, 6, 9, 20],
        extra: ["GROUPS OF", "TOKENS"],
        cells: ({ id, name, permissions, used_by }) => [
          id,
          String(used_by.people),
          String(used_by.access_tokens),
          String(used_by.identity_providers),
          name,
          permissions.join(","),
        ],
        empty: "There is no role.",
      },
    ));
}

async function show(word: string, options: DeskOptions & { json?: boolean }): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const { value } = await read(client, word);
    await printObject(value, options);
  });
}

async function add(name: string, options: Terms & { allow: Permission[] }): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const body = { name, permissions: options.allow };
    tell(await client.createRole({ body }, { idempotencyKey: true }), options, "is added");
  });
}

async function change(word: string, options: Terms): Promise<void> {
  if (options.name === undefined && options.allow === undefined) {
    throw new OperatorError("nothing to change is named: see --help", { exitCode: 2 });
  }
  await atDesk(options, async ({ client }) => {
    const { value: { id, ...before }, unlessChanged } = await read(client, word);
    const body = {
      name: options.name ?? before.name,
      permissions: options.allow ?? before.permissions,
    };
    const changed = await client.updateRole({ id, body }, unlessChanged);
    tell(changed, options, "is changed");
    warnOfOpenApprovals(changed.left_open);
  });
}

async function remove(word: string, options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const { value: { id, name }, unlessChanged } = await read(client, word);
    await client.deleteRole({ id }, unlessChanged);
    terminal().err(printable(`Role ${id} "${name}" is removed.`));
  });
}

/** A role, and what keeps a change from undoing what somebody else changes meanwhile. */
async function read(client: Client, word: string) {
  const id = await roleOf(client, word);
  const { value, etag } = await forOne("role", id, () => client.getRole.answer({ id }));
  return { value, unlessChanged: etag === undefined ? {} : { ifMatch: etag } };
}

function tell(role: Role, { json = false }: Terms, done: string): void {
  if (json) return terminal().out(JSON.stringify(role));
  terminal().err(printable(`Role ${role.id} "${role.name}" ${done}.`));
}
