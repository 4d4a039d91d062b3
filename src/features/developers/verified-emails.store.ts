import { change, one, send } from "../../storage/statement-functions.ts";
import { finds, puts, removes } from "../../storage/table-statements.ts";

type Place = { org_id: string; id: string };

/** Keeps that what was mailed to an address of a developer came back. */
export const putVerifiedEmail = change(puts("verified_emails"));

/** The address of a developer that is known to reach them; it may not be theirs any more. */
export const findVerifiedEmail = one(
  finds("verified_emails", { columns: ["address", "verified_at"] }),
);

/** Forgets it. */
export const forgetVerifiedEmail = send(removes("verified_emails"));
