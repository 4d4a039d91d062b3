import { sql } from "kysely";
import type { Place } from "../../kernel/cursor.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";

/** A key that a search came upon, and where. */
interface FoundKey extends Place {
  /** Empty: the place holds a developer who has no key behind it. */
  key_id: string;
}

/** Reads up to `limit` keys behind a place, in the order of the places; fewer: that is all. */
export type FindKeys = (
  db: Connection,
  org_id: string,
  term: string,
  page: { place: Place; limit: number },
) => Promise<FoundKey[]>;

type Behind = { org_id: string; sort: string; id: string; end: string };

const byIdSql = variants((isFirst: boolean, limit: number) =>
  statement<Behind>()((db, p) =>
    db.selectFrom("credentials").select("key_id").where("org_id", "=", p.org_id)
      .where("key_id", isFirst ? ">=" : ">", p.id).where("key_id", "<", p.end)
      .orderBy("key_id").limit(sql.lit(limit))
  )
);

/** By the beginning of their ids. */
export const findByIds: FindKeys = async (db, org_id, term, { place, limit }) => {
  const isFirst = place.id === "";
  const behind = { org_id, sort: "", id: isFirst ? term : place.id, end: endOf(term) };
  const rows = await db.rows(byIdSql(isFirst, limit), behind);
  return rows.map(({ key_id }) => ({ key_id, sort: "", id: key_id }));
};

const byFormerIdSql = variants((isFirst: boolean, limit: number) =>
  statement<Behind>()((db, p) =>
    db.selectFrom("credentials")
      .select(["key_id", (eb) => eb.ref("imported_as").$notNull().as("former")])
      .where("org_id", "=", p.org_id)
      .where("imported_as", isFirst ? ">=" : ">", p.sort).where("imported_as", "<", p.end)
      .orderBy("imported_as").limit(sql.lit(limit))
  )
);

/** By the beginning of the ids under which they were imported, before their first use. */
export const findByFormerIds: FindKeys = async (db, org_id, term, { place, limit }) => {
  const isFirst = place.id === "";
  const behind = { org_id, sort: isFirst ? term : place.sort, id: "", end: endOf(term) };
  const rows = await db.rows(byFormerIdSql(isFirst, limit), behind);
  return rows.map(({ key_id, former }) => ({ key_id, sort: former, id: key_id }));
};

const byMaskSql = variants((limit: number) =>
  statement<Behind>()((db, p) =>
    db.selectFrom("credentials").select(["mask", "key_id"]).where("org_id", "=", p.org_id)
      .where(sql<boolean>`(mask, key_id) > (${p.sort}, ${p.id})`).where("mask", "<", p.end)
      .orderBy("mask").orderBy("key_id").limit(sql.lit(limit))
  )
);

/** By the beginning of their masks. */
export const findByMasks: FindKeys = async (db, org_id, term, { place, limit }) => {
  const behind = { org_id, sort: place.sort || term, id: place.id, end: endOf(term) };
  const rows = await db.rows(byMaskSql(limit), behind);
  return rows.map(({ mask, key_id }) => ({ key_id, sort: mask, id: key_id }));
};

const byMaskEndSql = variants((limit: number) =>
  statement<Behind>()((db, p) =>
    db.selectFrom("credentials").select("key_id").where("org_id", "=", p.org_id)
      .where(sql<boolean>`substr(mask, length(mask) - 3) = ${p.end}`)
      .where("key_id", ">", p.id).orderBy("key_id").limit(sql.lit(limit))
  )
);

/** By the last four characters of their masks. */
export const findByMaskEnds: FindKeys = async (db, org_id, term, { place, limit }) => {
  const behind = { org_id, sort: "", id: place.id, end: term };
  const rows = await db.rows(byMaskEndSql(limit), behind);
  return rows.map(({ key_id }) => ({ key_id, sort: "", id: key_id }));
};

const byWordSql = variants((limit: number) =>
  statement<Behind>()((db, p) =>
    db.selectFrom("credential_words").select(["word", "key_id"]).where("org_id", "=", p.org_id)
      .where(sql<boolean>`(word, key_id) > (${p.sort}, ${p.id})`).where("word", "<", p.end)
      .orderBy("word").orderBy("key_id").limit(sql.lit(limit))
  )
);

