import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { recordChange } from "../../changes/record-change.ts";
import { allows } from "../../contract/permissions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { type Connection, defineTransaction, type Tx } from "../../storage/storage.ts";
import { operator } from "../people/operator.transactions.ts";
import { findPerson } from "../people/people.store.ts";
import { toPerson } from "../people/person.ts";
import { findSignaturesRule } from "../people/sign-in-rules.store.ts";
import type { NewOneTimeLink } from "../keys/one-time-links/one-time-link.ts";
import { issueOneTimeLink } from "../keys/one-time-links/issue-one-time-link.transactions.ts";
import type { Attempt } from "../keys/key-kinds.ts";
import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";
import { planTermsOf } from "../plans/catalogue/plan-terms.transactions.ts";
import { coverageOfStored } from "../plans/coverage.ts";
import { commonAuthType } from "../plans/plan.ts";
import { approve } from "./approve.transactions.ts";
import { askedPolicyIn, standing } from "./asked-policy.ts";
import type { DecisionInput } from "./decisions.transactions.ts";
import { beginAnew } from "./expiry.store.ts";
import { type GrantedTerms, refuseOfExistingKey } from "./granted-terms.ts";
import { refuseNotLess } from "./less-than-asked.ts";
import { lockFor } from "./lock-for.transactions.ts";
import type { KeyRequestTerms } from "./key-request.ts";
import { lockRequest } from "./key-requests.store.ts";
import { isTheirs, OFFER_LINK } from "./offer-link.ts";
import { changeOffer, keepOffer, offerTotal } from "./made-offer.transactions.ts";
import { type Offer, offerIn, offerState, waitsAt } from "./offer.ts";
import { refuseOwn } from "./own-request.ts";
import { namesOfRequest } from "./request-names.store.ts";
import { BY_ITSELF } from "./restart-approval.transactions.ts";
import { giveStep, isStep, refuseOtherPolicies, requireMayGive } from "./steps.transactions.ts";
import { termsOf } from "./stored-request.ts";
import { lockForDecision } from "./v1.store.ts";
import { isWithin } from "./within-scope.ts";

/**
 * Offers something else than a pending request asks for, in place of what was offered before; its
 * plans must be known, and it must be less. Throws `not_found`, `already_decided`,
 * `precondition_failed`, `approvals_closed`, `unknown_plan`, `keyless_plan`, `mixed_auth_types` and
 * `invalid_input`.
 */
export const makeOffer = defineTransaction(
  "key-requests.offer",
  (
    tx,
    input: DecisionInput & {
      offer_id: string;
      terms: GrantedTerms | null;
      reason: string | null;
      message: string | null;
      expires_at: string;
    },
  ) =>
    once(tx, input.idempotency, async () => {
      const { actor, id, offer_id, terms, reason, message, expires_at } = input;
      const { org_id, now } = actor;
      const row = await lockFor(tx, "offer", input);
      const decider = await refuseOwn(tx, actor, { id, policy: row.policy });
      const policy = askedPolicyIn(row.policy);
      if (decider?.signatures === 1) throw new Failure("approvals_closed");
      const steps = policy?.outcome === "steps" ? standing(policy, actor.now) : null;
      if (steps && waitsAt(row.offer, now)) throw new Failure("offer_waits");
      const asked = termsOf(row);
      const wished = terms?.plans ?? asked.plans;
      const wanted = { id, row, plans: wished };
      const giver = steps && await requireMayGive(tx, actor, { ...wanted, asked: steps });
      refuseOfExistingKey(asked.key, terms);
      // That node would approve the request as it was asked.
      await requireNoOlderNode(tx, now);
      const plans = await planTermsOf(
        tx,
        org_id,
        wished,
        () => Promise.resolve(undefined),
        "known",
      );
      const less = refuseNotLess(terms, asked.plans, plans.map(({ rules }) => rules));
      const granted = less.plans ?? [];
      await refuseOtherPolicies(tx, org_id, { granted, asked: asked.plans, policy });
      commonAuthType(plans.map(({ authType }) => authType), asked.oauth);
      const made = { id: offer_id, expires_at, terms: less, reason, message };
      if (steps && giver) {
        const said = { reason, message, terms: less };
        const offer_ms = Date.parse(expires_at) - now;
        const given = { actor, id, row, asked: steps, ...said, offer_ms };
        const total = await giveStep(tx, giver, given);
        if (total.missing !== "") return null;
        await offerTotal(tx, { actor, id, row, total, reason });
        return null;
      }
      await keepOffer(tx, actor, { id, row, made });
      return null;
    }),
);

