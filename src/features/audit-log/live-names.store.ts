import { sql } from "kysely";
import { type Dialect, statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

type Ids = { org_id: string; ids: string };

const requestsSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("key_requests").select(["id", "by_user", "for_plan"])
    .where("org_id", "=", p.org_id).where("id", "in", each(p.ids, dialect))
);
const keysSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("credentials").select(["key_id as id", "mask", "name", "developer_id"])
    .where("org_id", "=", p.org_id).where("key_id", "in", each(p.ids, dialect))
);
const certificatesSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("certificates").select(["fingerprint as id", "head", "tail", "details"])
    .where("org_id", "=", p.org_id).where("fingerprint", "in", each(p.ids, dialect))
);
const peopleSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("users").select(["id", "name"])
    .where("org_id", "=", p.org_id).where("id", "in", each(p.ids, dialect))
);
const accessTokensSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("access_tokens").select(["id", "name"])
    .where("org_id", "=", p.org_id).where("id", "in", each(p.ids, dialect))
);
const targetsSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("delivery_targets").select(["id", "name"])
    .where("org_id", "=", p.org_id).where("id", "in", each(p.ids, dialect))
);

/** By id, each in one query; none where there are no ids. */
export const requests = reader((db, p) => db.rows(requestsSql, p));
export const keys = reader((db, p) => db.rows(keysSql, p));
export const certificates = reader((db, p) => db.rows(certificatesSql, p));
export const people = reader((db, p) => db.rows(peopleSql, p));
export const accessTokens = reader((db, p) => db.rows(accessTokensSql, p));
export const targets = reader((db, p) => db.rows(targetsSql, p));

function reader<Row extends { id: string }>(read: (db: Connection, p: Ids) => Promise<Row[]>) {
  return async (db: Connection, org_id: string, ids: readonly string[]) => {
    const rows = ids.length === 0 ? [] : await read(db, { org_id, ids: JSON.stringify(ids) });
    return new Map(rows.map((row): [string, Row] => [row.id, row]));
  };
}

function each(ids: string, dialect: Dialect) {
  return dialect === "postgres"
    ? sql<string>`(select w.value from json_array_elements_text(${ids}::json) as w)`
    : sql<string>`(select w.value from json_each(${ids}) as w)`;
}
