import { sql } from "kysely";
import { all, value } from "../storage/statement-functions.ts";
import type { StoredRow } from "../storage/schema.ts";
import type { Dialect } from "../storage/statement.ts";
import { valuesIn } from "../storage/values-in.ts";

/**
 * `provisioned_keys` under another name, by the index of keys. Without this hint SQLite expects few
 * keys of an organisation at gateways and reads them all.
 */
export function rowsOfKeys<A extends string>(alias: A, dialect: Dialect) {
  const index = dialect === "sqlite" ? " indexed by provisioned_keys_of_key" : "";
  return sql<StoredRow<"provisioned_keys">>`provisioned_keys`.as<A>(sql.raw(alias + index));
}

/** The states of a key at each gateway. */
export const statesOfKey = all((db, p: { org_id: string; key_id: string }, dialect) =>
  db.selectFrom(rowsOfKeys("k", dialect)).select("k.state").where("k.org_id", "=", p.org_id)
    .where("k.key_id", "=", p.key_id)
);

/**
 * The plans of each Tyk Gateway, which gives OAuth clients tokens of its own: a JSON array, null:
 * all.
 */
export const plansAtTyk = all((db, p: { org_id: string }) =>
  db.selectFrom("gateways").select("plans").where("org_id", "=", p.org_id)
    .where("kind", "=", sql.lit("tyk")).where("state", "<>", sql.lit("ending"))
);

/** States in which a key is not at a gateway as it should be. */
const word = (state: "waiting" | "stuck" | "diverged") =>
  sql.lit<StoredRow<"provisioned_keys">["state"]>(state);
const TROUBLED = [word("waiting"), word("stuck"), word("diverged")];
const text = (words: string) => sql<string>`${sql.lit(words)}`;

/**
 * The keys of a JSON array of ids with problems at gateways; `gateways`: at how many the key is or
 * should be. A newly issued key waits at each of them. Gateways that are being emptied count as
 * gone. One statement for a page of any length.
 */
export const troubledAtGateways = all((
  db,
  p: { org_id: string; key_ids: string },
  dialect,
) => {
  const ids = db.selectFrom(valuesIn(p.key_ids, dialect).as("w")).select("w.value");
  return db.selectFrom(rowsOf(p, dialect).as("k"))
    .innerJoin(
      "gateways as g",
      (join) => join.onRef("g.org_id", "=", "k.org_id").onRef("g.id", "=", "k.gateway_id"),
    )
    .select(["k.key_id", "k.gateway_id", "k.state", "k.reason", "k.since", "k.held", "k.done"])
    .select(["g.name as gateway", "g.kind", "g.plans"])
    .select((eb) =>
      eb.selectFrom(rowsOfKeys("o", dialect)).select(sql<number>`count(*)`.as("n"))
        .whereRef("o.org_id", "=", "k.org_id").whereRef("o.key_id", "=", "k.key_id")
        .where("o.state", "<>", sql.lit("gone"))
        .where("o.gateway_id", "not in", (those) =>
          those.selectFrom("gateways as h").select("h.id").where("h.org_id", "=", p.org_id)
            .where("h.state", "=", sql.lit("ending")))
        .as("gateways")
    )
    .where(({ or, eb }) =>
      or([eb("k.state", "in", TROUBLED), eb("k.held", "like", sql.lit("closing %"))])
    )
    .where("g.state", "<>", sql.lit("ending"))
    .unionAll(
      db.selectFrom("provisioning_new as n")
        .innerJoin("gateways as g", (join) => join.onRef("g.org_id", "=", "n.org_id"))
        .select(["n.key_id", "g.id as gateway_id", word("waiting").as("state")])
        .select([text("").as("reason"), "n.issued_at as since", text("").as("held")])
        .select([sql<number>`0`.as("done"), "g.name as gateway", "g.kind", "g.plans"])
        .select((eb) =>
          eb.selectFrom("gateways as h").select(sql<number>`count(*)`.as("n"))
            .whereRef("h.org_id", "=", "n.org_id").where("h.state", "<>", sql.lit("ending"))
            .as("gateways")
        )
        .where("n.org_id", "=", p.org_id).where("n.key_id", "in", ids)
        .where("g.state", "<>", sql.lit("ending"))
        .where(({ not, exists, selectFrom }) =>
          not(exists(
            selectFrom("provisioned_keys as k").select("k.key_id")
              .whereRef("k.org_id", "=", "n.org_id").whereRef("k.gateway_id", "=", "g.id")
              .whereRef("k.key_id", "=", "n.key_id"),
          ))
        ),
    );
});

/** The rows of keys, key by key: a PostgreSQL that has not counted its rows yet reads all. */
function rowsOf({ org_id, key_ids }: { org_id: string; key_ids: string }, dialect: Dialect) {
  type Row = StoredRow<"provisioned_keys">;
  return dialect === "postgres"
    ? sql<Row>`(select i.* from json_array_elements_text(${key_ids}::json) as w(value)
        cross join lateral (select * from provisioned_keys as p where p.org_id = ${org_id}
          and p.key_id = w.value offset 0) as i)`
    : sql<Row>`(select i.* from json_each(${key_ids}) as w cross join provisioned_keys as i
        indexed by provisioned_keys_of_key where i.org_id = ${org_id} and i.key_id = w.value)`;
}

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