/** Takes an offer back that waits. Throws `no_offer`, and what a decision throws. */
export const endOffer = defineTransaction(
  "key-requests.withdraw-offer",
  (tx, input: DecisionInput) =>
    once(tx, input.idempotency, async () => {
      const { actor, id } = input;
      const row = await lockFor(tx, "offer", input);
      const { id: offer_id } = waiting(row.offer, actor.now);
      await changeOffer(tx, actor, { id, offer: null });
      await beginAnew(tx, { org_id: actor.org_id, id, policy: row.policy, now: actor.now });
      await recordChange(tx, actor, {
        action: "key_request.offer_withdrawn",
        object_id: id,
        detail: { offer_id },
        names: await namesOfRequest(tx, actor.org_id, row),
      });
      return null;
    }),
);

/**
 * Takes an offer back whose author may decide no more, by itself: no one is behind it. False: there
 * is none.
 */
export const endFallenOffer = defineTransaction(
  "key-requests.withdraw-fallen-offer",
  async (tx, { org_id, id, now }: { org_id: string; id: string; now: number }) => {
    const row = await lockForDecision(tx, { org_id, id });
    const offer = row?.state === "pending" && waitsAt(row.offer, now) ? offerIn(row.offer) : null;
    if (!row || !offer) return false;
    if (await mayStillApprove(tx, { org_id, id: offer.by }, row, offer.terms)) return false;
    const actor: Actor = { org_id, user_id: BY_ITSELF, token_id: "", now };
    await changeOffer(tx, actor, { id, offer: null });
    await beginAnew(tx, { org_id, id, policy: row.policy, now });
    await recordChange(tx, actor, {
      action: "key_request.offer_withdrawn",
      object_id: id,
      detail: { offer_id: offer.id, author: offer.by },
      names: await namesOfRequest(tx, org_id, row),
    });
    return true;
  },
);

/** The answer of a developer. */
interface OfferAnswer {
  actor: Actor;
  id: string;
  /** The offer that they have seen. */
  offer_id: string;
  /** The developer; another's request is not there for them. */
  askedBy: string;
  idempotency: IdempotentCall | null;
}

/**
 * Accepts the offer that waits: the request is issued on its terms as anyone who offered decided,
 * and the key waits to be opened by the one-time link that is given. Exactly once, whatever else
 * happens to the request at the same time. Throws `not_found`, `already_decided`, `no_offer` and
 * what an approval throws.
 */
export const acceptOffer = defineTransaction(
  "key-requests.accept-offer",
  (
    tx,
    input: OfferAnswer & { attempt: Attempt; oneTimeLink: NewOneTimeLink },
  ): Promise<NewOneTimeLink> => once(tx, input.idempotency, () => acceptWaiting(tx, input)),
);

