import { sql } from "kysely";
import { toTimestamp } from "../../kernel/clock.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { WARNED_MS } from "./access-token.ts";

/** An access token that has an end. */
export interface EndingToken {
  org_id: string;
  id: string;
  name: string;
  date_created: string;
  expires_at: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
}

/** So many are read of an organisation, or of all. */
const COUNTED = 1000;

const ending = (ofOne: boolean) =>
  statement<{ org_id: string; now: string; until: string }>()((db, p) => {
    const query = db.selectFrom("access_tokens")
      .select(["org_id", "id", "name", "date_created", "expires_at", "revoked_at", "replaced_by"])
      .where("expires_at", "is not", null).where("revoked_at", "is", null)
      .where("replaced_by", "is", null)
      .where("expires_at", ">", p.now).where("expires_at", "<=", p.until);
    const within = ofOne ? query.where("org_id", "=", p.org_id) : query;
    return within.orderBy("org_id").orderBy("expires_at").orderBy("id").limit(sql.lit(COUNTED));
  });

const endingSql = { one: ending(true), all: ending(false) };

/** The organisation's access tokens that end within two weeks, the next first; 1,000 at most. */
export function tokensEnding(db: Connection, org_id: string, now: number): Promise<EndingToken[]> {
  return db.rows(endingSql.one, { org_id, ...span(now) });
}

/** The same of all organisations. */
export function tokensEndingOfAll(db: Connection, now: number): Promise<EndingToken[]> {
  return db.rows(endingSql.all, { org_id: "", ...span(now) });
}

function span(now: number) {
  return { now: toTimestamp(now), until: toTimestamp(now + WARNED_MS) };
}
