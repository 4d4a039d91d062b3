import type { Reading } from "./items.ts";

/** The findings of objects that could not be read, or that have no document. */
const NOT_READ: ReadonlySet<string> = new Set([
  "unreadable",
  "no_id",
  "client_organisation",
  "key_not_in_gateway",
  "quotas_unknown",
  "certificate_without_pem",
  "documentation_not_given",
]);

/** Whether a document could be read and is of the organisation that moves. */
export function isOurs({ isForeign, isPassedOver, items, findings }: Reading): boolean {
  if (isForeign || isPassedOver) return false;
  return items.length > 0 || findings.some(({ code }) => !NOT_READ.has(code));
}
