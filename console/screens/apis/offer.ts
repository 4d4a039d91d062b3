import { forgetApis } from "../../api/apis.ts";
import { api } from "../../api/client.ts";
import { editApi, getApi, listCatalogue } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import type { Plan } from "./plan.ts";

type Offered = Pick<Plan, "id" | "name" | "access_rights">;

/** The catalogue; undefined while unknown. */
export function useCatalogue() {
  return useCall(["catalogue"], listCatalogue, {}, { staleTime: 60_000 }).data?.data;
}

/**
 * The APIs of the catalogue that a plan is offered for, by name. The catalogue may know it by
 * either of its ids.
 */
export function offersOf(
  catalogue: NonNullable<ReturnType<typeof useCatalogue>>,
  { id, name }: Pick<Plan, "id" | "name">,
): string[] {
  return catalogue.filter(({ plans }) => plans.some((one) => one.id === id || one.name === name))
    .map((one) => one.name || one.id);
}

/** Offers a plan for every API of the catalogue that it opens; gives how many there are. */
export async function offerPlan({ id, access_rights }: Offered, known: ReadonlySet<string>) {
  const apis = Object.keys(access_rights).filter((one) => known.has(one));
  try {
    for (const of of apis) {
      // The list is sent whole: it must be the newest.
      const { plans, revision } = await api.call(getApi, { params: { id: of } });
      if (plans.some((one) => one.id === id)) continue;
      await api.call(editApi, {
        params: { id: of },
        body: { plans: [...plans.map((one) => one.id), id] },
        headers: { "if-match": `"${revision}"` },
      });
    }
  } finally {
    forgetApis();
  }
  return apis.length;
}
