import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { pageCount } from "../../../contract/envelope.ts";
import type { CatalogueEntry } from "../../plans/catalogue/catalogue-entry.ts";
import { listEntries } from "../../plans/catalogue/catalogue.store.ts";
import { everyPlan } from "../../plans/every-plan.store.ts";
import type { apiList } from "./key-data.contract.ts";

/** The APIs that plans and catalogue entries name, by name and id. */
export async function listApis(
  ctx: RequestContext,
  p: number | undefined,
): Promise<z.output<typeof apiList>> {
  const { storage: { reader }, principal: { org_id }, settings: { pageSize } } = ctx;
  const names = new Map<string, string>();
  for (const { api_id, document } of await listEntries(reader, { org_id })) {
    // as: the catalogue's store writes exactly this.
    if (api_id !== "") named(names, api_id, (JSON.parse(document) as CatalogueEntry).name);
  }
  for await (const { plan: { access_rights } } of everyPlan(reader, org_id)) {
    for (const [api_id, { api_name }] of Object.entries(access_rights)) {
      named(names, api_id, typeof api_name === "string" ? api_name : "");
    }
  }
  const all = [...names].map(([id, name]) => ({
    api_definition: { api_id: id, name, id, active: true },
  })).sort(({ api_definition: a }, { api_definition: b }) =>
    compare(a.name, b.name) || compare(a.id, b.id)
  );
  if (p === undefined || p < 1) return { apis: all, pages: all.length === 0 ? 0 : 1 };
  const apis = all.slice((p - 1) * pageSize, p * pageSize);
  return { apis, pages: pageCount(all.length, pageSize) };
}

/** The first name that is one. */
function named(names: Map<string, string>, api_id: string, name: string): void {
  if ((names.get(api_id) ?? "") === "") names.set(api_id, name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
