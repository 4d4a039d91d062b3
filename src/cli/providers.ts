import { type Command, InvalidArgumentError, Option } from "commander";
import type { Permission } from "../contract/permissions.ts";
import type { IdentityProvider, IdentityProviderChange } from "../client/operations.ts";
import { atDesk } from "./at-desk.ts";
import type { Desk } from "./desk-at-hand.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { toPermissions } from "./permission-list.ts";
import { printable } from "./table.ts";
import { OperatorError } from "./operator-error.ts";
import { secretIn } from "./secret-file.ts";
import { terminal } from "./terminal.ts";

/** `keydesk providers list|show|add|change|test|remove`. */
export function addProvidersCommands(program: Command): void {
  const providers = program.command("providers")
    .description("identity providers, by which people or developers sign in")
    .addHelpText(
      "after",
      `
A client secret comes out of a file, or out of standard input where the file is "-": never from the
command line, which every process of the machine can read. KEYDESK_OUTBOUND names a provider's hosts.

Examples:
  keydesk providers add https://login.example.org --name Example --client-id keydesk \\
    --secret-file secret.txt --domain example.org --group desk=portal:read,approve --creates-people
  keydesk providers add https://id.example.com --for developers --name Partners --client-id keydesk \\
    --secret-file -
  keydesk providers test 65b0c1d2e3f4a5b6c7d8e9f6
  keydesk providers change 65b0c1d2e3f4a5b6c7d8e9f6 --domain example.org --domain example.com`,
    );
  withWideOption(withDeskOptions(providers.command("list")))
    .description("list identity providers, the oldest first")
    .option("--json", "print one JSON object a line")
    .action(list);
  withDeskOptions(providers.command("show <id>"))
    .description("show one, with the addresses to tell it")
    .option("--json", "print JSON")
    .action(show);
  withTerms(withDeskOptions(providers.command("add <issuer>")))
    .description("add one, and print the addresses to tell it")
    .addOption(
      new Option("--for <whom>", "whom it signs in, which never changes")
        .choices(["people", "developers"]).default("people"),
    )
    .action(add);
  withTerms(withDeskOptions(providers.command("change <id>")))
    .description("set what is given, and leave the rest as it is")
    .action(change);
  withDeskOptions(providers.command("test <id>"))
    .description("ask one what it says of itself, and for its keys")
    .option("--json", "print JSON")
    .action(test);
  withDeskOptions(providers.command("remove <id>"))
    .description("remove one: nobody signs in by it any more, and its sessions end")
    .action(remove);
}

/** What a group's people may do: these permissions, or a role. */
type GroupGiven = { group: string; permissions: Permission[] } | { group: string; role: string };

interface Terms {
  name?: string;
  clientId?: string;
  secretFile?: string;
  /** False: the client has none. */
  secret?: boolean;
  domain?: string[];
  domains?: boolean;
  scope?: string[];
  groupsClaim?: string;
  group?: GroupGiven[];
  groups?: boolean;
  createsPeople?: boolean;
  acr?: string[];
  amr?: string[];
  json?: boolean;
}

function withTerms(command: Command): Command {
  return command
    .option("--name <name>", "what its button says")
    .option("--client-id <id>", "the client at it")
    .option("--secret-file <file>", "the client's secret: a file, or - for standard input")
    .option("--no-secret", "the client has none, and proves itself by PKCE alone")
    .option("--domain <domain>", "whose addresses are offered it; several times for several", more)
    .option("--no-domains", "no domain any more: for developers, everybody is offered it")
    .option("--scope <scope>", "what is asked for beside openid; several times for several", more)
    .option("--groups-claim <claim>", "the claim that names a person's groups")
    .option(
      "--group <group=permissions>",
      "what a group's people may do, or role:<id>; several times",
      toGroup,
    )
    .option("--no-groups", "no group gives anything any more")
    .option("--creates-people", "add whoever is in one of the groups at their first sign-in")
    .option("--no-creates-people", "add nobody")
    .option("--acr <value>", "one of these makes a sign-in fresh; several times", more)
    .option("--amr <value>", "the same of amr", more)
    .option("--json", "print JSON");
}

function more(text: string, before: readonly string[] | undefined): string[] {
  return [...before ?? [], text];
}

function toGroup(text: string, before: Terms["group"]): Terms["group"] {
  const at = text.indexOf("=");
  const [, role] = /=role:(\S+)$/.exec(text) ?? [];
  if (at > 0 && role) return [...before ?? [], { group: text.slice(0, at), role }];
  if (at < 1) {
    throw new InvalidArgumentError("Expected a group and what it gives: desk=portal:read,approve.");
  }
  const permissions = toPermissions(text.slice(at + 1));
  return [...before ?? [], { group: text.slice(0, at), permissions }];
}

