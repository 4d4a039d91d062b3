import type { Connection } from "../../../storage/storage.ts";
import { SUMMED_AT_ONCE, sumUsage, type UsageQuestion, type UsageSlot } from "./usage.store.ts";
import { addTally } from "./usage.ts";

/**
 * The calls of any number of things together, the oldest first: slots of one name become one, whose
 * beginning is that of the first.
 */
export async function summedSlots(
  db: Connection,
  asked: UsageQuestion,
  ids: readonly string[],
  nameOf: (slot: UsageSlot) => string = ({ begins }) => String(begins),
): Promise<UsageSlot[]> {
  const slots = new Map<string, UsageSlot>();
  for (let at = 0; at < ids.length; at += SUMMED_AT_ONCE) {
    for (const slot of await sumUsage(db, asked, ids.slice(at, at + SUMMED_AT_ONCE))) {
      const known = slots.get(nameOf(slot));
      if (known === undefined) {
        slots.set(nameOf(slot), { ...slot });
        continue;
      }
      addTally(known, slot);
      if (slot.last_hit > known.last_hit) known.last_hit = slot.last_hit;
    }
  }
  return [...slots.values()].sort((a, b) => a.begins - b.begins);
}
