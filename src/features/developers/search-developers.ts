import type { RequestContext } from "../../calls/context.ts";
import { hasUnwordedOf } from "./developer-words.store.ts";
import { indexDevelopers } from "./developer-words.transactions.ts";

/** Chunks that a search takes into the index before it begins. */
const CHUNKS = 4;

/**
 * Brings developers of the organisation that wait into the search. False where more wait than a
 * call may take.
 */
export async function indexWaiting(ctx: RequestContext): Promise<boolean> {
  const { storage, principal: { org_id } } = ctx;
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    if (!await hasUnwordedOf(storage.reader, { org_id })) return true;
    await storage.commit(indexDevelopers, { from: org_id });
  }
  return !await hasUnwordedOf(storage.reader, { org_id });
}
