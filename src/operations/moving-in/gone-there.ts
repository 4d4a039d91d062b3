import type { RequestContext } from "../../calls/context.ts";
import type { Finding } from "./findings.ts";
import { openKeysAfter, places } from "./imports.store.ts";

/** Keys that are read at once. */
const CHUNK = 500;

/** Keys that came with an earlier run, are active here, and are not among those `met` there. */
export async function* goneThere(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  met: ReadonlySet<string>,
): AsyncGenerator<Finding[], void, void> {
  for (const place of places) {
    let ids: string[] = [];
    do {
      ids = await openKeysAfter(reader, org_id, place, ids.at(-1) ?? "", CHUNK);
      const gone = ids.filter((id) => !met.has(id));
      if (gone.length > 0) {
        yield gone.map((id) => ({ kind: "key", id, code: "gone_there", detail: "" }));
      }
    } while (ids.length === CHUNK);
  }
}
