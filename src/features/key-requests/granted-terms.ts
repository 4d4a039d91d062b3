/**
 * The terms that a decision grants, beside those requested: an expiry, addresses, limits of the
 * key's own, a review date, and other plans.
 */
import { Failure } from "../../kernel/failure.ts";
import { conditionsText, type KeyConditions } from "../keys/key-conditions.ts";

/** The granted terms; null: as requested, and as its plans say. */
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

/** The conditions stored with the key; null: none. */
export function conditionsOf(terms: GrantedTerms | null): string | null {
  return terms === null ? null : conditionsText(terms);
}

/** The terms stored with a request; null: none. */
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
