import { rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { all, change, changed, numberOf, one } from "../../storage/statement-functions.ts";
import { finds, removes } from "../../storage/table-statements.ts";

/** A passkey as it is stored. */
export type PasskeyRow = StoredRow<"passkeys">;

type Place = { org_id: string; id: string };

/** The passkey that an authenticator names, which names its organisation; or undefined. */
export const findPasskeyByHandle = one(finds("passkeys", { by: ["handle"] }));

/** A passkey of an organisation; or undefined. */
export const findPasskey = one(finds("passkeys"));

/** A person's passkeys, the oldest first. */
export const passkeysOf = all(finds("passkeys", { by: ["org_id", "user_id"], order: ["id"] }));

/** Adds a passkey. False where the authenticator's credential is taken already. */
export const insertPasskey = changed((db, p: Omit<PasskeyRow, "last_used_at">) =>
  db.insertInto("passkeys").values(rowOf("passkeys", p, "last_used_at"))
    .onConflict((conflict) => conflict.column("handle").doNothing())
);

type UseRow = Place & { counter: number; at: string };

/**
 * Keeps a use, and what the authenticator counted. False where it did not count on: then another
 * one has the same key.
 */
export const usePasskey = changed((db, p: UseRow) =>
  db.updateTable("passkeys").set({ counter: p.counter, last_used_at: p.at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
    .where((eb) =>
      eb.or([
        eb("counter", "<", p.counter),
        eb.and([eb("counter", "=", 0), eb("counter", "=", p.counter)]),
      ])
    )
);

type OwnPlace = Place & { user_id: string };

/** Names a passkey of a person. False where they have no such one. */
export const renamePasskey = changed((db, p: OwnPlace & { name: string }) =>
  db.updateTable("passkeys").set({ name: p.name })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("user_id", "=", p.user_id)
);

/** Removes a passkey of a person. False where they have no such one. */
export const removePasskey = changed(removes("passkeys", "org_id", "id", "user_id"));

/** Removes all passkeys of a person. */
export const removePasskeysOf = change(removes("passkeys", "org_id", "user_id"));

/** Keeps that a challenge was answered. False where it was before. */
export const spendChallenge = changed((
  db,
  p: { org_id: string; hash: string; expires_at: string },
) =>
  db.insertInto("passkey_challenges").values(rowOf("passkey_challenges", p))
    .onConflict((conflict) => conflict.doNothing())
);

/** How many passkeys of all organisations were made for another host than this. */
export const countPasskeysOfOtherHosts = numberOf((db, p: { rp_id: string }) =>
  db.selectFrom("passkeys").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("rp_id", "<>", p.rp_id)
);
