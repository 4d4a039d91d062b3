import type { ServiceContext } from "../../calls/context.ts";
import { hasNewKeys, TAKEN_IN } from "./new-keys.store.ts";
import { takeIn } from "./new-keys.transactions.ts";

/** However many keys are new, what closes one waits for no more than these. */
const TRANSACTIONS = 10;

/**
 * Has every gateway wait for the keys that were issued since. On whichever node, and without the
 * right to bring them there: a node of older code that has it knows none of them by itself.
 */
export async function takeInNewKeys({ storage }: Pick<ServiceContext, "storage">): Promise<void> {
  if (!await hasNewKeys(storage.reader)) return;
  for (let n = 0; n < TRANSACTIONS; n++) {
    if (await storage.commit(takeIn, null) < TAKEN_IN) return;
  }
}
