import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { personalReason } from "../../changes/personal.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import type { NewOneTimeLink } from "../keys/one-time-links/one-time-link.ts";
import { issueOneTimeLink } from "../keys/one-time-links/issue-one-time-link.transactions.ts";
import type { Attempt } from "../keys/key-kinds.ts";
import { findMask } from "../keys/keys.store.ts";
import type { Reveal } from "../keys/issue-key.transactions.ts";
import type { SomeKeyLabels } from "../keys/key-labels.ts";
import { approveAndNotify, type AtGateways } from "./approve.transactions.ts";
import { decidedOn, MOST_PLANS } from "./decided-on.ts";
import { findPlanRules } from "../plans/plans.store.ts";
import { beginAnew } from "./expiry.store.ts";
import type { GrantedTerms } from "./granted-terms.ts";
import { type Decision, lockFor } from "./lock-for.transactions.ts";
import { waitsAt } from "./offer.ts";
import { type Decider, refuseOwn } from "./own-request.ts";
import { namesOfRequest } from "./request-names.store.ts";
import { isStep, type StepTaken } from "./steps.transactions.ts";
import { type StoredTexts, termsOf } from "./stored-request.ts";
import { markDeclined, markReopened, setReason } from "./v1.store.ts";
import { requireStillWithin } from "./within-scope.ts";

/** The input of every decision. */
export interface DecisionInput extends Decision {
  idempotency: IdempotentCall | null;
}

/** The result of an approval, with the key or the one-time link that hands it over. */
interface Approved extends AtGateways {
  key_id: string;
  mask: string;
  /** Null where the request changed a key that exists: there is nothing to hand over then. */
  reveal: Reveal | null;
  /** The one-time link that `reveal` is kept for, instead of standing here. */
  handed: NewOneTimeLink | null;
  /** When the key ends; null: never. Absent in answers of older code. */
  expires_at?: string | null;
}

/** How a request is approved. */
interface Approval {
  attempt: Attempt;
  oneTimeLink: NewOneTimeLink | null;
  reason: string | null;
  /** The name and labels of the key; absent: none are set. */
  labels?: SomeKeyLabels;
  /** When the key ends; null or absent: as its plans say. */
  expires_at?: string | null;
  /** To the developer; null or absent: nothing. */
  message?: string | null;
  /** Null or absent: what was asked. */
  granted?: GrantedTerms | null;
}

/**
 * Approves as the older interface does, in its one transaction, if the request is what the caller
 * has seen, and its developer and plans are known. With a one-time link the credential is sealed
 * for that instead of being given. Throws `already_decided`, `precondition_failed` and what approve
 * throws.
 */
export const approveV1 = defineTransaction(
  "key-requests.approve-native",
  (tx, input: DecisionInput & Approval): Promise<Approved | StepTaken> =>
    once(
      tx,
      input.idempotency,
      () => approveSeen(tx, input),
      (first) => requireStillWithin(tx, input, isStep(first) ? "" : first.key_id),
    ),
);

/** Approves inside a transaction. */
export async function approveSeen(
  tx: Tx,
  input: Decision & Approval,
): Promise<Approved | StepTaken> {
  const { actor, id, attempt, oneTimeLink, reason, labels, expires_at = null } = input;
  const { message = null, granted = null } = input;
  const { org_id } = actor;
  const row = await lockFor(tx, "approveV1", input);
  if (waitsAt(row.offer, actor.now)) throw new Failure("offer_waits");
  const { key, by_user } = termsOf(row);
  const words = { reason, message };
  const terms = { labels, expires_at, granted };
  const call = { actor, id, attempt, by: { kind: "approver" as const }, ...words, ...terms };
  // The revision and an earlier answer are checked outside.
  const sent = { ...call, ifMatch: null, idempotency: null };
  const { answer: reveal, issued, ...where } = await approveAndNotify(tx, sent, "known");
  if (isStep(reveal)) return reveal;
  const key_id = issued?.key_id ?? key;
  const kept = issued ?? await findMask(tx, { org_id, key_id });
  const stored = { key_id, mask: kept?.mask ?? "", expires_at: kept?.expires_at ?? null, ...where };
  if (key !== "") return { ...stored, reveal: null, handed: null };
  if (!oneTimeLink) return { ...stored, reveal, handed: null };
  await issueOneTimeLink(tx, actor, {
    oneTimeLink,
    reveal,
    key_id,
    request_id: id,
    developer_id: by_user,
  });
  return { ...stored, reveal: null, handed: oneTimeLink };
}

