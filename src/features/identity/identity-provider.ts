import type { Permission } from "../../contract/permissions.ts";
import type { SealedPlace, Sealer } from "../../kernel/sealing/sealer.ts";
import type { providerFor } from "./identity-providers.contract.ts";
import { sha256 } from "../../kernel/sha256.ts";

/** Identity providers that an organisation has at once. */
export const MOST_PROVIDERS = 10;

/** Whom an identity provider signs in. */
export type ProviderFor = typeof providerFor[number];

/** What the people of a group may do: permissions one by one, or a role, which says them. */
export interface GroupGrant {
  group: string;
  /** Empty where there is a role. */
  permissions: Permission[];
  /** The id of a role; absent: there is none. */
  role?: string | undefined;
}

/** What is set of an identity provider. */
export interface ProviderTerms {
  /** Whom it signs in, which never changes: people to the console, or developers to their pages. */
  for: ProviderFor;
  /** What the button says. */
  name: string;
  /** As the provider calls itself. It never changes: accounts belong to it. */
  issuer: string;
  client_id: string;
  /** null: a client that has none, and proves itself by PKCE alone. */
  client_secret: string | null;
  /** Whose addresses are offered it; of one for developers none: everybody is. */
  domains: string[];
  /** What is asked for beside `openid`. */
  scopes: string[];
  /** The claim that names a person's groups. */
  groups_claim: string;
  /** What a group's people may do here. */
  groups: GroupGrant[];
  /** True: whoever is in one of the groups is added at their first sign-in. */
  creates_people: boolean;
  /** Any of them makes a sign-in fresh; empty: whatever was asked. */
  acr_values: string[];
  amr_values: string[];
}

/** An identity provider that could be read. */
export interface Provider {
  org_id: string;
  id: string;
  created_at: string;
  updated_at: string;
  terms: ProviderTerms;
}

/** Where the terms of a provider are sealed. */
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
  // as: the transactions of this feature write it, and nobody else can seal. Older ones knew
  // people alone.
  const read = JSON.parse(sealer.open(place, terms)) as Omit<ProviderTerms, "for">;
  return { ...row, terms: { for: "people", ...read } };
}

/**
 * The same of one that signs these in; undefined also for one of the others, which opens nothing
 * here.
 */
export function providerOf(
  sealer: Sealer,
  row: Parameters<typeof openedProvider>[1] | undefined,
  whom: ProviderFor,
): Provider | undefined {
  const provider = row && openedProvider(sealer, row);
  return provider?.terms.for === whom ? provider : undefined;
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
 * What the groups that a provider names give: the role of the first of them that has one, else the
 * permissions of all of them.
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
