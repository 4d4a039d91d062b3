import { sql } from "kysely";
import type { StoredRow } from "../../storage/schema.ts";
import { type SqlValue, statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import type { EmailProofRow } from "./email-proof.ts";

type Place = { org_id: string; id: string };

const findSql = statement<Place>()((db, p) =>
  db.selectFrom("developer_emails")
    .select(["org_id", "id", "state", "cause", "address", "previous"])
    .select(["changed_at", "changed_by", "asked_at"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** What is kept of a developer's address; undefined: nothing. */
export function findEmailProof(
  db: Connection,
  org_id: string,
  id: string,
): Promise<EmailProofRow | undefined> {
  return db.row(findSql, { org_id, id });
}

const putSql = statement<{ [K in keyof EmailProofRow]: EmailProofRow[K] & SqlValue }>()((db, p) => {
  const { org_id, id, ...changed } = {
    ...{ org_id: p.org_id, id: p.id, state: p.state, cause: p.cause },
    ...{ address: p.address, previous: p.previous },
    ...{ changed_at: p.changed_at, changed_by: p.changed_by, asked_at: p.asked_at },
  };
  return db.insertInto("developer_emails").values({ org_id, id, ...changed })
    .onConflict((conflict) => conflict.columns(["org_id", "id"]).doUpdateSet(changed));
});

/** Keeps what is known of the address of a developer that this transaction holds. */
export async function putEmailProof(tx: Tx, row: EmailProofRow): Promise<void> {
  await tx.change(putSql, { ...row });
}

const forgetSql = statement<Place>()((db, p) =>
  db.deleteFrom("developer_emails").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

const closeSql = statement<{ org_id: string; developer_id: string }>()((db, p) =>
  db.deleteFrom("email_links").where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id)
);

/** Forgets what is known of a developer's address, with its links: it is theirs as the one with which they came. */
export async function forgetEmailProof(tx: Tx, org_id: string, id: string): Promise<void> {
  await tx.send(forgetSql, { org_id, id });
  await closeEmailLinks(tx, org_id, id);
}

/** Ends every link of a developer. */
export async function closeEmailLinks(tx: Tx, org_id: string, id: string): Promise<void> {
  await tx.send(closeSql, { org_id, developer_id: id });
}

/** A link as it is stored. */
export type EmailLinkRow = StoredRow<"email_links">;

const insertLinkSql = statement<{ [K in keyof EmailLinkRow]: EmailLinkRow[K] & SqlValue }>()((
  db,
  p,
) =>
  db.insertInto("email_links").values({
    ...{ org_id: p.org_id, id: p.id, developer_id: p.developer_id },
    ...{ side: p.side, hash: p.hash, link: p.link, expires_at: p.expires_at },
  })
);

/** Adds a link. */
export async function insertEmailLink(tx: Tx, row: EmailLinkRow): Promise<void> {
  await tx.change(insertLinkSql, { ...row });
}

const LINK = ["org_id", "id", "developer_id", "side", "hash", "link", "expires_at"] as const;

const byHashSql = statement<{ hash: string; now: string }>()((db, p) =>
  db.selectFrom("email_links").select([...LINK])
    .where("hash", "=", p.hash).where("expires_at", ">", p.now)
);

/** The link of a token that can be opened at this moment; or undefined. The token names its organisation. */
export function findEmailLink(
  db: Connection,
  hash: string,
  now: string,
): Promise<EmailLinkRow | undefined> {
  return db.row(byHashSql, { hash, now });
}

type Side = { org_id: string; developer_id: string; side: EmailLinkRow["side"] };

const ofSideSql = statement<Side & { now: string }>()((db, p) =>
  db.selectFrom("email_links").select([...LINK]).where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).where("side", "=", p.side)
    .where("expires_at", ">", p.now).orderBy("id", "desc").limit(sql.lit(1))
);

/** A developer's newest link to one address that can be opened at this moment; or undefined. */
export function findEmailLinkOf(
  db: Connection,
  of: Side,
  now: string,
): Promise<EmailLinkRow | undefined> {
  return db.row(ofSideSql, { ...of, now });
}

const mailedSql = statement<Side>()((db, p) =>
  db.updateTable("email_links").set({ link: null }).where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).where("side", "=", p.side)
);

/** Forgets the tokens of a developer's links to one address: they were mailed, and their hashes are enough. */
export async function forgetEmailTokens(tx: Tx, of: Side): Promise<void> {
  await tx.send(mailedSql, of);
}

const closeSideSql = statement<Side>()((db, p) =>
  db.deleteFrom("email_links").where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).where("side", "=", p.side)
);

/** Ends the links of a developer to one address: they were opened, or others take their place. False: there are none. */
export async function closeEmailSide(tx: Tx, of: Side): Promise<boolean> {
  return await tx.change(closeSideSql, of) > 0;
}
