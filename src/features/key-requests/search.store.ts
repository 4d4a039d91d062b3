import { sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { exists, lockAll, one, send } from "../../storage/statement-functions.ts";
import { removes } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";

type Place = { org_id: string; id: string };

const noteSql = statement<Place & { mark: string }>()((db, p) =>
  db.insertInto("key_request_changes").values({ org_id: p.org_id, mark: p.mark, id: p.id })
);

/** Says, in the transaction that changes it, that the search must look at a request again. */
export async function noteForSearch(tx: Tx, org_id: string, id: string): Promise<void> {
  await tx.send(noteSql, { org_id, id, mark: newId(Date.now()) });
}

/** Whether any organisation's change waits. */
export const hasChanges = exists((db) =>
  db.selectFrom("key_request_changes").select("org_id").limit(sql.lit(1))
);

/** Whether a change of this organisation waits. */
export const hasChangesOf = exists((db, p: { org_id: string }) =>
  db.selectFrom("key_request_changes").select("org_id").where("org_id", "=", p.org_id)
    .limit(sql.lit(1))
);

/** Changes of one chunk. */
const CHUNK = 64;

/** The oldest changes that wait, from this organisation on, held until the transaction ends. */
export const lockChanges = lockAll((db, p: { from: string }) =>
  db.selectFrom("key_request_changes").select(["org_id", "mark", "id"])
    .where("org_id", ">=", p.from).orderBy("org_id").orderBy("mark").limit(sql.lit(CHUNK))
);

/** Takes a change off the list. */
export const removeChange = send(removes("key_request_changes"));

/** The searched columns of a request, or undefined. */
export const findSearched = one((db, p: Place) =>
  db.selectFrom("key_requests as r")
    .leftJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "r.org_id").onRef("d.id", "=", "r.by_user"),
    )
    .select(["r.id", "r.by_user", "r.for_plan", "r.head", "r.sent_entry", "r.instant"])
    .select((eb) => eb.fn.coalesce("d.document", "r.sent_developer").as("developer"))
    .where("r.org_id", "=", p.org_id).where("r.id", "=", p.id)
);

/** The position of a request in the search, or undefined. */
export const findPosition = one((db, p: Place) =>
  db.selectFrom("key_request_positions").select(["position", "instant"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

type IndexedRow = Place & { position: number; instant: string; text: string };

const insertSql = statement<IndexedRow>()((db, p) =>
  db.insertInto("key_request_positions").values(rowOf("key_request_positions", p)).onConflict((
    conflict,
  ) => conflict.column("position").doNothing())
);

const insertTextSql = statement<{ position: number; text: string; org: string }>()((db, p) =>
  db.insertInto("key_request_search").values({ rowid: p.position, text: p.text, org: p.org })
);

/** Adds a request, which the search lacks, at this position. False: the position is taken. */
export async function indexRequest(tx: Tx, row: IndexedRow): Promise<boolean> {
  const isSqlite = tx.dialect === "sqlite";
  if (await tx.change(insertSql, isSqlite ? { ...row, text: "" } : row) !== 1) return false;
  if (isSqlite) await addSearchText(tx, row);
  return true;
}

/** SQLite: adds the text of a request whose position is stored already to the index. */
export async function addSearchText(
  db: Connection,
  row: { org_id: string; position: number; text: string },
): Promise<void> {
  const { position, text, org_id } = row;
  await db.change(insertTextSql, { position, text, org: orgWord(org_id) });
}

const removeSql = statement<Place>()((db, p) =>
  db.deleteFrom("key_request_positions").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

const removeTextSql = statement<{ position: number }>()((db, p) =>
  db.deleteFrom("key_request_search").where("rowid", "=", p.position)
);

/** Takes a request out of the search. */
export async function unindexRequest(tx: Tx, place: Place, position: number): Promise<void> {
  await tx.send(removeSql, { org_id: place.org_id, id: place.id });
  if (tx.dialect === "sqlite") await tx.send(removeTextSql, { position });
}

/** A word of three letters for an organisation; some share one. */
function orgWord(org_id: string): string {
  return sha256(org_id).slice(0, 3);
}

/** A match: `id` null where it is another organisation's. */
interface Match {
  position: number;
  id: string | null;
}

type SearchParams = {
  org_id: string;
  match: string;
  position: number;
  [pattern: `pattern${number}`]: string | null;
};

/** How many texts one statement takes. */
const SIZES = [1, 4, 16];
const MOST_TEXTS = 65;

const searchSql = variants((newestFirst: boolean, limit: number, size: number) => {
  const direction = sql.raw(newestFirst ? "desc" : "asc");
  const behind = sql.raw(newestFirst ? "<" : ">");
  return statement<SearchParams>()<Match>((db, p, dialect) => ({
    compile: () =>
      dialect === "postgres"
        ? sql<Match>`select position, id from key_request_positions
            where org_id = ${p.org_id} and (${sql.join(patternsOf(p, size), sql` or `)})
            and position ${behind} ${p.position}
            order by position ${direction} limit ${sql.lit(limit)}`.compile(db)
        : sql<Match>`select k.rowid as position, m.id
            from (select rowid from key_request_search
              where key_request_search match ${p.match} and rowid ${behind} ${p.position}
              order by rowid ${direction} limit ${sql.lit(limit)}) as k
            left join key_request_positions as m
            on m.position = k.rowid and m.org_id = ${p.org_id}
            order by k.rowid ${direction}`.compile(db),
  }));
});

function patternsOf(p: SearchParams, size: number) {
  return Array.from({ length: size }, (_, n) => sql`text like ${p[`pattern${n}`]}`);
}

/**
 * Up to `limit` matches of any of these texts, in lower case, behind a place. The index has none of
 * fewer than three characters; the first has more.
 */
export function findMatches(
  db: Connection,
  org_id: string,
  texts: readonly string[],
  page: { newestFirst: boolean; position: number; limit: number },
): Promise<Match[]> {
  const { newestFirst, position, limit } = page;
  const known = texts.filter((text) => [...text].length >= 3);
  const size = SIZES.find((most) => most >= known.length) ?? MOST_TEXTS;
  const phrases = known.map((text) => `"${text.replaceAll('"', '""')}"`);
  const params: SearchParams = {
    org_id,
    position,
    match: `text : (${phrases.join(" OR ")}) AND org : "${orgWord(org_id)}"`,
  };
  // One that is null finds nothing, and costs nothing.
  for (let n = 0; n < size; n++) {
    const text = known[n];
    params[`pattern${n}`] = text === undefined ? null : `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
  }
  return db.rows(searchSql(newestFirst, limit, size), params);
}
