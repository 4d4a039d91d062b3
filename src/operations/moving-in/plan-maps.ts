import { isObject } from "./extended-json.ts";
import type { SourceDocument } from "./source.ts";

/** Plans, each by itself: the open-source gateway's file has them in one object, by their ids. */
export async function* plansAmong(
  documents: AsyncIterable<SourceDocument>,
): AsyncGenerator<SourceDocument, void, void> {
  for await (const document of documents) {
    const entries = "members" in document ? Object.entries(document.members) : [];
    const isMap = entries.length > 0 && entries.every(([, one]) => isPlan(one));
    if (!isMap) yield document;
    else {
      for (const [i, [id, one]] of entries.entries()) {
        const members = { ...isObject(one) ? one : {} };
        if (!members.id) members.id = id;
        yield { place: `${document.place}, item ${i + 1}`, members };
      }
    }
  }
}

/**
 * Whether a member of a document is a plan, so that the document is a map of them: no plan has one
 * in it.
 */
function isPlan(value: unknown): boolean {
  return isObject(value) && ["rate", "quota_max", "access_rights"].some((name) => name in value);
}
