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
  db.selectFrom("claim_links").select(["id", "link", "expires_at"])
    .where("org_id", "=", p.org_id).where("request_id", "=", p.request_id)
    .where("expires_at", ">", p.now).orderBy("id", "desc").limit(sql.lit(1))
);

/** The newest of a request's claims whose link waits to be mailed and can be opened still; or undefined. */
export function findLinkOfRequest(
  db: Connection,
  place: { org_id: string; request_id: string; now: string },
): Promise<Pick<ClaimLinkRow, "id" | "link" | "expires_at"> | undefined> {
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
