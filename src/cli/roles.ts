import type { Client } from "../client/keydesk-client.ts";
import type { Role } from "../client/operations.ts";
import { permissions } from "../contract/permissions.ts";
import { roleOf } from "./named.ts";
import { calls, lists, noun } from "./noun.ts";
import { openApprovalLines } from "./open-approvals.ts";
import { needed, opt } from "./options.ts";
import { permissionsText, toPermissions } from "./permission-list.ts";

const role = { kind: "role", idOf: roleOf };

function allow() {
  const help = "what it lets one do, separated by commas";
  const one = opt("--allow <permissions>", help, toPermissions);
  one.option.choices(permissions).argParser(toPermissions);
  return one;
}

/** `keydesk roles`. */
export const addRolesCommands = noun({
  name: "roles",
  summary: "what people, access tokens and groups may do, by one word",
  about:
    `Every organisation has seven, which are not changed, and up to 100 of its own. A role is meant by its
id or by its name.

Permissions:
${permissionsText()}`,
  examples: [
    "list",
    `add "First line" --allow portal:read,revoke`,
    `change "First line" --allow portal:read`,
    `remove "First line"`,
    "keydesk token create nightly --role auditor",
  ],
  verbs: [
    lists({
      verb: "list",
      summary: "list roles: those that every organisation has, then its own",
      read: ({ client }) => client.listRoles(),
      columns: [
        { head: "ID", width: 24, of: "id" },
        { head: "PEOPLE", width: 6, of: ({ used_by }) => used_by.people },
        { head: "TOKENS", width: 6, of: ({ used_by }) => used_by.access_tokens, extra: 2 },
        { head: "GROUPS OF", width: 9, of: ({ used_by }) => used_by.identity_providers, extra: 1 },
        { head: "NAME", width: 20, of: "name" },
        { head: "PERMISSIONS", of: ({ permissions }) => permissions.join(",") },
      ],
      empty: "There is no role.",
    }),
    calls({
      verb: "show <role>",
      summary: "show one, and how many have it",
      of: role,
      json: "print JSON",
      call: ({ client, id }) => client.getRole({ id }),
    }),
    calls({
      verb: "add <name>",
      summary: "add one of the organisation's own",
      options: { permissions: needed(allow()) },
      json: "print JSON",
      call: ({ client, id: name, given }) =>
        client.createRole({ body: { name, ...given } }, { idempotencyKey: true }),
      done: (made) => `${called(made)} is added.`,
    }),
    calls({
      verb: "change <role>",
      summary: "set the given members: all people of the role have the change within a second",
      of: role,
      options: {
        name: opt("--name <name>", "what it is called from now on"),
        permissions: allow(),
      },
      json: "print JSON",
      refuses: ({ name, permissions }) =>
        name === undefined && permissions === undefined
          ? "nothing to change is named: see --help"
          : undefined,
      async call({ client, id, given }) {
        const { value: { name, permissions }, unlessChanged } = await read(client, id);
        const body = {
          name: given.name ?? name,
          permissions: given.permissions ?? permissions,
        };
        return await client.updateRole({ id, body }, unlessChanged);
      },
      done: (changed) => [
        `${called(changed)} is changed.`,
        ...openApprovalLines(changed.left_open).map((always) => ({ always })),
      ],
    }),
    calls({
      verb: "remove <role>",
      summary: "remove an unused one",
      of: role,
      async call({ client, id }) {
        const { value, unlessChanged } = await read(client, id);
        await client.deleteRole({ id }, unlessChanged);
        return value;
      },
      done: (removed) => `${called(removed)} is removed.`,
    }),
  ],
});

/** A role, and what keeps a change from undoing what another person changes meanwhile. */
async function read(client: Client, id: string) {
  const { value, etag } = await client.getRole.answer({ id });
  return { value, unlessChanged: etag === undefined ? {} : { ifMatch: etag } };
}

function called({ id, name }: Role): string {
  return `Role ${id} "${name}"`;
}
