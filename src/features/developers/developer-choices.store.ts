import { rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { change, one, send } from "../../storage/statement-functions.ts";

type Place = { org_id: string; id: string };

/** What a developer chose of their mails; undefined: nothing. */
export const findChoices = one((db, p: Place) =>
  db.selectFrom("developer_choices").select(["language", "quota_mails", "end_mails"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Keeps what a developer chose, in place of what they chose before. */
export const putChoices = change((db, p: StoredRow<"developer_choices">) =>
  db.insertInto("developer_choices").values(rowOf("developer_choices", p))
    .onConflict((conflict) =>
      conflict.columns(["org_id", "id"]).doUpdateSet(rowOf("developer_choices", p, "org_id", "id"))
    )
);

/** Forgets it. */
export const forgetChoices = send((db, p: Place) =>
  db.deleteFrom("developer_choices").where("org_id", "=", p.org_id).where("id", "=", p.id)
);
