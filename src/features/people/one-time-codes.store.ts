import { rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import {
  change,
  changed,
  exists,
  numberOf,
  one,
  values,
} from "../../storage/statement-functions.ts";
import { finds, inserts, removes } from "../../storage/table-statements.ts";
import type { PersonRef } from "./one-time-code.ts";

/** By what the codes of a person's app are known, as it is stored. */
type OneTimeSecretRow = StoredRow<"one_time_secrets">;

/** That of a person; or undefined. */
export const findOneTimeSecret = one((db, p: PersonRef) =>
  db.selectFrom("one_time_secrets")
    .select(["org_id", "id", "secret", "last_step", "created_at", "last_used_at"])
    .where("org_id", "=", p.org_id).where("id", "=", p.user_id)
);

/** Sets that of a person, in the place of one before. */
export const putOneTimeSecret = change((db, p: Omit<OneTimeSecretRow, "last_used_at">) =>
  db.insertInto("one_time_secrets").values(rowOf("one_time_secrets", p, "last_used_at"))
    .onConflict((conflict) =>
      conflict.columns(["org_id", "id"]).doUpdateSet({
        secret: p.secret,
        last_step: p.last_step,
        created_at: p.created_at,
        last_used_at: null,
      })
    )
);

/** Takes a step of a person. False for anyone who comes second with it, or with one before it. */
export const takeStep = changed((db, p: PersonRef & { step: number; at: string }) =>
  db.updateTable("one_time_secrets").set({ last_step: p.step, last_used_at: p.at })
    .where("org_id", "=", p.org_id).where("id", "=", p.user_id).where("last_step", "<", p.step)
);

/** Removes that of a person. False where there is none. */
export const removeOneTimeSecret = changed((db, p: PersonRef) =>
  db.deleteFrom("one_time_secrets").where("org_id", "=", p.org_id).where("id", "=", p.user_id)
);

/** The people of an organisation whose codes can be known. */
export const peopleWithCodes = values((db, p: { org_id: string }) =>
  db.selectFrom("one_time_secrets").select("id")
    .where("org_id", "=", p.org_id).where("secret", "is not", null)
);

/** Adds a recovery code of a person. */
export const insertRecoveryCode = change(inserts("recovery_codes"));

/** Whether a person has such a recovery code. */
export const hasRecoveryCode = exists(finds("recovery_codes", { columns: ["hash"] }));

/** Takes a recovery code away. False for anyone who comes second. */
export const burnRecoveryCode = changed(removes("recovery_codes"));

/** How many a person has left. */
export const countRecoveryCodes = numberOf((db, p: PersonRef) =>
  db.selectFrom("recovery_codes").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("org_id", "=", p.org_id).where("user_id", "=", p.user_id)
);

/** Removes all of a person. */
export const removeRecoveryCodes = change(removes("recovery_codes", "org_id", "user_id"));
