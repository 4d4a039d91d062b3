import { Failure } from "../kernel/failure.ts";
import type { ChangeOutcome, Metrics } from "../kernel/metrics/metrics.ts";
import { currentSpan, isTracing, withSpan } from "../kernel/tracing.ts";
import type { Storage } from "./storage.ts";

/** The store with its changes counted in `figures`. */
export function countedStorage(storage: Storage, metrics: Metrics): Storage {
  return {
    ...storage,
    commit: async (transaction, input, deadline) => {
      const asked = performance.now();
      metrics.doings.begin(transaction.id);
      try {
        const output = await storage.commit(transaction, input, deadline);
        metrics.kept(transaction.id, performance.now() - asked);
        return output;
      } catch (error) {
        metrics.changes.add(outcomeOf(error));
        throw error;
      } finally {
        metrics.doings.end(transaction.id);
      }
    },
  };
}

/** Of a change that threw. An unforeseen error counts as not written. */
function outcomeOf(error: unknown): ChangeOutcome {
  if (error instanceof Failure && error.code === "audit_stream_behind") return "kept";
  return error instanceof Failure && !NOT_WRITTEN.has(error.code) ? "refused" : "failed";
}

const NOT_WRITTEN: ReadonlySet<string> = new Set(["unavailable", "internal", "store_damaged"]);

/** Of the changes that no one called for, one in so many is a span. */
const HOUSEKEEPING = 100;

/**
 * The store; if traces are on, each of its changes is a span. The server's own changes, such as its
 * signs of life, would be most of them: of those the first is one, and each hundredth behind it.
 */
export function tracedStorage(storage: Storage): Storage {
  if (!isTracing()) return storage;
  /** Of each transaction, how many were made by no one. */
  const unasked = new Map<string, number>();
  const isLeftOut = (id: string) => {
    if (currentSpan()) return false;
    const count = unasked.get(id) ?? 0;
    unasked.set(id, count + 1);
    return count % HOUSEKEEPING !== 0;
  };
  return {
    ...storage,
    commit: (transaction, input, deadline) => {
      if (isLeftOut(transaction.id)) return storage.commit(transaction, input, deadline);
      return withSpan(
        "commit",
        { facts: { "keydesk.transaction": transaction.id } },
        () => storage.commit(transaction, input, deadline),
      );
    },
  };
}
