import { sql } from "kysely";
import { atMost, change } from "../../storage/statement-functions.ts";
import { valuesIn } from "../../storage/values-in.ts";

type Of = { org_id: string; gateway_id: string };

/** A gateway's names of keys that Keydesk does not know, behind a name, in their order. */
export const unknownKeysBehind = atMost((db, p: Of & { behind: string }, limit) =>
  db.selectFrom("unknown_keys_there").select("name").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("name", ">", p.behind)
    .orderBy("name").limit(limit)
);

/** Adds the names of a JSON array. */
export const addUnknownKeys = change((db, p: Of & { names: string }, dialect) =>
  db.insertInto("unknown_keys_there").columns(["org_id", "gateway_id", "name"]).expression(
    db.selectFrom(valuesIn(p.names, dialect).as("n")).select([
      sql<string>`${p.org_id}`.as("org_id"),
      sql<string>`${p.gateway_id}`.as("gateway_id"),
      "n.value as name",
      // SQLite would take what follows for a join.
    ]).where(sql<boolean>`true`),
  ).onConflict((conflict) => conflict.doNothing())
);

/** Forgets the names of a JSON array. */
export const forgetUnknownKeys = change((db, p: Of & { names: string }, dialect) =>
  db.deleteFrom("unknown_keys_there").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id)
    .where(
      "name",
      "in",
      (eb) => eb.selectFrom(valuesIn(p.names, dialect).as("n")).select("n.value"),
    )
);

/** Forgets the names up to one. */
export const forgetUnknownUpTo = change((db, p: Of & { up_to: string }) =>
  db.deleteFrom("unknown_keys_there").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("name", "<=", p.up_to)
);
