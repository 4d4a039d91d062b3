import { sql } from "kysely";
import { presentObject } from "../contract/former-names.ts";
import { rowOf } from "../storage/rows.ts";
import { all, changed } from "../storage/statement-functions.ts";
import { removes } from "../storage/table-statements.ts";
import type { CheckedTable } from "./checked-rows.ts";

/** The objects of rows of the audit log and of damages that are about rows of each table. */
export const objectsOf = {
  access_tokens: "access_token",
  credentials: "credential",
  users: "person",
} as const satisfies Record<CheckedTable, string>;

/** Which row is damaged: the word of `objectsOf`, and its id. */
export interface Damaged {
  org_id: string;
  object: string;
  object_id: string;
}

/** A damaged row, with the time and the problem. */
interface Damage extends Damaged {
  found_at: string;
  what: string;
}

/** Notes that a row is damaged. False where it is known. */
export const insertDamage = changed((db, p: Record<keyof Damage, string>) =>
  db.insertInto("damages").values(rowOf("damages", p))
    .onConflict((conflict) => conflict.doNothing())
);

/** Notes that a row is whole again. False where it was not known as damaged. */
export const removeDamage = changed(removes("damages"));

/** The most rows that one answer lists. */
export const MOST_NOTED = 1000;

/** The damaged rows of every organisation; MOST_NOTED at the most. */
export const listDamages = all((db) =>
  db.selectFrom("damages").select(["org_id", "object", "object_id", "found_at", "what"])
    .orderBy("org_id").orderBy("object").orderBy("object_id").limit(sql.lit(MOST_NOTED))
);

/** The damaged rows of one organisation; MOST_NOTED at the most. */
export const damagesOf = all((db, p: { org_id: string }) =>
  db.selectFrom("damages").select(["object", "object_id", "what"])
    .where("org_id", "=", p.org_id).orderBy("object").orderBy("object_id")
    .limit(sql.lit(MOST_NOTED))
);

/** The warnings, a sentence for each kind of row. */
export function damageWarnings(
  damages: readonly { object: string; object_id: string }[],
): string[] {
  return Object.values(objectsOf).flatMap((object) => {
    const ids = damages.filter((one) => one.object === object).map((one) => one.object_id);
    const named = ids.slice(0, 3).join(", ");
    const count = damages.length < MOST_NOTED ? String(ids.length) : `${ids.length} or more`;
    return ids.length === 0 ? [] : [
      `damaged ${
        presentObject(object)
      }: ${count}, among them ${named}; keydesk check says what to do`,
    ];
  });
}
