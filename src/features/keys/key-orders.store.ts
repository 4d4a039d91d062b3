import { sql } from "kysely";
import { type Source, source } from "../../kernel/walk.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import type { StoredKeyState } from "./key-kinds.ts";
import { type ListedKey, selectView } from "./key-list.store.ts";

/**
 * The orders of keys besides newest first. Those without an expiry come after all others, oldest
 * first.
 */
export type KeyOrder = { sort: "created" | "expires_at"; descending: boolean };

type InState = { org_id: string; state: StoredKeyState; sort: string; id: string };

const createdSql = variants((descending: boolean, limit: number) =>
  statement<InState>()((db, p) => {
    const direction = descending ? "desc" : "asc";
    return selectView(db.selectFrom("credentials as c"))
      .select("c.issued_at as sort")
      .where("c.org_id", "=", p.org_id).where("c.state", "=", p.state)
      .where(
        sql<boolean>`(c.issued_at, c.key_id) ${behind(descending)} (${p.sort}, ${p.id})`,
      )
      .orderBy("c.issued_at", direction).orderBy("c.key_id", direction).limit(sql.lit(limit));
  })
);

type AtEnd = InState & { issued: string };

const endingSql = variants((descending: boolean, limit: number) =>
  statement<AtEnd>()((db, p) => {
    const direction = descending ? "desc" : "asc";
    return selectView(db.selectFrom("credentials as c"))
      .select((eb) => eb.ref("c.expires_at").$notNull().as("sort"))
      .where("c.org_id", "=", p.org_id).where("c.state", "=", p.state)
      // No place is before or behind a null. Asked for by itself it would be one more bound to
      // enter the index at.
      .where(
        sql<boolean>`(c.expires_at, c.issued_at, c.key_id) ${behind(descending)}
          (${p.sort}, ${p.issued}, ${p.id})`,
      )
      .orderBy("c.expires_at", direction).orderBy("c.issued_at", direction)
      .orderBy("c.key_id", direction).limit(sql.lit(limit));
  })
);

const endlessSql = variants((descending: boolean, limit: number) =>
  statement<Omit<AtEnd, "sort">>()((db, p) => {
    const direction = descending ? "desc" : "asc";
    return selectView(db.selectFrom("credentials as c"))
      .select("c.issued_at as sort")
      .where("c.org_id", "=", p.org_id).where("c.state", "=", p.state)
      .where("c.expires_at", "is", null)
      .where(sql<boolean>`(c.issued_at, c.key_id) ${behind(descending)} (${p.issued}, ${p.id})`)
      // The first decides nothing; PostgreSQL takes the order out of the index only where it is
      // named.
      .orderBy("c.expires_at", direction)
      .orderBy("c.issued_at", direction).orderBy("c.key_id", direction).limit(sql.lit(limit));
  })
);

function behind(descending: boolean) {
  return sql.raw(descending ? "<" : ">");
}

/**
 * The sources whose merge is every key of these states in an order: one a state, or one with ends
 * and one without.
 */
export function orderedKeys(
  db: Connection,
  org_id: string,
  states: readonly StoredKeyState[],
  { sort, descending }: KeyOrder,
): Source<ListedKey>[] {
  if (sort === "created") {
    return states.map((state) =>
      source(
        (place, limit) => db.rows(createdSql(descending, limit), { org_id, state, ...place }),
        ({ sort, key_id }: ListedKey) => ({ sort, id: key_id }),
      )
    );
  }
  return states.flatMap((state) => [
    source(
      ({ sort, id }, limit) => {
        const [end = "", issued = ""] = sort.split(" ");
        return db.rows(endingSql(descending, limit), { org_id, state, sort: end, issued, id });
      },
      (row: ListedKey) => ({ sort: `${row.expires_at} ${row.issued_at}`, id: row.key_id }),
    ),
    source(
      ({ sort, id }, limit) => {
        const [end, issued = ""] = sort.split(" ");
        const isAmong = end === ENDLESS;
        // They stand together behind every end.
        if (descending && !isAmong) return Promise.resolve([]);
        const at = isAmong ? { issued, id } : { issued: "", id: "" };
        return db.rows(endlessSql(descending, limit), { org_id, state, ...at });
      },
      (row: ListedKey) => ({ sort: `${ENDLESS} ${row.issued_at}`, id: row.key_id }),
    ),
  ]);
}

/** Sorts after every end. */
const ENDLESS = "~";

/** The place before every key of an order. */
export function beforeAllKeys({ sort, descending }: KeyOrder): { sort: string; id: string } {
  if (!descending) return { sort: "", id: "" };
  return { sort: sort === "created" ? "~" : `${ENDLESS} ~`, id: "" };
}
