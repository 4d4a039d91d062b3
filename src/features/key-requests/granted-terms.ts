/**
 * What a decision grants, beside what was asked: an end, addresses, limits of the key's own, a time
 * to look at it again, and other plans.
 */
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { networksOf } from "../access/address-list.ts";
import { type CallLimit, conditionsText, type KeyConditions } from "../keys/key-conditions.ts";

/** What is granted; null: of that kind what was asked, and what its plans say. */
export interface GrantedTerms extends KeyConditions {
  expires_at: string | null;
  /** Instead of the plans that were asked for. */
  plans: string[] | null;
}

/** As asked in everything. */
export const NOTHING_ELSE: GrantedTerms = {
  addresses: null,
  rate: null,
  quota: null,
  review_at: null,
  expires_at: null,
  plans: null,
};

/** What somebody sent of it. */
export interface SentTerms {
  addresses?: readonly string[] | undefined;
  review_at?: string | undefined;
  expires_at?: string | undefined;
  rate?: CallLimit | undefined;
  quota?: CallLimit | undefined;
  plans?: readonly string[] | undefined;
}

/**
 * The terms that were sent, each in one spelling; null: nothing else than what was asked. Throws
 * `invalid_input` for what is no network, and for a time that is over at `now`.
 */
export function grantedTerms(sent: SentTerms, now: number): GrantedTerms | null {
  const terms: GrantedTerms = {
    addresses: networksOf(sent.addresses ?? []),
    rate: sent.rate ?? null,
    quota: sent.quota ?? null,
    review_at: toCome("review_at", sent.review_at, now),
    expires_at: toCome("expires_at", sent.expires_at, now),
    plans: sent.plans ? [...new Set(sent.plans)] : null,
  };
  return Object.values(terms).every((one) => one === null) ? null : terms;
}

/** What is stored with the key of it; null: nothing. */
export function conditionsOf(terms: GrantedTerms | null): string | null {
  return terms === null ? null : conditionsText(terms);
}

/** What was stored with a request; null: nothing. */
export function grantedIn(text: string | null): GrantedTerms | null {
  // as: markIssued and the offers' store were given exactly this.
  return text === null ? null : JSON.parse(text) as GrantedTerms;
}

/**
 * Throws `invalid_input` where a key that exists would get conditions: they come with a new one.
 */
export function refuseOfExistingKey(key: string, terms: GrantedTerms | null): void {
  if (key === "" || (conditionsOf(terms) === null && !terms?.plans)) return;
  const message = "conditions: the request changes a key that exists; they are for a new key alone";
  throw new Failure("invalid_input", { message, details: [message] });
}

function toCome(name: string, sent: string | undefined, now: number): string | null {
  if (sent === undefined) return null;
  const at = toTimestamp(Date.parse(sent));
  if (at > toTimestamp(now)) return at;
  const message = `${name}: expected a time to come`;
  throw new Failure("invalid_input", { message, details: [message] });
}
