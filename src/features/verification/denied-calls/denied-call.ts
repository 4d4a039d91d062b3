import type { DenialReason } from "../../../contract/denied-calls.ts";

/**
 * The data of a denied call in lists besides its reason; members that do not belong to it are
 * absent.
 */
export interface DenialFacts {
  /** Of `over_rate` and `over_quota`: so many calls in each so many seconds. */
  limit?: number;
  per_seconds?: number;
  /** Of `over_rate` and `over_quota`: seconds after which a call passes. */
  retry_after?: number;
  /** Of `expired`: when the key or the token ended. */
  ended_at?: string;
  /** Of `wrong_api`: some of the APIs that the key's plans open. */
  apis?: string[];
}

/** A call that was denied, as a node keeps it until it is written. */
export interface NewDeniedCall {
  readonly org_id: string;
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly reason: DenialReason;
  /** As the gateway names itself. */
  readonly gateway: string;
  readonly api_id: string;
  readonly plan_id: string;
  /** "" for a credential that no one knows. */
  readonly key_id: string;
  readonly developer_id: string;
  readonly facts: DenialFacts;
  /** The first digits of the hash of what was presented. */
  readonly hash_start: string;
  /** Of the visitor's address; "" where it is not known. */
  readonly network: string;
}

/**
 * How many digits of the hash are kept: enough to find a key by, and no help to anyone who guesses.
 */
export const HASH_DIGITS = 8;
