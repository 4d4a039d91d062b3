import { sql } from "kysely";
import { all, change, value } from "../storage/statement-functions.ts";
import { finds } from "../storage/table-statements.ts";

/** Counts a change of what can be declared, and holds the count until the transaction ends. */
export const countConfigChange = change((db, p: { org_id: string }) =>
  db.insertInto("config_states")
    .values({ org_id: p.org_id, n: sql.lit(1), changes: sql.lit("warn") })
    .onConflict((same) =>
      same.column("org_id").doUpdateSet({ n: sql<number>`config_states.n + 1` })
    )
);

/** How many changes there were of what can be declared; undefined: none. */
export const findConfigState = value(finds("config_states", { columns: ["n"] }));

/** Whether others' changes of managed things are refused; undefined: they are not. */
export const findChangesRule = value(finds("config_states", { columns: ["changes"] }));

/** Sets it. */
export const setChangesRule = change((
  db,
  p: { org_id: string; changes: "warn" | "refuse" },
) =>
  db.insertInto("config_states").values({ org_id: p.org_id, n: sql.lit(0), changes: p.changes })
    .onConflict((same) => same.column("org_id").doUpdateSet({ changes: p.changes }))
);

/** The things of one kind that files manage. */
export const managedOfKind = all(
  finds("config_objects", {
    columns: ["object_id", "name", "source", "drifted_at"],
    by: ["org_id", "kind"],
  }),
);

/** Notes since when a managed thing is other than its file. */
export const noteDrift = change((
  db,
  p: { org_id: string; kind: string; object_id: string; drifted_at: string },
) =>
  db.updateTable("config_objects").set({ drifted_at: p.drifted_at })
    .where("org_id", "=", p.org_id).where("kind", "=", p.kind)
    .where("object_id", "=", p.object_id)
);
