import { sql } from "kysely";
import { atMost, exists, lockAll, one, send } from "../../storage/statement-functions.ts";
import { puts, removes } from "../../storage/table-statements.ts";

/** Keys that one transaction takes in: short enough for no one to wait. */
export const TAKEN_IN = 100;

/** Whether keys were issued of which no gateway has a row yet. */
export const hasNewKeys = exists((db) =>
  db.selectFrom("provisioning_new").select("key_id").limit(sql.lit(1))
);

/** Such keys, of an organisation the longest issued first, held until the transaction ends. */
export const lockNewKeys = lockAll((db) =>
  db.selectFrom("provisioning_new").select(["org_id", "issued_at", "key_id", "secret"])
    .orderBy("org_id").orderBy("issued_at").orderBy("key_id").limit(sql.lit(TAKEN_IN))
);

/** How many such keys an organisation has, and when the first of them was issued. */
export const countNewKeys = one((db, p: { org_id: string }) =>
  db.selectFrom("provisioning_new")
    .select((eb) => [eb.fn.countAll<number>().as("n"), eb.fn.min("issued_at").as("since")])
    .where("org_id", "=", p.org_id)
);

/** Ids of such keys of one organisation. */
export const newKeysOf = atMost((db, p: { org_id: string }, limit) =>
  db.selectFrom("provisioning_new").select("key_id").where("org_id", "=", p.org_id)
    .orderBy("issued_at").orderBy("key_id").limit(limit)
);

/**
 * Keeps, sealed, what gateways need to make a key that they have rows of, in the place of what was
 * left of another one of its id: a user name may have been a person's before.
 */
export const putSecret = send(puts("provisioning_secrets"));

/** Says that a key is new no more. */
export const removeNewKey = send(removes("provisioning_new"));

/** Forgets the new keys of an organisation that has no gateway any more. */
export const forgetNewKeys = send((db, p: { org_id: string }) =>
  db.deleteFrom("provisioning_new").where("org_id", "=", p.org_id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("gateways as g").select("g.id").where("g.org_id", "=", p.org_id)))
    )
);
