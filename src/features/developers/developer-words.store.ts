import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { change, exists, lockAll } from "../../storage/statement-functions.ts";
import { removes } from "../../storage/table-statements.ts";
import type { Tx } from "../../storage/storage.ts";

type Place = { org_id: string; id: string };

/** Whether a developer of any organisation waits for the search. */
export const hasUnworded = exists((db) =>
  db.selectFrom("developers").select("id").where("worded", "=", sql.lit(0)).limit(sql.lit(1))
);

/** Whether one of this organisation waits. */
export const hasUnwordedOf = exists((db, p: { org_id: string }) =>
  db.selectFrom("developers").select("id").where("org_id", "=", p.org_id)
    .where("worded", "=", sql.lit(0)).limit(sql.lit(1))
);

/** Developers of one chunk. */
const CHUNK = 64;

/** Developers that wait, from this organisation on, held until the transaction ends. */
export const lockUnworded = lockAll(
  (db, p: { from: string }) =>
    db.selectFrom("developers").select(["org_id", "id", "document", "tags"])
      .where("worded", "=", sql.lit(0)).where("org_id", ">=", p.from)
      .orderBy("org_id").orderBy("id").limit(sql.lit(CHUNK)),
  (query) => query.forUpdate().skipLocked(),
);

/** Takes a developer out of the search. */
export const removeWords = change(removes("developer_words", "org_id", "id"));

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

/** Gives a developer that this transaction holds these words and no others, each of them once. */
export async function putWords(tx: Tx, { org_id, id }: Place, words: readonly string[]) {
  await removeWords(tx, { org_id, id });
  await tx.change(insertSql, { org_id, id, words: JSON.stringify(words) });
  await tx.change(wordedSql, { org_id, id });
}
