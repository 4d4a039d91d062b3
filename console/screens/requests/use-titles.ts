import { titleOf, usePlans } from "../../api/plans.ts";
import type { RequestRow } from "./request.ts";

/** The titles of requested plans. */
export function useTitles(): (row: RequestRow) => string {
  const plans = usePlans();
  return ({ entry, planIds }) => titleOf(entry, planIds, plans);
}
