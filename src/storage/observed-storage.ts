import { Failure } from "../kernel/failure.ts";
import type { ChangeOutcome, Figures } from "../kernel/figures/figures.ts";
import { isTracing, withSpan } from "../kernel/tracing.ts";
import type { Storage } from "./storage.ts";

/** The same store; its changes are counted in `figures`. */
export function countedStorage(storage: Storage, figures: Figures): Storage {
  return {
    ...storage,
    commit: async (transaction, input) => {
      const asked = performance.now();
      try {
        const output = await storage.commit(transaction, input);
        figures.kept(transaction.id, performance.now() - asked);
        return output;
      } catch (error) {
        figures.changes.add(outcomeOf(error));
        throw error;
      }
    },
  };
}

/** Of a change that threw. What nobody foresaw counts as not written. */
function outcomeOf(error: unknown): ChangeOutcome {
  return error instanceof Failure && !NOT_WRITTEN.has(error.code) ? "refused" : "failed";
}

const NOT_WRITTEN: ReadonlySet<string> = new Set(["unavailable", "internal", "store_damaged"]);

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
