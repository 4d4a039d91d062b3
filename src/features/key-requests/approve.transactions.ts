import type { Actor } from "../../changes/audit.ts";
import { type EventNames, together } from "../../changes/event-names.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { personalWords } from "../../changes/personal.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import type { KeptSignature } from "../access/passkey-signature.ts";
import { type CatalogueEntry, statedAuthTypes } from "../catalogue/catalogue-entry.ts";
import { type PlanTerms, planTermsOf } from "../catalogue/plan-terms.transactions.ts";
import { type Attempt, type CredentialKind, kindOf } from "../keys/credential.ts";
import { lockActiveCredential } from "../keys/credentials.store.ts";
import { findImportedAs } from "../keys/murmur.store.ts";
import {
  changeCredentialPlans,
  holdDeveloper,
  issueCredential,
  recordIssued,
  type Reveal,
} from "../keys/issue-credential.transactions.ts";
import { columnsOf, type SomeKeyLabels } from "../keys/key-labels.ts";
import { namesInText } from "../developers/developer-names.ts";
import { isOfAnother } from "../developers/email-proof.ts";
import { findEmailProof } from "../developers/email-proof.store.ts";
import { isInactiveIn } from "../developers/developer-text.ts";
import {
  attachKey,
  lockStoredDeveloper,
  openStored,
  type StoredDeveloper,
} from "../developers/developers.store.ts";
import { isKeptApart } from "../keys/former-keys.transactions.ts";
import { holdKey } from "../keys/hold-key.transactions.ts";
import { changeEnd } from "../keys/key-life.transactions.ts";
import { endToCome } from "../keys/key.ts";
import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";
import { relabel } from "../keys/label-key.transactions.ts";
import { everyIdOf } from "../plans/plan-ids.store.ts";
import { type AuthType, commonAuthType, expiryOf } from "../plans/plan.ts";
import { lockedRevision } from "./locked-revision.transactions.ts";
import { askedPolicyIn, presentStep } from "./asked-policy.ts";
import { decidedOn } from "./decided-on.ts";
import {
  conditionsOf,
  type GrantedTerms,
  NOTHING_ELSE,
  refuseOfExistingKey,
} from "./granted-terms.ts";
import { type KeyRequestTerms, requireState } from "./key-request.ts";
import { findSentEntries, lockRequest, markIssued } from "./key-requests.store.ts";
import { isOffer, withEnd } from "./least-terms.ts";
import { offerTotal } from "./made-offer.transactions.ts";
import { waitsAt } from "./offer.ts";
import { needsNobody } from "./needs-nobody.transactions.ts";
import { type Decider, findDecider, isOwn, refuseFiler } from "./own-request.ts";
import { signatureOf, type Signed } from "./signed-decision.transactions.ts";
import { giveStep, requireMayGive, standing, type StepTaken } from "./steps.transactions.ts";
import { sentCatalogues, termsOf } from "./stored-request.ts";
import { lockForDecision } from "./v1.store.ts";
import { requireWithin } from "./within-scope.ts";

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
  /** By whom it was signed; absent: by nobody. */
  signed?: Signed;
  /** Whose offer its developer accepts; absent: nobody's, and one that waits is in the way. */
  offeredBy?: string | undefined;
  /** Which offer that is. */
  offerId?: string | undefined;
  idempotency: IdempotentCall | null;
}

/**
 * Specification 4.7: issues the credential, exactly once for each request. State, credential, the
 * developer's maps, audit and outbox are one transaction; the answer is the only place where the
 * plain key ever stands. Throws `precondition_failed` where the request is not what the caller has
 * seen.
 */
export const approveTransaction = defineTransaction(
  "key-requests.approve",
  (tx, input: ApproveInput): Promise<Reveal | StepTaken> =>
    once(tx, input.idempotency, () => approve(tx, input)),
);

/**
 * The same inside a transaction that looks at the request first. "known": a plan and a developer
 * must exist; throws `unknown_plan` and `unknown_developer`.
 */
