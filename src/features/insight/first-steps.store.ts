import { sql } from "kysely";
import { all, value } from "../../storage/statement-functions.ts";

/** Access tokens that are looked at, and deliveries. */
const [TOKENS, DELIVERIES] = [1000, 200];

/** An access token that was not revoked, whose person is not suspended. */
interface StandingToken {
  permissions: string;
  scope: string | null;
  date_created: string;
  expires_at: string | null;
  revoked_at: string | null;
  suspended_at: string | null;
  last_used_at: string | null;
}

/** Access tokens that may be in force, the oldest first; 1,000 at most. */
export const standingTokens = all((db, p: { org_id: string }) =>
  db.selectFrom("access_tokens as t")
    .innerJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "t.org_id").onRef("u.id", "=", "t.user_id"),
    )
    .leftJoin(
      "access_token_uses as l",
      (join) => join.onRef("l.org_id", "=", "t.org_id").onRef("l.token_id", "=", "t.id"),
    )
    .select(["u.permissions", "t.scope", "t.date_created", "t.expires_at", "t.revoked_at"])
    .select(["u.suspended_at", "l.last_used_at"])
    .where("t.org_id", "=", p.org_id).where("t.revoked_at", "is", null)
    .where("u.suspended_at", "is", null).orderBy("t.id").limit(sql.lit(TOKENS))
);

/** When the first passkey of a person in force was added; undefined: there is none. */
export const firstPasskey = value((db, p: { org_id: string }) =>
  db.selectFrom("passkeys as k")
    .innerJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "k.org_id").onRef("u.id", "=", "k.user_id"),
    )
    .select("k.created_at as at").where("k.org_id", "=", p.org_id)
    .where("u.deactivated_at", "is", null).orderBy("k.id").limit(sql.lit(1))
);

/**
 * When the first person after the organisation's own was added who can sign in: one with an e-mail
 * address or an open invitation; undefined: there is none. People of programs have neither.
 */
export const firstInvited = value((db, p: { org_id: string }) =>
  db.selectFrom("users as u")
    .leftJoin(
      "person_invitations as i",
      (join) => join.onRef("i.org_id", "=", "u.org_id").onRef("i.id", "=", "u.id"),
    )
    .select("u.date_created as at").where("u.org_id", "=", p.org_id)
    .where("u.deactivated_at", "is", null)
    .where((eb) => eb.or([eb("u.email", "is not", null), eb("i.id", "is not", null)]))
    .where("u.id", ">", (eb) =>
      eb.selectFrom("users as f").select((of) =>
        of.fn.min<string>("f.id").as("first")
      )
        .where("f.org_id", "=", p.org_id))
    .orderBy("u.id").limit(sql.lit(1))
);

/**
 * When the newest mail was taken by a mail server, of the newest 200 deliveries; undefined: none of
 * them was.
 */
export const lastMailed = value((db, p: { org_id: string }) => ({
  compile: () =>
    sql<{ at: string }>`select d.ended_at as at from (
        select id, target_id, state, ended_at from deliveries
        where org_id = ${p.org_id} and ended_at is not null order by id desc
        limit ${sql.lit(DELIVERIES)}) as d
      join delivery_targets as t on t.org_id = ${p.org_id} and t.id = d.target_id
      where t.kind = 'mail' and d.state = 'delivered' order by d.id desc limit 1`.compile(db),
}));
