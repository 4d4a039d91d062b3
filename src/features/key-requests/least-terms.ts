/** The least of what several people grant. */
import { Failure } from "../../kernel/failure.ts";
import { isNetworkWithin } from "../../kernel/network-within.ts";
import type { CallLimit } from "../keys/key-conditions.ts";
import { type GrantedTerms, NOTHING_ELSE } from "./granted-terms.ts";

/**
 * The terms that both grant; null: as requested. Throws `invalid_input` if none are left, and for
 * limits of which neither is the lower one: the later one may only lower.
 */
export function leastOf(
  earlier: GrantedTerms | null,
  later: GrantedTerms | null,
  asked: readonly string[],
): GrantedTerms | null {
  if (earlier === null && later === null) return null;
  return leastOfBoth(earlier ?? NOTHING_ELSE, later ?? NOTHING_ELSE, [...asked]);
}

function leastOfBoth(earlier: GrantedTerms, later: GrantedTerms, asked: string[]): GrantedTerms {
  // A decision without plans approves the requested ones, and no others.
  const [a, b] = earlier.plans === null && later.plans === null
    ? [null, null]
    : [earlier.plans ?? asked, later.plans ?? asked];
  return {
    addresses: both("addresses", earlier.addresses, later.addresses, withinBoth),
    rate: lower("rate", earlier.rate, later.rate),
    quota: lower("quota", earlier.quota, later.quota),
    review_at: sooner(earlier.review_at, later.review_at),
    expires_at: sooner(earlier.expires_at, later.expires_at),
    plans: both("plans", a, b, (a, b) => a.filter((one) => b.includes(one))),
  };
}

/** Terms with an end that was chosen apart from them; null: what was asked. */
export function withEnd(terms: GrantedTerms | null, end: string | null): GrantedTerms | null {
  if (end === null) return terms;
  return { ...NOTHING_ELSE, ...terms, expires_at: sooner(terms?.expires_at ?? null, end) };
}

/** Whether terms are an offer: its developer says yes before there is a key. */
export function isOffer(terms: GrantedTerms | null): boolean {
  return terms !== null && (terms.rate !== null || terms.quota !== null || terms.plans !== null);
}

function sooner(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

function both(
  name: string,
  a: string[] | null,
  b: string[] | null,
  common: (a: readonly string[], b: readonly string[]) => string[],
): string[] | null {
  if (a === null || b === null) return a ?? b;
  const left = [...new Set(common(a, b))];
  if (left.length > 0) return left;
  throw refused(`conditions.${name}: expected some of those approved before: ${a.join(", ")}`);
}

/** Of two networks the one that lies in the other. */
function withinBoth(a: readonly string[], b: readonly string[]): string[] {
  return a.flatMap((one) =>
    b.flatMap((other) =>
      isNetworkWithin(one, other) ? [one] : isNetworkWithin(other, one) ? [other] : []
    )
  );
}

function lower(name: string, a: CallLimit | null, b: CallLimit | null): CallLimit | null {
  if (a === null || b === null) return a ?? b;
  const isBelow = (one: CallLimit, other: CallLimit) =>
    one.calls <= other.calls && one.calls * other.seconds <= other.calls * one.seconds;
  if (isBelow(b, a)) return b;
  if (isBelow(a, b)) return a;
  throw refused(
    `conditions.${name}: expected no more than was approved before, ${a.calls} calls in ${a.seconds} seconds`,
  );
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