/** What the options set; what they do not name is left out. */
async function termsIn(options: Terms): Promise<Partial<IdentityProviderChange>> {
  const { name, clientId: client_id, groupsClaim: groups_claim, createsPeople } = options;
  const secret = options.secret === false ? "" : await secretIn(options.secretFile);
  const terms = {
    name,
    client_id,
    client_secret: secret,
    domains: options.domain ?? (options.domains === false ? [] : undefined),
    scopes: options.scope,
    groups_claim,
    groups: options.group ?? (options.groups === false ? [] : undefined),
    creates_people: createsPeople,
    acr_values: options.acr,
    amr_values: options.amr,
  };
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
}

async function list(options: ListOptions & DeskOptions): Promise<void> {
  await atDesk(options, ({ client }) =>
    printList(
      async () => ({ ...await client.listIdentityProviders(), next_cursor: null }),
      options,
      {
        head: ["ID", "FOR", "LINKED", "NAME", "DOMAINS", "ISSUER"],
        widths: [24, 10, 6, 24, 24],
        extra: ["DOMAINS", "LINKED"],
        cells: (one) => [
          one.id,
          one.for,
          String(one.people),
          one.name,
          one.domains.join(" "),
          one.issuer,
        ],
        empty: "There is no identity provider yet.",
      },
    ));
}

async function show(id: string, options: DeskOptions & { json?: boolean }): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const shown = await forOne("identity provider", id, () => client.getIdentityProvider({ id }));
    await printObject(shown, options);
  });
}

async function add(
  issuer: string,
  options: Terms & DeskOptions & { for: "people" | "developers" },
): Promise<void> {
  const { name, client_id, client_secret, ...rest } = await termsIn(options);
  if (!name || !client_id) {
    throw new OperatorError("--name and --client-id are needed", { exitCode: 2 });
  }
  if (client_secret === undefined) {
    throw new OperatorError("--secret-file is needed, or --no-secret", { exitCode: 2 });
  }
  await atDesk(options, async ({ client }) => {
    const terms = { domains: [], ...rest, for: options.for, issuer };
    const body = { ...terms, name, client_id, client_secret };
    tell(await client.createIdentityProvider({ body }, { idempotencyKey: true }), options, "added");
  });
}

async function change(id: string, options: Terms & DeskOptions): Promise<void> {
  const terms = await termsIn(options);
  if (Object.keys(terms).length === 0) {
    throw new OperatorError("nothing to change is named: see --help", { exitCode: 2 });
  }
  await atDesk(options, async ({ client }) => {
    const body = { ...await termsOf(client, id), ...terms };
    tell(await client.replaceIdentityProvider({ id, body }), options, "changed");
  });
}

/** What is set of one now, in the form of a change. */
async function termsOf(client: Desk["client"], id: string): Promise<IdentityProviderChange> {
  const {
    id: _,
    for: __,
    issuer: ___,
    has_secret: ____,
    people: _____,
    return_address: ______,
    logout_address: _______,
    date_created: ________,
    date_updated: _________,
    groups,
    ...terms
  } = await forOne("identity provider", id, () => client.getIdentityProvider({ id }));
  const given = groups.map(({ group, permissions, role }) =>
    role === null ? { group, permissions } : { group, role }
  );
  return { ...terms, groups: given };
}

function tell(provider: IdentityProvider, { json = false }: Terms, done: string): void {
  if (json) return terminal().out(JSON.stringify(provider));
  const { id, name, return_address, logout_address } = provider;
  terminal().err(printable(`Identity provider ${id} "${name}" is ${done}.`));
  if (return_address === null || logout_address === null) {
    terminal().err("Nobody can come back from it until a setting says where that is.");
    return;
  }
  terminal().out(`redirect URI             ${return_address}`);
  terminal().out(`back-channel logout URI  ${logout_address}`);
}

async function test(id: string, options: DeskOptions & { json?: boolean }): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const said = await forOne(
      "identity provider",
      id,
      () => client.checkIdentityProvider({ id }),
    );
    if (options.json) terminal().out(JSON.stringify(said));
    else if (said.works) {
      terminal().out(printable(`${said.keys} keys, signs by ${said.algorithms.join(", ")}`));
    } else terminal().out(printable(said.problem ?? ""));
    if (!said.works) throw new OperatorError("nobody can come in by it now");
  });
}

async function remove(id: string, options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    await forOne("identity provider", id, () => client.deleteIdentityProvider({ id }));
    terminal().err(`Identity provider ${id} is removed.`);
  });
}
