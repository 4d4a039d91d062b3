import type { StoredRow } from "../../storage/schema.ts";
import { type SqlValue, statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { sql } from "kysely";

/** The sealed token of a claim whose link waits to be mailed. */
export type ClaimLinkRow = StoredRow<"claim_links">;

const insertSql = statement<{ [K in keyof ClaimLinkRow]: ClaimLinkRow[K] & SqlValue }>()((db, p) =>
  db.insertInto("claim_links").values({
    org_id: p.org_id,
    id: p.id,
    request_id: p.request_id,
    link: p.link,
    expires_at: p.expires_at,
  })
);

/** Keeps the sealed token of a claim until its link was mailed, or the claim is closed or over. */
export async function keepLink(tx: Tx, row: ClaimLinkRow): Promise<void> {
  await tx.change(insertSql, { ...row });
}

const ofRequestSql = statement<{ org_id: string; request_id: string; now: string }>()((db, p) =>
  db.selectFrom("claim_links as l")
    .innerJoin(
      "claims as c",
      (join) => join.onRef("c.org_id", "=", "l.org_id").onRef("c.id", "=", "l.id"),
    )
    .select(["l.id", "l.link", "l.expires_at", "c.created_at", "c.email"])
    .where("l.org_id", "=", p.org_id).where("l.request_id", "=", p.request_id)
    .where("l.expires_at", ">", p.now).orderBy("l.id", "desc").limit(sql.lit(1))
);

/** A claim's link that waits to be mailed. */
export interface WaitingLink extends Pick<ClaimLinkRow, "id" | "link" | "expires_at"> {
  created_at: string;
  /** Where alone it is mailed; null: older code made it. */
  email: string | null;
}

/** The newest of a request's claims whose link waits to be mailed and can be opened still; or undefined. */
export function findLinkOfRequest(
  db: Connection,
  place: { org_id: string; request_id: string; now: string },
): Promise<WaitingLink | undefined> {
  return db.row(ofRequestSql, place);
}

const dropSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.deleteFrom("claim_links").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Forgets the token of a claim, where it is kept. */
export async function dropLink(tx: Tx, org_id: string, id: string): Promise<void> {
  await tx.send(dropSql, { org_id, id });
}

const dropOfRequestSql = statement<{ org_id: string; request_id: string }>()((db, p) =>
  db.deleteFrom("claim_links").where("org_id", "=", p.org_id)
    .where("request_id", "=", p.request_id)
);

/** Forgets the tokens of a request's claims. */
export async function dropLinksOfRequest(
  tx: Tx,
  org_id: string,
  request_id: string,
): Promise<void> {
  await tx.send(dropOfRequestSql, { org_id, request_id });
}
