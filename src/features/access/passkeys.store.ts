import { rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { all, change, changed, numberOf, one } from "../../storage/statement-functions.ts";

/** A passkey as it is stored. */
export type PasskeyRow = StoredRow<"passkeys">;

type Place = { org_id: string; id: string };

const COLUMNS = [
  "org_id",
  "id",
  "user_id",
  "handle",
  "rp_id",
  "name",
  "public_key",
  "counter",
  "created_at",
  "last_used_at",
] as const;

/** The passkey that an authenticator names, which names its organisation; or undefined. */
export const findPasskeyByHandle = one((db, p: { handle: string }) =>
  db.selectFrom("passkeys").select(COLUMNS).where("handle", "=", p.handle)
);

/** A passkey of an organisation; or undefined. */
export const findPasskey = one((db, p: Place) =>
  db.selectFrom("passkeys").select(COLUMNS).where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** A person's passkeys, the oldest first. */
export const passkeysOf = all((db, p: { org_id: string; user_id: string }) =>
  db.selectFrom("passkeys").select(COLUMNS)
    .where("org_id", "=", p.org_id).where("user_id", "=", p.user_id).orderBy("id")
);

/** Adds a passkey. False where the authenticator's credential is somebody's already. */
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
export const removePasskey = changed((db, p: OwnPlace) =>
  db.deleteFrom("passkeys")
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("user_id", "=", p.user_id)
);

/** Removes all passkeys of a person. */
export const removePasskeysOf = change((db, p: { org_id: string; user_id: string }) =>
  db.deleteFrom("passkeys").where("org_id", "=", p.org_id).where("user_id", "=", p.user_id)
);

/** Keeps that a challenge was answered. False where it was before. */
export const spendChallenge = changed((
  db,
  p: { org_id: string; hash: string; expires_at: string },
) =>
  db.insertInto("passkey_challenges").values(rowOf("passkey_challenges", p))
    .onConflict((conflict) => conflict.doNothing())
);

/** How many passkeys of all organisations were made for another host than this. */
export const countPasskeysElsewhere = numberOf((db, p: { rp_id: string }) =>
  db.selectFrom("passkeys").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("rp_id", "<>", p.rp_id)
);
