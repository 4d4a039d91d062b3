import { together } from "../../changes/event-names.ts";
import { once } from "../../changes/idempotent-answers.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { type CatalogueEntry, statedAuthTypes } from "../catalogue/catalogue-entry.ts";
import { type PlanTerms, planTermsOf } from "../catalogue/plan-terms.transactions.ts";
import { kindOf } from "../keys/credential.ts";
import { holdDeveloper, type Reveal } from "../keys/issue-credential.transactions.ts";
import { namesInText } from "../developers/developer-names.ts";
import { isInactiveIn } from "../developers/developer-text.ts";
import { type LockedDeveloper, lockStoredDeveloper } from "../developers/developers.store.ts";
import { formerCount, grantEnd } from "../keys/granted-end.transactions.ts";
import { endToCome } from "../keys/key.ts";
import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";
import type { Coverage } from "../plans/coverage.ts";
import { type AuthType, commonAuthType } from "../plans/plan.ts";
import { lockedRevision } from "./locked-revision.transactions.ts";
import { askedPolicyIn, presentStep, standing } from "./asked-policy.ts";
import { decidedOn } from "./decided-on.ts";
import { conditionsOf, NOTHING_ELSE, refuseOfExistingKey } from "./granted-terms.ts";
import { type KeyRequestTerms, requireState } from "./key-request.ts";
import { holdRequest, type LockedRequest } from "./held-request.store.ts";
import { findSentEntries, markIssued } from "./key-requests.store.ts";
import { isOffer, withEnd } from "./least-terms.ts";
import { offerTotal } from "./made-offer.transactions.ts";
import { waitsAt } from "./offer.ts";
import { needsNobody } from "./needs-nobody.transactions.ts";
import { type Decider, isOwn, refuseFiler } from "./own-request.ts";
import { giveStep, isStep, requireMayGive, type StepTaken } from "./steps.transactions.ts";
import { sentCatalogues, termsOf } from "./stored-request.ts";
import { lockForDecision } from "./v1.store.ts";
import { requireStillWithin, requireWithin } from "./within-scope.ts";
import type { ApproveInput } from "./approve-input.ts";
import { changeKey, type Granted, issue, liveOn } from "./decided-key.transactions.ts";

/**
 * Specification 4.7: issues the credential, exactly once for each request. State, credential, the
 * developer's maps, audit and outbox are one transaction; the answer is the only place where the
 * plain key ever stands. Throws `precondition_failed` where the request is not what the caller has
 * seen.
 */
export const approveTransaction = defineTransaction(
  "key-requests.approve",
  (tx, input: ApproveInput): Promise<Reveal & AtGateways | StepTaken> =>
    once(
      tx,
      input.idempotency,
      async () => {
        const { answer, at_gateways } = await approveTold(tx, input);
        return at_gateways === undefined ? answer : { ...answer, at_gateways };
      },
      (first) => requireStillWithin(tx, input, keyOf(first)),
    ),
);

/** The id of the key that an answer hands over; "": none. */
function keyOf(answer: Reveal | StepTaken): string {
  return isStep(answer) || answer.RawKey === "" ? "" : sha256(answer.RawKey);
}

/** The id of the key, where gateways are to have it too; absent: there is none. */
export interface AtGateways {
  at_gateways?: string;
}

/** The same inside a transaction that looks at the request first. */
export async function approve(
  tx: Tx,
  input: ApproveInput,
  references: "open" | "known" = "open",
): Promise<Reveal | StepTaken> {
  return (await approveTold(tx, input, references)).answer;
}

/**
 * The same, with the key that it issued, and its id where gateways are to have it. "known": a plan
 * and a developer must exist; throws `unknown_plan` and `unknown_developer`.
 */
