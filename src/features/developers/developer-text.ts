import { canonicalJson } from "../../kernel/canonical-json.ts";
import type { Developer, IssuedKey } from "./developer.ts";
import { addressKey } from "./email-proof.ts";

/**
 * Works as withIssuedKey does, on the stored text of a developer without parsing all of it:
 * otherwise each further key of a developer with thousands would be slower. Undefined for an OAuth
 * client, and if the text has another order of members: then it has to be parsed.
 *
 * The positions are found by texts with bare quotes, which JSON has only around names and values;
 * before the maps there is no other object, and in them there are only texts and lists of texts.
 */
export function attachKey(document: string, issued: IssuedKey): string | undefined {
  if (issued.oauth_client) return undefined;
  const keys = document.indexOf(KEYS);
  const subscriptions = document.indexOf(SUBSCRIPTIONS, keys);
  const fields = document.indexOf(FIELDS, subscriptions);
  if (keys < 0 || subscriptions < 0 || fields < 0) return undefined;
  if (document.slice(0, keys).includes('":{')) return undefined;

  const known = document.slice(keys + KEYS.length, subscriptions);
  const name = JSON.stringify(issued.key_id);
  if (known.includes(`${name}:`)) return undefined;
  // as: the store wrote this object.
  const byPlan = JSON.parse(
    `{${document.slice(subscriptions + SUBSCRIPTIONS.length, fields)}}`,
  ) as Record<string, string>;
  // A Map, because a plan may be called "constructor".
  const subscribed = new Map(Object.entries(byPlan));
  for (const plan of issued.plans) subscribed.set(plan, issued.key_id);
  const plans = JSON.stringify(Object.fromEntries(subscribed)).slice(1, -1);
  return document.slice(0, keys + KEYS.length) + (known === "" ? "" : `${known},`) +
    `${name}:${JSON.stringify(issued.plans)}${SUBSCRIPTIONS}${plans}${document.slice(fields)}`;
}

/**
 * A developer's text as answers have it, without `oauth_clients` where there are none. The text
 * behind that member has no object, so the last place is the developer's own.
 */
export function withoutSecretFields(document: string): string {
  const at = document.lastIndexOf(PASSWORD_MAX_DAYS);
  const before = document.slice(0, at);
  if (at < 0 || !before.endsWith(NO_CLIENTS)) return document;
  return before.slice(0, -NO_CLIENTS.length) + document.slice(at);
}

const NO_CLIENTS = ',"oauth_clients":{}';
const PASSWORD_MAX_DAYS = ',"password_max_days":';

const KEYS = ',"keys":{';
const SUBSCRIPTIONS = '},"subscriptions":{';
const FIELDS = '},"fields":{';

/**
 * The members of a developer's stored text in front of the maps of keys, and those behind them;
 * undefined where the text has another order of members.
 */
export function ends(document: string): Readonly<Partial<Developer>> | undefined {
  if (document === last?.document) return last.ends;
  last = { document, ends: readEnds(document) };
  return last.ends;
}

/** The last text that was read: anyone who decides asks several things of one. */
let last: { document: string; ends: Readonly<Partial<Developer>> | undefined } | undefined;

function readEnds(document: string): Partial<Developer> | undefined {
  const keys = document.indexOf(KEYS);
  const fields = document.indexOf(FIELDS, document.indexOf(SUBSCRIPTIONS, keys));
  if (keys < 0 || fields < 0 || document.slice(0, keys).includes('":{')) return undefined;
  // as: the store wrote both parts of this object.
  return JSON.parse(`${document.slice(0, keys)}${document.slice(fields + 1)}`) as Partial<
    Developer
  >;
}

/** The address in a developer's stored text; "": there is none. */
export function emailIn(document: string): string {
  return withoutMaps(document).email ?? "";
}

/**
 * How many keys a developer's stored text names, and for which of these plans; by its text alone,
 * as attachKey, and read whole only where it has another order of members.
 */
export function subscribedIn(
  document: string,
  plans: readonly string[],
): { keys: number; plans: string[] } {
  const from = document.indexOf(KEYS);
  const middle = document.indexOf(SUBSCRIPTIONS, from);
  const to = document.indexOf(FIELDS, middle);
  if (from < 0 || middle < 0 || to < 0) {
    // as: the store wrote this object.
    const { keys = {}, subscriptions = {} } = JSON.parse(document) as Partial<Developer>;
    const subscribed = plans.filter((plan) => Object.hasOwn(subscriptions, plan));
    return { keys: Object.keys(keys).length, plans: subscribed };
  }
  // A quote inside of a text has a backslash before it, so these are values alone.
  const keys = document.slice(from, middle).split('":[').length - 1;
  const subscribed = `,${document.slice(middle + SUBSCRIPTIONS.length, to)}`;
  return { keys, plans: plans.filter((plan) => subscribed.includes(`,${JSON.stringify(plan)}:`)) };
}

/** Whether a developer's stored text says that they were deactivated. */
export function isInactiveIn(document: string): boolean {
  return withoutMaps(document).inactive ?? false;
}

/**
 * The identity in a developer's stored text: address, name, company and the other `fields`, and
 * whether they are inactive. Neither times nor keys. The order of members does not matter, nor do
 * capitals of an address.
 */
export function identityIn(document: string): string {
  const { email = "", inactive = false, fields = {} } = withoutMaps(document);
  return canonicalJson([addressKey(email), inactive, fields]);
}

/** A developer's stored text, without the maps of keys where it can be read without them. */
function withoutMaps(document: string): Partial<Developer> {
  // as: the store wrote this object.
  return ends(document) ?? JSON.parse(document) as Partial<Developer>;
}
