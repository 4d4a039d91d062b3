/**
 * What somebody signs who says yes to a key request: who they are, the request as it is, and all
 * that it is granted. docs/trail.md has the form for those who verify it later.
 */
import type { Actor } from "../../changes/audit.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import type { KeptSignature, ProvedSignature, SignedContent } from "../access/passkey-signature.ts";
import { takeSignature } from "../access/passkey-signature.transactions.ts";
import { type PlanTerms, planTermsOf } from "../catalogue/plan-terms.transactions.ts";
import { limitsOf } from "./decided-on.ts";
import { type GrantedTerms, NOTHING_ELSE } from "./granted-terms.ts";
import { type Decision, holdFor } from "./hold-for.transactions.ts";
import type { KeyRequestTerms } from "./key-request.ts";
import { refuseNotLess } from "./less-than-asked.ts";
import { lockedRevision } from "./locked-revision.transactions.ts";
import { termsOf } from "./stored-request.ts";
import { lockForDecision } from "./v1.store.ts";

/** A signature that came with a decision; "refused": it was none. Absent: there was none. */
export type Signed = ProvedSignature | "refused" | undefined;

/** What is granted by a decision. */
interface Granting {
  decision: "approve" | "offer";
  terms: Pick<KeyRequestTerms, "key" | "by_user" | "remove_policies">;
  /** The later end that the request asks for; null: it asks for none. */
  asked_end: string | null;
  /** Those that are granted. */
  plans: readonly PlanTerms[];
  granted: GrantedTerms | null;
  /** The end that was chosen; null: as the plans say. */
  expires_at: string | null;
}

/** What is to be signed for a decision of the actor. */
function contentOf(
  { org_id, user_id }: Actor,
  of: { id: string; nonce: string; revision: string },
  { decision, terms, asked_end, plans, granted, expires_at }: Granting,
): SignedContent {
  const { addresses, rate, quota, review_at } = granted ?? NOTHING_ELSE;
  return {
    v: 1,
    decision,
    nonce: of.nonce,
    org_id,
    user_id,
    key_request_id: of.id,
    revision: of.revision,
    granted: {
      developer_id: terms.by_user,
      key: terms.key === "" ? null : terms.key,
      plans: plans.map(({ id, rules, keyExpiresIn }) => ({
        id,
        limits: rules ? limitsOf(rules) : null,
        key_expires_in: keyExpiresIn,
      })),
      remove_plans: terms.key === "" ? [] : terms.remove_policies,
      asked_end,
      expires_at,
      addresses,
      rate,
      quota,
      review_at,
    },
  };
}

/**
 * The signature of a decision as the trail keeps it; undefined: there was none, and none is needed.
 * The request is held. Throws `signature_required` where it is `needed`, `signature_refused` where
 * it says yes to anything else than this.
 */
export async function signatureOf(
  tx: Tx,
  { actor, id, signed }: { actor: Actor; id: string; signed?: Signed },
  isNeeded: () => boolean | Promise<boolean>,
  granting: Granting,
): Promise<KeptSignature | undefined> {
  if (signed === undefined) {
    if (await isNeeded()) throw new Failure("signature_required");
    return undefined;
  }
  const { org_id } = actor;
  const row = signed === "refused" ? undefined : await lockForDecision(tx, { org_id, id });
  if (signed === "refused" || !row) throw new Failure("signature_refused");
  const revision = await lockedRevision(tx, org_id, row);
  const content = contentOf(actor, { id, nonce: signed.nonce, revision }, granting);
  return await takeSignature(tx, actor, signed, content);
}

/** What a person is about to sign. */
interface ToSign extends Decision {
  nonce: string;
  decision: "approve" | "offer";
  granted: GrantedTerms | null;
  expires_at: string | null;
}

/** What is to be signed for a decision, of the request as it is now. Throws what that throws. */
export const contentToSign = defineTransaction(
  "key-requests.content-to-sign",
  async (tx, input: ToSign): Promise<SignedContent> => {
    const { actor, id, nonce, decision, granted, expires_at } = input;
    const { org_id } = actor;
    const row = await holdFor(tx, decision === "offer" ? "offer" : "approveV1", input);
    const terms = termsOf(row);
    const { plans, less } = decision === "offer"
      ? await offeredOf(tx, org_id, terms, granted)
      : { plans: await knownPlans(tx, org_id, terms.plans), less: granted };
    const revision = await lockedRevision(tx, org_id, row);
    const granting = { decision, terms, asked_end: row.asked_end, plans, granted: less };
    const ends = decision === "offer" ? less?.expires_at ?? null : expires_at;
    return contentOf(actor, { id, nonce, revision }, { ...granting, expires_at: ends });
  },
);

/**
 * What an offer comes to, and the plans that it grants. Throws `unknown_plan`, `keyless_plan`, and
 * `invalid_input` where it is not less than was asked.
 */
export async function offeredOf(
  tx: Tx,
  org_id: string,
  asked: KeyRequestTerms,
  terms: GrantedTerms | null,
): Promise<{ plans: PlanTerms[]; less: GrantedTerms }> {
  const plans = await knownPlans(tx, org_id, terms?.plans ?? asked.plans);
  const less = refuseNotLess(terms, asked.plans, plans.map(({ rules }) => rules));
  return { plans, less };
}

function knownPlans(tx: Tx, org_id: string, plans: readonly string[]): Promise<PlanTerms[]> {
  return planTermsOf(tx, org_id, plans, () => Promise.resolve(undefined), "known");
}
