import { sql } from "kysely";
import { all, change, changed, value } from "../../storage/statement-functions.ts";
import { inserts, removes } from "../../storage/table-statements.ts";
import { columnsOf } from "../../storage/rows.ts";
import type { CanaryRow } from "./canary.ts";

const COLUMNS = columnsOf("canary_runs");

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

/** A gateway's names of the keys of its runs, ended or not: no other keys have them. */
export const canaryNames = all((db, p: Of) =>
  db.selectFrom("canary_runs").select(["name", "at", "state"]).where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("name", "<>", sql.lit(""))
);

/** Adds a run. */
export const insertCanaryRun = change(inserts("canary_runs"));

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
export const forgetCanaryRun = change(removes("canary_runs"));

/** Forgets the runs of a gateway up to then, but those whose keys may still stand there. */
export const forgetCanaryRuns = change((db, p: Of & { up_to: string }) =>
  db.deleteFrom("canary_runs").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("at", "<=", p.up_to)
    .where("state", "=", sql.lit("done"))
);

/** Forgets all runs of a gateway that is removed. */
export const forgetAllCanaryRuns = change(removes("canary_runs", "org_id", "gateway_id"));
