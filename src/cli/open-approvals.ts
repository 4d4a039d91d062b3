import type { LeftOpen } from "../features/people/left-open.ts";

/** Names the approvals that a change of people or roles left to no one; a line each. */
export function openApprovalLines({ plans, key_requests }: LeftOpen): string[] {
  const lines = plans.map(({ plan, name, lacks }) => {
    const of = plan === null ? "The default approval policy" : `The approval policy of "${name}"`;
    return `${of} can't be fulfilled any more: ${lacks.join("; ")}`;
  });
  if (key_requests.length === 0) return lines;
  return [...lines, `Key requests that no one can decide any more: ${key_requests.join(", ")}`];
}
