import type { z } from "zod";
import type { leftOpen } from "../../../src/features/people/left-open.contract.ts";
import { listed, say } from "../../said.ts";

/** Approvals that a change of people or roles leaves to no one, in words; "": there are none. */
export function leftOpenWords(
  { plans, key_requests: { length } }: z.output<typeof leftOpen>,
): string {
  const names = listed(plans.map(({ name }) => name || "the default"));
  if (names === "" && length === 0) return "";
  if (names === "") return say`Key requests that no one could decide any more: ${length}.`;
  const more = length === 0 ? "" : say` Key requests that no one could decide: ${length}.`;
  return say`No one could fulfil these approval policies any more: ${names}.${more}`;
}
