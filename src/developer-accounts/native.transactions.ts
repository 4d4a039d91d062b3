import type { Actor } from "../audit/audit.ts";
import { type Developer, developerRevision, splitSecrets } from "../developers/developer.ts";
import { replaceDeveloper } from "../developers/developer-accounts.store.ts";
import { lockDeveloper, updateDeveloper } from "../developers/developers.store.ts";
import { type IdempotentCall, once } from "../idempotency/idempotent-answers.ts";
import { requireRevision } from "../lib/entity-tag.ts";
import { Failure } from "../lib/failure.ts";
import { recordChange } from "../outbox/record-change.ts";
import { defineTransaction, type Tx } from "../storage/storage.ts";
import { editedAccount } from "./account.ts";

/** Which developer a change is about, and what it goes by. */
interface Change {
  actor: Actor;
  id: string;
  ifMatch: string[] | null;
}

/** Replaces e-mail address and fields. Throws `not_found`, `precondition_failed`, `email_taken`, `invalid_input`. */
export const editAccount = defineTransaction(
  "developer-accounts.edit",
  async (tx, input: Change & { email: string; fields: Record<string, unknown> }) => {
    const { actor, id, email, fields } = input;
    const before = await lockAsRead(tx, input);
    await replaceDeveloper(tx, actor.org_id, before, editedAccount(before, email, fields));
    await record(tx, actor, "updated", id);
  },
);

/** Makes a developer inactive or active; who is so already stays so. Throws `not_found`, `precondition_failed`. */
export const changeInactive = defineTransaction(
  "developer-accounts.inactive",
  async (tx, input: Change & { inactive: boolean; idempotency: IdempotentCall | null }) => {
    const { actor, id, inactive, idempotency } = input;
    return await once(tx, idempotency, async () => {
      const before = await lockAsRead(tx, input);
      if (before.inactive === inactive) return null;
      await updateDeveloper(tx, actor.org_id, { ...before, inactive });
      await record(tx, actor, inactive ? "deactivated" : "reactivated", id);
      return null;
    });
  },
);

/** The developer, held, in the state that the caller has seen. */
async function lockAsRead(tx: Tx, { actor, id, ifMatch }: Change): Promise<Developer> {
  const before = await lockDeveloper(tx, actor.org_id, id);
  if (!before) throw new Failure("not_found");
  requireRevision(ifMatch, developerRevision(splitSecrets(before).document));
  return before;
}

async function record(tx: Tx, actor: Actor, what: string, object_id: string): Promise<void> {
  await recordChange(tx, actor, { action: `developer.${what}`, object: "developer", object_id });
}
