import { all, change } from "../../../storage/statement-functions.ts";
import { finds, puts, removes } from "../../../storage/table-statements.ts";
import type { Connection } from "../../../storage/storage.ts";
import { type ApiVisibility, visibilityIn } from "./api-visibility.ts";

const listSql = all(finds("api_visibilities", { by: ["org_id"] }));

/** The visibility of an organisation's APIs by their ids; one that is absent is as usual. */
export async function visibilitiesOf(
  db: Connection,
  org_id: string,
): Promise<ReadonlyMap<string, ApiVisibility>> {
  const rows = await listSql(db, { org_id });
  return new Map(rows.map((row) => [row.api_id, visibilityIn(row)]));
}

/** Keeps who sees an API of a catalogue that this transaction holds. */
export const putVisibility = change(puts("api_visibilities"));

/** Forgets who sees an API. */
export const removeVisibility = change(removes("api_visibilities"));
