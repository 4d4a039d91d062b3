import type { Connection, Storage } from "../../storage/storage.ts";
import { hasChanges } from "./search.store.ts";
import { indexChanges } from "./search.transactions.ts";

/** How long the indexer rests when nothing waits for it. */
const REST_MS = 1000;
/** Else it rests so many times as long as a chunk took: more while other changes wait. */
const REST_FACTORS = { busy: 12, free: 3 };

/** Something that is brought into a search after its commit. */
export interface Indexed {
  /** Whether any of it waits. */
  waits(db: Connection): Promise<boolean>;
  /** Brings a chunk into the search. */
  index(storage: Storage): Promise<unknown>;
}

const requests: Indexed = {
  waits: hasChanges,
  index: (storage) => storage.commit(indexChanges, { from: "" }),
};

/** Brings what waits into the searches, a chunk at a time, until it is stopped. Never rejects. */
export function startIndexer(
  storage: Storage,
  others: readonly Indexed[] = [],
): { stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const turn = async () => {
    const started = performance.now();
    let rest = REST_MS;
    try {
      for (const one of [requests, ...others]) {
        if (!await one.waits(storage.reader)) continue;
        const isBusy = storage.load().changes.length > 0;
        await one.index(storage);
        // A quarter of the writer's time at the most, and a thirteenth while others wait for it.
        rest = REST_FACTORS[isBusy ? "busy" : "free"] * (performance.now() - started);
      }
    } catch {
      // A store that can't be reached now is asked again at the next turn; calls tell of it.
    }
    if (!stopped) timer = setTimeout(turn, rest);
  };
  timer = setTimeout(turn, REST_MS);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
