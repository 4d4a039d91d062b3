import type { z } from "zod";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { timeGiven } from "../../kernel/timestamps.ts";
import { type Developer, emailKey, emptyDeveloper } from "../developers/developer.ts";
import { problemOfEmail } from "../developers/email-address.ts";
import type { developerAccountInput } from "./developer-accounts.contract.ts";

/** A developer as sent to the developers' own endpoints. Its password never gets this far. */
export type AccountInput = Omit<z.output<typeof developerAccountInput>, "password">;

/** Which keys of the organisation the sent maps name: this developer's, and those of others. */
export interface KnownKeys {
  own: ReadonlySet<string>;
  others: ReadonlySet<string>;
}

/** The context of a replacement, besides the input. */
interface Replacement {
  now: number;
  /** False: the caller reads secrets as "", so a "" that comes back means nothing. */
  seesSecrets: boolean;
  newPassword: boolean;
}

/** More entries than this in the three maps together are refused: each is looked up. */
const MOST_ENTRIES = 2000;

/** A new developer. Throws `invalid_input` without a usable e-mail address. */
export function newAccount(
  input: AccountInput,
  identity: { id: string; org_id: string },
  at: { now: number; newPassword: boolean },
): Developer {
  const empty = {
    ...emptyDeveloper(identity.id),
    org_id: identity.org_id,
    date_created: toTimestamp(at.now),
  };
  const { email = "" } = input;
  checkEmail(email, "");
  return { ...replaced(empty, input, { ...at, seesSecrets: true }), email };
}

/**
 * A developer after a replacement: `email` and `fields` as sent, but what a client can't have meant
 * to lose by leaving it out stays. The three maps are settled by withSentMaps. Throws
 * `invalid_input`.
 */
export function replacedAccount(
  before: Developer,
  input: AccountInput,
  by: Replacement,
): Developer {
  const { email = "" } = input;
  // Registered by a bare by_user: it has none, and anyone who sends back what they read must be
  // heard.
  if (email !== "" || before.email !== "") checkEmail(email, before.email);
  return { ...replaced(before, input, by), email };
}

/** A developer with another e-mail address and other fields. Throws `invalid_input`. */
export function editedAccount(
  before: Developer,
  email: string,
  fields: Record<string, unknown>,
): Developer {
  // Registered by a bare by_user: they may stay without one.
  if (email !== "" || before.email !== "") checkEmail(email, before.email);
  return { ...before, email, fields };
}

function replaced(before: Developer, input: AccountInput, by: Replacement): Developer {
  const secret = (sent: string | undefined, kept: string) =>
    sent === undefined || (sent === "" && !by.seesSecrets) ? kept : sent;
  return {
    ...before,
    date_created: timeGiven(input.date_created) ?? before.date_created,
    inactive: input.inactive ?? before.inactive,
    fields: input.fields ?? {},
    nonce: secret(input.nonce, before.nonce),
    sso_key: secret(input.sso_key, before.sso_key),
    password_max_days: input.password_max_days ?? 0,
    password_updated: by.newPassword
      ? toTimestamp(by.now)
      : timeGiven(input.password_updated) ?? before.password_updated,
    PWHistory: [],
    last_login_date: timeGiven(input.last_login_date) ?? before.last_login_date,
  };
}

/** The key ids that sent maps name, each once. Throws `invalid_input` where they are too many. */
export function namedKeys(input: AccountInput): string[] {
  const clients = Object.values(input.oauth_clients ?? {}).flat();
  const named = [
    ...Object.keys(input.keys ?? {}),
    ...Object.values(input.subscriptions ?? {}),
    ...clients.map((client) => sha256(client.client_id)),
  ];
  if (named.length > MOST_ENTRIES) {
    refuse(`keys, subscriptions, oauth_clients: expected at most ${MOST_ENTRIES} entries together`);
  }
  return [...new Set(named)];
}

/**
 * The developer with the maps that a client sent. The entries of keys are as approvals made them:
 * they can be neither dropped nor claimed. The rest is for display, and is as sent; a map that was
 * not sent stays.
 */
export function withSentMaps(full: Developer, input: AccountInput, known: KnownKeys): Developer {
  const own = (key: string) => known.own.has(key);
  const display = (key: string) => !known.own.has(key) && !known.others.has(key);
  const keys = input.keys && new Map([
    ...Object.entries(full.keys).filter(([key]) => own(key)),
    ...Object.entries(input.keys).filter(([key]) => display(key)),
  ]);
  const live = Object.entries(full.subscriptions).filter(([, key]) => own(key));
  const subscriptions = input.subscriptions && new Map([
    ...Object.entries(input.subscriptions).filter(([, key]) => display(key)),
    ...live,
  ]);
  return {
    ...full,
    keys: keys ? Object.fromEntries(keys) : full.keys,
    subscriptions: subscriptions ? Object.fromEntries(subscriptions) : full.subscriptions,
    oauth_clients: input.oauth_clients
      ? clientsOf(full, input.oauth_clients, own, display)
      : full.oauth_clients,
  };
}

type Clients = Developer["oauth_clients"];

function clientsOf(
  full: Developer,
  sent: Clients,
  own: (key: string) => boolean,
  display: (key: string) => boolean,
): Clients {
  // A Map, because a plan may be called "constructor".
  const kept = new Map(Object.entries(full.oauth_clients));
  const plans = new Set([...kept.keys(), ...Object.keys(sent)]);
  const after = new Map<string, Clients[string]>();
  for (const plan of plans) {
    const before = kept.get(plan) ?? [];
    const live = before.filter((client) => own(sha256(client.client_id)));
    const plans = (new Map(Object.entries(sent)).get(plan) ?? [])
      .filter((client) => display(sha256(client.client_id)))
      .map((client) => ({
        ...client,
        secret: client.secret || secretOf(before, client.client_id),
      }));
    if (live.length + plans.length > 0 || Object.hasOwn(sent, plan)) {
      after.set(plan, [...live, ...plans]);
    }
  }
  return Object.fromEntries(after);
}

/** The secret moved in for a client, where the client that sends it back could not read it. */
function secretOf(before: Clients[string], client_id: string): string {
  return before.find((client) => client.client_id === client_id)?.secret ?? "";
}

/** An address that stays as it was is not held to rules that came after it. */
function checkEmail(email: string, before: string): void {
  if (emailKey(email) === "") refuse("email: required");
  if (!/^[^\s@]+@[^\s@]+$/.test(email.trim())) refuse("email: expected an e-mail address");
  const problem = email === before ? undefined : problemOfEmail(email);
  if (problem !== undefined) refuse(`email: ${problem}`);
}

function refuse(message: string): never {
  throw new Failure("invalid_input", { message, details: [message] });
}
