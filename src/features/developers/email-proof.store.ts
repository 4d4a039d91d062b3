import { sql } from "kysely";
import type { StoredRow } from "../../storage/schema.ts";
import { statement } from "../../storage/statement.ts";
import { change, one, send } from "../../storage/statement-functions.ts";
import { finds, inserts, puts, removes } from "../../storage/table-statements.ts";
import type { Tx } from "../../storage/storage.ts";

type Place = { org_id: string; id: string };

/** The stored proof of a developer's address; undefined: none. */
export const findEmailProof = one(finds("developer_emails"));

/** Keeps what is known of the address of a developer that this transaction holds. */
export const putEmailProof = change(puts("developer_emails"));

/** Forgets the address before a successor's, once its owner was notified. */
export const forgetAddressBefore = send((db, p: Place) =>
  db.updateTable("developer_emails").set({ previous: "" })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("cause", "=", "successor")
);

const forgetSql = statement<Place>()((db, p) =>
  db.deleteFrom("developer_emails").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/**
 * Forgets what is known of a developer's address, with its links: it is theirs as the one with
 * which they came.
 */
export async function forgetEmailProof(tx: Tx, org_id: string, id: string): Promise<void> {
  await tx.send(forgetSql, { org_id, id });
  await closeEmailLinks(tx, { org_id, developer_id: id });
}

/** Ends every link of a developer. */
export const closeEmailLinks = send(removes("email_links", "org_id", "developer_id"));

/** A link as it is stored. */
export type EmailLinkRow = StoredRow<"email_links">;

/** Adds a link. */
export const insertEmailLink = change(inserts("email_links"));

const LINK = ["org_id", "id", "developer_id", "side", "hash", "link", "expires_at"] as const;

/** The link of a token that opens now; or undefined. The token names its organisation. */
export const findEmailLink = one((db, p: { hash: string; now: string }) =>
  db.selectFrom("email_links").select([...LINK])
    .where("hash", "=", p.hash).where("expires_at", ">", p.now)
);

type Side = { org_id: string; developer_id: string; side: EmailLinkRow["side"] };

/** A developer's newest link to one address that can be opened at this moment; or undefined. */
export const findEmailLinkOf = one((db, p: Side & { now: string }) =>
  db.selectFrom("email_links").select([...LINK]).where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).where("side", "=", p.side)
    .where("expires_at", ">", p.now).orderBy("id", "desc").limit(sql.lit(1))
);

/**
 * Forgets the tokens of a developer's links to one address: they were mailed, and their hashes are
 * enough.
 */
export const forgetEmailTokens = send((db, p: Side) =>
  db.updateTable("email_links").set({ link: null }).where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).where("side", "=", p.side)
);

const closeSideSql = statement<Side>()((db, p) =>
  db.deleteFrom("email_links").where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).where("side", "=", p.side)
);

/**
 * Ends the links of a developer to one address: they were opened, or others take their place.
 * False: there are none.
 */
export async function closeEmailSide(tx: Tx, of: Side): Promise<boolean> {
  return await tx.change(closeSideSql, of) > 0;
}
