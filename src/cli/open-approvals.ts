import type { LeftOpen } from "../features/people/left-open.ts";
import { printable } from "./table.ts";
import { terminal } from "./terminal.ts";

/** Names, on the standard error, the approvals that a change of people or roles left to no one. */
export function warnOfOpenApprovals({ plans, key_requests }: LeftOpen): void {
  for (const { plan, name, lacks } of plans) {
    const of = plan === null ? "The default approval policy" : `The approval policy of "${name}"`;
    terminal().err(printable(`${of} can't be fulfilled any more: ${lacks.join("; ")}`));
  }
  if (key_requests.length > 0) {
    const ids = key_requests.join(", ");
    terminal().err(`Key requests that no one can decide any more: ${ids}`);
  }
}
