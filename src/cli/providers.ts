import { type Command, Option } from "commander";
import { presetTerms } from "../contract/provider-presets.ts";
import type { IdentityProvider, IdentityProviderChange } from "../client/operations.ts";
import { atDesk } from "./at-desk.ts";
import type { Desk } from "./desk-at-hand.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { printable } from "./table.ts";
import { OperatorError } from "./operator-error.ts";
import { type Terms, termsIn, withTerms } from "./provider-options.ts";
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
  keydesk providers add https://login.example.org/realms/example --preset keycloak --name Example \\
    --client-id keydesk --secret-file secret.txt --group desk=role:65b0c1d2e3f4a5b6c7d8e9f1
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
    .option("--issuer <issuer>", "as it calls itself; while nobody is linked")
    .action(change);
  withDeskOptions(providers.command("test <id>"))
    .description("try one: what it says of itself, its hosts, its keys, and the client")
    .option("--json", "print JSON")
    .action(test);
  withDeskOptions(providers.command("remove <id>"))
    .description("remove one: nobody signs in by it any more, and its sessions end")
    .action(remove);
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

async function change(
  id: string,
  { issuer, ...options }: Terms & DeskOptions & { issuer?: string },
): Promise<void> {
  const terms = { ...await termsIn(options), ...issuer === undefined ? {} : { issuer } };
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
    jwks_address: __________,
    last_refused: ___________,
    problem: ____________,
    gives_refresh_tokens: _____________,
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
  if (provider.jwks_address !== null) {
    terminal().out(`JWKS URI                 ${provider.jwks_address}`);
  }
  if (provider.preset === "generic") return;
  for (const step of presetTerms[provider.preset].setup) {
    const text = step.replace("{return_address}", return_address)
      .replace("{logout_address}", logout_address);
    terminal().err(printable(`- ${text}`));
  }
}

async function test(id: string, options: DeskOptions & { json?: boolean }): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const said = await forOne(
      "identity provider",
      id,
      () => client.checkIdentityProvider({ id }),
    );
    if (options.json) terminal().out(JSON.stringify(said));
    else {
      if (said.works) {
        terminal().out(printable(`${said.keys} keys, signs by ${said.algorithms.join(", ")}`));
      }
      for (const one of said.problems) terminal().out(printable(one));
      for (const one of said.notes) terminal().out(printable(`note: ${one}`));
      if (said.outbound !== null) {
        terminal().out(printable(`add to KEYDESK_OUTBOUND: ${said.outbound}`));
      }
    }
    if (!said.works) throw new OperatorError("nobody can come in by it now");
  });
}

async function remove(id: string, options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    await forOne("identity provider", id, () => client.deleteIdentityProvider({ id }));
    terminal().err(`Identity provider ${id} is removed.`);
  });
}
