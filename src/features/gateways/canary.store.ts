import { sql } from "kysely";
import { all, change, changed, value } from "../../storage/statement-functions.ts";
import { rowOf } from "../../storage/rows.ts";
import type { CanaryRow } from "./canary.ts";

const COLUMNS = [
  "org_id",
  "gateway_id",
  "at",
  "state",
  "how",
  "name",
  "opened_ms",
  "shut_ms",
] as const;

type Of = { org_id: string; gateway_id: string };

/** Runs at a gateway since then, the oldest first; one that is under way is none yet. */
export const canaryRunsSince = all((db, p: Of & { since: string }) =>
  db.selectFrom("canary_runs").select(COLUMNS).where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("at", ">", p.since)
    .where("state", "=", sql.lit("done")).orderBy("at")
);

/** When the newest run at a gateway began; undefined: there was none. */
export const lastCanaryRun = value((db, p: Of) =>
  db.selectFrom("canary_runs").select("at").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).orderBy("at", "desc").limit(sql.lit(1))
);

/** What a gateway calls the keys of its runs, ended or not: they are nobody else's. */
export const canaryNames = all((db, p: Of) =>
  db.selectFrom("canary_runs").select(["name", "at", "state"]).where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("name", "<>", sql.lit(""))
);

/** Adds a run. */
export const insertCanaryRun = change((db, row: CanaryRow) =>
  db.insertInto("canary_runs").values(rowOf("canary_runs", row))
);

/** Writes what became of a run that is under way. False: there is no such run any more. */
export const endCanaryRun = changed((
  db,
  p: Of & Pick<CanaryRow, "at" | "opened_ms" | "shut_ms">,
) =>
  db.updateTable("canary_runs").set({
    state: sql.lit("done"),
    opened_ms: p.opened_ms,
    shut_ms: p.shut_ms,
  }).where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
    .where("at", "=", p.at).where("state", "=", sql.lit("begun"))
);

/** Forgets a run. */
export const forgetCanaryRun = change((db, p: Of & { at: string }) =>
  db.deleteFrom("canary_runs").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("at", "=", p.at)
);

/** Forgets the runs of a gateway up to then, but those whose keys may still stand there. */
export const forgetCanaryRuns = change((db, p: Of & { up_to: string }) =>
  db.deleteFrom("canary_runs").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("at", "<=", p.up_to)
    .where("state", "=", sql.lit("done"))
);

/** Forgets all runs of a gateway that is removed. */
export const forgetAllCanaryRuns = change((db, p: Of) =>
  db.deleteFrom("canary_runs").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id)
);
