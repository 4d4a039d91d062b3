import type { LeftOpen } from "../maintenance/import/user-names.ts";

/** So many are named, the others counted. */
const MOST_NAMED = 10;

/** The messages about keys that earlier imports left open, a sentence each, if any. */
export function leftOpenSentences({ org_id, known, unsure, source }: LeftOpen): string[] {
  const sentences: string[] = [];
  if (known.length > 0) {
    const named = known.slice(0, MOST_NAMED).map(({ id, detail }) => `${id} (${detail})`);
    const more = known.length - named.length;
    sentences.push(
      `organisation ${org_id}: keys that are user names of basic auth, so that the name alone opens them: ` +
        `${named.join("; ")}${more > 0 ? `; and ${more} more` : ""}. ` +
        "Run the import again, which suspends them",
    );
  }
  if (unsure > 0) {
    sentences.push(
      `organisation ${org_id}: ${unsure} keys came by --gateway before this release (${source}), which took user ` +
        "names of basic auth for keys: run the import again; revoke those that are gone there",
    );
  }
  return sentences;
}

/** Names keys by their ids, some of them. */
export function namedKeys(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMED;
  return ids.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
