import { sql } from "kysely";
import { SIGN_IN_HASHES } from "../people/access-token.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

/** The data of how a person signs in. */
interface SignInFacts {
  id: string;
  last_seen_at: string | null;
  invited_until: string | null;
  passkeys: number;
  /** Accounts at identity providers. */
  identities: number;
  /** 1 where they have one-time codes. */
  one_time_codes: number;
  tokens: number;
}

const factsSql = statement<{ org_id: string; id: string; now: string }>()((db, p) =>
  db.selectFrom("users as u").select((eb) => [
    "u.id",
    eb.selectFrom("access_tokens as t")
      .innerJoin(
        "access_token_uses as l",
        (join) => join.onRef("l.org_id", "=", "t.org_id").onRef("l.token_id", "=", "t.id"),
      )
      .select((one) => one.fn.max("l.last_used_at").as("at"))
      .whereRef("t.org_id", "=", "u.org_id").whereRef("t.user_id", "=", "u.id")
      .as("last_seen_at"),
    eb.selectFrom("person_invitations as i").select("i.expires_at")
      .whereRef("i.org_id", "=", "u.org_id").whereRef("i.id", "=", "u.id")
      .where("i.expires_at", ">", p.now).as("invited_until"),
    eb.selectFrom("passkeys as k").select((one) => one.fn.countAll<number>().as("n"))
      .whereRef("k.org_id", "=", "u.org_id").whereRef("k.user_id", "=", "u.id").as("passkeys"),
    eb.selectFrom("person_identities as d").select((one) => one.fn.countAll<number>().as("n"))
      .whereRef("d.org_id", "=", "u.org_id").whereRef("d.user_id", "=", "u.id").as("identities"),
    eb.selectFrom("one_time_secrets as o").select((one) => one.fn.countAll<number>().as("n"))
      .whereRef("o.org_id", "=", "u.org_id").whereRef("o.id", "=", "u.id").as("one_time_codes"),
    eb.selectFrom("access_tokens as a").select((one) => one.fn.countAll<number>().as("n"))
      .whereRef("a.org_id", "=", "u.org_id").whereRef("a.user_id", "=", "u.id")
      .where("a.hash", "not like", sql.lit(SIGN_IN_HASHES)).where("a.revoked_at", "is", null)
      .where((one) => one.or([one("a.expires_at", "is", null), one("a.expires_at", ">", p.now)]))
      .as("tokens"),
  ]).where("u.org_id", "=", p.org_id).where("u.id", "=", p.id)
);

/** How a person gets in; undefined: there is none. */
export async function findSignInFacts(
  db: Connection,
  place: { org_id: string; id: string; now: string },
): Promise<SignInFacts | undefined> {
  const row = await db.row(factsSql, place);
  return row && {
    id: row.id,
    last_seen_at: row.last_seen_at,
    invited_until: row.invited_until,
    passkeys: Number(row.passkeys),
    identities: Number(row.identities),
    one_time_codes: Number(row.one_time_codes),
    tokens: Number(row.tokens),
  };
}
