import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * The two ids of a plan, in one space. `plans.id` is 24 hex from here on: a plan with another gets
 * one of ours and keeps the old one as `given_id`, by which keys, requests and catalogue go on to
 * name it.
 */
export function planIdsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const table = tableMaker(db, dialect);
  // As our ids are made: the second of the creation, then what is random.
  const [isOther, fresh] = dialect === "postgres"
    ? [
      "id !~ '^[0-9a-f]{24}$'",
      `lpad(to_hex(extract(epoch from date_created::timestamptz)::bigint), 8, '0')
        || substr(replace(gen_random_uuid()::text, '-', ''), 1, 16)`,
    ]
    : [
      "length(id) <> 24 or id glob '*[^0-9a-f]*'",
      "printf('%08x', unixepoch(date_created)) || lower(hex(randomblob(8)))",
    ];
  return [
    db.schema.alterTable("plans")
      .addColumn("given_id", text, (column) => column.notNull().defaultTo(sql.lit(""))),
    raw(db, "update plans set given_id = id"),
    raw(db, `update plans set id = ${fresh} where ${isOther}`),
    table("plan_ids", ["org_id", "id", "plan_id"], ["org_id", "id"], "clustered"),
    raw(db, "insert into plan_ids (org_id, id, plan_id) select org_id, id, id from plans"),
    raw(
      db,
      `insert into plan_ids (org_id, id, plan_id)
        select org_id, given_id, id from plans where given_id <> id`,
    ),
    // What a period of a quota has used is counted by the plan, whichever of its ids a key names.
    raw(
      db,
      `update quota_uses set plan_id = (select i.plan_id from plan_ids i
          where i.org_id = quota_uses.org_id and i.id = quota_uses.plan_id)
        where exists (select 1 from plan_ids i where i.org_id = quota_uses.org_id
          and i.id = quota_uses.plan_id and i.plan_id <> quota_uses.plan_id)`,
    ),
  ];
}

function raw(db: QueryBuilder, text: string): Compilable {
  return { compile: () => sql.raw(text).compile(db) };
}
