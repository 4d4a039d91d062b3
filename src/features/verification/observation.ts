import type { KnownKey } from "./known-key.ts";
import type { Observation } from "./knock.ts";
import { ruleFor } from "./plan-grants.ts";

/**
 * Notes whose key a question is about, and the plan that its call goes by, else its first. Whether
 * whoever asks decides: then the call is no use of the key here, and nothing was refused.
 */
export function isDecidedThere(
  observation: Observation | undefined,
  { key_id, facts: { developer_id }, grants }: KnownKey,
  api_id: string | undefined,
): boolean {
  if (observation === undefined) return false;
  const [first] = grants.plans;
  const plan_id = ruleFor(grants, api_id)?.plan_id ?? first?.rules?.id ?? first?.id ?? "";
  observation.of = { key_id, developer_id, plan_id, decide: grants.decidedHere };
  return !grants.decidedHere;
}
