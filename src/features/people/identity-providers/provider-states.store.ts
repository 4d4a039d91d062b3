import type { StoredRow } from "../../../storage/schema.ts";
import { all, change, one } from "../../../storage/statement-functions.ts";
import { finds, puts, removes } from "../../../storage/table-statements.ts";

/** How a provider fares, as it is stored. */
export type ProviderStateRow = StoredRow<"provider_states">;

type Place = { org_id: string; id: string };

/** How a provider fares; or undefined: no one came by it yet. */
export const findProviderState = one(finds("provider_states"));

/** How the providers of an organisation fare, in the order of their ids. */
export const providerStatesOf = all(finds("provider_states", { by: ["org_id"], order: ["id"] }));

/** Keeps how a provider fares. */
export const putProviderState = change(puts("provider_states"));

/** Forgets what a provider did not do, whose settings were changed; a refusal stays as it was. */
export const clearProviderProblem = change((db, p: Place) =>
  db.updateTable("provider_states")
    .set({ problem: null, problem_since: null, problem_seen: null, refused_by: null })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Forgets how a provider fared. */
export const removeProviderState = change(removes("provider_states"));
