import { InvalidArgumentError } from "commander";
import type { Client } from "../client/keydesk-client.ts";
import type { IdentityProvider, IdentityProviderChange } from "../client/operations.ts";
import type { Permission } from "../contract/permissions.ts";
import { presetTerms, type ProviderPreset, providerPresets } from "../contract/provider-presets.ts";
import { calls, lists, noun, type Said } from "./noun.ts";
import { choice, file, flag, type Given, opt, or, several, usual } from "./options.ts";
import { toPermissions } from "./permission-list.ts";
import { secretIn } from "./secret-file.ts";
import { printable } from "./table.ts";

const provider = { kind: "identity provider" };

const none: string[] = [];
const noGroups: GroupGiven[] = [];

/** The settings of one, by the members of its body. */
const terms = {
  preset: choice("--preset <provider>", "fill the rest as this provider is", providerPresets),
  client_auth: choice("--client-auth <way>", "by what Keydesk proves itself", [
    "auto",
    "client_secret_basic",
    "client_secret_basic_unencoded",
    "client_secret_post",
    "private_key_jwt",
    "tls_client_auth",
  ]),
  pushed_requests: or(
    flag("--pushed-requests", "push requests (RFC 9126)"),
    "--no-pushed-requests",
    "push them only where the provider requires it",
    false,
  ),
  response_mode: choice("--response-mode <mode>", "how a browser brings the answer back", [
    "query",
    "form_post",
  ]),
  asks_consent: or(
    flag("--asks-consent", "have it ask for consent, as some do before a refresh token"),
    "--no-asks-consent",
    "leave that to it",
    false,
  ),
  groups_path: or(
    several("--groups-path <member>", "a member that leads from the claim to the groups"),
    "--no-groups-path",
    "the claim itself",
    none,
  ),
  groups_form: choice("--groups-form <form>", "how the claim names them", [
    "list",
    "separated",
    "objects",
    "keys",
  ]),
  groups_separator: opt(
    "--groups-separator <text>",
    "the separator between groups of a text",
  ),
  groups_drop_slash: or(
    flag("--groups-drop-slash", "take a slash off the beginning of a group"),
    "--no-groups-drop-slash",
    "leave it",
    false,
  ),
  logout_ends: choice("--logout-ends <what>", "the sessions that a logout at the provider ends", [
    "named",
    "added",
    "all",
  ]),
  recheck_minutes: opt(
    "--recheck-minutes <n>",
    "after how many minutes it is asked again, 5 to 1440",
    toMinutes,
  ),
  session_minutes: opt(
    "--session-minutes <n>",
    "how long a session lasts where it gives no refresh token, or none",
    (text) => text === "none" ? text : toMinutes(text),
  ),
  name: opt("--name <name>", "what its button says"),
  client_id: opt("--client-id <id>", "the client at it"),
  client_secret: or(
    file("--secret-file <file>", "the client's secret: a file, or - for standard input"),
    "--no-secret",
    "the client has none, and proves itself by PKCE alone",
    null,
  ),
  domains: or(
    several("--domain <domain>", "whose addresses are offered it; several times for several"),
    "--no-domains",
    "no domain any more: for developers, it is offered to all",
    none,
  ),
  scopes: several(
    "--scope <scope>",
    "what is asked for beside openid; several times for several",
  ),
  groups_claim: opt("--groups-claim <claim>", "the claim that names a person's groups"),
  groups: or(
    opt(
      "--group <group=permissions>",
      "what a group's people may do, or role:<id>; several times",
      toGroups,
    ),
    "--no-groups",
    "no group gives anything any more",
    noGroups,
  ),
  creates_people: or(
    flag("--creates-people", "add members of these groups at their first sign-in"),
    "--no-creates-people",
    "add no one",
    false,
  ),
  acr_values: several("--acr <value>", "one of these makes a sign-in fresh; several times"),
  amr_values: several("--amr <value>", "the same of amr"),
};

