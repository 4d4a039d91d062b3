import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** How long gateways take to open to a key and to shut, and which keys there nobody knows here. */
export function canaryRunsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const gateway = ["org_id", "gateway_id"];
  return [
    table("canary_runs", [...gateway, "at", "state", "how", "name", "opened_ms#", "shut_ms#"], [
      ...gateway,
      "at",
    ], "clustered"),
    table("unknown_keys_there", [...gateway, "name"], [...gateway, "name"], "clustered"),
  ];
}
