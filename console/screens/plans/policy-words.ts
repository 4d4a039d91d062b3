import type { z } from "zod";
import type { approvalPolicy } from "../../../src/features/approval-policies/policies.contract.ts";
import { listed, say } from "../../said.ts";

/** A policy, as the server shows it. */
export type Policy = z.output<typeof approvalPolicy>;

/** What a policy says, in a sentence. */
export function inWords(outcome: Policy["outcome"], steps: Policy["steps"]): string {
  switch (outcome) {
    case "catalogue":
      return "As the catalogue says: nobody, or one approver.";
    case "at_once":
      return "Nobody: requests are approved at once.";
    case "one":
      return "One approver decides.";
    case "steps": {
      const parts = steps.map(({ name, need }) => say`${need} of ${name}`);
      return parts.length === 0
        ? ""
        : say`First ${listed(parts, ", then ")}. Then the key is made.`;
    }
  }
}
