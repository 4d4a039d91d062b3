import { defineTransaction } from "../../../storage/storage.ts";
import { lockGateway } from "../gateways.store.ts";
import { type MapReaderRow, putMapReader } from "./map-readers.store.ts";

/** Notes which state of a map a proxy has; nothing where the gateway was removed meanwhile. */
export const noteMapReader = defineTransaction(
  "gateways.note-map-reader",
  async (tx, row: MapReaderRow): Promise<null> => {
    const { org_id, gateway_id: id } = row;
    if (await lockGateway(tx, { org_id, id })) await putMapReader(tx, row);
    return null;
  },
);
