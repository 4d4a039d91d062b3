import type { Actor } from "../../changes/audit.ts";
import { personalWords } from "../../changes/personal.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { findPerson } from "../people/people.store.ts";
import type { PersonRow } from "../people/person.ts";
import { isAmong, isApprover } from "../people/approvers.ts";
import type { PolicyStep } from "./policy.ts";
import { awayFor } from "./delegations.store.ts";
import { coverageOfStored } from "../plans/coverage.ts";
import {
  type AskedPolicy,
  type GivenStep,
  hasGiven,
  isKeptOut,
  missingWords,
  presentStep,
} from "./asked-policy.ts";
import { policiesFor, setAskedPolicy } from "./asked-policy.store.ts";
import type { GrantedTerms } from "./granted-terms.ts";
import { leastOf } from "./least-terms.ts";
import { findDecider, isOwn } from "./own-request.ts";
import { namesOfRequest } from "./request-names.store.ts";
import { type StoredTexts, termsOf } from "./stored-request.ts";
import { isWithin } from "./within-scope.ts";

/** The state of a request with missing steps, or whose developer has to answer an offer first. */
export interface StepTaken {
  /** The missing approvers, in words; "": none, an offer waits for the developer. */
  missing: string;
}

/** Whether an approval was a step, and made no key. */
export function isStep(answer: object): answer is StepTaken {
  return "missing" in answer;
}

/** The error of an approval that was only a step, for calls whose sole answer is a key. */
export function stepsMissing({ missing }: StepTaken): Failure {
  const message = missing === ""
    ? "Your approval counts. The developer was offered less than was asked: there is no key yet."
    : `Your approval counts. There is no key yet: ${missing} must approve.`;
  return new Failure("steps_missing", { message });
}

/** The input of a step. */
interface NewStep {
  actor: Actor;
  id: string;
  row: StoredTexts;
  asked: AskedPolicy;
  terms: GrantedTerms | null;
  reason: string | null;
  message: string | null;
  offer_ms?: number;
}

/** The sum of all approvals. */
export interface Total {
  /** The missing approvers, in words; "": none. */
  missing: string;
  /** The least of all; null: what was asked. */
  terms: GrantedTerms | null;
  /** The messages of all of them to the developer; null: none. */
  message: string | null;
  offer_ms: number | undefined;
}

/** The person who gives a step, and in whose place; absent: in their own. */
export interface Giver {
  name: string;
  in_place_of?: { id: string; name: string };
}

/** The step to give. */
interface Wanted {
  id: string;
  row: StoredTexts;
  /** As it is, or from the start where an offer came to nothing. */
  asked: AskedPolicy;
  /** The plans that they grant. */
  plans: readonly string[];
}

/**
 * The person as whom the actor gives the present step of a locked request: as themselves, or in the
 * place of an absent one. Throws if they can't: `step_given`, `not_among_approvers`.
 */
export async function requireMayGive(
  tx: Tx,
  actor: Actor,
  wanted: Wanted,
): Promise<Giver> {
  const { asked } = wanted;
  const { org_id, user_id } = actor;
  const given = asked.given.find(({ by, in_place_of }) =>
    by === user_id || in_place_of?.id === user_id
  );
  if (given) {
    const how = given.by === user_id ? "You have" : `${given.name} has, in your place,`;
    const message = `${how} approved this key request already: ${
      missingWords(asked)
    } must approve.`;
    throw new Failure("step_given", { message });
  }
  const person = await findPerson(tx, { org_id, id: user_id });
  const step = asked.steps[presentStep(asked) ?? 0];
  if (person && step && isAmong(step, person)) return { name: person.name };
  const away = person && step && isApprover(person) &&
    await placeOf(tx, actor, { ...wanted, step });
  if (away) return { name: person.name, in_place_of: { id: away.id, name: away.name } };
  const message = step &&
    `This key request waits for “${step.name}”: by its policy you don't count in that step.`;
  throw new Failure("not_among_approvers", message === undefined ? {} : { message });
}

/**
 * A person who is away, who may give this step and grant these plans, and in whose place the actor
 * decides.
 */
async function placeOf(
  tx: Tx,
  { org_id, user_id, now }: Actor,
  { id, row, asked, plans, step }: Wanted & { step: PolicyStep },
): Promise<PersonRow | undefined> {
  for (const one of await awayFor(tx, { org_id, delegate_id: user_id, now: toTimestamp(now) })) {
    if (!isAmong(step, one) || hasGiven(asked, one.id) || isKeptOut(asked, one.id)) continue;
    const coverage = await coverageOfStored(tx, org_id, one.covers);
    if (coverage && !(isWithin(coverage, row) && coverage.holds(plans))) continue;
    const decider = await findDecider(tx, { org_id, id, user_id: one.id });
    if (decider && !isOwn(decider)) return one;
  }
  return undefined;
}

/** Keeps an approval with the request, which is held, and tells the audit log. */
export async function giveStep(tx: Tx, giver: Giver, input: NewStep): Promise<Total> {
  const { actor, id, row, asked, terms, reason, message, offer_ms } = input;
  const { org_id, user_id, now } = actor;
  const step = presentStep(asked) ?? 0;
  const given: GivenStep = {
    by: user_id,
    ...giver,
    at: toTimestamp(now),
    step,
    reason,
    message,
    terms,
    ...offer_ms === undefined ? {} : { offer_ms },
  };
  const after: AskedPolicy = { ...asked, given: [...asked.given, given] };
  const { plans } = termsOf(row);
  const least = after.given.map((one) => one.terms).reduce((a, b) => leastOf(a, b, plans));
  const policy = JSON.stringify(after);
  if (!await setAskedPolicy(tx, { org_id, id, policy })) throw new Failure("already_decided");
  const missing = missingWords(after);
  await recordChange(tx, actor, {
    action: "key_request.step_approved",
    object_id: id,
    detail: {
      step: asked.steps[step]?.name ?? "",
      missing,
      ...giver.in_place_of ? { in_place_of: giver.in_place_of.id } : {},
      ...terms ? { granted: terms } : {},
    },
    personal: personalWords({ reason, message }),
    names: await namesOfRequest(tx, org_id, row),
  });
  const words = after.given.flatMap((one) => one.message ?? []);
  return {
    missing,
    terms: least,
    message: words.length === 0 ? null : words.join("\n\n"),
    offer_ms: after.given.findLast((one) => one.offer_ms !== undefined)?.offer_ms,
  };
}

/**
 * Throws `invalid_input` where plans are granted that no one asked for, and whose own policies want
 * more than the request's: who asks for those needs their approvers.
 */
export async function refuseOtherPolicies(
  tx: Tx,
  org_id: string,
  { granted, asked, policy }: {
    granted: readonly string[];
    asked: readonly string[];
    policy: AskedPolicy | null;
  },
): Promise<void> {
  const others = granted.filter((plan) => !asked.includes(plan));
  if (others.length === 0) return;
  const known = new Set((policy?.steps ?? []).map((one) => JSON.stringify(one)));
  const policies = await policiesFor(tx, org_id, others);
  const refused = others.filter((_, i) => {
    const own = policies[i];
    return own !== undefined && ((own.not_by_filer && !policy?.not_by_filer) ||
      own.steps.some((one) => !known.has(JSON.stringify(one))));
  });
  if (refused.length === 0) return;
  const message = `conditions.plans: ${refused.join(", ")} has an approval policy of its own: ` +
    "its approvers decide where it is asked for";
  throw new Failure("invalid_input", { message, details: [message] });
}
