import { sql } from "kysely";
import { columnsOf } from "../../storage/rows.ts";
import { all, change, lockOne, one, send } from "../../storage/statement-functions.ts";
import { inserts } from "../../storage/table-statements.ts";

/** Keeps a fresh code. */
export const insertSignInCode = send(inserts("developer_codes"));

const COLUMNS = columnsOf("developer_codes");

/** A code by the hash of its ticket, held until the transaction ends. */
export const lockSignInCode = lockOne((db, p: { ticket: string }) =>
  db.selectFrom("developer_codes").select([...COLUMNS]).where("ticket", "=", p.ticket)
);

/** A code by its id. */
export const findSignInCode = one((db, p: { org_id: string; id: string }) =>
  db.selectFrom("developer_codes").select([...COLUMNS])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/**
 * How many codes of an address were asked for since `hour`, and were wrong since `day`: from each
 * network that asked, at most a few rows.
 */
export const countCodesOf = all((
  db,
  p: Record<"org_id" | "email_key" | "hour" | "day", string>,
) =>
  db.selectFrom("developer_codes").select("asked_from")
    .select(sql<number>`sum(case when created_at > ${p.hour} then 1 else 0 end)`.as("hour"))
    .select(sql<number>`sum(tries)`.as("tries"))
    .where("org_id", "=", p.org_id).where("email_key", "=", p.email_key)
    .where("created_at", ">", p.day).groupBy("asked_from")
);

/** How many codes of an organisation were for anyone who signs up, since `hour` and since `day`. */
export const countSignUpCodes = one((db, p: Record<"org_id" | "hour" | "day", string>) =>
  db.selectFrom("developer_codes")
    .select(sql<number | null>`sum(case when created_at > ${p.hour} then 1 else 0 end)`.as("hour"))
    .select((eb) => eb.fn.countAll<number>().as("day"))
    .where("org_id", "=", p.org_id).where("purpose", "=", "sign_up")
    .where("created_at", ">", p.day)
);

/** Counts a wrong code. */
export const countWrongCode = send((db, p: { org_id: string; id: string }) =>
  db.updateTable("developer_codes").set({ tries: sql`tries + 1` })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Uses a code up; it stays, and is counted. */
export const useSignInCode = change((db, p: { org_id: string; id: string; used: string }) =>
  db.updateTable("developer_codes").set({ hash: p.used, code: null })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Forgets a code that was mailed: its hash is enough. */
export const forgetSignInCode = send((db, p: { org_id: string; id: string }) =>
  db.updateTable("developer_codes").set({ code: null })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);
