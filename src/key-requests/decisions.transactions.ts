import { findUserName } from "../access/access.store.ts";
import type { Actor } from "../audit/audit.ts";
import type { NewClaim } from "../claims/claim.ts";
import { issueClaim } from "../claims/issue-claim.transactions.ts";
import { findMask } from "../credentials/credentials.store.ts";
import type { Attempt } from "../credentials/credential.ts";
import type { Reveal } from "../credentials/issue-credential.transactions.ts";
import { type IdempotentCall, once } from "../idempotency/idempotent-answers.ts";
import { toTimestamp } from "../lib/clock.ts";
import { Failure } from "../lib/failure.ts";
import { sha256 } from "../lib/sha256.ts";
import { recordChange } from "../outbox/record-change.ts";
import { defineTransaction, type Tx } from "../storage/storage.ts";
import { approve } from "./approve.transactions.ts";
import { termsOf } from "./key-request.ts";
import {
  lockForDecision,
  markDeclined,
  markReopened,
  type RequestState,
  setReason,
} from "./native.store.ts";
import { revisionOf } from "./revision.ts";

/** What every decision is called with. */
interface DecisionInput {
  actor: Actor;
  id: string;
  /** The revisions that the caller has seen; null: any will do. */
  ifMatch: string[] | null;
  idempotency: IdempotentCall | null;
}

/** What an approval leaves behind, with the credential or the claim that hands it over. */
export interface Approved {
  key_id: string;
  mask: string;
  /** Null where the request changed a key that exists: there is nothing to hand over then. */
  reveal: Reveal | null;
  /** The claim that `reveal` is kept for, instead of standing here. */
  handed: NewClaim | null;
}

/**
 * Approves as the older interface does, in its one transaction, if the request is what the caller has seen. With a
 * claim the credential is sealed for that instead of being given. Throws `already_decided`, `precondition_failed`
 * and what approve throws.
 */
export const approveNative = defineTransaction(
  "key-requests.approve-native",
  (tx, input: DecisionInput & { attempt: Attempt; claim: NewClaim | null }): Promise<Approved> =>
    once(tx, input.idempotency, async () => {
      const { actor, id, attempt, claim } = input;
      const { org_id } = actor;
      const { key } = termsOf(await holdIn(tx, "pending", input));
      const call = { actor, id, attempt, mayApprove: true, idempotency: null };
      const reveal = await approve(tx, call);
      const key_id = key || sha256(reveal.RawKey);
      const stored = { key_id, mask: await findMask(tx, org_id, key_id) ?? "" };
      if (key !== "") return { ...stored, reveal: null, handed: null };
      if (!claim) return { ...stored, reveal, handed: null };
      await issueClaim(tx, actor, { claim, reveal, key_id, request_id: id });
      return { ...stored, reveal: null, handed: claim };
    }),
);

/** Declines a pending request. Throws `not_found`, `already_decided` and `precondition_failed`. */
export const declineRequest = defineTransaction(
  "key-requests.decline",
  (tx, input: DecisionInput & { reason: string | null }) =>
    once(tx, input.idempotency, async () => {
      const { actor, id, reason } = input;
      const row = await holdIn(tx, "pending", input);
      const decision = { at: toTimestamp(actor.now), by: actor.user_id, reason };
      if (!await markDeclined(tx, { ...row, org_id: actor.org_id, id }, decision)) {
        throw new Failure("already_decided");
      }
      await record(tx, actor, "declined", id, reason === null ? undefined : { reason });
      return null;
    }),
);

/** Takes a decline back. Throws `not_found`, `not_declined` and `precondition_failed`. */
export const reopenRequest = defineTransaction(
  "key-requests.reopen",
  (tx, input: DecisionInput) =>
    once(tx, input.idempotency, async () => {
      const { actor, id } = input;
      const row = await holdIn(tx, "declined", input);
      if (!await markReopened(tx, { ...row, org_id: actor.org_id, id })) {
        throw new Failure("not_declined");
      }
      await record(tx, actor, "reopened", id);
      return null;
    }),
);

/** Adds, changes or takes away the reason of a decline. Throws like reopenRequest. */
export const changeReason = defineTransaction(
  "key-requests.change-reason",
  (tx, input: DecisionInput & { reason: string | null }) =>
    once(tx, input.idempotency, async () => {
      const { actor, id, reason } = input;
      await holdIn(tx, "declined", input);
      if (!await setReason(tx, actor.org_id, id, reason)) throw new Failure("not_declined");
      await record(tx, actor, "reason_changed", id, reason === null ? undefined : { reason });
      return null;
    }),
);

/**
 * The request, held, where it is in this state and what the caller has seen. That somebody decided comes before
 * that something changed: it says more, and RFC 9110, 13.2.1 wants it so.
 */
async function holdIn(tx: Tx, state: RequestState, input: DecisionInput) {
  const row = await lockForDecision(tx, input.actor.org_id, input.id);
  if (!row) throw new Failure("not_found");
  if (row.state !== state) throw await otherState(tx, input.actor.org_id, state, row);
  if (input.ifMatch && !input.ifMatch.includes(revisionOf(row))) {
    throw new Failure("precondition_failed");
  }
  return row;
}

async function otherState(
  tx: Tx,
  org_id: string,
  wanted: RequestState,
  row: NonNullable<Awaited<ReturnType<typeof lockForDecision>>>,
): Promise<Failure> {
  if (wanted === "declined") return new Failure("not_declined");
  const what = row.state === "issued" ? "approved" : "declined";
  const by = row.decided_by ?? row.issued_by ?? "";
  const at = row.decided_at ?? row.issued_at;
  const name = await findUserName(tx, org_id, by) ?? by;
  const message = `This key request was ${what}${name && ` by ${name}`}${at ? ` at ${at}` : ""}.`;
  return new Failure("already_decided", { message });
}

async function record(
  tx: Tx,
  actor: Actor,
  what: string,
  object_id: string,
  detail?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const action = `key_request.${what}`;
  await recordChange(tx, actor, { action, object: "key_request", object_id, detail });
}
