import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { change, one, values } from "../../storage/statement-functions.ts";
import { finds, removes } from "../../storage/table-statements.ts";
import type { Tx } from "../../storage/storage.ts";
import { tagsIn } from "./developer-tags.ts";

type Place = { org_id: string; id: string };

/** The stored tags of a developer; undefined: there is no such developer. */
export const findTags = one(finds("developers", { columns: ["tags", "instant"] }));

const setSql = statement<Place & { tags: string | null }>()((db, p) =>
  // Brought into the search after the commit.
  db.updateTable("developers").set({ tags: p.tags, worded: sql.lit(0) })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

const insertSql = statement<Place & { tag: string; instant: string }>()((db, p) =>
  db.insertInto("developer_tags")
    .values({ org_id: p.org_id, tag: p.tag, instant: p.instant, id: p.id })
);

/** Takes a developer out of the lists of their tags. */
export const unlistTags = change(removes("developer_tags", "org_id", "id"));

/** Files a developer whom the transaction holds under these tags, in place of their own. */
export async function setTags(tx: Tx, place: Place, tags: string | null): Promise<void> {
  await tx.change(setSql, { ...place, tags });
  await listTags(tx, place);
}

/** Puts a developer into the lists of the tags that their row has, and into no other. */
export async function listTags(tx: Tx, { org_id, id }: Place): Promise<void> {
  await unlistTags(tx, { org_id, id });
  const row = await findTags(tx, { org_id, id });
  if (!row) return;
  const { instant } = row;
  for (const tag of tagsIn(row)) await tx.send(insertSql, { org_id, id, tag, instant });
}

/** How many tags are listed. */
const MOST_LISTED = 100;

/** The tags that developers have, in the order of their bytes; the first hundred. */
export const tagsInUse = values((db, p: { org_id: string }) => ({
  compile: () => {
    const first = (behind: ReturnType<typeof sql>) =>
      sql`(select min(t.tag) from developer_tags as t where t.org_id = ${p.org_id} ${behind})`;
    // From one tag to the next: however many developers have it.
    return sql<{ tag: string }>`with recursive l(tag) as (
      select ${first(sql``)} union all
      select ${first(sql`and t.tag > l.tag`)} from l where l.tag is not null
    ) select tag from l where tag is not null limit ${sql.lit(MOST_LISTED)}`.compile(db);
  },
}));
