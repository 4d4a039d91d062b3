import type { Connection } from "../../storage/storage.ts";
import { namesOfPlans } from "../plans/plan-counts.store.ts";
import { planViewsOf, readPlan } from "../plans/plans.store.ts";

/** The names of these plans; the id of one that is gone. */
export async function plansOf(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<string> {
  const names = await namesOfPlans(db, org_id, ids);
  return ids.map((id) => names.get(id) ?? id).join(", ");
}

/** The names of the APIs that these plans open. */
export async function apisOf(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<string> {
  const rows = await planViewsOf(db, org_id, ids);
  const names = [...rows.values()].flatMap((row) =>
    Object.entries(readPlan(row).access_rights).map(([id, { api_name }]) =>
      typeof api_name === "string" && api_name !== "" ? api_name : id
    )
  );
  return [...new Set(names)].join(", ");
}

/** Days from one time to another, begun ones counted; 0 where it is past or none. */
export function daysBetween(from: string, to: string): number {
  const days = (Date.parse(to) - Date.parse(from)) / (24 * 60 * 60 * 1000);
  return Number.isNaN(days) ? 0 : Math.max(0, Math.ceil(days));
}

/** The developer of a request, by their name in mails. */
export function developerOf(
  { developer, by_user }: { developer: string | null; by_user: string },
): string {
  return developer === null ? by_user : developerName(developer).label || by_user;
}

/** The name that a developer gave, and their name for others. */
export function developerName(document: string): { name: string; label: string } {
  // as: a developer's document is what the contract lets in.
  const { email = "", fields = {} } = JSON.parse(document) as {
    email?: string;
    fields?: Record<string, unknown>;
  };
  const given = Object.entries(fields).find(([key, value]) =>
    /^(full[ _-]?)?name$/i.test(key) && typeof value === "string" && value.trim() !== ""
  );
  const name = given ? String(given[1]).trim() : "";
  return { name, label: name || email };
}
