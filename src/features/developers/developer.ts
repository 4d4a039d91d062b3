import type { z } from "zod";
import { revisionOf } from "../../kernel/entity-tag.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { NO_TIME } from "../../kernel/timestamps.ts";
import type { developer } from "./developers.contract.ts";

/** Specification 2.4. */
export type Developer = z.output<typeof developer.whole>;

/**
 * The values of a developer that are sealed at rest; OAuth secrets by plan, in the order of the
 * plan's clients.
 */
export interface DeveloperSecrets {
  nonce?: string;
  sso_key?: string;
  oauth_clients?: Record<string, string[]>;
}

/** A credential as it is attached to its developer. */
export interface IssuedKey {
  key_id: string;
  plans: readonly string[];
  oauth_client?: Developer["oauth_clients"][string][number];
}

/** The developer shown where no one knows one: the id and empty values. */
export function emptyDeveloper(id: string): Developer {
  // Written out, so that the writer's thread needs no schemas; a test compares it with the
  // contract's defaults.
  return {
    id,
    email: "",
    date_created: NO_TIME,
    inactive: false,
    org_id: "",
    keys: {},
    subscriptions: {},
    fields: {},
    nonce: "",
    sso_key: "",
    oauth_clients: {},
    password_max_days: 0,
    password_updated: NO_TIME,
    PWHistory: [],
    last_login_date: NO_TIME,
  };
}

/**
 * The revision in a developer's entity tag, from the document without secrets and the stored tags:
 * the last sign-in does not change it.
 */
export function developerRevision(document: Developer, tags: string | null): string {
  return revisionOf({ ...document, last_login_date: "", ...tags === null ? {} : { tags } });
}

/** By what e-mail addresses are compared within an organisation; empty where there is none. */
export function emailKey(email: string): string {
  return email.trim().normalize("NFC").toLowerCase();
}

/**
 * The form by which e-mail addresses are compared within an organisation: variants of one letter
 * (wide, ligatures) are the same. It is no key for look-ups: a caller who names one address never
 * gets the developer of another.
 */
export function foldedEmail(email: string): string {
  return email.normalize("NFKC").toLowerCase().normalize("NFKC").trim();
}

/** By what a developer is looked up by sso_key; empty where they have none. */
export function ssoKeyHash(sso_key: string): string {
  return sso_key === "" ? "" : sha256(sso_key);
}

/** The developer without secrets and password history, and the secrets apart; null: it has none. */
export function splitSecrets(
  full: Developer,
): { document: Developer; secrets: DeveloperSecrets | null } {
  const secrets: DeveloperSecrets = {};
  if (full.nonce !== "") secrets.nonce = full.nonce;
  if (full.sso_key !== "") secrets.sso_key = full.sso_key;
  const clients = Object.entries(full.oauth_clients);
  if (clients.some(([, list]) => list.some((client) => client.secret !== ""))) {
    secrets.oauth_clients = Object.fromEntries(
      clients.map(([plan, list]) => [plan, list.map((client) => client.secret)]),
    );
  }
  const oauth_clients = Object.fromEntries(
    clients.map(([plan, list]) => [plan, list.map((client) => ({ ...client, secret: "" }))]),
  );
  return {
    document: { ...full, nonce: "", sso_key: "", oauth_clients, PWHistory: [] },
    secrets: Object.keys(secrets).length > 0 ? secrets : null,
  };
}

/** Puts back what splitSecrets took out. */
export function joinSecrets(document: Developer, secrets: DeveloperSecrets): Developer {
  const oauth_clients = Object.fromEntries(
    Object.entries(document.oauth_clients).map(([plan, list]) => [
      plan,
      list.map((client, i) => ({ ...client, secret: secrets.oauth_clients?.[plan]?.[i] ?? "" })),
    ]),
  );
  return {
    ...document,
    nonce: secrets.nonce ?? "",
    sso_key: secrets.sso_key ?? "",
    oauth_clients,
  };
}

