/** The terms that a caller sent with a decision. */
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { networksOf } from "../people/address-list.ts";
import type { CallLimit } from "../keys/key-conditions.ts";
import type { GrantedTerms } from "./granted-terms.ts";

/** The terms as sent. */
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

function toCome(name: string, sent: string | undefined, now: number): string | null {
  if (sent === undefined) return null;
  const at = toTimestamp(Date.parse(sent));
  if (at > toTimestamp(now)) return at;
  const message = `${name}: expected a time to come`;
  throw new Failure("invalid_input", { message, details: [message] });
}