/** Declines a pending request. Throws `not_found`, `already_decided` and `precondition_failed`. */
export const declineRequest = defineTransaction(
  "key-requests.decline",
  (tx, input: DecisionInput & { reason: string | null }) =>
    once(tx, input.idempotency, () => declineSeen(tx, input)),
);

/** Declines inside a transaction. */
export async function declineSeen(
  tx: Tx,
  input: Decision & { reason: string | null },
): Promise<null> {
  const { actor, id, reason } = input;
  const row = await lockFor(tx, "decline", input);
  const decider = await refuseOwn(tx, actor, { id, policy: row.policy });
  await declineLocked(tx, actor, { id, row, decider, reason });
  return null;
}

/** Declines a request that is held, whoever may do so. Throws `already_decided`. */
export async function declineLocked(
  tx: Tx,
  actor: Actor,
  { id, row, decider, reason }: {
    id: string;
    row: StoredTexts & { approved: number; instant: string };
    decider: Decider | undefined;
    reason: string | null;
  },
): Promise<void> {
  const { org_id } = actor;
  const plans = await Promise.all(
    termsOf(row).plans.slice(0, MOST_PLANS)
      .map(async (plan) => ({ id: plan, rules: await findPlanRules(tx, org_id, plan) })),
  );
  const document = decider?.document ?? "{}";
  const decision = {
    at: toTimestamp(actor.now),
    by: actor.user_id,
    reason,
    decided_on: decidedOn(plans, { document, decider }),
  };
  if (!await markDeclined(tx, { ...row, org_id, id }, decision)) {
    throw new Failure("already_decided");
  }
  const personal = personalReason(reason);
  await recordChange(tx, actor, {
    action: "key_request.declined",
    object_id: id,
    personal,
    names: await namesOfRequest(tx, actor.org_id, row),
  });
}

/** Takes a decline back. Throws `not_found`, `not_declined` and `precondition_failed`. */
export const reopenRequest = defineTransaction(
  "key-requests.reopen",
  (tx, input: DecisionInput) => once(tx, input.idempotency, () => reopenSeen(tx, input)),
);

/** Reopens inside a transaction. */
export async function reopenSeen(tx: Tx, input: Decision): Promise<null> {
  const { actor, id } = input;
  const row = await lockFor(tx, "reopen", input);
  await refuseOwn(tx, actor, { id, policy: row.policy });
  const { org_id } = actor;
  if (!await markReopened(tx, { ...row, org_id, id })) throw new Failure("not_declined");
  await beginAnew(tx, { org_id, id, policy: row.policy, now: actor.now });
  const names = await namesOfRequest(tx, actor.org_id, row);
  await recordChange(tx, actor, { action: "key_request.reopened", object_id: id, names });
  return null;
}

/** Adds, changes or takes away the reason of a decline. Throws like reopenRequest. */
export const changeReason = defineTransaction(
  "key-requests.change-reason",
  (tx, input: DecisionInput & { reason: string | null }) =>
    once(tx, input.idempotency, async () => {
      const { actor, id, reason } = input;
      const row = await lockFor(tx, "setReason", input);
      if (!await setReason(tx, { org_id: actor.org_id, id, reason })) {
        throw new Failure("not_declined");
      }
      const personal = personalReason(reason);
      await recordChange(tx, actor, {
        action: "key_request.reason_changed",
        object_id: id,
        personal,
        names: await namesOfRequest(tx, actor.org_id, row),
      });
      return null;
    }),
);
