import type { Actor } from "../../changes/audit.ts";
import type { IdempotentCall } from "../../changes/idempotent-answers.ts";
import type { Attempt } from "../keys/key-kinds.ts";
import type { SomeKeyLabels } from "../keys/key-labels.ts";
import type { GrantedTerms } from "./granted-terms.ts";

/** By what a request is approved. */
type ApprovedBy =
  /** Somebody with the permission decides: alone, or in the present step of the policy. */
  | { kind: "approver" }
  /** Without a decision: only what needs none is approved. */
  | { kind: "automatic" }
  /** Its developer accepts an offer; `offered_by` made it. */
  | { kind: "offer"; offered_by: string; offer_id: string };

/** What approve is called with. */
export interface ApproveInput {
  actor: Actor;
  id: string;
  /** Minted by the caller, so that a repeated transaction mints nothing new. */
  attempt: Attempt;
  by: ApprovedBy;
  /** The revisions that the caller has seen; null: any will do. */
  ifMatch: string[] | null;
  /** Why, as it is kept with the decision; null: nothing was said. */
  reason: string | null;
  /** What the key is called and filed under; absent: nothing is said of it. */
  labels?: SomeKeyLabels | undefined;
  /** When the key ends; null or absent: as its plans say. */
  expires_at?: string | null | undefined;
  /** To the developer; null or absent: nothing. */
  message?: string | null | undefined;
  /** What is granted besides the end; null or absent: what was asked. */
  granted?: GrantedTerms | null | undefined;
  idempotency: IdempotentCall | null;
}
