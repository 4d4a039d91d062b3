import { change, exists, send, values } from "../../storage/statement-functions.ts";
import { finds, removes } from "../../storage/table-statements.ts";

type Place = { org_id: string; key_id: string };

/** Whether a suspended key was suspended by its own developer. */
export const isOwnSuspension = exists(finds("own_suspensions", { columns: ["key_id"] }));

/** Keeps that a key's developer suspended it just now. */
export const noteOwnSuspension = change((db, p: Place) =>
  db.insertInto("own_suspensions").values({ org_id: p.org_id, key_id: p.key_id })
    .onConflict((conflict) => conflict.doNothing())
);

/** Forgets it: the key is suspended no more. */
export const forgetOwnSuspension = send(removes("own_suspensions"));

/** The keys of a developer that they suspended themselves. */
export const ownSuspensionsOf = values((db, p: { org_id: string; developer_id: string }) =>
  db.selectFrom("own_suspensions as s")
    .innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "s.org_id").onRef("c.key_id", "=", "s.key_id"),
    )
    .select("s.key_id").where("s.org_id", "=", p.org_id)
    .where("c.developer_id", "=", p.developer_id)
);
