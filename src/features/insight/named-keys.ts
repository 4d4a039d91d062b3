import type { Connection } from "../../storage/storage.ts";
import { namesOfDevelopers } from "../developers/developer-names.store.ts";

/** What keys are recognised by, as they are stored. */
interface Stored {
  name: string | null;
  developer_id: string;
  /** A JSON array of plan ids. */
  plans: string;
}

/** The same as it is told: with what their developers are called now. */
type Named<Row> = Omit<Row, "name" | "plans"> & {
  name: string;
  developer_name: string;
  plans: string[];
};

/** A few keys with their names. One query for all. */
export async function namedIn<Row extends Stored>(
  db: Connection,
  org_id: string,
  rows: readonly Row[],
): Promise<Named<Row>[]> {
  const owners = [...new Set(rows.map(({ developer_id }) => developer_id))];
  const names = await namesOfDevelopers(db, org_id, owners);
  return rows.map((row) => ({
    ...row,
    name: row.name ?? "",
    developer_name: names.get(row.developer_id)?.developer?.trim() ?? "",
    // as: written as a list of ids.
    plans: JSON.parse(row.plans) as string[],
  }));
}
