import type { Deadline } from "../kernel/deadline.ts";
import type { Connection, Storage } from "./storage.ts";

/**
 * The store as one call sees it: whatever it asks, all of it together waits no longer than the
 * deadline.
 */
export function storageWithin(storage: Storage, deadline: Deadline): Storage {
  const reader = storage.readerWithin?.(deadline) ?? storage.reader;
  const within: Partial<Storage> = {
    itself: storeItself(storage),
    reader: readerWithin(reader, storage.reader, deadline),
    commit: (transaction, input) => {
      return asked(deadline, () => storage.commit(transaction, input, deadline));
    },
    ping: () => asked(deadline, () => storage.ping()),
    ...storage.changes ? { changes: changesWithin(storage.changes, deadline) } : {},
  };
  // Inherited, since each call has one.
  return Object.assign(Object.create(storage), within);
}

/** The store, whoever looks at it. */
export function storeItself(storage: Storage): Storage {
  return storage.itself ?? storage;
}

function readerWithin(reader: Connection, shared: Connection, deadline: Deadline): Connection {
  return {
    shared: { reader: shared, waitFor: (ask) => asked(deadline, ask) },
    dialect: reader.dialect,
    rows: (statement, params) => asked(deadline, () => reader.rows(statement, params)),
    row: (statement, params) => asked(deadline, () => reader.row(statement, params)),
    change: (statement, params) => asked(deadline, () => reader.change(statement, params)),
  };
}

function changesWithin(
  changes: NonNullable<Storage["changes"]>,
  deadline: Deadline,
): NonNullable<Storage["changes"]> {
  return {
    mark: () => changes.mark(),
    holds: (mark, parts) => {
      const holds = changes.holds(mark, parts);
      return typeof holds === "boolean" ? holds : deadline.waitFor(holds);
    },
  };
}

async function asked<T>(deadline: Deadline, question: () => Promise<T>): Promise<T> {
  deadline.check();
  return await deadline.waitFor(question());
}
