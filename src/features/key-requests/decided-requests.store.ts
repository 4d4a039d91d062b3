import { sql } from "kysely";
import { source, type WalkedList } from "../../kernel/walk.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { selectV1, type V1Row } from "./v1.store.ts";

type State = "issued" | "declined";
type DecidedRow = V1Row & { decided: string };
type Behind = { org_id: string; sort: string; id: string };

/** The state as a literal: a bound value could not be proved to match a partial index. */
const decidedSql = variants((state: State, descending: boolean, limit: number) =>
  statement<Behind>()((db, p) => {
    const at = state === "issued" ? "r.issued_at" as const : "r.decided_at" as const;
    const direction = descending ? "desc" : "asc";
    const behind = sql.raw(descending ? "<" : ">");
    return selectV1(db.selectFrom("key_requests as r"))
      .select((eb) => eb.ref(at).$notNull().as("decided"))
      .where("r.org_id", "=", p.org_id).where("r.state", "=", sql.lit(state))
      .where(sql<boolean>`(${sql.ref(at)}, r.id) ${behind} (${p.sort}, ${p.id})`)
      .orderBy(at, direction).orderBy("r.id", direction).limit(sql.lit(limit));
  })
);

const undatedSql = variants((state: State, descending: boolean, limit: number) =>
  statement<Omit<Behind, "sort">>()((db, p) => {
    const at = state === "issued" ? "r.issued_at" as const : "r.decided_at" as const;
    const direction = descending ? "desc" : "asc";
    const behind = sql.raw(descending ? "<" : ">");
    return selectV1(db.selectFrom("key_requests as r"))
      .select(sql<string>`''`.as("decided"))
      .where("r.org_id", "=", p.org_id).where("r.state", "=", sql.lit(state))
      .where(at, "is", null).where(sql<boolean>`r.id ${behind} ${p.id}`)
      // The first decides nothing; PostgreSQL takes the order out of the index only where it is
      // named.
      .orderBy(at, direction).orderBy("r.id", direction).limit(sql.lit(limit));
  })
);

/**
 * Requests in this state by the time of their decision; those of which it is not known come before
 * all others.
 */
export function decidedList(
  db: Connection,
  org_id: string,
  { state, descending }: { state: State; descending: boolean },
): WalkedList<DecidedRow> {
  const placeOf = ({ decided, id }: DecidedRow) => ({ sort: decided, id });
  return {
    order: `decided ${state} ${descending ? "desc" : "asc"}`,
    first: { sort: descending ? "~" : "", id: "" },
    ascending: !descending,
    sources: [
      source(
        (place, limit) => db.rows(decidedSql(state, descending, limit), { org_id, ...place }),
        placeOf,
      ),
      source(({ sort, id }, limit) => {
        const isAmong = sort === "";
        if (!descending && !isAmong) return Promise.resolve([]);
        return db.rows(undatedSql(state, descending, limit), {
          org_id,
          id: isAmong ? id : LAST,
        });
      }, placeOf),
    ],
  };
}

/** After every id. */
const LAST = "\u{10ffff}";
