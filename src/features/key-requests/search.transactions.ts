import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { positionToTry } from "./search-position.ts";
import { searchText } from "./search-text.ts";
import {
  findPosition,
  findSearched,
  indexRequest,
  lockChanges,
  removeChange,
  unindexRequest,
} from "./search.store.ts";

/**
 * Brings a chunk of the changes that wait into the search, oldest first, from an organisation on.
 * Gives how many; 0: none is left there.
 */
export const indexChanges = defineTransaction(
  "key-requests.index-changes",
  async (tx, input: { from: string }) => {
    const changes = await lockChanges(tx, { from: input.from });
    const places = new Map(changes.map(({ org_id, id }) => [`${org_id}\n${id}`, { org_id, id }]));
    for (const place of places.values()) await indexAgain(tx, place);
    for (const { org_id, mark } of changes) await removeChange(tx, { org_id, mark });
    return changes.length;
  },
);

async function indexAgain(tx: Tx, place: { org_id: string; id: string }): Promise<void> {
  const before = await findPosition(tx, place);
  if (before) await unindexRequest(tx, place, before.position);
  const row = await findSearched(tx, place);
  if (!row) return;
  const { instant } = row;
  const text = searchText(row);
  // A request of the same instant keeps its position among the others.
  if (before?.instant === instant) {
    if (await indexRequest(tx, { ...place, instant, text, position: before.position })) return;
  }
  for (let attempt = 0;; attempt++) {
    const position = positionToTry(instant, attempt, Math.random());
    if (await indexRequest(tx, { ...place, instant, text, position })) return;
  }
}
