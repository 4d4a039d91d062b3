import { together } from "../../changes/event-names.ts";
import { once } from "../../changes/idempotent-answers.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { namesInText } from "../developers/developer-names.ts";
import type { LockedDeveloper } from "../developers/developers.store.ts";
import { kindOf } from "../keys/key-kinds.ts";
import { formerCount, grantEnd } from "../keys/granted-end.transactions.ts";
import { lockOwner, type Reveal } from "../keys/issue-key.transactions.ts";
import { endToCome } from "../keys/key.ts";
import { approvalFacts, type Facts } from "./approval-facts.transactions.ts";
import type { ApproveInput } from "./approve-input.ts";
import { changeKey, type Granted, issue, liveOn } from "./decided-key.transactions.ts";
import { decidedOn } from "./decided-on.ts";
import { NOTHING_ELSE } from "./granted-terms.ts";
import { type Decision, judge } from "./judge-approval.ts";
import { markIssued } from "./key-requests.store.ts";
import { isOffer, withEnd } from "./least-terms.ts";
import { offerTotal } from "./made-offer.transactions.ts";
import { giveStep, isStep, type StepTaken } from "./steps.transactions.ts";
import { requireStillWithin } from "./within-scope.ts";

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
        const { answer, at_gateways } = await approveAndNotify(tx, input);
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

/** The result of an approval: a key, or a step that was taken. */
type Approved = { answer: Reveal | StepTaken } & Pick<Granted, "issued"> & AtGateways;

/** Approves inside a transaction that reads the request first. */
export async function approve(
  tx: Tx,
  input: ApproveInput,
  references: "open" | "known" = "open",
): Promise<Reveal | StepTaken> {
  return (await approveAndNotify(tx, input, references)).answer;
}

/**
 * Approves, and gives the issued key, and its id if gateways need it. "known": a plan and a
 * developer must exist; throws `unknown_plan` and `unknown_developer`.
 */
export async function approveAndNotify(
  tx: Tx,
  input: ApproveInput,
  references: "open" | "known" = "open",
): Promise<Approved> {
  const facts = await approvalFacts(tx, input, references);
  const decision = judge(facts);
  const developer = facts.developer ?? await newDeveloper(tx, facts, references);
  return await apply(tx, facts, { ...decision, developer });
}

/** Registers the developer whom no one knows, where references are open. */
async function newDeveloper(
  tx: Tx,
  { input, terms: { by_user } }: Facts,
  references: "open" | "known",
): Promise<LockedDeveloper> {
  if (references === "open") return await lockOwner(tx, input.actor, by_user);
  const message = `Nobody knows the developer ${by_user}: register them first.`;
  throw new Failure("unknown_developer", { message });
}

/** A decision about a developer who is there. */
type Applied = Decision & { developer: LockedDeveloper };

/** Gives the step, and grants what all steps come to; without steps grants at once. */
async function apply(tx: Tx, facts: Facts, decision: Applied): Promise<Approved> {
  const { input, row, steps } = facts;
  const { giver } = decision;
  if (!steps || !giver) return await grantAndNotify(tx, input, facts, decision);
  const { actor, id, reason, message = null, granted = null } = input;
  const terms = withEnd(granted, input.expires_at ?? null);
  const total = await giveStep(tx, giver, { actor, id, row, asked: steps, reason, message, terms });
  if (total.missing !== "") return { answer: { missing: total.missing } };
  if (isOffer(total.terms)) {
    await offerTotal(tx, { actor, id, row, total, reason });
    return { answer: { missing: "" } };
  }
  const end = total.terms?.expires_at ?? null;
  const all = { granted: total.terms, expires_at: end, message: total.message };
  return await grantAndNotify(tx, { ...input, ...all }, facts, decision);
}

/** The result of the grant, and the key that gateways need. */
async function grantAndNotify(
  tx: Tx,
  input: ApproveInput,
  facts: Facts,
  decision: Applied,
): Promise<Granted & AtGateways> {
  const granted = await grant(tx, input, facts, decision);
  if (!decision.developer.hasGateways) return granted;
  // A key that was changed is named by its id.
  return { ...granted, at_gateways: granted.issued?.key_id ?? granted.answer.RawKey };
}

/** Makes the key, or changes the one that is named, and marks the request as issued. */
async function grant(
  tx: Tx,
  input: ApproveInput,
  { row, coverage, decider, terms }: Facts,
  { plans, type, developer }: Applied,
): Promise<Granted> {
  const { actor, id, by, granted = null } = input;
  const chosen = endToCome(input.expires_at, actor.now);
  const { approved, instant } = row;
  const request = { org_id: actor.org_id, id, approved, instant };
  const { reason, message = null } = input;
  const names = {
    ...namesInText(developer.document),
    plan: together(plans.map(({ name }) => name)),
  };
  const ends = input.expires_at ?? null;
  const offer_id = by.kind === "offer" ? by.offer_id : undefined;
  const decision = {
    at: toTimestamp(actor.now),
    by: by.kind === "offer" ? by.offered_by : actor.user_id,
    reason,
    message,
    granted: granted || ends !== null
      ? JSON.stringify({ ...NOTHING_ELSE, ...granted, expires_at: ends })
      : null,
    decided_on: decidedOn(plans, { ...developer, decider, offer_id }),
  };
  if (!await markIssued(tx, request, decision)) {
    throw new Failure("already_processed");
  }
  const decided = { ...input, coverage };
  if (row.asked_end !== null) return await liveOn(tx, decided, terms, row.asked_end, names);
  if (terms.key !== "") return await changeKey(tx, decided, terms, developer, names);
  const { org_id, now } = actor;
  const isDecided = by.kind !== "automatic";
  const order = { org_id, developer_id: developer.id, plans, now };
  const form = {
    kind: kindOf(type),
    expires_at: await grantEnd(tx, order, { chosen, isDecided }),
    quota: isDecided ? undefined : await formerCount(tx, order),
    names,
  };
  return await issue(tx, decided, terms, developer, form);
}
