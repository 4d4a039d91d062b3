import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { exists, held, send } from "../../storage/statement-functions.ts";
import { inserts } from "../../storage/table-statements.ts";
import type { Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";

type OfJob = { org_id: string; job_id: string };

/** Keeps the sealed token of a one-time link until it is fetched, or is over. */
export const addLink = send(inserts("job_links"));

/** Whether links of a job wait to be fetched. */
export const hasLinks = exists((db, p: OfJob & { now: string }) =>
  db.selectFrom("job_links").select("id").where("org_id", "=", p.org_id)
    .where("job_id", "=", p.job_id).where("expires_at", ">", p.now).limit(sql.lit(1))
);

/** Links of one transaction. */
const TAKEN = 200;

const lockSql = variants((limit: number) =>
  statement<OfJob>()(held((db, p) =>
    db.selectFrom("job_links").select("id")
      .where("org_id", "=", p.org_id).where("job_id", "=", p.job_id)
      .orderBy("n").limit(sql.lit(limit))
  ))
);

const takeSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.deleteFrom("job_links").where("org_id", "=", p.org_id).where("id", "=", p.id)
    .returning(["id", "job_id", "n", "link", "expires_at"])
);

const oneTimeLinkSql = statement<{ org_id: string; id: string; now: string }>()((db, p) =>
  db.selectFrom("claims as c")
    .leftJoin(
      "key_requests as r",
      (join) => join.onRef("r.org_id", "=", "c.org_id").onRef("r.id", "=", "c.request_id"),
    )
    .leftJoin(
      "credentials as k",
      (join) => join.onRef("k.org_id", "=", "c.org_id").onRef("k.key_id", "=", "c.key_id"),
    )
    .leftJoin(
      "developers as d",
      // Of a key that came without a request, and of one that was rotated, whoever holds it now.
      (join) => join.onRef("d.org_id", "=", "k.org_id").onRef("d.id", "=", "k.developer_id"),
    )
    .leftJoin(
      "developer_emails as e",
      (join) => join.onRef("e.org_id", "=", "d.org_id").onRef("e.id", "=", "d.id"),
    )
    .select(["c.request_id", "c.key_id", "r.for_plan", "c.email as pinned", "d.email_key"])
    .select(["k.developer_id as by_user", "k.plans"])
    .select(["c.created_at", "e.changed_at"])
    .where("c.org_id", "=", p.org_id).where("c.id", "=", p.id)
    .where("c.state", "=", sql.lit("open")).where("c.expires_at", ">", p.now)
);

/** A link that was fetched. */
interface TakenLink {
  id: string;
  link: string;
  expires_at: string;
  request_id: string;
  key_id: string;
  by_user: string | null;
  /** A JSON array of plan ids; null: the key is gone. */
  plans: string | null;
  for_plan: string | null;
  /** For which address it was made: it is sent on to there; "": for none that is proved. */
  email: string | null;
}

/**
 * Takes the first links of a job away, and gives those that open something still; `left`: there may
 * be more.
 */
export async function takeLinks(
  tx: Tx,
  of: OfJob,
  now: string,
): Promise<{ links: TakenLink[]; left: boolean }> {
  const { org_id, job_id } = of;
  const ids = await tx.rows(lockSql(TAKEN), { org_id, job_id });
  const links: TakenLink[] = [];
  for (const { id } of ids) {
    const row = await tx.row(takeSql, { org_id, id });
    const oneTimeLink = row && await tx.row(oneTimeLinkSql, { org_id, id, now });
    if (!oneTimeLink || row.link === null) continue;
    const { pinned, email_key, created_at, changed_at, ...link } = oneTimeLink;
    // Older code made its one-time links for the address that the developer had then.
    const isAnother = changed_at !== null && changed_at > created_at;
    const email = pinned ?? (isAnother ? "" : email_key);
    links.push({ id, link: row.link, expires_at: row.expires_at, email, ...link });
  }
  return { links, left: ids.length === TAKEN };
}
