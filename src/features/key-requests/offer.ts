/**
 * An offer: less, or something else, than a key request asks for. The request stays pending while
 * its developer has a time to say yes or no.
 *
 *     offered ──accept──► the request is issued on these terms
 *        │ └──turn down, answer──► the request waits for people again, with the developer's words
 *        └──time over, withdrawn, edited, declined, another offer──► it is no more
 *
 * That its time is over is never stored. No key is minted before it is accepted.
 */
import { toTimestamp } from "../../kernel/clock.ts";
import type { GrantedTerms } from "./granted-terms.ts";

/** The state of an offer. */
type OfferState = "waiting" | "turned_down" | "answered" | "expired";

/** An offer as it is stored with its request. */
export interface Offer {
  id: string;
  at: string;
  /** The id of the person who offered. */
  by: string;
  /** From this instant on it can't be accepted any more. */
  expires_at: string;
  terms: GrantedTerms;
  /** The request and its developer at the time of the offer; absent in offers of older code. */
  asked?: { plans: string[]; by_user: string };
  /**
   * By what the address is known to which alone its link is mailed, as offerAddress has it; "": to
   * none. Absent in offers of older code: to none.
   */
  to?: string;
  /** There: an earlier release had it signed by a passkey. */
  signed?: true;
  /** Internal, and to the developer; null: nothing was said. */
  reason: string | null;
  message: string | null;
  /** The developer's answer and message; null: none yet. */
  answer: { state: "turned_down" | "answered"; at: string; words: string } | null;
}

/** The offer stored with a request; null: none. */
export function offerIn(text: string | null): Offer | null {
  // as: the offers' transactions wrote exactly this.
  return text === null ? null : JSON.parse(text) as Offer;
}

/** The state of an offer at a moment, in milliseconds since 1970. */
export function offerState({ answer, expires_at }: Offer, now: number): OfferState {
  if (answer) return answer.state;
  return expires_at <= toTimestamp(now) ? "expired" : "waiting";
}

/** Whether a stored offer waits for its developer at this moment. */
export function waitsAt(text: string | null, now: number): boolean {
  const offer = offerIn(text);
  return offer !== null && offerState(offer, now) === "waiting";
}
