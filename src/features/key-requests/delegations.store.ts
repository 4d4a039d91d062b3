import { sql } from "kysely";
import { all, change, changed, one } from "../../storage/statement-functions.ts";
import { puts, removes } from "../../storage/table-statements.ts";
import { PERSON } from "../people/people.store.ts";

/** Delegations that are looked at, at the most. */
const MOST = 1000;

/** The delegate of a person, and until when; also an expired one. */
export const findDelegation = one((db, p: { org_id: string; person_id: string }) =>
  db.selectFrom("delegations as a")
    .leftJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "a.org_id").onRef("u.id", "=", "a.delegate_id"),
    )
    .select(["a.delegate_id", "a.until", "u.name as delegate_name"])
    .where("a.org_id", "=", p.org_id).where("a.person_id", "=", p.person_id)
);

/** The people in whose place a person decides now, the oldest first, 1,000 at the most. */
export const awayFor = all((db, p: { org_id: string; delegate_id: string; now: string }) =>
  db.selectFrom("delegations as a")
    .innerJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "a.org_id").onRef("u.id", "=", "a.person_id"),
    )
    .select(PERSON.map((column) => `u.${column}` as const)).select("a.until")
    .where("a.org_id", "=", p.org_id).where("a.delegate_id", "=", p.delegate_id)
    .where("a.until", ">", p.now)
    .orderBy("a.person_id").limit(sql.lit(MOST))
);

/** Everybody of an organisation who is away, with who decides in their place, likewise. */
export const everyoneAway = all((db, p: { org_id: string; now: string }) =>
  db.selectFrom("delegations as a")
    .innerJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "a.org_id").onRef("u.id", "=", "a.person_id"),
    )
    .select(PERSON.map((column) => `u.${column}` as const)).select("a.delegate_id")
    .where("a.org_id", "=", p.org_id).where("a.until", ">", p.now)
    .orderBy("a.person_id").limit(sql.lit(MOST))
);

/** Sets it, in the place of another one. */
export const putDelegation = change(puts("delegations"));

/** Ends it. False where there is none. */
export const removeDelegation = changed(removes("delegations"));
