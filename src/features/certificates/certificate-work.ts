import type { Connection, Storage } from "../../storage/storage.ts";
import { hasUnnamed } from "./certificate-care.store.ts";
import { countNames, nameCertificates } from "./certificate-care.transactions.ts";
import { findMiscounted, findUncounted } from "./certificate-name-ranges.store.ts";

/** How often the counts by name are held against the others: earlier code keeps those alone. */
const COMPARED_EVERY_MS = 600_000;

let comparedAt = -Infinity;

/** Whether certificates wait for something that earlier code did not do. */
export async function waits(db: Connection): Promise<boolean> {
  const isDue = performance.now() - comparedAt >= COMPARED_EVERY_MS;
  if (isDue) comparedAt = performance.now();
  if (isDue && await findMiscounted(db)) return true;
  return await hasUnnamed(db) || await findUncounted(db) !== undefined;
}

/** Does some of it. */
export async function work(storage: Storage): Promise<void> {
  await storage.commit(nameCertificates, null);
  await storage.commit(countNames, null);
}
