import type { StoredRow } from "../../../storage/schema.ts";
import { change, one, send } from "../../../storage/statement-functions.ts";
import { inserts, removes } from "../../../storage/table-statements.ts";
import { sql } from "kysely";

/** The sealed token of a one-time link that waits to be mailed. */
type WaitingLinkRow = StoredRow<"claim_links">;

/** Keeps the sealed token of a one-time link until it was mailed, or is closed or over. */
export const keepLink = change(inserts("claim_links"));

/** A one-time link that waits to be mailed. */
export interface WaitingLink extends Pick<WaitingLinkRow, "id" | "link" | "expires_at"> {
  created_at: string;
  /** The only address to which it is mailed; null: older code made it. */
  email: string | null;
}

/**
 * The newest of a request's one-time links that waits to be mailed and still opens; or undefined.
 */
export const findLinkOfRequest = one((db, p: { org_id: string; request_id: string; now: string }) =>
  db.selectFrom("claim_links as l")
    .innerJoin(
      "claims as c",
      (join) => join.onRef("c.org_id", "=", "l.org_id").onRef("c.id", "=", "l.id"),
    )
    .select(["l.id", "l.link", "l.expires_at", "c.created_at", "c.email"])
    .where("l.org_id", "=", p.org_id).where("l.request_id", "=", p.request_id)
    .where("l.expires_at", ">", p.now).orderBy("l.id", "desc").limit(sql.lit(1))
);

/** Forgets the token of a one-time link, where it is kept. */
export const dropLink = send(removes("claim_links"));

/** Forgets the tokens of a request's one-time links. */
export const dropLinksOfRequest = send(removes("claim_links", "org_id", "request_id"));
