import { sql } from "kysely";
import { TimeSlices } from "../../kernel/time-slices.ts";
import { type Dialect, statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { parseTail } from "./stored-request.ts";

type Walk = { org_id: string; after: string };

/** A request that names a certificate. */
interface RequestWithCertificate {
  id: string;
  by_user: string;
}

/** Requests read at once. */
const CHUNK = 256;
/** Requests that are found at most. */
const MOST = 1000;

const walkSql = statement<Walk>()((db, p, dialect) =>
  db.selectFrom("key_requests").select(["id", "by_user", "tail"])
    .where("org_id", "=", p.org_id).where("id", ">", p.after)
    .where(namesAny(dialect))
    .orderBy("id").limit(sql.lit(CHUNK))
);

const namingSql = statement<{ org_id: string; below: string }>()((db, p, dialect) =>
  db.selectFrom("key_requests").select(["id", "by_user", "tail"])
    .where("org_id", "=", p.org_id).where("id", "<", p.below)
    .where(namesAny(dialect))
    .orderBy("id", "desc").limit(sql.lit(CHUNK))
);

/**
 * The newest 256 requests below an id that name any certificate, each with the id of it; fewer at
 * the end.
 */
export async function requestsNamingAny(
  db: Connection,
  org_id: string,
  below: string,
): Promise<(RequestWithCertificate & { certificate: string })[]> {
  const rows = await db.rows(namingSql, { org_id, below });
  return rows.map(({ id, by_user, tail }) => ({
    id,
    by_user,
    certificate: parseTail({ tail }).certificate,
  }));
}

/** How many of them there are where there may be more. */
export const NAMING_AT_ONCE = CHUNK;

/** In the words that the partial index has: a request that names any certificate. */
function namesAny(dialect: Dialect) {
  return dialect === "postgres"
    ? sql<boolean>`strpos(tail, '"certificate":""') = 0`
    : sql<boolean>`instr(tail, '"certificate":""') = 0`;
}

/**
 * The organisation's requests that name this certificate, by id, up to 1,000. It costs by the
 * number of those that name any.
 */
export async function requestsWithCertificate(
  db: Connection,
  org_id: string,
  certificate: string,
): Promise<RequestWithCertificate[]> {
  const found: RequestWithCertificate[] = [];
  const slices = new TimeSlices();
  for (let after: string | undefined = ""; after !== undefined;) {
    const rows: (RequestWithCertificate & { tail: string })[] = await db.rows(walkSql, {
      org_id,
      after,
    });
    for (const { id, by_user, tail } of rows) {
      if (parseTail({ tail }).certificate !== certificate) continue;
      if (found.push({ id, by_user }) === MOST) return found;
    }
    after = rows.length < CHUNK ? undefined : rows.at(-1)?.id;
    // The engine may have answered at once: the calls that arrived meanwhile come first.
    if (after !== undefined) await slices.next();
  }
  return found;
}