export async function approveTold(
  tx: Tx,
  input: ApproveInput,
  references: "open" | "known" = "open",
): Promise<{ answer: Reveal | StepTaken } & Pick<Granted, "issued"> & AtGateways> {
  const { actor, id } = input;
  const place = { org_id: actor.org_id, id, user_id: actor.user_id };
  const { row, decider, developer: held } = await holdRequest(tx, place);
  if (!row) throw new Failure("not_found");
  const coverage = await requireWithin(tx, actor, row, decider);
  if (row.state !== "issued") requireState("approve", row.state);
  const terms = termsOf(row);
  const asked = askedPolicyIn(row.policy);
  // What somebody chooses besides is theirs to decide.
  const isChosen = (input.granted ?? input.expires_at ?? input.labels ?? null) !== null;
  let needsNone: Promise<boolean> | undefined;
  const needNobody = async () => !isChosen && await (needsNone ??= needsNobody(tx, actor, row));
  if (!input.mayApprove && !await needNobody()) throw new Failure("access_denied");
  // Only who may approve learns that somebody did.
  requireState("approve", row.state);
  const decides = input.mayApprove && input.offeredBy === undefined;
  if (decides && decider && isOwn(decider) && !await needNobody()) {
    throw new Failure("own_request");
  }
  if (decides && asked?.not_by_filer && !await needNobody()) refuseFiler(actor.user_id, row.policy);
  if (input.offeredBy === undefined && waitsAt(row.offer, actor.now)) throw new Failure("offered");
  const { granted = null } = input;
  refuseOfExistingKey(terms.key, granted);
  if (conditionsOf(granted) !== null) await requireNoOlderNode(tx, actor.now);
  if (granted?.plans) terms.plans = granted.plans;
  if (coverage && !coverage.holds(terms.plans)) throw new Failure("access_denied");
  if (input.ifMatch !== null) {
    const seen = await lockForDecision(tx, { org_id: actor.org_id, id });
    const revision = seen ? await lockedRevision(tx, actor.org_id, seen) : "";
    requireRevision(input.ifMatch, revision);
  }
  // An offer is closed as it is made.
  if (decider?.signatures === 1 && input.offeredBy === undefined && !await needNobody()) {
    throw new Failure("approvals_closed");
  }
  const steps = asked?.outcome === "steps" ? standing(asked, actor.now) : null;
  // An offer is made by the last step.
  if (asked?.outcome === "steps" && !decides && presentStep(asked) !== undefined) {
    throw new Failure("no_offer");
  }
  const giver = steps && decides
    ? await requireMayGive(tx, actor, { id, row, asked: steps, plans: terms.plans })
    : undefined;

  // Read only where no live plan or entry says it already.
  let sent: Promise<Map<string, AuthType>> | undefined;
  const stated = async (plan: string) =>
    (await (sent ??= statedByRequest(tx, actor.org_id, id))).get(plan);
  const plans = await planTermsOf(tx, actor.org_id, terms.plans, stated, references);
  const type = commonAuthType(plans.map(({ authType }) => authType), terms.oauth);
  endToCome(input.expires_at, actor.now);
  const developer = held ??
    (references === "open"
      ? await holdDeveloper(tx, actor, terms.by_user)
      : await lockStoredDeveloper(tx, actor.org_id, terms.by_user));
  if (!developer) throw unknownDeveloper(terms.by_user);
  // Whoever deactivated them took away what comes without a decision, and what waited for them.
  if (
    (!input.mayApprove || input.offeredBy !== undefined) && isInactiveIn(developer.document)
  ) throw new Failure("access_denied");
  if (steps && giver) {
    const { reason, message = null } = input;
    const own = withEnd(granted, input.expires_at ?? null);
    const said = { reason, message, terms: own };
    const total = await giveStep(tx, giver, { actor, id, row, asked: steps, ...said });
    if (total.missing !== "") return { answer: { missing: total.missing } };
    if (isOffer(total.terms)) {
      await offerTotal(tx, { actor, id, row, total, reason });
      return { answer: { missing: "" } };
    }
    const end = total.terms?.expires_at ?? null;
    const all = { granted: total.terms, expires_at: end, message: total.message };
    return await grantTold(tx, { ...input, ...all }, {
      row,
      coverage,
      decider,
      terms,
      plans,
      type,
      developer,
    });
  }
  return await grantTold(tx, input, {
    row,
    coverage,
    decider,
    terms,
    plans,
    type,
    developer,
  });
}

/** What an approval was decided on: the request, held, and all that was read for it. */
interface Decisive {
  row: LockedRequest;
  coverage: Coverage | undefined;
  decider: Decider | undefined;
  terms: KeyRequestTerms;
  plans: PlanTerms[];
  type: AuthType;
  developer: LockedDeveloper;
}

/** What the grant leaves, and which key gateways are to have. */
async function grantTold(
  tx: Tx,
  input: ApproveInput,
  decisive: Decisive,
): Promise<Granted & AtGateways> {
  const granted = await grant(tx, input, decisive);
  if (!decisive.developer.hasGateways) return granted;
  // A key that was changed is named by its id.
  return { ...granted, at_gateways: granted.issued?.key_id ?? granted.answer.RawKey };
}

/** Makes the key, or changes the one that is named, and marks the request as issued. */
async function grant(
  tx: Tx,
  input: ApproveInput,
  { row, coverage, decider, terms, plans, type, developer }: Decisive,
): Promise<Granted> {
  const { actor, id, granted = null } = input;
  const chosen = endToCome(input.expires_at, actor.now);
  const { approved, instant } = row;
  const request = { org_id: actor.org_id, id, approved, instant };
  const { reason, message = null } = input;
  const names = {
    ...namesInText(developer.document),
    plan: together(plans.map(({ name }) => name)),
  };
  const ends = input.expires_at ?? null;
  const decision = {
    at: toTimestamp(actor.now),
    by: input.offeredBy ?? actor.user_id,
    reason,
    message,
    granted: granted || ends !== null
      ? JSON.stringify({ ...NOTHING_ELSE, ...granted, expires_at: ends })
      : null,
    decided_on: decidedOn(plans, { ...developer, decider, offer_id: input.offerId }),
  };
  if (!await markIssued(tx, request, decision)) {
    throw new Failure("already_processed");
  }
  const decided = { ...input, coverage };
  if (row.asked_end !== null) return await liveOn(tx, decided, terms, row.asked_end, names);
  if (terms.key !== "") return await changeKey(tx, decided, terms, developer, names);
  const { org_id, now } = actor;
  const isDecided = input.mayApprove;
  const order = { org_id, developer_id: developer.id, plans, now };
  const form = {
    kind: kindOf(type),
    expires_at: await grantEnd(tx, order, { chosen, isDecided }),
    quota: isDecided ? undefined : await formerCount(tx, order),
    names,
  };
  return await issue(tx, decided, terms, developer, form);
}

function unknownDeveloper(id: string): Failure {
  const message = `Nobody knows the developer ${id}: register them first.`;
  return new Failure("unknown_developer", { message });
}

/** The auth types that a stored request's embedded entries state. */
async function statedByRequest(
  tx: Tx,
  org_id: string,
  id: string,
): Promise<Map<string, AuthType>> {
  const row = await findSentEntries(tx, { org_id, id });
  if (!row) return new Map();
  // as: draft wrote exactly this.
  const parse = (text: string) => JSON.parse(text) as CatalogueEntry;
  const own = row.sent_entry === null ? null : parse(row.sent_entry);
  const others = sentCatalogues(row).map(({ text }) => parse(text));
  return statedAuthTypes(own, others, row.for_plan);
}