export async function approve(
  tx: Tx,
  input: ApproveInput,
  references: "open" | "known" = "open",
): Promise<Reveal | StepTaken> {
  const { actor, id } = input;
  // Asked for together: on PostgreSQL that is one round trip.
  const [row, decider] = await Promise.all([
    lockRequest(tx, { org_id: actor.org_id, id }),
    findDecider(tx, { org_id: actor.org_id, id, user_id: actor.user_id }),
  ]);
  if (!row) throw new Failure("not_found");
  const coverage = await requireWithin(tx, actor, row, decider);
  if (row.state !== "issued") requireState("approve", row.state);
  const terms = termsOf(row);
  const asked = askedPolicyIn(row.policy);
  const needNobody = () => needsNobody(tx, actor.org_id, row);
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
  const steps = asked?.outcome === "steps" ? standing(asked, actor.now) : null;
  // An offer is made by the last step.
  if (asked?.outcome === "steps" && !decides && presentStep(asked) !== undefined) {
    throw new Failure("no_offer");
  }
  const approver = steps && decides ? await requireMayGive(tx, actor, steps) : "";

  // Read only where no live plan or entry says it already.
  let sent: Promise<Map<string, AuthType>> | undefined;
  const stated = async (plan: string) =>
    (await (sent ??= statedByRequest(tx, actor.org_id, id))).get(plan);
  const plans = await planTermsOf(tx, actor.org_id, terms.plans, stated, references);
  const type = commonAuthType(plans.map(({ authType }) => authType), terms.oauth);
  endToCome(input.expires_at, actor.now);
  const developer = references === "open"
    ? await holdDeveloper(tx, actor, terms.by_user)
    : await lockStoredDeveloper(tx, actor.org_id, terms.by_user);
  if (!developer) throw unknownDeveloper(terms.by_user);
  // Whoever deactivated them took away what comes without a decision, and what waited for them.
  if (
    (!input.mayApprove || input.offeredBy !== undefined) && isInactiveIn(developer.document)
  ) throw new Failure("access_denied");
  // Who offered has signed, or not, as the offer says.
  const isNeeded = async () =>
    decider?.signatures === 1 && input.offeredBy === undefined && !await needNobody();
  const signed = await signatureOf(tx, input, isNeeded, {
    decision: "approve",
    terms,
    asked_end: row.asked_end,
    plans,
    granted,
    expires_at: input.expires_at ?? null,
  });
  if (steps && decides) {
    const { reason, message = null } = input;
    const own = withEnd(granted, input.expires_at ?? null);
    const said = { reason, message, terms: own, kept: signed };
    const total = await giveStep(tx, approver, { actor, id, row, asked: steps, ...said });
    if (total.missing !== "") return { missing: total.missing };
    if (isOffer(total.terms)) {
      await offerTotal(tx, { actor, id, row, total, reason, isSigned: signed !== undefined });
      return { missing: "" };
    }
    const end = total.terms?.expires_at ?? null;
    const all = { granted: total.terms, expires_at: end, message: total.message };
    return await grant(tx, { ...input, ...all }, {
      row,
      decider,
      terms,
      plans,
      type,
      developer,
      signed,
    });
  }
  return await grant(tx, input, { row, decider, terms, plans, type, developer, signed });
}

/** What an approval was decided on: the request, held, and all that was read for it. */
interface Decisive {
  row: NonNullable<Awaited<ReturnType<typeof lockRequest>>>;
  decider: Decider | undefined;
  terms: KeyRequestTerms;
  plans: PlanTerms[];
  type: AuthType;
  developer: StoredDeveloper;
  signed: KeptSignature | undefined;
}

/** Makes the key, or changes the one that is named, and marks the request as issued. */
async function grant(
  tx: Tx,
  input: ApproveInput,
  { row, decider, terms, plans, type, developer, signed }: Decisive,
): Promise<Reveal> {
  const { actor, id, granted = null } = input;
  const chosen = endToCome(input.expires_at, actor.now);
  const expires_at = chosen ?? expiryOf(plans.map(({ keyExpiresIn }) => keyExpiresIn), actor.now);
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
    decided_on: decidedOn(plans, { ...row, ...developer, decider, offer_id: input.offerId }),
  };
  if (!await markIssued(tx, request, decision)) {
    throw new Failure("already_processed");
  }
  if (row.asked_end !== null) {
    return await liveOn(tx, { ...input, kept: signed }, terms, row.asked_end, names);
  }
  return terms.key === ""
    ? await issue(tx, { ...input, kept: signed }, terms, developer, {
      kind: kindOf(type),
      expires_at,
      names,
    })
    : await changeKey(tx, { ...input, kept: signed }, terms, developer, names);
}

/** An approval with its signature as the trail keeps it; undefined: there is none. */
type Decided = ApproveInput & { kept: KeptSignature | undefined };

