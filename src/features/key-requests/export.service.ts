import type { z } from "zod";
import { recordExport } from "../../calls/record-export.ts";
import { toldOf } from "../../contract/filters.ts";
import { requestFilters } from "../../contract/list-filters.ts";
import type { Answer, Pieces } from "../../kernel/answer.ts";
import { type Columns, csvFile } from "../../kernel/csv.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { listV1 } from "./v1-list.service.ts";
import type { exportQuery, v1KeyRequestList } from "./v1.contract.ts";

type List = z.output<typeof v1KeyRequestList>;

/**
 * All key requests that match, as a CSV file. No member that is sealed is in it. Throws
 * `invalid_input` as the list does.
 */
export async function exportRequests(
  ctx: CatalogueContext,
  query: Omit<z.output<typeof exportQuery>, "bom">,
): Promise<Answer<Pieces>> {
  const file = await csvFile("key-requests.csv", columns, async (cursor) => {
    const { text } = await listV1(ctx, { ...query, cursor, limit: 100 });
    // as: listV1 answers by this contract.
    return JSON.parse(text) as List;
  });
  await recordExport(ctx, "key_requests", toldOf(requestFilters, query));
  return file;
}

const columns: Columns<List["data"][number]> = {
  id: ({ id }) => id,
  state: ({ state }) => state,
  date_created: ({ date_created }) => date_created,
  decided_at: ({ decided_at }) => decided_at,
  decided_by: ({ decided_by }) => decided_by,
  decided_by_name: ({ decided_by_name }) => decided_by_name,
  reason: ({ reason }) => reason,
  developer_id: ({ by_user }) => by_user,
  developer_email: ({ portal_developer }) => portal_developer.email,
  for_plan: ({ for_plan }) => for_plan,
  plans: ({ plans }) => plans.join("; "),
  catalogue_entry: ({ catalogue_entry }) => catalogue_entry.name,
  auth_type: ({ catalogue_entry }) => catalogue_entry.auth_type ?? "",
  fields: ({ fields }) => JSON.stringify(fields),
};
