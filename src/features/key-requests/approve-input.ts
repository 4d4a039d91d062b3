import type { Actor } from "../../changes/audit.ts";
import type { IdempotentCall } from "../../changes/idempotent-answers.ts";
import type { Attempt } from "../keys/key-kinds.ts";
import type { SomeKeyLabels } from "../keys/key-labels.ts";
import type { GrantedTerms } from "./granted-terms.ts";

/** By what a request is approved. */
type ApprovedBy =
  /** A person with the permission decides: alone, or in the present step of the policy. */
  | { kind: "approver" }
  /** Without a decision: only what needs none is approved. */
  | { kind: "automatic" }
  /** Its developer accepts an offer; `offered_by` made it. */
  | { kind: "offer"; offered_by: string; offer_id: string };

/** The input of approve. */
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
  /** The name and labels of the key; absent: none are set. */
  labels?: SomeKeyLabels | undefined;
  /** When the key ends; null or absent: as its plans say. */
  expires_at?: string | null | undefined;
  /** To the developer; null or absent: nothing. */
  message?: string | null | undefined;
  /** The terms besides the expiry; null or absent: as requested. */
  granted?: GrantedTerms | null | undefined;
  idempotency: IdempotentCall | null;
}