/** `keydesk providers`. */
export const addProvidersCommands = noun({
  name: "providers",
  summary: "identity providers, by which people or developers sign in",
  about:
    `A client secret comes out of a file, or out of standard input where the file is "-": never from the
command line, which every process of the machine can read. KEYDESK_OUTBOUND names a provider's hosts.`,
  examples: [
    `add https://login.example.org --name Example --client-id keydesk \\
    --secret-file secret.txt --domain example.org --group desk=portal:read,approve --creates-people`,
    `add https://id.example.com --for developers --name Partners --client-id keydesk \\
    --secret-file -`,
    `add https://login.example.org/realms/example --preset keycloak --name Example \\
    --client-id keydesk --secret-file secret.txt --group desk=role:65b0c1d2e3f4a5b6c7d8e9f1`,
    "test 65b0c1d2e3f4a5b6c7d8e9f6",
    "change 65b0c1d2e3f4a5b6c7d8e9f6 --domain example.org --domain example.com",
  ],
  verbs: [
    lists({
      verb: "list",
      summary: "list identity providers, the oldest first",
      read: ({ client }) => client.listIdentityProviders(),
      columns: [
        { head: "ID", width: 24, of: "id" },
        { head: "FOR", width: 10, of: "for" },
        { head: "LINKED", width: 6, of: "people", extra: 2 },
        { head: "NAME", width: 24, of: "name" },
        { head: "DOMAINS", width: 24, of: ({ domains }) => domains.join(" "), extra: 1 },
        { head: "ISSUER", of: "issuer" },
      ],
      empty: "There is no identity provider yet.",
    }),
    calls({
      verb: "show <id>",
      summary: "show one, with the addresses for its settings",
      of: provider,
      json: "print JSON",
      call: ({ client, id }) => client.getIdentityProvider({ id }),
    }),
    calls({
      verb: "add <issuer>",
      summary: "add one, and print the addresses for its settings",
      options: {
        ...terms,
        for: usual(
          choice("--for <whom>", "whom it signs in, which never changes", [
            "people",
            "developers",
          ]),
          "people",
        ),
      },
      json: "print JSON",
      refuses: ({ name, client_id, client_secret }) =>
        !name || !client_id
          ? "--name and --client-id are needed"
          : client_secret === undefined
          ? "--secret-file is needed, or --no-secret"
          : undefined,
      async call({ client, word: issuer, given: { for: audience, ...given } }) {
        const { name = "", client_id = "", client_secret = "", ...rest } = await changeOf(given);
        const body = {
          domains: [],
          ...rest,
          for: audience,
          issuer,
          name,
          client_id,
          client_secret,
        };
        return await client.createIdentityProvider({ body }, { idempotencyKey: true });
      },
      done: (added) => linesOf(added, "added"),
    }),
    calls({
      verb: "change <id>",
      summary: "set what is given, and leave the rest as it is",
      of: provider,
      options: {
        ...terms,
        issuer: opt("--issuer <issuer>", "as it calls itself; while no account is linked"),
      },
      json: "print JSON",
      refuses: (given) =>
        Object.values(given).every((one) => one === undefined)
          ? "nothing to change is named: see --help"
          : undefined,
      async call({ client, id, given: { issuer, ...given } }) {
        const named = issuer === undefined ? {} : { issuer };
        const change = { ...await changeOf(given), ...named };
        const body = { ...await termsOf(client, id), ...change };
        return await client.replaceIdentityProvider({ id, body });
      },
      done: (changed) => linesOf(changed, "changed"),
    }),
    calls({
      verb: "test <id>",
      summary: "try one: what it says of itself, its hosts, its keys, and the client",
      of: provider,
      json: "print JSON",
      touches: { calls: true },
      call: ({ client, id }) => client.checkIdentityProvider({ id }),
      done: ({ works, keys, algorithms, problems, notes, outbound }) => {
        const lines = [
          ...works ? [`${keys} keys, signs by ${algorithms.join(", ")}`] : [],
          ...problems,
          ...notes.map((one) => `note: ${one}`),
          ...outbound === null ? [] : [`add to KEYDESK_OUTBOUND: ${outbound}`],
        ];
        return [
          ...lines.map((one) => ({ out: printable(one) })),
          ...works ? [] : [{ fails: "no one can sign in by it now" }],
        ];
      },
    }),
    calls({
      verb: "remove <id>",
      summary: "remove one: no one signs in by it any more, and its sessions end",
      of: provider,
      call: ({ client, id }) => client.deleteIdentityProvider({ id }),
      done: (_, { id }) => `Identity provider ${id} is removed.`,
    }),
  ],
});

