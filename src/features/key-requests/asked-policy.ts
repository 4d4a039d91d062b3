/**
 * The approval policy under which a request was asked, and who has approved so far.
 *
 *     pending ──step──► pending ──last step──► issued, or offered where a person granted less
 *        ▲────┴──edited, reopened, offer turned down, answered, withdrawn or over: from the start
 *
 * It is a column of the request's row, which every decision holds: so each person counts once, and
 * whatever else happens to the request comes before a step or behind it.
 */
import { isAmong } from "../people/approvers.ts";
import { NO_END, type PolicyStep, type PolicyTerms } from "./policy.ts";
import type { PersonRow } from "../people/person.ts";
import type { GrantedTerms } from "./granted-terms.ts";

/** One person's approval. */
export interface GivenStep {
  /** The approver's id, and their name at that time. */
  by: string;
  name: string;
  at: string;
  /** In whose place; absent: in their own. */
  in_place_of?: { id: string; name: string };
  /** Which of the policy's steps, from 0. */
  step: number;
  /** Internal, and to the developer with the decision; null: nothing was said. */
  reason: string | null;
  message: string | null;
  /** The terms that they grant; null: as requested. */
  terms: GrantedTerms | null;
  /** How long an offer of theirs waits for its developer; absent: they offered nothing. */
  offer_ms?: number;
}

/** The policy that is kept with a request. */
export interface AskedPolicy extends PolicyTerms {
  /** The people who filed it, and who changed it since. */
  filed_by: string[];
  given: GivenStep[];
}

/** The policy stored with a request; null: anyone who may approve decides. */
export function askedPolicyIn(text: string | null): AskedPolicy | null {
  // as: what is stored is the text of exactly this, but for what came later.
  return text === null ? null : { ...NO_END, ...JSON.parse(text) as AskedPolicy };
}

/**
 * The joint policy of a request's plans; undefined among them: a plan has none. Null: none is set.
 * If one of several plans needs no approver and another has no policy, an approver decides. The
 * earliest of their ends counts.
 */
export function togetherOf(policies: readonly (PolicyTerms | undefined)[]): PolicyTerms | null {
  const set = policies.filter((one) => one !== undefined);
  const not_by_filer = set.some((one) => one.not_by_filer);
  const outcomes = new Set(policies.map((one) => one?.outcome ?? "catalogue"));
  const steps = set.flatMap((one) => one.steps);
  const distinct = [...new Map(steps.map((one) => [JSON.stringify(one), one])).values()];
  const rest = { not_by_filer, ...firstEnd(set) };
  if (outcomes.has("steps")) return { outcome: "steps", steps: distinct, ...rest };
  const [outcome = "catalogue", ...others] = outcomes;
  if (others.length > 0) return { outcome: "one", steps: [], ...rest };
  const isSet = outcome !== "catalogue" || not_by_filer || rest.expires_after_days !== null;
  return isSet ? { outcome, steps: [], ...rest } : null;
}

function firstEnd(policies: readonly PolicyTerms[]) {
  const ends = policies.filter(({ expires_after_days }) => expires_after_days !== null)
    .toSorted((a, b) => (a.expires_after_days ?? 0) - (b.expires_after_days ?? 0));
  const { expires_after_days, remind_before_days } = ends[0] ?? NO_END;
  return { expires_after_days, remind_before_days };
}

/** The policy with no approvals. */
export function fromTheStart(text: string | null, editor?: string): string | null {
  const asked = askedPolicyIn(text);
  if (!asked) return null;
  const filed_by = [...new Set([...asked.filed_by, ...editor === undefined ? [] : [editor]])];
  return JSON.stringify({ ...asked, filed_by, given: [] });
}

/** How many each step still needs. */
export function missingOf({ steps, given }: AskedPolicy): number[] {
  return steps.map(({ need }, i) => need - given.filter(({ step }) => step === i).length);
}

/** Which step waits now; undefined: all are done, or there is none. */
export function presentStep(asked: AskedPolicy): number | undefined {
  const i = missingOf(asked).findIndex((n) => n > 0);
  return i < 0 ? undefined : i;
}

/** Whether the approval that was given at this time was the last one of its step. */
export function completesStep(text: string | null, at: string): boolean {
  const asked = askedPolicyIn(text);
  const step = asked?.given.find((one) => one.at === at)?.step;
  if (!asked || step === undefined) return false;
  return missingOf(asked)[step] === 0 &&
    asked.given.findLast((one) => one.step === step)?.at === at;
}

/**
 * The steps as they are now. They begin anew where an offer came to nothing after the last of them,
 * and where an end that one of them granted is over, so that nothing is left of the least of all.
 */
export function standing(asked: AskedPolicy, now: number): AskedPolicy {
  const isOver = presentStep(asked) === undefined ||
    asked.given.some(({ terms }) => Date.parse(terms?.expires_at ?? "") <= now);
  return isOver ? { ...asked, given: [] } : asked;
}

/** Whether a person's approval counts already, given by themselves or in their place. */
export function hasGiven({ given }: AskedPolicy, id: string): boolean {
  return given.some(({ by, in_place_of }) => by === id || in_place_of?.id === id);
}

/** Whether the policy keeps a person from deciding what they filed. */
export function isKeptOut({ not_by_filer, filed_by }: AskedPolicy, id: string): boolean {
  return not_by_filer && filed_by.includes(id);
}

/** Whether a person could give the present step. That it is not their own is looked at apart. */
export function mayGive(asked: AskedPolicy, person: PersonRow): boolean {
  const present = presentStep(asked);
  const step: PolicyStep | undefined = present === undefined ? undefined : asked.steps[present];
  return step !== undefined && isAmong(step, person) && !hasGiven(asked, person.id) &&
    !isKeptOut(asked, person.id);
}

/** The missing approvers, in words. */
export function missingWords(asked: AskedPolicy): string {
  return missingOf(asked).flatMap((n, i) => n > 0 ? [`${n} of “${asked.steps[i]?.name}”`] : [])
    .join(", then ");
}
