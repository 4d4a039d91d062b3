import { sql } from "kysely";
import type { Place } from "../../../kernel/cursor.ts";
import { rowOf } from "../../../storage/rows.ts";
import { statement } from "../../../storage/statement.ts";
import { atMost, lockOne, one, send } from "../../../storage/statement-functions.ts";
import { finds } from "../../../storage/table-statements.ts";
import type { Connection, Tx } from "../../../storage/storage.ts";
import { variants } from "../../../storage/variants.ts";
import type { OneTimeLinkState } from "./one-time-link.ts";
import { dropLink } from "./waiting-links.store.ts";

/** A one-time link as lists show it. */
export interface OneTimeLinkRow {
  id: string;
  state: OneTimeLinkState;
  request_id: string;
  key_id: string;
  access_token_id: string;
  created_by: string;
  created_at: string;
  expires_at: string;
  closed_at: string | null;
}

type NewRow =
  & Omit<{ [K in keyof OneTimeLinkRow]: OneTimeLinkRow[K] }, "state" | "closed_at">
  & Record<"org_id" | "hash" | "secret" | "email", string>;

const insertSql = statement<NewRow>()((db, p) =>
  db.insertInto("claims").values({
    ...rowOf("claims", p, "state", "closed_at"),
    state: sql.lit("open"),
    closed_at: null,
  })
);

/** Adds an open one-time link; of a key where no access token is named. */
export async function insertOneTimeLink(
  tx: Tx,
  row: Omit<NewRow, "access_token_id" | "email"> & { access_token_id?: string; email?: string },
): Promise<void> {
  await tx.change(insertSql, { access_token_id: "", email: "", ...row });
}

const LINK_COLUMNS = [
  "id",
  "state",
  "request_id",
  "key_id",
  "access_token_id",
  "created_by",
  "created_at",
  "expires_at",
  "closed_at",
] as const;

/** The one-time link of a token, in any state; or undefined. The token names its organisation. */
export const findByHash = one((db, p: { hash: string }) =>
  db.selectFrom("claims").select([...LINK_COLUMNS, "org_id", "email"]).where("hash", "=", p.hash)
);

/**
 * The one-time link of a token, held for the transaction; or undefined. Tokens name their
 * organisation.
 */
export const lockByHash = lockOne(
  finds("claims", {
    columns: [
      "org_id",
      "id",
      "state",
      "secret",
      "key_id",
      "request_id",
      "expires_at",
      "access_token_id",
    ],
    by: ["hash"],
  }),
);

const closeSql = statement<
  { org_id: string; id: string; state: OneTimeLinkState; closed_at: string }
>()((db, p) =>
  db.updateTable("claims")
    .set({ state: p.state, closed_at: p.closed_at, secret: null, email: null })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("open"))
);

/**
 * Closes an open one-time link and erases its secret and whom it was for: a compare-and-set. False
 * when it was closed before.
 */
export async function markClosed(
  tx: Tx,
  place: { org_id: string; id: string },
  closed: { state: "opened" | "withdrawn"; at: string },
): Promise<boolean> {
  const { org_id, id } = place;
  await dropLink(tx, { org_id, id });
  return await tx.change(closeSql, { org_id, id, state: closed.state, closed_at: closed.at }) === 1;
}

/**
 * Forgets for which address the one-time links of a developer's keys were made: their links are
 * mailed nowhere any more.
 */
export const forgetOneTimeLinkEmails = send((db, p: { org_id: string; developer_id: string }) =>
  db.updateTable("claims").set({ email: sql.lit("") })
    .where("org_id", "=", p.org_id).where("email", "<>", sql.lit(""))
    .where("key_id", "in", (keys) =>
      keys.selectFrom("credentials").select("key_id")
        .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id))
);

const openOfSql = statement<{ org_id: string; developer_id: string; now: string }>()((db, p) =>
  db.selectFrom("credentials as c").innerJoin(
    "claims as l",
    (join) => join.onRef("l.org_id", "=", "c.org_id").onRef("l.key_id", "=", "c.key_id"),
  ).select(["l.id", "l.key_id", "l.request_id"])
    .where("c.org_id", "=", p.org_id).where("c.developer_id", "=", p.developer_id)
    // Said in words that the partial index has.
    .where("l.key_id", "<>", sql.lit(""))
    .where("l.state", "=", sql.lit("open")).where("l.expires_at", ">", p.now)
);

/** The one-time links of a developer's keys that can be opened at `now`. */
export async function openOneTimeLinksOf(
  db: Connection,
  org_id: string,
  developer_id: string,
  now: string,
): Promise<{ id: string; key_id: string; request_id: string }[]> {
  const found = await db.rows(openOfSql, { org_id, developer_id, now });
  return found.toSorted((a, b) => a.id < b.id ? -1 : 1);
}

/** A one-time link, or undefined. */
export const findOneTimeLink = one(finds("claims", { columns: LINK_COLUMNS }));

/** The column by which one-time links are found. */
type OneTimeLinksOf = "key_id" | "request_id";

const ofSql = (column: OneTimeLinksOf) =>
  variants((limit: number) =>
    statement<{ org_id: string; named: string; sort: string; id: string }>()((db, p) =>
      db.selectFrom("claims").select(LINK_COLUMNS).where("org_id", "=", p.org_id)
        .where(column, "=", p.named).where(column, "<>", sql.lit(""))
        .where(sql<boolean>`(created_at, id) < (${p.sort}, ${p.id})`)
        .orderBy("created_at", "desc").orderBy("id", "desc").limit(sql.lit(limit))
    )
  );

const ofSqls = { key_id: ofSql("key_id"), request_id: ofSql("request_id") };

/** Up to `limit` one-time links of a key or a key request behind `place`, newest first. */
export function oneTimeLinksOfAfter(
  db: Connection,
  { org_id, of, named }: { org_id: string; of: OneTimeLinksOf; named: string },
  place: Place,
  limit: number,
): Promise<OneTimeLinkRow[]> {
  return db.rows(ofSqls[of](limit), { org_id, named, ...place });
}

/** Up to `limit` one-time links behind `place`, newest first. */
export const oneTimeLinksAfter = atMost((
  db,
  p: { org_id: string; sort: string; id: string },
  limit,
) =>
  db.selectFrom("claims").select(LINK_COLUMNS).where("org_id", "=", p.org_id)
    .where(sql<boolean>`(created_at, id) < (${p.sort}, ${p.id})`)
    .orderBy("created_at", "desc").orderBy("id", "desc").limit(limit)
);
