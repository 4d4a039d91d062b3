import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import { replaceDeveloper } from "../developers/developer-accounts.store.ts";
import type { Developer } from "../developers/developer.ts";
import { noteChangedEmail } from "../developers/email-change.transactions.ts";
import type { NewEmailLinks } from "../developers/email-proof.ts";
import { lockDeveloper } from "../developers/developers.store.ts";
import { requireHeldRevision } from "../developers/held-revision.transactions.ts";
import { editedAccount } from "./account.ts";

/** Which developer a change is about, and what it goes by. */
export interface Change {
  actor: Actor;
  id: string;
  ifMatch: string[] | null;
}

/**
 * Replaces e-mail address and fields. Throws `not_found`, `precondition_failed`, `email_taken`,
 * `invalid_input`.
 */
export const editAccount = defineTransaction(
  "developer-accounts.edit",
  async (
    tx,
    input: Change & { email: string; fields: Record<string, unknown>; emailLinks: NewEmailLinks },
  ) => {
    const { actor, id, email, fields, emailLinks } = input;
    const before = await lockAsRead(tx, input);
    const after = editedAccount(before, email, fields);
    await replaceDeveloper(tx, actor.org_id, before, after);
    const names = namesOfDeveloper(after);
    await recordChange(tx, actor, { action: "developer.updated", object_id: id, names });
    await noteChangedEmail(tx, actor, before, after, emailLinks);
  },
);

/**
 * The developer, held, in the state that the caller has seen. Throws `not_found`,
 * `precondition_failed`.
 */
export async function lockAsRead(tx: Tx, { actor, id, ifMatch }: Change): Promise<Developer> {
  const before = await lockDeveloper(tx, actor.org_id, id);
  if (!before) throw new Failure("not_found");
  await requireHeldRevision(tx, actor.org_id, before, ifMatch);
  return before;
}