/** By words of their names. */
export const findByWords: FindKeys = async (db, org_id, term, { place, limit }) => {
  const behind = { org_id, sort: place.sort || term, id: place.id, end: endOf(term) };
  const rows = await db.rows(byWordSql(limit), behind);
  return rows.map(({ word, key_id }) => ({ key_id, sort: word, id: key_id }));
};

interface OfDeveloper {
  word: string;
  id: string;
  state: string | null;
  issued_at: string | null;
  key_id: string | null;
}

/** The keys of developers from one word on, a row each, so `limit` bounds what is looked at. */
const byDeveloperSql = variants((limit: number) =>
  statement<Behind>()<OfDeveloper>((db, p, dialect) => ({
    compile: () => {
      const most = sql.lit(limit);
      const words = sql`w.org_id = ${p.org_id} and (w.word, w.id) > (${p.sort}, ${p.id})
        and w.word < ${p.end}`;
      const order = (as: string) =>
        sql.raw(`w.word, w.id, ${as}.state, ${as}.issued_at, ${as}.key_id`);
      return dialect === "postgres"
        ? sql<OfDeveloper>`select ${order("k")} from (
            select w.org_id, w.word, w.id from developer_words as w where ${words}
            order by w.word, w.id limit ${most}) as w
          left join lateral (select c.state, c.issued_at, c.key_id from credentials as c
            where c.org_id = w.org_id and c.developer_id = w.id
            order by c.state, c.issued_at, c.key_id limit ${most}) as k on true
          order by ${order("k")} limit ${most}`.compile(db)
        : sql<OfDeveloper>`select ${order("c")} from developer_words as w
          left join credentials as c on c.org_id = w.org_id and c.developer_id = w.id
          where ${words} order by ${order("c")} limit ${most}`.compile(db);
    },
  }))
);

const restOfDeveloperSql = variants((limit: number) =>
  statement<
    { org_id: string; developer_id: string; state: string; issued_at: string; key_id: string }
  >()((db, p) =>
    db.selectFrom("credentials").select(["state", "issued_at", "key_id"])
      .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
      .where(sql<boolean>`(state, issued_at, key_id) > (${p.state}, ${p.issued_at}, ${p.key_id})`)
      .orderBy("state").orderBy("issued_at").orderBy("key_id").limit(sql.lit(limit))
  )
);

/** By words of their developers: a developer's keys beside each other. */
export const findByDevelopers: FindKeys = async (db, org_id, term, { place, limit }) => {
  const [state = "", issued_at = "", key_id = "", ...named] = place.id.split("\n");
  const developer_id = named.join("\n");
  const sort = place.sort || term;
  // Behind one of a developer's keys the others of theirs come first.
  const rest = state === "" ? [] : await db.rows(
    restOfDeveloperSql(limit),
    { org_id, developer_id, state, issued_at, key_id },
  );
  const own = rest.map((row) => ({ ...row, word: sort, id: developer_id }));
  const others = own.length === limit ? [] : await db.rows(
    byDeveloperSql(limit),
    { org_id, sort, id: developer_id, end: endOf(term) },
  );
  return [...own, ...others].slice(0, limit).map((row) => ({
    key_id: row.key_id ?? "",
    sort: row.word,
    id: [row.state ?? "", row.issued_at ?? "", row.key_id ?? "", row.id].join("\n"),
  }));
};

/** After every text that begins so; both engines sort by bytes. */
function endOf(term: string): string {
  return `${term}\u{10ffff}`;
}

const wordsSql = statement<{ org_id: string; ids: string }>()((db, p, dialect) =>
  db.selectFrom("developer_words").select(["id", "word"]).where("org_id", "=", p.org_id).where(
    "id",
    "in",
    dialect === "postgres"
      ? sql<string>`(select w.value from json_array_elements_text(${p.ids}::json) as w)`
      : sql<string>`(select w.value from json_each(${p.ids}) as w)`,
  )
);

/** The words of these developers, as the search knows them. */
export async function wordsOfDevelopers(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const words = new Map<string, string[]>();
  if (ids.length === 0) return words;
  for (const { id, word } of await db.rows(wordsSql, { org_id, ids: JSON.stringify(ids) })) {
    const known = words.get(id);
    if (known) known.push(word);
    else words.set(id, [word]);
  }
  return words;
}