async function acceptWaiting(
  tx: Tx,
  input: OfferAnswer & { attempt: Attempt; oneTimeLink: NewOneTimeLink },
): Promise<NewOneTimeLink> {
  const { actor, id, askedBy, attempt, oneTimeLink } = input;
  const { offer, row } = await lockOffer(tx, input);
  const { by, reason, message, terms } = offer;
  const isDemanded = await findSignaturesRule(tx, { org_id: actor.org_id }) === 1;
  if (isDemanded && !offer.signed) throw new Failure("no_offer");
  if (!await mayStillApprove(tx, { org_id: actor.org_id, id: by }, row, terms)) {
    throw new Failure("no_offer");
  }
  const reveal = await approve(tx, {
    actor,
    id,
    attempt,
    by: { kind: "offer", offered_by: by, offer_id: offer.id },
    ifMatch: null,
    idempotency: null,
    reason,
    message,
    granted: terms,
    expires_at: terms.expires_at,
  }, "known");
  // Its steps are done, or there are none.
  if (isStep(reveal)) throw new Failure("no_offer");
  const key_id = sha256(reveal.RawKey);
  await issueOneTimeLink(tx, actor, {
    oneTimeLink,
    reveal,
    key_id,
    request_id: id,
    developer_id: askedBy,
  });
  return oneTimeLink;
}

/**
 * Turns the offer down that waits, or answers it with words; the request waits for people again.
 * Throws `not_found`, `already_decided` and `no_offer`.
 */
export const answerOffer = defineTransaction(
  "key-requests.answer-offer",
  (
    tx,
    input: OfferAnswer & { state: "turned_down" | "answered"; words: string },
  ) =>
    once(tx, input.idempotency, async () => {
      const { actor, id, offer_id, state, words } = input;
      const { offer, row } = await lockOffer(tx, input);
      const answer = { state, at: toTimestamp(actor.now), words };
      await changeOffer(tx, actor, { id, offer: { ...offer, answer } });
      await beginAnew(tx, { org_id: actor.org_id, id, policy: row.policy, now: actor.now });
      await recordChange(tx, actor, {
        action: "key_request.offer_answered",
        object_id: id,
        detail: { offer_id, state },
        personal: words === "" ? undefined : { "/words": words },
        names: await namesOfRequest(tx, actor.org_id, row),
      });
      return null;
    }),
);

/** The request with the offer that its developer has seen, held, where it waits for them. */
async function lockOffer(tx: Tx, { actor, id, offer_id, askedBy }: OfferAnswer) {
  const row = await lockRequest(tx, { org_id: actor.org_id, id });
  if (!row || termsOf(row).by_user !== askedBy) throw new Failure("not_found");
  if (row.state !== "pending") throw new Failure("already_decided");
  const offer = waiting(row.offer, actor.now);
  if (offer.id !== offer_id || !isOfThis(offer, termsOf(row))) throw new Failure("no_offer");
  if (actor.user_id === OFFER_LINK) {
    const developer = { org_id: actor.org_id, developer_id: askedBy };
    if (!await isTheirs(tx, tx.sealer, developer, offer)) throw new Failure("no_offer");
  }
  return { row, offer };
}

/**
 * Whether the request asks still for what the offer was made for; older code may have changed it.
 */
function isOfThis({ asked }: Offer, { plans, by_user }: KeyRequestTerms): boolean {
  return asked === undefined ||
    (asked.by_user === by_user && asked.plans.join("\n") === plans.join("\n"));
}

/**
 * Whether anyone who offered could approve this request on these terms at this moment; the operator
 * is no person, and can.
 */
export async function mayStillApprove(
  tx: Connection,
  place: { org_id: string; id: string },
  request: { head: string },
  { plans }: GrantedTerms,
): Promise<boolean> {
  if (place.id === operator(place.org_id, 0).user_id) return true;
  const row = await findPerson(tx, place);
  if (!row) return false;
  const { state, permissions } = toPerson(row);
  if (state !== "active" || !allows(permissions, "approve")) return false;
  const coverage = await coverageOfStored(tx, place.org_id, row.covers);
  return !coverage || (isWithin(coverage, request) && (plans === null || coverage.holds(plans)));
}

/** The offer that waits. An end that is over by now can't be granted any more. */
function waiting(text: string | null, now: number): Offer {
  const offer = offerIn(text);
  if (!offer || offerState(offer, now) !== "waiting") throw new Failure("no_offer");
  return offer;
}
