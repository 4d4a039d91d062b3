import { once } from "../../../changes/idempotent-answers.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import {
  addRequest,
  type Created,
  type CreateInput,
} from "../../key-requests/key-requests.transactions.ts";
import { lockKeyWithOwner } from "../../keys/lock-key.transactions.ts";
import { requireMove } from "../../keys/key.ts";

/**
 * Asks that a key of a developer's lives longer. A request for that which waits already is given
 * instead of a second one, so of calls at the same time one asks. Throws `not_found`,
 * `invalid_input` where the end would not be later, what a new request throws, and what requireMove
 * throws where the key opens nothing any more or another one has taken over.
 */
export const askLaterEnd = defineTransaction(
  "my.ask-later-end",
  (tx, input: CreateInput & { asked_end: string }): Promise<Created> =>
    once(tx, input.idempotency ?? null, async () => {
      const { actor, draft: { key, columns: { org_id, by_user } }, asked_end } = input;
      const locked = await lockKeyWithOwner(tx, org_id, key, by_user);
      if (!locked) throw new Failure("not_found");
      // As of a rotation: a key that is not worth replacing is not worth a later end.
      requireMove("rotate", locked.credential, toTimestamp(actor.now));
      refuseNotLater(locked.credential.expires_at, asked_end);
      return await addRequest(tx, { ...input, idempotency: null });
    }),
);

function refuseNotLater(present: string | null, asked: string): void {
  if (present !== null && asked > present) return;
  const message = present === null
    ? "until: the key does not end"
    : "until: expected a time after the key's end";
  throw new Failure("invalid_input", { message, details: [message] });
}
