import { isTracing, withSpan } from "../kernel/tracing.ts";
import type { Storage } from "./storage.ts";

/** The same store; where traces are on, each of its changes is a span. */
export function tracedStorage(storage: Storage): Storage {
  if (!isTracing()) return storage;
  return {
    ...storage,
    commit: (transaction, input) =>
      withSpan(
        "commit",
        { facts: { "keydesk.transaction": transaction.id } },
        () => storage.commit(transaction, input),
      ),
  };
}
