/**
 * An approval policy: who must say yes before a key is made.
 *
 * Of a plan that has none of its own, the organisation's default holds; where there is none either,
 * whoever may approve decides, and the catalogue says what needs no one.
 */
import type { Outcome } from "../../contract/approval-outcomes.ts";
import { Failure } from "../../kernel/failure.ts";
import { type Group, isAmong } from "../people/approvers.ts";
import type { PersonRow } from "../people/person.ts";

/** One group of people, of whom so many must say yes. */
export interface PolicyStep extends Group {
  name: string;
  need: number;
}

/** The settings of a policy. */
export interface PolicyTerms {
  outcome: Outcome;
  /** Empty but where the outcome is `steps`. */
  steps: PolicyStep[];
  /** Whether anyone who filed a request may not decide it. */
  not_by_filer: boolean;
  /** After so many days a request that waits is declined; null: never. */
  expires_after_days: number | null;
  /** So many days before, who may decide is reminded; null: no one is. */
  remind_before_days: number | null;
}

/** Of a policy under which requests wait for as long as it takes. */
export const NO_END = { expires_after_days: null, remind_before_days: null } as const;

/**
 * Throws `policy_unfulfillable`, naming who there is, where some step has fewer people than it
 * needs who count in no step before. `people`: all who may approve.
 */
export function requireFulfillable(
  steps: readonly PolicyStep[],
  people: readonly PersonRow[],
): void {
  const short = whatLacks(steps, people);
  if (short.length === 0) return;
  const message = `No people could fulfil this policy: ${short.join("; ")}.`;
  throw new Failure("policy_unfulfillable", { message, details: short });
}

/** The gaps of a policy, in words; empty: it can be fulfilled. `people`: all who may approve. */
export function whatLacks(
  steps: readonly PolicyStep[],
  people: readonly PersonRow[],
): string[] {
  const groups = steps.map((step) => people.filter((one) => isAmong(step, one)));
  const short = steps.flatMap((step, i) => {
    const group = groups[i] ?? [];
    if (group.length >= step.need) return [];
    const names = group.map(({ name }) => name).join(", ") || "nobody";
    return [`steps[${i}].need: ${step.need} of ${group.length} who may approve: ${names}`];
  });
  if (short.length === 0 && !isCovered(steps, groups)) {
    short.push(
      "steps: a person counts in one step only, and there are too few people for all of them",
    );
  }
  return short;
}

/** Whether each step can have its people so that no one is in two: places are given one by one. */
function isCovered(steps: readonly PolicyStep[], groups: readonly PersonRow[][]): boolean {
  const places = steps.flatMap(({ need }, i) => Array.from({ length: need }, () => i));
  const counts = new Map<string, number>();
  const seat = (place: number, tried: Set<string>): boolean =>
    (groups[places[place] ?? -1] ?? []).some(({ id }) => {
      if (tried.has(id)) return false;
      tried.add(id);
      const other = counts.get(id);
      if (other !== undefined && !seat(other, tried)) return false;
      counts.set(id, place);
      return true;
    });
  return places.every((_, place) => seat(place, new Set()));
}
