import type { Actor } from "../../changes/audit.ts";
import type { IdempotentCall } from "../../changes/idempotent-answers.ts";
import type { Attempt } from "../keys/credential.ts";
import type { SomeKeyLabels } from "../keys/key-labels.ts";
import type { GrantedTerms } from "./granted-terms.ts";

/** What approve is called with. */
export interface ApproveInput {
  actor: Actor;
  id: string;
  /** Minted by the caller, so that a repeated transaction mints nothing new. */
  attempt: Attempt;
  /** False: only where every plan is approved automatically. */
  mayApprove: boolean;
  /** The revisions that the caller has seen; null: any will do. */
  ifMatch: string[] | null;
  /** Why, as it is kept with the decision; null: nobody said. */
  reason: string | null;
  /** What the key is called and filed under; absent: nothing is said of it. */
  labels?: SomeKeyLabels | undefined;
  /** When the key ends; null or absent: as its plans say. */
  expires_at?: string | null | undefined;
  /** To the developer; null or absent: nothing. */
  message?: string | null | undefined;
  /** What is granted besides the end; null or absent: what was asked. */
  granted?: GrantedTerms | null | undefined;
  /** Whose offer its developer accepts; absent: nobody's, and one that waits is in the way. */
  offeredBy?: string | undefined;
  /** Which offer that is. */
  offerId?: string | undefined;
  idempotency: IdempotentCall | null;
}