/** Mints the credential and attaches it to its developer. */
async function issue(
  tx: Tx,
  input: Decided,
  terms: KeyRequestTerms,
  developer: StoredDeveloper,
  { names, ...form }: { kind: CredentialKind; expires_at: string | null; names: EventNames },
): Promise<Reveal> {
  const { actor, id, attempt, labels = {} } = input;
  const { plans, redirect_uri, app_description, use_case } = terms;
  const columns = columnsOf(labels);
  const { key_id, mask, reveal, issued } = await issueCredential(tx, actor, {
    ...form,
    attempt,
    developer_id: developer.id,
    plans,
    request_id: id,
    redirect_uri,
    app_description,
    use_case,
    labels: columns,
    conditions: conditionsOf(input.granted ?? null),
    end_chosen_at: input.expires_at ? toTimestamp(actor.now) : null,
  });
  await attachKey(tx, actor.org_id, developer, issued);
  const detail = {
    developer_id: developer.id,
    plans,
    key_request_id: id,
    ...input.expires_at ? { expires_at: input.expires_at } : {},
  };
  await recordIssued(tx, actor, { key_id, mask, name: columns.name, detail, names });
  await recordApproval(tx, input, { key_id, plans, by_user: terms.by_user }, names);
  return reveal;
}

/** Changes the plans of the developer's own key that the request names, instead of minting. */
async function changeKey(
  tx: Tx,
  input: Decided,
  terms: KeyRequestTerms,
  stored: StoredDeveloper,
  names: EventNames,
): Promise<Reveal> {
  const { actor } = input;
  const { org_id } = actor;
  const now = toTimestamp(actor.now);
  // The key is not theirs until a person says so.
  if (isOfAnother(await findEmailProof(tx, { org_id, id: stored.id }))) {
    throw new Failure("unknown_key");
  }
  const lock = (key_id: string) => lockActiveCredential(tx, org_id, key_id, terms.by_user, now);
  const named = await lock(terms.key);
  // A request that moved in may name its key by a hash that the key's first use replaced.
  const key_id = named
    ? terms.key
    : await findImportedAs(tx, { org_id, imported_as: terms.key }) ?? terms.key;
  const credential = named ?? await lock(key_id);
  if (!credential) throw new Failure("unknown_key");
  const removed = await everyIdOf(tx, org_id, terms.remove_policies);
  const plans = [...new Set([...credential.plans, ...terms.plans])]
    .filter((plan) => !removed.includes(plan));
  const developer = openStored(tx.sealer, org_id, stored);
  await changeCredentialPlans(tx, actor, developer, key_id, plans);
  if (input.expires_at) {
    const held = await holdKey(tx, org_id, key_id);
    if (!held) throw new Failure("unknown_key");
    await changeEnd(tx, actor, held, input.expires_at);
  }
  if (input.labels) await relabel(tx, actor, { key_id, developer }, input.labels);
  await recordApproval(tx, input, { key_id, plans, by_user: terms.by_user }, names);
  return { RawKey: key_id, Password: "" };
}

/**
 * Gives the developer's own key that the request names its later end, and leaves its plans: the end
 * that was chosen, else the one that was asked for unless it lives longer by now. One that has
 * ended since lives again.
 */
async function liveOn(
  tx: Tx,
  input: Decided,
  { key, by_user }: KeyRequestTerms,
  asked_end: string,
  names: EventNames,
): Promise<Reveal> {
  const { actor, expires_at } = input;
  const held = await holdKey(tx, actor.org_id, key, by_user);
  if (!held) throw new Failure("unknown_key");
  const { credential, developer } = held;
  if (!developer || await isKeptApart(tx, actor.org_id, developer, key)) {
    throw new Failure("unknown_key");
  }
  const present = credential.expires_at;
  const end = expires_at ??
    (present !== null && asked_end > present ? endToCome(asked_end, actor.now) : undefined);
  if (end !== undefined) await changeEnd(tx, actor, held, end);
  if (input.labels) await relabel(tx, actor, { key_id: key, developer }, input.labels);
  const plans = credential.plans;
  await recordApproval(tx, input, { key_id: key, plans, by_user }, names);
  return { RawKey: key, Password: "" };
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

async function recordApproval(
  tx: Tx,
  { actor, id, reason, expires_at, message, granted, offeredBy, offerId, kept }: Decided,
  approved: { key_id: string; plans: readonly string[]; by_user: string },
  names: EventNames,
): Promise<void> {
  const action = "key_request.approved";
  const personal = personalWords({ reason, message: message ?? null });
  const detail = {
    ...approved,
    ...expires_at ? { expires_at } : {},
    ...granted ? { granted } : {},
    ...offeredBy === undefined ? {} : { offered_by: offeredBy, offer_id: offerId },
    ...kept === undefined ? {} : { signed: kept },
  };
  await recordChange(tx, actor, { action, object_id: id, detail, personal, names });
}
