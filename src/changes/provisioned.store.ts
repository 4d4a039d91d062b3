import { all } from "../storage/statement-functions.ts";

/** What stands of a key at each gateway: the states alone. */
export const statesOfKey = all((db, p: { org_id: string; key_id: string }) =>
  db.selectFrom("provisioned_keys").select("state").where("org_id", "=", p.org_id)
    .where("key_id", "=", p.key_id)
);
