import type { Storage } from "../storage/storage.ts";
import { newSince, statesOfKey } from "./provisioned.store.ts";

/** Whether every gateway has a key. */
type Provisioned = "delivered" | "waiting";

/** How long a look rests before the next one. */
const EVERY_MS = 100;
/** Calls that wait at once. A further one gets the present state at once. */
const MOST_WAITING = 200;

let waiting = 0;

/**
 * Whether every gateway has a key as it is now, which anyone who brings it there has written down,
 * on this node or another. Waits for that no longer than `waitMs`, and not for what is stuck. Never
 * throws: what can't be read is not known to be there.
 */
export async function provisionedOf(
  { reader }: Pick<Storage, "reader">,
  key: { org_id: string; key_id: string },
  waitMs: number,
): Promise<Provisioned> {
  const until = performance.now() + waitMs;
  const mayWait = waitMs > 0 && waiting < MOST_WAITING;
  waiting++;
  try {
    for (;;) {
      // Before the rows: once it is new no more they are there.
      const isNew = await newSince(reader, key) !== undefined;
      const rows = await statesOfKey(reader, key);
      const states = [...isNew ? ["waiting"] : [], ...rows.map(({ state }) => state)];
      if (states.every((state) => state === "delivered" || state === "gone")) return "delivered";
      const left = until - performance.now();
      if (!mayWait || left <= 0 || !states.includes("waiting")) return "waiting";
      await new Promise((resolve) => setTimeout(resolve, Math.min(EVERY_MS, left)));
    }
  } catch {
    return "waiting";
  } finally {
    waiting--;
  }
}
