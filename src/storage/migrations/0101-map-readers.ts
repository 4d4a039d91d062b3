import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** Which state of a gateway's map each proxy has that fetches it, by its access token. */
export function mapReadersSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const place = ["org_id", "gateway_id", "token_id"];
  const sent = ["sent", "sent_edition#", "sent_at"];
  return [table("map_readers", [...place, "edition#", "up_to?", ...sent, "seen_at"], place)];
}
