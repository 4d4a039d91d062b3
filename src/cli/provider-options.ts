import { type Command, InvalidArgumentError, Option } from "commander";
import type { IdentityProviderChange } from "../client/operations.ts";
import type { Permission } from "../contract/permissions.ts";
import { presetTerms, type ProviderPreset, providerPresets } from "../contract/provider-presets.ts";
import { toPermissions } from "./permission-list.ts";
import { secretIn } from "./secret-file.ts";

/** What a group's people may do: these permissions, or a role. */
type GroupGiven = { group: string; permissions: Permission[] } | { group: string; role: string };

/** What options set of an identity provider. */
export interface Terms {
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
  preset?: ProviderPreset;
  clientAuth?: IdentityProviderChange["client_auth"];
  pushedRequests?: boolean;
  responseMode?: IdentityProviderChange["response_mode"];
  asksConsent?: boolean;
  /** False: the claim itself. */
  groupsPath?: string[] | false;
  groupsForm?: IdentityProviderChange["groups_form"];
  groupsSeparator?: string;
  groupsDropSlash?: boolean;
  logoutEnds?: IdentityProviderChange["logout_ends"];
  recheckMinutes?: number;
  /** `none`: as long as all sessions. */
  sessionMinutes?: number | "none";
  json?: boolean;
}

/** Adds the options that set something of an identity provider. */
export function withTerms(command: Command): Command {
  return withNewerTerms(command)
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

function withNewerTerms(command: Command): Command {
  return command
    .addOption(
      new Option("--preset <provider>", "fill the rest as this provider is")
        .choices([...providerPresets]),
    )
    .addOption(
      new Option("--client-auth <way>", "by what Keydesk proves itself").choices([
        "auto",
        "client_secret_basic",
        "client_secret_basic_unencoded",
        "client_secret_post",
        "private_key_jwt",
        "tls_client_auth",
      ]),
    )
    .option("--pushed-requests", "push requests (RFC 9126)")
    .option("--no-pushed-requests", "push them only where the provider requires it")
    .addOption(
      new Option("--response-mode <mode>", "how a browser brings the answer back")
        .choices(["query", "form_post"]),
    )
    .option("--asks-consent", "have it ask for consent, as some do before a refresh token")
    .option("--no-asks-consent", "leave that to it")
    .option("--groups-path <member>", "a member that leads from the claim to the groups", more)
    .option("--no-groups-path", "the claim itself")
    .addOption(
      new Option("--groups-form <form>", "how the claim names them")
        .choices(["list", "separated", "objects", "keys"]),
    )
    .option("--groups-separator <text>", "what stands between groups of a separated text")
    .option("--groups-drop-slash", "take a slash off the beginning of a group")
    .option("--no-groups-drop-slash", "leave it")
    .addOption(
      new Option("--logout-ends <what>", "what a logout of the provider ends")
        .choices(["named", "added", "all"]),
    )
    .option("--recheck-minutes <n>", "after how many minutes it is asked again, 5 to 1440", whole)
    .option(
      "--session-minutes <n>",
      "how long a session lasts where it gives no refresh token, or none",
      (text: string) => text === "none" ? text : whole(text),
    );
}

function whole(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError("Expected a number of minutes.");
  return Number(text);
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

function filledBy(preset: ProviderPreset | undefined): Partial<IdentityProviderChange> {
  if (preset === undefined) return {};
  const { setup: _, name: __, issuer: ___, scopes, ...filled } = presetTerms[preset];
  return { scopes: [...scopes], ...filled };
}

/** What the options set, and what a preset fills; what neither names is left out. */
export async function termsIn(options: Terms): Promise<Partial<IdentityProviderChange>> {
  const { name, clientId: client_id, groupsClaim: groups_claim, createsPeople } = options;
  const secret = options.secret === false ? "" : await secretIn(options.secretFile);
  const terms = {
    name,
    client_id,
    client_secret: secret,
    preset: options.preset,
    client_auth: options.clientAuth,
    pushed_requests: options.pushedRequests,
    response_mode: options.responseMode,
    asks_consent: options.asksConsent,
    groups_path: options.groupsPath === false ? [] : options.groupsPath,
    groups_form: options.groupsForm,
    groups_separator: options.groupsSeparator,
    groups_drop_slash: options.groupsDropSlash,
    logout_ends: options.logoutEnds,
    recheck_minutes: options.recheckMinutes,
    session_minutes: options.sessionMinutes === "none" ? null : options.sessionMinutes,
    domains: options.domain ?? (options.domains === false ? [] : undefined),
    scopes: options.scope,
    groups_claim,
    groups: options.group ?? (options.groups === false ? [] : undefined),
    creates_people: createsPeople,
    acr_values: options.acr,
    amr_values: options.amr,
  };
  const given = Object.entries(terms).filter(([, value]) => value !== undefined);
  return { ...filledBy(options.preset), ...Object.fromEntries(given) };
}
