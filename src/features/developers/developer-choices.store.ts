import { change, one, send } from "../../storage/statement-functions.ts";
import { puts, removes } from "../../storage/table-statements.ts";

type Place = { org_id: string; id: string };

/** A developer's choice of mails; undefined: none. */
export const findChoices = one((db, p: Place) =>
  db.selectFrom("developer_choices").select(["language", "quota_mails", "end_mails"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Keeps what a developer chose, in place of what they chose before. */
export const putChoices = change(puts("developer_choices"));

/** Forgets it. */
export const forgetChoices = send(removes("developer_choices"));
