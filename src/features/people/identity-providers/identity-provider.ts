import {
  type Permission,
  readPermissions,
  storedPermissions,
} from "../../../contract/permissions.ts";
import type { SealedPlace, Sealer } from "../../../kernel/sealing/sealer.ts";
import type {
  clientAuthentications,
  groupForms,
  logoutScopes,
  providerFor,
  responseModes,
} from "./identity-providers.contract.ts";
import type { ProviderPreset } from "../../../contract/provider-presets.ts";
import { sha256 } from "../../../kernel/sha256.ts";

/** Identity providers that an organisation has at once. */
export const MOST_PROVIDERS = 10;

/** Whom an identity provider signs in. */
export type ProviderFor = typeof providerFor[number];

/** In which form a claim names groups. */
type GroupForm = typeof groupForms[number];

/** By what Keydesk proves itself to a provider. */
type ClientAuthentication = typeof clientAuthentications[number];

/** The private key of a client, as a JWK of RSA; made here, sealed with the terms, never shown. */
export type ClientKey = Readonly<
  Record<"kty" | "n" | "e" | "d" | "p" | "q" | "dp" | "dq" | "qi" | "kid", string>
>;

/** The permissions of a group's people: one by one, or a role with its permissions. */
interface GroupGrant {
  group: string;
  /** Empty where there is a role. */
  permissions: Permission[];
  /** The id of a role; absent: there is none. */
  role?: string | undefined;
}

/** The settings of an identity provider. */
export interface ProviderTerms {
  /** Whom it signs in, which never changes: people to the console, or developers to their pages. */
  for: ProviderFor;
  /** The text of the button. */
  name: string;
  /** As the provider calls itself. It stays once an account is linked: accounts belong to it. */
  issuer: string;
  /** Which provider it is, by whose traits the form was filled. */
  preset: ProviderPreset;
  client_id: string;
  /** null: a client that has none, and proves itself by PKCE alone. */
  client_secret: string | null;
  client_auth: ClientAuthentication;
  /** Of `private_key_jwt`; null: the client has none. */
  client_key: ClientKey | null;
  /** True: requests are pushed (RFC 9126), also where the provider does not demand it. */
  pushed_requests: boolean;
  response_mode: typeof responseModes[number];
  /** True: the provider asks for consent each time, as some do before a refresh token. */
  asks_consent: boolean;
  /**
   * The e-mail domains whose people are offered it; of one for developers none: it is offered to
   * everybody.
   */
  domains: string[];
  /** The requested scopes beside `openid`. */
  scopes: string[];
  /** The claim that names a person's groups. */
  groups_claim: string;
  /** The members that lead from the claim to the groups; none: the claim itself. */
  groups_path: string[];
  groups_form: GroupForm;
  /** The separator between groups in `separated`. */
  groups_separator: string;
  /** True: a slash at the beginning of a group is no part of its name. */
  groups_drop_slash: boolean;
  /** The permissions of groups in Keydesk. */
  groups: GroupGrant[];
  /** True: anyone who is in one of the groups is added at their first sign-in. */
  creates_people: boolean;
  /** Any of them makes a sign-in fresh; empty: whatever was asked. */
  acr_values: string[];
  amr_values: string[];
  /** The sessions that a logout of the provider ends besides the one that it names. */
  logout_ends: typeof logoutScopes[number];
  /** After how many minutes the provider is asked again, where it gave a refresh token. */
  recheck_minutes: number;
  /** How long a session lasts at the most where it gave none; null: as long as all do. */
  session_minutes: number | null;
}

/** The settings of providers in earlier versions. */
type TermsOfBefore =
  | "for"
  | "name"
  | "issuer"
  | "client_id"
  | "client_secret"
  | "domains"
  | "scopes"
  | "groups_claim"
  | "groups"
  | "creates_people"
  | "acr_values"
  | "amr_values";

/** The defaults: they also apply to providers from before these settings. */
const DEFAULT_TERMS: Omit<ProviderTerms, TermsOfBefore> = {
  preset: "generic",
  client_auth: "auto",
  client_key: null,
  pushed_requests: false,
  response_mode: "query",
  asks_consent: false,
  groups_path: [],
  groups_form: "list",
  groups_separator: ",",
  groups_drop_slash: false,
  logout_ends: "added",
  recheck_minutes: 60,
  session_minutes: null,
};

/** An identity provider that could be read. */
export interface Provider {
  org_id: string;
  id: string;
  created_at: string;
  updated_at: string;
  terms: ProviderTerms;
}

/** The sealing context of a provider's terms. */
export function providerPlace(org_id: string, id: string): SealedPlace {
  return { table: "identity_providers", org_id, id, column: "terms" };
}

/** A stored provider, opened; undefined: it was changed in the store, or its key is lost. */
export function openedProvider(
  sealer: Sealer,
  row: { org_id: string; id: string; terms: string | null; created_at: string; updated_at: string },
): Provider | undefined {
  const { org_id, id, terms } = row;
  const place = providerPlace(org_id, id);
  if (terms === null || !sealer.canOpen(place, terms)) return undefined;
  // as: the transactions of this feature write it, and no one else can seal. Older ones knew people
  // alone, and fewer settings.
  const read = JSON.parse(sealer.open(place, terms)) as
    & Pick<ProviderTerms, Exclude<TermsOfBefore, "for">>
    & Partial<ProviderTerms>;
  const groups = read.groups.map((one) => ({
    ...one,
    permissions: readPermissions(one.permissions),
  }));
  return { ...row, terms: { ...DEFAULT_TERMS, for: "people", ...read, groups } };
}

/** The text that is sealed of a provider. */
export function providerText(terms: ProviderTerms): string {
  const groups = terms.groups.map((one) => ({
    ...one,
    permissions: storedPermissions(one.permissions),
  }));
  return JSON.stringify({ ...terms, groups });
}

/**
 * The provider that signs these in; undefined also for one of the others, which is not valid here.
 */
export function providerOf(
  sealer: Sealer,
  row: Parameters<typeof openedProvider>[1] | undefined,
  audience: ProviderFor,
): Provider | undefined {
  const provider = row && openedProvider(sealer, row);
  return provider?.terms.for === audience ? provider : undefined;
}

/** By what an account is found. Subjects are whatever a provider likes. */
export function identityHandle(org_id: string, provider_id: string, subject: string): string {
  return sha256(`keydesk identity\0${org_id}\0${provider_id}\0${subject}`);
}

/** By what sessions are found that a provider ends. */
export function providerSession(provider_id: string, sid: string): string {
  return sha256(`keydesk provider session\0${provider_id}\0${sid}`);
}

/**
 * The grant by the groups that a provider names: the role of the first of them that has one, else
 * the permissions of all of them.
 */
export function grantOfGroups(
  { groups }: ProviderTerms,
  named: readonly string[],
): { permissions: Permission[]; role: string | null } {
  const theirs = groups.filter(({ group }) => named.includes(group));
  const role = theirs.find((one) => one.role !== undefined)?.role ?? null;
  const permissions = [...new Set(theirs.flatMap((one) => one.permissions))];
  return { permissions, role };
}
