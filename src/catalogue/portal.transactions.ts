import type { Actor } from "../audit/audit.ts";
import { recordChange } from "../outbox/record-change.ts";
import { defineTransaction, type Tx } from "../storage/storage.ts";
import {
  type EntryRow,
  findCatalogue,
  findConfiguration,
  putCatalogue,
  putConfiguration,
} from "./catalogue.store.ts";
import { portalId } from "./portal-ids.ts";

/** Sets the organisation's catalogue, whole, and gives its id. */
export const setCatalogue = defineTransaction(
  "catalogue.set",
  async (tx, input: { actor: Actor; email: string; entries: EntryRow[] }): Promise<string> => {
    const { actor, email, entries } = input;
    const { org_id } = actor;
    const known = await findCatalogue(tx, org_id);
    const id = known?.id ?? portalId(org_id, "catalogue");
    await putCatalogue(tx, { org_id, id, email, entries });
    await record(tx, actor, "catalogue", id);
    return id;
  },
);

/** Sets the organisation's portal configuration, whole, and gives its id. */
export const setConfiguration = defineTransaction(
  "catalogue.set-configuration",
  async (tx, input: { actor: Actor; members: Record<string, unknown> }): Promise<string> => {
    const { actor, members } = input;
    const { org_id } = actor;
    const stored = await findConfiguration(tx, org_id);
    const known = stored === undefined ? "" : JSON.parse(stored).id;
    const id = typeof known === "string" && known !== ""
      ? known
      : portalId(org_id, "configuration");
    const document = JSON.stringify({ ...members, id, org_id });
    await putConfiguration(tx, { org_id, id, document });
    await record(tx, actor, "configuration", id);
    return id;
  },
);

/** What src/transactions.ts lists of this area. */
export const portalTransactions = [setCatalogue, setConfiguration];

async function record(tx: Tx, actor: Actor, object: string, object_id: string): Promise<void> {
  await recordChange(tx, actor, { action: `${object}.updated`, object, object_id });
}
