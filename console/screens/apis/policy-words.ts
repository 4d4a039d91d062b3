import type { z } from "zod";
import type { approvalPolicy } from "../../../src/features/key-requests/policies.operations.ts";
import { listed, say } from "../../said.ts";

/** A policy, as the server shows it. */
export type Policy = z.output<typeof approvalPolicy>;

/** The fields of a policy that are worded. */
type PolicyTerms = Pick<
  Policy,
  | "outcome"
  | "steps"
  | "not_by_filer"
  | "expires_after_days"
  | "remind_before_days"
>;

/** A policy in sentences. */
export function inWords(policy: PolicyTerms): string {
  const { not_by_filer } = policy;
  const parts = [
    whoDecides(policy),
    not_by_filer && "The filer of a request, and those who changed it, do not decide it.",
    whenItEnds(policy),
  ];
  return listed(parts.filter((part) => typeof part === "string" && part !== ""), " ");
}

function whoDecides({ outcome, steps }: PolicyTerms): string {
  switch (outcome) {
    case "catalogue":
      return "As the catalogue says: none, or one approver.";
    case "at_once":
      return "None: requests are approved at once.";
    case "one":
      return "One approver decides.";
    case "steps":
      return steps.length === 0 ? "" : say`First ${stepsOf(steps)}. Then the key is made.`;
  }
}

const stepsOf = (steps: PolicyTerms["steps"]) =>
  listed(steps.map(({ name, need }) => say`${need} of ${name}`), ", then ");

/** The policy as short as a list has it; "": the catalogue says. */
export function decisionOf({ outcome, steps }: Pick<PolicyTerms, "outcome" | "steps">): string {
  switch (outcome) {
    case "catalogue":
      return "";
    case "at_once":
      return "Approved at once";
    case "one":
      return "One approver decides";
    case "steps":
      return stepsOf(steps);
  }
}

function whenItEnds({ expires_after_days: days, remind_before_days: before }: PolicyTerms): string {
  if (days === null) return "";
  const ends = say`A request without a decision within ${inDays(days)} is declined by itself`;
  return before === null
    ? say`${ends}.`
    : say`${ends}; ${inDays(before)} before, people are reminded.`;
}

function inDays(days: number): string {
  return days === 1 ? "a day" : `${days} days`;
}
