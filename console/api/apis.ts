import type { z } from "zod";
import type { api } from "../../src/features/plans/catalogue/apis.contract.ts";
import { queries } from "./queries.ts";

/** An API of the catalogue, with the plans that it is offered by and what there is of each. */
export type Api = z.output<typeof api>;

/** A plan that an API is offered by. */
export type OfferedPlan = Api["plans"][number];

/**
 * After a change: what shows the catalogue or its plans is read again, but for an API that is
 * `gone`.
 */
export function forgetApis(gone?: string): void {
  for (const name of ["catalogue", "apis", "plans"]) {
    void queries.invalidateQueries({
      queryKey: [name],
      predicate: ({ queryKey }) => name !== "apis" || gone === undefined || queryKey[1] !== gone,
    });
  }
}

/** Whether a key can be asked for that opens the API. */
export function isOffered({ show, plans }: Api): boolean {
  return show && plans.some(isOpen);
}

/** Whether keys of the plan open the API it is offered for. */
export function isOpen({ active, valid: opens }: OfferedPlan): boolean {
  return active && opens;
}
