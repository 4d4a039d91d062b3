import { sql } from "kysely";
import { all, change, one, send } from "../../storage/statement-functions.ts";
import { puts, removes } from "../../storage/table-statements.ts";

type Place = { org_id: string; key_id: string };

/** Says until when a key is suspended that was so at `suspended_at`. */
export const putTimedSuspension = change(puts("timed_suspensions"));

/** The suspension of a key that ends by itself; undefined: there is none. */
export const findTimedSuspension = one((db, p: Place) =>
  db.selectFrom("timed_suspensions").select(["suspended_at", "resume_at"])
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** Forgets it. */
export const removeTimedSuspension = send(removes("timed_suspensions"));

/** Keys of one look. */
const AT_ONCE = 100;

/** Keys whose suspension is over. */
export const overSuspensions = all((db, p: { org_id: string; now: string }) =>
  db.selectFrom("timed_suspensions").select("key_id")
    .where("org_id", "=", p.org_id).where("resume_at", "<=", p.now)
    .orderBy("resume_at").orderBy("key_id").limit(sql.lit(AT_ONCE))
);

/** Keys that would be suspended for longer than anybody can say: a clock was wrong then. */
export const endlessSuspensions = all((db, p: { org_id: string; latest: string }) =>
  db.selectFrom("timed_suspensions").select("key_id")
    .where("org_id", "=", p.org_id).where("resume_at", ">", p.latest)
    .orderBy("resume_at").orderBy("key_id").limit(sql.lit(AT_ONCE))
);
