import { defineTransaction } from "../../storage/storage.ts";
import { lockUnworded, putWords } from "./developer-words.store.ts";
import { tagsIn } from "./developer-tags.ts";
import { developerWords } from "./developer-words.ts";
import type { Developer } from "./developer.ts";

/**
 * Brings a chunk of the developers that wait into the search, from an organisation on. Gives how
 * many.
 */
export const indexDevelopers = defineTransaction(
  "developers.index-words",
  async (tx, input: { from: string }) => {
    const rows = await lockUnworded(tx, { from: input.from });
    for (const { org_id, id, document, tags } of rows) {
      // as: the developers' store writes exactly this.
      const developer = JSON.parse(document) as Developer;
      await putWords(tx, { org_id, id }, developerWords({ ...developer, tags: tagsIn({ tags }) }));
    }
    return rows.length;
  },
);
