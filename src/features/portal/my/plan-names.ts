import { namesOfPlans } from "../../plans/plan-counts.store.ts";
import { offerOf } from "./offer.ts";
import { type MyContext, ownerOf } from "./own.ts";

/** A plan by its name, with the APIs that offer it. */
interface NamedPlan {
  id: string;
  name: string;
  apis: string[];
}

/**
 * Says what plans are called now, and what the APIs are called that offer them; "": the plan is
 * gone. One query for all of a page.
 */
export async function planNamer(
  ctx: MyContext,
  plans: readonly (readonly string[])[],
): Promise<(ids: readonly string[]) => NamedPlan[]> {
  const { org_id } = ownerOf(ctx);
  const names = await namesOfPlans(ctx.storage.reader, org_id, [...new Set(plans.flat())]);
  const apis = await offerOf(ctx);
  const offering = (id: string) =>
    apis.filter((api) => api.plans.some(({ ids }) => ids.includes(id)));
  return (ids) =>
    ids.map((id) => ({
      id,
      name: names.get(id) ?? "",
      apis: offering(id).map(({ name }) => name),
    }));
}
