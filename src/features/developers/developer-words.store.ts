import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";

type Place = { org_id: string; id: string };

const waitingSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("developers").select("id").where("worded", "=", sql.lit(0)).limit(sql.lit(1))
);

/** Whether a developer of any organisation waits for the search. */
export async function hasUnworded(db: Connection): Promise<boolean> {
  return await db.row(waitingSql, {}) !== undefined;
}

const waitingOfSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("developers").select("id").where("org_id", "=", p.org_id)
    .where("worded", "=", sql.lit(0)).limit(sql.lit(1))
);

/** Whether one of this organisation waits. */
export async function hasUnwordedOf(db: Connection, org_id: string): Promise<boolean> {
  return await db.row(waitingOfSql, { org_id }) !== undefined;
}

/** Developers of one chunk. */
const CHUNK = 64;

const unwordedSql = statement<{ from: string }>()((db, p, dialect) => {
  const query = db.selectFrom("developers").select(["org_id", "id", "document"])
    .where("worded", "=", sql.lit(0)).where("org_id", ">=", p.from)
    .orderBy("org_id").orderBy("id").limit(sql.lit(CHUNK));
  // Whom somebody else holds is left to the next chunk: approvals must not wait for this, nor this for them.
  return dialect === "postgres" ? query.forUpdate().skipLocked() : query;
});

/** Developers that wait, from this organisation on, held until the transaction ends. */
export function lockUnworded(tx: Tx, from: string) {
  return tx.rows(unwordedSql, { from });
}

const removeSql = statement<Place>()((db, p) =>
  db.deleteFrom("developer_words").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Takes a developer out of the search. */
export async function removeWords(tx: Tx, org_id: string, id: string): Promise<void> {
  await tx.change(removeSql, { org_id, id });
}

const insertSql = statement<Place & { words: string }>()((db, p, dialect) => ({
  compile: () =>
    dialect === "postgres"
      ? sql`insert into developer_words (org_id, word, id)
          select ${p.org_id}, w.value, ${p.id} from json_array_elements_text(${p.words}::json) as w`
        .compile(db)
      : sql`insert into developer_words (org_id, word, id)
          select ${p.org_id}, w.value, ${p.id} from json_each(${p.words}) as w`.compile(db),
}));

const wordedSql = statement<Place>()((db, p) =>
  db.updateTable("developers").set({ worded: sql.lit(1) })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Gives a developer that this transaction holds these words and no others; each stands there once. */
export async function putWords(tx: Tx, { org_id, id }: Place, words: readonly string[]) {
  await removeWords(tx, org_id, id);
  await tx.change(insertSql, { org_id, id, words: JSON.stringify(words) });
  await tx.change(wordedSql, { org_id, id });
}
