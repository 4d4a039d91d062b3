import { all, value } from "../storage/statement-functions.ts";

/** What stands of a key at each gateway: the states alone. */
export const statesOfKey = all((db, p: { org_id: string; key_id: string }) =>
  db.selectFrom("provisioned_keys").select("state").where("org_id", "=", p.org_id)
    .where("key_id", "=", p.key_id)
);

/**
 * When a key was issued that was issued a moment ago, so that no gateway has a row of it yet;
 * undefined: it is not so new.
 */
export const newSince = value((db, p: { org_id: string; key_id: string }) =>
  db.selectFrom("credentials as c")
    .innerJoin(
      "provisioning_new as n",
      (join) =>
        join.onRef("n.org_id", "=", "c.org_id").onRef("n.issued_at", "=", "c.issued_at")
          .onRef("n.key_id", "=", "c.key_id"),
    )
    .select("n.issued_at").where("c.org_id", "=", p.org_id).where("c.key_id", "=", p.key_id)
);
