import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import { findTags, setTags } from "../developers/developer-tags.store.ts";
import { tagsColumn, tagsIn } from "../developers/developer-tags.ts";
import type { Developer } from "../developers/developer.ts";
import { type Change, lockAsRead } from "./v1.transactions.ts";

/**
 * Files a developer under these tags, in place of their own. Throws `not_found`,
 * `precondition_failed`.
 */
export const changeTags = defineTransaction(
  "developer-accounts.change-tags",
  async (tx, input: Change & { tags: readonly string[] }) => {
    await retag(tx, input.actor, await lockAsRead(tx, input), () => input.tags);
    return null;
  },
);

/**
 * Changes the tags of a developer whom this transaction has locked: `next` is given their tags.
 * Gives the previous ones. Logs nothing if they do not change.
 */
export async function retag(
  tx: Tx,
  actor: Actor,
  developer: Developer,
  next: (before: readonly string[]) => readonly string[],
): Promise<string[]> {
  const place = { org_id: actor.org_id, id: developer.id };
  const { tags: stored = null } = await findTags(tx, place) ?? {};
  const before = tagsIn({ tags: stored });
  const tags = tagsColumn(next(before));
  if (tags === stored) return before;
  await setTags(tx, place, tags);
  await recordChange(tx, actor, {
    action: "developer.tags_changed",
    object_id: developer.id,
    detail: { before, after: tagsIn({ tags }) },
    names: namesOfDeveloper(developer),
  });
  return before;
}
