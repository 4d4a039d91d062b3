import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { recordExport } from "../../calls/record-export.ts";
import { toldOf } from "../../contract/filters.ts";
import { keyFilters } from "../../contract/list-filters.ts";
import type { Answer, Pieces } from "../../kernel/answer.ts";
import { type Columns, csvFile } from "../../kernel/csv.ts";
import type { exportQuery } from "./keys.contract.ts";
import { listKeys } from "./list-keys.service.ts";
import type { Key } from "./show-key.ts";

/**
 * All keys that match, as a CSV file; of each its id and mask, never the key. Throws
 * `invalid_input` as the list does.
 */
export async function exportKeys(
  ctx: RequestContext,
  query: Omit<z.output<typeof exportQuery>, "bom">,
): Promise<Answer<Pieces>> {
  const file = await csvFile(
    "keys.csv",
    columns,
    (cursor) => listKeys(ctx, { ...query, cursor, limit: 100 }),
  );
  await recordExport(ctx, "keys", toldOf(keyFilters, query));
  return file;
}

const columns: Columns<Key> = {
  key_id: ({ key_id }) => key_id,
  mask: ({ mask }) => mask,
  kind: ({ kind }) => kind,
  state: ({ state }) => state,
  plans: ({ plans }) => plans.join("; "),
  developer_id: ({ developer_id }) => developer_id,
  developer_email: ({ developer_email }) => developer_email,
  key_request_id: ({ key_request_id }) => key_request_id,
  request_id: ({ request_id }) => request_id,
  created: ({ created }) => created,
  expires_at: ({ expires_at }) => expires_at,
  last_used_at: ({ last_used_at }) => last_used_at,
  state_changed_at: ({ state_changed_at }) => state_changed_at,
  reason: ({ reason }) => reason,
  replaced_by: ({ replaced_by }) => replaced_by,
  use_before: ({ use_before }) => use_before,
  leaked: ({ leaked }) => leaked !== null,
  denied: ({ denied }) => denied,
  name: ({ name }) => name,
  environment: ({ environment }) => environment,
  note: ({ note }) => note,
  tags: ({ tags }) => tags.join("; "),
};
