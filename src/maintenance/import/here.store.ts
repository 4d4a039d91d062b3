import { sql } from "kysely";
import {
  findCatalogue,
  findConfiguration,
  listEntries,
} from "../../features/plans/catalogue/catalogue.store.ts";
import { openStored } from "../../features/developers/developers.store.ts";
import { planIdsOf } from "../../features/plans/plan-ids.store.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { isThere } from "../archive/archive-rows.store.ts";
import { isArchiveTable } from "../archive/read-rows.ts";
import { digestOf } from "./digests.ts";
import { importedOf } from "./imports.store.ts";
import type { Kind } from "./source.ts";

type Ids = { org_id: string; ids: string };
/** Held against other writers where a transaction asks; SQLite has one writer at a time. */
type Dialect = "postgres" | "sqlite";

function each(ids: unknown, dialect: Dialect) {
  return dialect === "postgres"
    ? sql<string>`(select w.value from json_array_elements_text(${ids}::json) as w)`
    : sql<string>`(select w.value from json_each(${ids}) as w)`;
}

const planSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("plans").select(["id", "document", "deleted_at"])
    .where("org_id", "=", p.org_id).where("id", "in", each(p.ids, dialect))
);

const documentSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("portal_documents").select(["id", "api_id", "doc_type", "documentation"])
    .where("org_id", "=", p.org_id).where("id", "in", each(p.ids, dialect))
);

const certificateSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("certificates").select(["fingerprint as id"])
    .where("org_id", "=", p.org_id).where("fingerprint", "in", each(p.ids, dialect))
);

const developerSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("developers").select(["id", "document", "secrets"])
    .where("org_id", "=", p.org_id).where("id", "in", each(p.ids, dialect))
);

const KEY_COLUMNS = ["key_id", "state", "developer_id", "plans", "expires_at"] as const;

const keySql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("credentials").select(KEY_COLUMNS).where("org_id", "=", p.org_id)
    .where("key_id", "in", each(p.ids, dialect))
);

// Apart from the one above: no index serves both.
const adoptedSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("credentials").select(KEY_COLUMNS)
    .select((eb) => eb.ref("imported_as").$notNull().as("imported_as"))
    .where("org_id", "=", p.org_id).where("imported_as", "in", each(p.ids, dialect))
);

const requestSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("key_requests")
    .select(["id", "state", "head", "tail", "sent_developer", "sent_entry", "sent_catalogues"])
    .where("org_id", "=", p.org_id).where("id", "in", each(p.ids, dialect))
);

const lockDevelopersSql = statement<Ids>()((db, p) =>
  db.selectFrom("developers").select("id").where("org_id", "=", p.org_id)
    .where("id", "in", each(p.ids, "postgres")).orderBy("id").forUpdate()
);

const lockRequestsSql = statement<Ids>()((db, p) =>
  db.selectFrom("key_requests").select("id").where("org_id", "=", p.org_id)
    .where("id", "in", each(p.ids, "postgres")).orderBy("id").forUpdate()
);

/** Holds the objects of a kind that are there until the transaction ends, by their ids. */
export async function lockHere(
  tx: Connection,
  org_id: string,
  kind: Kind,
  ids: readonly string[],
): Promise<void> {
  if (tx.dialect === "sqlite") return;
  const params = { org_id, ids: JSON.stringify(ids) };
  if (kind === "developer") await tx.rows(lockDevelopersSql, params);
  if (kind === "request") await tx.rows(lockRequestsSql, params);
}

/**
 * A digest of what is here of each of these objects, by id; none where it is not here. Changes by
 * people through the interface change it; what a key's use changes does not.
 */
export async function hereOf(
  db: Connection,
  sealer: Sealer,
  org_id: string,
  kind: Kind,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const params = { org_id, ids: JSON.stringify(ids) };
  switch (kind) {
    case "plan":
      return await plansHere(db, org_id, ids);
    case "configuration": {
      const document = await findConfiguration(db, { org_id });
      return new Map(document === undefined ? [] : [["", digestOf(document)]]);
    }
    case "catalogue": {
      const catalogue = await findCatalogue(db, { org_id });
      if (!catalogue) return new Map();
      return new Map([["", digestOf([catalogue.email, await listEntries(db, { org_id })])]]);
    }
    case "documentation":
      return byId(await db.rows(documentSql, params), (row) => row);
    case "certificate":
      return byId(await db.rows(certificateSql, params), (row) => row);
    case "developer":
      return byId(await db.rows(developerSql, params), (row) => {
        const { keys: _, subscriptions: _1, oauth_clients: _2, last_login_date: _3, ...rest } =
          openStored(sealer, org_id, row);
        return rest;
      });
    case "client":
    case "key": {
      const own = await db.rows(keySql, params);
      const adopted = await db.rows(adoptedSql, params);
      return byId([
        ...own.map(({ key_id: id, ...row }) => ({ id, ...row })),
        ...adopted.map(({ key_id: _, imported_as: id, ...row }) => ({ id, ...row })),
      ], (row) => row);
    }
    case "request":
      return byId(await db.rows(requestSql, params), (row) => row);
    case "rest":
      return await restHere(db, org_id, ids);
  }
}

async function plansHere(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const known = await planIdsOf(db, org_id, ids);
  const own = [...new Set([...known.values()].map(({ _id }) => _id))];
  const rows = await db.rows(planSql, { org_id, ids: JSON.stringify(own) });
  // One that was deleted is not here.
  const digests = byId(rows.filter(({ deleted_at }) => deleted_at === null), (row) => row.document);
  return new Map(
    [...known].flatMap(([id, { _id }]) => {
      const digest = digests.get(_id);
      return digest === undefined ? [] : [[id, digest] as const];
    }),
  );
}

/** The digest of an object without its own kind: that it exists, since use changes most of it. */
async function restHere(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const id of ids) {
    // as: readArchiveRows wrote exactly this.
    const [table, ...identity] = JSON.parse(id) as (string | number)[];
    if (!isArchiveTable(table)) continue;
    if (table === "organisations") {
      // Every server has an organisation: it is the other one's since that was imported.
      const known = await importedOf(db, org_id, "rest", [id]);
      if (known.has(id)) found.set(id, "");
    } else if (await isThere(db, org_id, table, identity)) found.set(id, digestOf(id));
  }
  return found;
}

function byId<Row extends { id: string }>(
  rows: readonly Row[],
  content: (row: Row) => unknown,
): Map<string, string> {
  return new Map(rows.map((row) => [row.id, digestOf(content(row))]));
}
