import { sql } from "kysely";
import { type Source, source, type WalkedList } from "../../kernel/walk.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { selectV1, type V1Row, type Walk, walkRequests } from "./v1.store.ts";

type Behind = { org_id: string; sort: string; id: string };

/** The state as a literal: a bound value could not be proved to match a partial index. */
const promisedSql = variants((limit: number) =>
  statement<Behind>()((db, p) =>
    selectV1(db.selectFrom("key_requests as r"))
      .where("r.org_id", "=", p.org_id).where("r.state", "=", sql.lit("pending"))
      .where("r.decide_by", "is not", null)
      .where(sql<boolean>`(r.decide_by, r.id) > (${p.sort}, ${p.id})`)
      .orderBy("r.decide_by").orderBy("r.id").limit(sql.lit(limit))
  )
);

/** Up to `limit` requests that wait and of which something is promised, behind a place. */
export function walkPromised(
  db: Connection,
  org_id: string,
  place: { sort: string; id: string },
  limit: number,
): Promise<V1Row[]> {
  return db.rows(promisedSql(limit), { org_id, ...place });
}

/** Before the instants of those of which nothing is promised: they come behind all others. */
const OTHERS = "~";

const isOther = (sort: string) => sort.startsWith(OTHERS);

/** Requests that wait by the time of their promise, the earliest first. */
export function promisedAlone(db: Connection, org_id: string): WalkedList<V1Row> {
  const promised = source(
    (place, limit) =>
      isOther(place.sort) ? Promise.resolve([]) : walkPromised(db, org_id, place, limit),
    (row: V1Row) => ({ sort: row.decide_by ?? "", id: row.id }),
  );
  return { order: "late", first: { sort: "", id: "" }, ascending: true, sources: [promised] };
}

/** The same, and then those of which nothing is promised, the oldest first. */
export function byPromise(db: Connection, org_id: string): WalkedList<V1Row> {
  const promised = promisedAlone(db, org_id);
  const others = (["unapproved", "waiting"] as const).map((walk) => unpromised(db, org_id, walk));
  return { ...promised, order: "promised", sources: [...promised.sources, ...others] };
}

/** Of a walk those of which nothing is promised. */
function unpromised(db: Connection, org_id: string, walk: Walk): Source<V1Row> {
  const placeOf = (row: V1Row) => ({ sort: OTHERS + row.instant, id: row.id });
  const all = source(({ sort, id }, limit) => {
    const place = isOther(sort) ? { sort: sort.slice(OTHERS.length), id } : { sort: "", id: "" };
    return walkRequests(db, org_id, { walk }, { newestFirst: false, place, limit });
  }, placeOf);
  return async (place, limit) => {
    const part = await all(place, limit);
    const rows = part.rows.filter(({ row }) => row.state === "pending" && row.decide_by === null);
    return { ...part, rows };
  };
}
