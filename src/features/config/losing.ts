import { countsOfPlans } from "../plans/plan-counts.store.ts";
import type { WantedChange } from "./changes.ts";
import { developersOfPlan } from "./config-objects.store.ts";
import type { ConfigContext, Members } from "./kind.ts";

/** People and keys that lose something by a change of a plan; 1000: so many or more. */
export interface Losing {
  plan: string;
  /** The change of the plan, as people read it. */
  because: string;
  keys: number;
  developers: number;
  pending_requests: number;
}

/** The access that these changes take: plans are deleted, deactivated or valid for less. */
export async function losingBy(
  ctx: ConfigContext,
  changes: readonly WantedChange[],
): Promise<Losing[]> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const losing: Losing[] = [];
  for (const change of changes) {
    const because = change.kind.name === "plans" ? lossOf(change) : undefined;
    if (because === undefined || !change.present) continue;
    const { key: _id, id, members } = change.present;
    const developers = await developersOfPlan(reader, { org_id, _id, id });
    const counts = (await countsOfPlans(reader, org_id, [_id])).get(_id);
    losing.push({
      plan: String(members.name),
      because,
      keys: counts?.keys ?? 0,
      developers: new Set(developers).size,
      pending_requests: counts?.pending_requests ?? 0,
    });
  }
  return losing.filter(({ keys, pending_requests }) => keys + pending_requests > 0);
}

function lossOf({ action, present, changed }: WantedChange): string | undefined {
  if (action === "delete") return "it is deleted";
  if (!present) return undefined;
  const { active, access_rights } = changed;
  if (active === false && present.members.active === true) return "it is deactivated";
  if (access_rights === undefined) return undefined;
  const [before, after] = [present.members.access_rights, access_rights].map(apisIn);
  // Without any it is valid for every API.
  if (after?.length === 0) return undefined;
  if (before?.length === 0) return `it is valid for ${after?.join(", ")} alone`;
  const lost = before?.filter((one) => !after?.includes(one)) ?? [];
  return lost.length === 0 ? undefined : `it is no longer valid for ${lost.join(", ")}`;
}

function apisIn(rights: unknown): string[] {
  // as: the schema says that it is an object.
  return Object.keys(rights as Members ?? {});
}
