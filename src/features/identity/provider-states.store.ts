import { rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { all, change, one } from "../../storage/statement-functions.ts";

/** How a provider fares, as it is stored. */
export type ProviderStateRow = StoredRow<"provider_states">;

type Place = { org_id: string; id: string };

const STATE = [
  "org_id",
  "id",
  "refused_at",
  "refused",
  "problem_since",
  "problem",
  "refreshes",
  "refused_by",
  "problem_seen",
] as const;

/** How a provider fares; or undefined: nobody came by it yet. */
export const findProviderState = one((db, p: Place) =>
  db.selectFrom("provider_states").select(STATE)
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** How the providers of an organisation fare, in the order of their ids. */
export const providerStatesOf = all((db, p: { org_id: string }) =>
  db.selectFrom("provider_states").select(STATE).where("org_id", "=", p.org_id).orderBy("id")
);

/** Keeps how a provider fares. */
export const putProviderState = change((db, p: ProviderStateRow) =>
  db.insertInto("provider_states").values(rowOf("provider_states", p))
    .onConflict((conflict) =>
      conflict.columns(["org_id", "id"]).doUpdateSet({
        refused_at: p.refused_at,
        refused: p.refused,
        problem_since: p.problem_since,
        problem: p.problem,
        refreshes: p.refreshes,
        refused_by: p.refused_by,
        problem_seen: p.problem_seen,
      })
    )
);

/** Forgets what a provider did not do, whose settings were changed; a refusal stays as it was. */
export const clearProviderProblem = change((db, p: Place) =>
  db.updateTable("provider_states")
    .set({ problem: null, problem_since: null, problem_seen: null, refused_by: null })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Forgets how a provider fared. */
export const removeProviderState = change((db, p: Place) =>
  db.deleteFrom("provider_states").where("org_id", "=", p.org_id).where("id", "=", p.id)
);
