import type { ThreadScope } from "../../src/kernel/thread-scope.ts";
import type { SealingKeys } from "../../src/kernel/sealing/sealing-keys.ts";
import { openStorage, type StorageLocation } from "../../src/storage/open-storage.ts";
import { transactions } from "../../src/transactions.ts";

declare const self: ThreadScope<
  { location: StorageLocation; keys: SealingKeys },
  string | undefined
>;

/** A thread that opens and closes a store whenever it is told to, and says how that went. */
self.onmessage = async ({ data: { location, keys } }) => {
  try {
    const storage = await openStorage(location, keys, { thread: false, transactions });
    await storage.ping();
    await storage.close();
    self.postMessage("opened");
  } catch (error) {
    self.postMessage(error instanceof Error ? error.stack : String(error));
  }
};

self.postMessage("ready");