function toMinutes(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError("Expected a number of minutes.");
  return Number(text);
}

/** The permissions of a group's people: a list, or a role. */
type GroupGiven = { group: string; permissions: Permission[] } | { group: string; role: string };

function toGroups(text: string, before: GroupGiven[] = []): GroupGiven[] {
  const at = text.indexOf("=");
  const [, role] = /=role:(\S+)$/.exec(text) ?? [];
  if (at > 0 && role) return [...before, { group: text.slice(0, at), role }];
  if (at < 1) {
    throw new InvalidArgumentError(
      "Expected a group and its permissions: desk=portal:read,approve.",
    );
  }
  return [...before, { group: text.slice(0, at), permissions: toPermissions(text.slice(at + 1)) }];
}

/** The change by the options and the preset; members that neither names are left out. */
async function changeOf(
  { client_secret: file, session_minutes, ...given }: Given<typeof terms>,
): Promise<Partial<IdentityProviderChange>> {
  const set = {
    ...given,
    client_secret: file === null ? "" : await secretIn(file),
    session_minutes: session_minutes === "none" ? null : session_minutes,
  };
  const members = Object.entries(set).filter(([, value]) => value !== undefined);
  return { ...filledBy(given.preset), ...Object.fromEntries(members) };
}

function filledBy(preset: ProviderPreset | undefined): Partial<IdentityProviderChange> {
  if (preset === undefined) return {};
  const { setup: _, name: __, issuer: ___, scopes, ...filled } = presetTerms[preset];
  return { scopes: [...scopes], ...filled };
}

/** Members of a provider that its server alone says, or that never change. */
const NOT_SET = new Set([
  "id",
  "for",
  "issuer",
  "has_secret",
  "people",
  "return_address",
  "logout_address",
  "date_created",
  "date_updated",
  "jwks_address",
  "last_refused",
  "problem",
  "gives_refresh_tokens",
]);

/** The current settings, in the form of a change. */
async function termsOf(client: Client, id: string): Promise<IdentityProviderChange> {
  const found = await client.getIdentityProvider({ id });
  const groups = found.groups.map(({ group, permissions, role }) =>
    role === null ? { group, permissions } : { group, role }
  );
  const members = Object.entries(found).filter(([name]) => !NOT_SET.has(name));
  // as: what is left are the members of a change.
  return { ...Object.fromEntries(members) as Omit<IdentityProvider, "role">, groups };
}

function linesOf(
  { id, name, return_address, logout_address, jwks_address, preset }: IdentityProvider,
  done: string,
): Said[] {
  const title = `Identity provider ${id} "${name}" is ${done}.`;
  if (return_address === null || logout_address === null) {
    return [title, "Its answers can't come back until a setting gives the address."];
  }
  const setup = preset === "generic" ? [] : presetTerms[preset].setup;
  return [
    title,
    { out: `redirect URI             ${return_address}` },
    { out: `back-channel logout URI  ${logout_address}` },
    ...jwks_address === null ? [] : [{ out: `JWKS URI                 ${jwks_address}` }],
    ...setup.map((step) =>
      `- ${
        step.replace("{return_address}", return_address)
          .replace("{logout_address}", logout_address)
      }`
    ),
  ];
}
