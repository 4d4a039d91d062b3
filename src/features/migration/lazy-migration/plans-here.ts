import type { Storage } from "../../../storage/storage.ts";
import type { Policy } from "../../gateways/tyk/tyk-policies.ts";
import { planIdsOf } from "../../plans/plan-ids.store.ts";

/** The plans here that policies are, each by the id that the session names where that is known. */
export async function plansHere(
  { reader }: Pick<Storage, "reader">,
  { org_id, named, policies }: {
    org_id: string;
    named: readonly string[];
    policies: readonly Policy[];
  },
): Promise<{ plans: string[]; unknown: string[] }> {
  const ids = named.map((one) => [
    one,
    ...policies.find(({ names }) => names.includes(one))?.names.filter((id) => id !== one) ?? [],
  ]);
  const known = await planIdsOf(reader, org_id, ids.flat());
  const found = ids.map((names) => names.find((one) => known.has(one)));
  return {
    plans: ids.map((names, n) => found[n] ?? names[0] ?? ""),
    unknown: named.filter((_, n) => found[n] === undefined),
  };
}
