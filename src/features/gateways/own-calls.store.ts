import { sql } from "kysely";
import { exists } from "../../storage/statement-functions.ts";

/** Whether calls at gateways of the organisation were observed since an hour counted from 1970. */
export const isObserved = exists((db, p: { org_id: string; from: number }) =>
  db.selectFrom("observed_days").select("begins").where("org_id", "=", p.org_id)
    .where("kind", "in", [sql.lit<"organisation">("organisation"), sql.lit<"unknown">("unknown")])
    .where("begins", ">=", p.from).limit(sql.lit(1))
);
