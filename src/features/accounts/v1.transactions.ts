import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { namesOfDeveloper, requireNameable } from "../developers/developer-names.ts";
import { replaceDeveloper } from "../developers/developer-accounts.store.ts";
import type { Developer } from "../developers/developer.ts";
import { noteChangedEmail } from "../developers/email-change.transactions.ts";
import { addressKey, type NewEmailLinks } from "../developers/email-proof.ts";
import { lockDeveloper } from "../developers/developers.store.ts";
import { requireLockedRevision } from "../developers/locked-revision.transactions.ts";
import { editedAccount } from "./account.ts";
import { type HandOver, handOver, keysOfSuccessor } from "./hand-over.transactions.ts";

/** Which developer a change is about, and what it goes by. */
export interface Change {
  actor: Actor;
  id: string;
  ifMatch: string[] | null;
}

/**
 * Replaces e-mail address and fields; with another address it is said whose the account is, and
 * that of a successor is handed over. Throws `not_found`, `precondition_failed`, `email_taken`,
 * `invalid_input`, `too_many_revoked`.
 */
export const editAccount = defineTransaction(
  "developer-accounts.edit",
  async (
    tx,
    input: Change & {
      email: string;
      fields: Record<string, unknown>;
      emailLinks: NewEmailLinks;
      handing: HandOver;
    },
  ) => {
    const { actor, id, email, fields, emailLinks, handing } = input;
    const before = await lockAsRead(tx, input);
    const after = editedAccount(before, email, fields);
    requireNameable(fields, before.fields);
    await replaceDeveloper(tx, actor.org_id, before, after);
    // Whether the address is free comes first.
    const isOther = addressKey(email) !== addressKey(before.email);
    const keys = keysOfSuccessor(handing, isOther && before.email.trim() !== "");
    if (keys !== undefined && !isOther) throw sameAddress();
    const names = namesOfDeveloper(after);
    await recordChange(tx, actor, { action: "developer.updated", object_id: id, names });
    const account = isOther ? handing.account : undefined;
    await noteChangedEmail(tx, actor, before, after, emailLinks, account);
    if (keys !== undefined) await handOver(tx, actor, after, { keys, ending: handing.ending });
  },
);

function sameAddress(): Failure {
  const message = "account: a successor has another address";
  return new Failure("invalid_input", { message, details: [message] });
}

/**
 * The developer, held, in the state that the caller has seen. Throws `not_found`,
 * `precondition_failed`.
 */
export async function lockAsRead(tx: Tx, { actor, id, ifMatch }: Change): Promise<Developer> {
  const before = await lockDeveloper(tx, actor.org_id, id);
  if (!before) throw new Failure("not_found");
  await requireLockedRevision(tx, actor.org_id, before, ifMatch);
  return before;
}