/** The developer with an issued key: `keys`, `subscriptions` and, for OAuth, `oauth_clients`. */
export function withIssuedKey(full: Developer, issued: IssuedKey): Developer {
  // A Map, because a plan may be called "constructor".
  const clients = new Map(Object.entries(full.oauth_clients));
  if (issued.oauth_client) {
    for (const plan of issued.plans) {
      clients.set(plan, [...clients.get(plan) ?? [], issued.oauth_client]);
    }
  }
  return {
    ...withKeyPlans(full, issued.key_id, issued.plans),
    oauth_clients: Object.fromEntries(clients),
  };
}

/** Adds many fresh keys at once. Of two keys for one plan, `subscriptions` name the later. */
export function withIssuedKeys(full: Developer, issued: readonly IssuedKey[]): Developer {
  const keys = { ...full.keys };
  const subscriptions = new Map(Object.entries(full.subscriptions));
  const clients = new Map(Object.entries(full.oauth_clients));
  for (const { key_id, plans, oauth_client } of issued) {
    keys[key_id] = [...plans];
    for (const plan of plans) {
      subscriptions.set(plan, key_id);
      if (oauth_client) clients.set(plan, [...clients.get(plan) ?? [], oauth_client]);
    }
  }
  return {
    ...full,
    keys,
    subscriptions: Object.fromEntries(subscriptions),
    oauth_clients: Object.fromEntries(clients),
  };
}

/**
 * The developer after a key's plans changed to `plans`: a subscription to a plan that the key lost
 * is gone, and an OAuth client is under its plans alone.
 */
export function withKeyPlans(full: Developer, key_id: string, plans: readonly string[]): Developer {
  const others = Object.entries(full.subscriptions).filter(([, key]) => key !== key_id);
  const subscriptions = new Map(others);
  for (const plan of plans) subscriptions.set(plan, key_id);
  return {
    ...full,
    keys: { ...full.keys, [key_id]: [...plans] },
    subscriptions: Object.fromEntries(subscriptions),
    oauth_clients: clientsUnder(full, key_id, plans),
  };
}

/** `oauth_clients` with the client behind a key id, if any, under these plans and no other. */
function clientsUnder(
  full: Developer,
  key_id: string,
  plans: readonly string[],
): Developer["oauth_clients"] {
  const client = oauthClientOf(full, key_id);
  if (!client) return full.oauth_clients;
  const others = new Map(Object.entries(withoutKey(full, key_id).oauth_clients));
  for (const plan of plans) others.set(plan, [...others.get(plan) ?? [], client]);
  return Object.fromEntries(others);
}

/**
 * The developer without a key: gone from `keys`, `subscriptions` and, for OAuth, its client from
 * `oauth_clients`.
 */
export function withoutKey(full: Developer, key_id: string): Developer {
  const clients = Object.entries(full.oauth_clients).map(([plan, list]) =>
    [plan, list.filter((client) => !isClientOf(client, key_id))] as const
  );
  return {
    ...full,
    keys: Object.fromEntries(Object.entries(full.keys).filter(([key]) => key !== key_id)),
    subscriptions: Object.fromEntries(
      Object.entries(full.subscriptions).filter(([, key]) => key !== key_id),
    ),
    oauth_clients: Object.fromEntries(
      clients.filter(([plan, list]) => list.length > 0 || !full.oauth_clients[plan]?.length),
    ),
  };
}

/** The developer after a key was given another id; its plans and its place stay. */
export function withKeyId(full: Developer, from: string, to: string): Developer {
  const renamed = (key: string) => key === from ? to : key;
  return {
    ...full,
    keys: Object.fromEntries(
      Object.entries(full.keys).map(([key, plans]) => [renamed(key), plans]),
    ),
    subscriptions: Object.fromEntries(
      Object.entries(full.subscriptions).map(([plan, key]) => [plan, renamed(key)]),
    ),
  };
}

/** The OAuth client behind a key id, or undefined. */
export function oauthClientOf(
  full: Developer,
  key_id: string,
): Developer["oauth_clients"][string][number] | undefined {
  return Object.values(full.oauth_clients).flat().find((client) => isClientOf(client, key_id));
}

/** An OAuth credential's key id is the SHA-256 of its client_id. */
function isClientOf(client: { client_id: string }, key_id: string): boolean {
  return sha256(client.client_id) === key_id;
}
