import type { Actor } from "../../../changes/audit.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { editedAccount } from "../../accounts/account.ts";
import { confirmReached } from "../emails/developer-emails.transactions.ts";
import { replaceDeveloper } from "../../developers/developer-accounts.store.ts";
import { namesOfDeveloper } from "../../developers/developer-names.ts";
import { lockDeveloper } from "../../developers/developers.store.ts";
import { noteChangedEmail, noteVerifiedEmail } from "../../developers/email-change.transactions.ts";
import type { NewEmailLinks } from "../../developers/email-proof.ts";
import { takeCode } from "./take-code.transactions.ts";

/**
 * Gives a developer the address to which a code was mailed for their session. The code verifies it;
 * the previous address is notified, and has to agree. False: the code is wrong, was used or has
 * expired. Throws `wrong_code` if another developer has the address by now.
 */
export const takeEmail = defineTransaction(
  "developer-access.take-email",
  async (
    tx,
    input: {
      actor: Actor;
      developer_id: string;
      session_id: string;
      ticket: string;
      code: string;
      emailLinks: NewEmailLinks;
    },
  ): Promise<boolean> => {
    const { actor, developer_id, session_id, ticket, code, emailLinks } = input;
    const { org_id, now } = actor;
    const row = await takeCode(tx, { org_id, ticket, code, now }, ["change"]);
    if (!row || row.session_id !== session_id || row.developer_id !== developer_id) return false;
    const before = await lockDeveloper(tx, org_id, developer_id);
    if (!before || before.inactive) return false;
    const after = editedAccount(before, row.email.trim(), before.fields);
    await replaceDeveloper(tx, org_id, before, after).catch(asWrong);
    const names = namesOfDeveloper(after);
    await recordChange(tx, actor, { action: "developer.updated", object_id: developer_id, names });
    await noteChangedEmail(tx, actor, before, after, emailLinks);
    await noteVerifiedEmail(tx, org_id, after, now);
    await confirmReached(tx, actor, after);
    return true;
  },
);

/** Hides that another developer has an address: the code was good until they took it. */
function asWrong(error: unknown): never {
  const isTaken = error instanceof Failure && error.code === "email_taken";
  throw isTaken ? new Failure("wrong_code") : error;
}
