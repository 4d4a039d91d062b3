import { sql } from "kysely";
import { rowOf } from "../../../storage/rows.ts";
import type { StoredRow } from "../../../storage/schema.ts";
import { all, change, one } from "../../../storage/statement-functions.ts";
import { finds, removes } from "../../../storage/table-statements.ts";

/** Which state of a map a proxy has that fetches it. */
export type MapReaderRow = StoredRow<"map_readers">;

type Of = { org_id: string; gateway_id: string };

/** The state of the proxy with this access token, or undefined. */
export const findMapReader = one(finds("map_readers"));

/**
 * The proxies that fetch a map, by their access tokens. One whose token was revoked is stopped, and
 * is not among them. One whose token was rotated goes on by its last map until it fetches
 * by the new one; so does one whose token has ended by `now`, if it fetched after `since`.
 */
export const mapReaders = all((db, p: Of & { now: string; since: string }) =>
  db.selectFrom("map_readers as r").innerJoin(
    "access_tokens as t",
    (join) => join.onRef("t.org_id", "=", "r.org_id").onRef("t.id", "=", "r.token_id"),
  ).leftJoin(
    "access_tokens as n",
    (join) => join.onRef("n.org_id", "=", "r.org_id").onRef("n.id", "=", "t.replaced_by"),
  ).leftJoin(
    "map_readers as m",
    (join) =>
      join.onRef("m.org_id", "=", "r.org_id").onRef("m.gateway_id", "=", "r.gateway_id")
        .onRef("m.token_id", "=", "t.replaced_by"),
  )
    .select(["r.token_id", "r.edition", "r.up_to", "r.seen_at"])
    .where("r.org_id", "=", p.org_id).where("r.gateway_id", "=", p.gateway_id)
    .where(({ and, or, eb }) =>
      or([
        and([
          eb("t.replaced_by", "is", null),
          eb("t.revoked_at", "is", null),
          or([
            eb("t.expires_at", "is", null),
            eb("t.expires_at", ">", p.now),
            eb("r.seen_at", ">", p.since),
          ]),
        ]),
        and([
          eb("t.replaced_by", "is not", null),
          eb("n.revoked_at", "is", null),
          eb("m.token_id", "is", null),
        ]),
      ])
    )
    .orderBy("r.token_id")
);

/** Notes what a proxy has and was sent; of two calls at once the later edition counts. */
export const putMapReader = change((db, row: MapReaderRow) =>
  db.insertInto("map_readers").values(rowOf("map_readers", row)).onConflict((conflict) =>
    conflict.columns(["org_id", "gateway_id", "token_id"]).doUpdateSet({
      edition: sql<number>`case when excluded.edition > map_readers.edition
        then excluded.edition else map_readers.edition end`,
      up_to: sql<string | null>`case when map_readers.up_to is null
        or excluded.up_to > map_readers.up_to then excluded.up_to else map_readers.up_to end`,
      sent: sql<string>`excluded.sent`,
      sent_edition: sql<number>`excluded.sent_edition`,
      sent_at: sql<string>`excluded.sent_at`,
      seen_at: sql<string>`excluded.seen_at`,
    })
  )
);

/** Forgets who fetched the map of a gateway. */
export const forgetMapReaders = change(removes("map_readers", "org_id", "gateway_id"));
