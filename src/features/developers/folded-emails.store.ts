import { sql } from "kysely";
import { type QueryBuilder, statement } from "../../storage/statement.ts";
import { all, exists, value } from "../../storage/statement-functions.ts";
import type { Tx } from "../../storage/storage.ts";

type Place = { org_id: string; id: string };

/** The index's value: most addresses are their own folded form, which is not stored twice. */
const FOLDED = sql<string>`coalesce(email_folded, email_key)`;

const NOT_ASCII = {
  postgres: sql<boolean>`email_key ~ '[^ -~]'`,
  sqlite: sql<boolean>`email_key glob '*[^ -~]*'`,
};

/** Whether a developer of any organisation waits for their address to be folded. */
export const hasUnfolded = exists((db, _: Record<never, never>, dialect) =>
  db.selectFrom("developers").select("id").where("email_folded", "is", null)
    .where(NOT_ASCII[dialect]).limit(sql.lit(1))
);

/** Developers of one chunk. */
const CHUNK = 256;

/** Developers that wait, held until the transaction ends. */
export const lockUnfolded = all((db, _p: Record<never, never>, dialect) => {
  const query = db.selectFrom("developers").select(["org_id", "id", "email_key"])
    .where("email_folded", "is", null).where(NOT_ASCII[dialect])
    .orderBy("org_id").orderBy("id").limit(sql.lit(CHUNK));
  // Whom another person holds is left to the next chunk: approvals must not wait for this, nor this
  // for them.
  return dialect === "postgres" ? query.forUpdate().skipLocked() : query;
});

/** The id of the developer whose address reads so, folded; or undefined. */
export const findEmailOwner = value((db, p: { org_id: string; folded: string }) =>
  db.selectFrom("developers").select("id").where("org_id", "=", p.org_id)
    .where(FOLDED, "=", p.folded).where("email_key", "<>", sql.lit(""))
    .orderBy("email_shared").limit(sql.lit(1))
);

const setSql = statement<Place & { folded: string; shared: string }>()((db, p) =>
  db.updateTable("developers").set({ email_folded: p.folded, email_shared: p.shared })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/**
 * Sets how the address of a developer that this transaction holds reads. Fails where another's does
 * and it is not shared.
 */
export async function setFoldedEmail(
  tx: Tx,
  { org_id, id }: Place,
  { folded, shared }: { folded: string; shared: boolean },
): Promise<void> {
  await tx.change(setSql, { org_id, id, folded, shared: shared ? id : "" });
}

/** Developers who share an address are counted up to here. */
const COUNTED = 1000;

/**
 * Developers of all organisations whose address reads like another's, with the other one; COUNTED
 * at most.
 */
export const sharedEmailsOfAll = all((db) => shared(db).limit(sql.lit(COUNTED)));

/** The shared addresses of one organisation. */
export const sharedEmailsOf = all((db, p: { org_id: string }) =>
  shared(db).where("d.org_id", "=", p.org_id).limit(sql.lit(COUNTED))
);

/** A developer shares an address only while the other one exists and has it. */
function shared(db: QueryBuilder) {
  return db.selectFrom("developers as d")
    .innerJoin("developers as o", (join) =>
      join.onRef("o.org_id", "=", "d.org_id")
        .on(
          sql<
            boolean
          >`coalesce(o.email_folded, o.email_key) = coalesce(d.email_folded, d.email_key)`,
        )
        .on("o.email_key", "<>", sql.lit("")).on("o.email_shared", "=", sql.lit("")))
    .select(["d.org_id", "d.id", "o.id as other_id"])
    .where("d.email_shared", "<>", sql.lit(""))
    .orderBy("d.org_id").orderBy("d.id");
}
