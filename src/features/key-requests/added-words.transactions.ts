import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { addedIn, MOST_WORDS } from "./added-words.ts";
import { lockRequest } from "./key-requests.store.ts";
import { namesOfRequest } from "./request-names.store.ts";
import { termsOf } from "./stored-request.ts";
import { setAddedWords } from "./v1.store.ts";

/**
 * Adds words to a developer's request that waits, behind those that are there. Equal words twice in
 * a row are added once, so a repeated call adds nothing. Throws `not_found`, for another's too,
 * `already_decided` and `too_many_words`.
 */
export const addWords = defineTransaction(
  "key-requests.add-words",
  async (
    tx,
    input: { actor: Actor; id: string; askedBy: string; words: string },
  ): Promise<null> => {
    const { actor, id, askedBy, words } = input;
    const { org_id, now } = actor;
    const row = await lockRequest(tx, { org_id, id });
    if (!row || termsOf(row).by_user !== askedBy) throw new Failure("not_found");
    if (row.state !== "pending") throw new Failure("already_decided");
    // Another's, who had the request before, are read by no one any more.
    const before = addedIn(row.added_words).filter(({ by }) => by === askedBy);
    if (before.at(-1)?.words === words) return null;
    if (before.length >= MOST_WORDS) throw new Failure("too_many_words");
    const added_words = JSON.stringify([...before, { at: toTimestamp(now), by: askedBy, words }]);
    if (!await setAddedWords(tx, { org_id, id, added_words })) throw new Failure("already_decided");
    await recordChange(tx, actor, {
      action: "key_request.word_added",
      object_id: id,
      detail: {},
      personal: { "/words": words },
      names: await namesOfRequest(tx, org_id, row),
    });
    return null;
  },
);
