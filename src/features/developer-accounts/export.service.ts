import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { recordExport } from "../../calls/record-export.ts";
import type { Answer, Pieces } from "../../kernel/answer.ts";
import { type Columns, csvFile } from "../../kernel/csv.ts";
import type { exportQuery, v1Developer } from "./v1.contract.ts";
import { listV1 } from "./v1.service.ts";

/** All developers that match, as a CSV file; none of their secrets. Throws `invalid_input` as the list does. */
export async function exportDevelopers(
  ctx: RequestContext,
  query: z.output<typeof exportQuery>,
): Promise<Answer<Pieces>> {
  const { state, sort, direction, ...typed } = query;
  const file = await csvFile(
    "developers.csv",
    columns,
    (cursor) => listV1(ctx, { ...query, cursor, limit: 100 }),
  );
  await recordExport(ctx, "developers", { told: { state, sort, direction }, typed });
  return file;
}

const columns: Columns<z.output<typeof v1Developer>> = {
  id: ({ id }) => id,
  email: ({ email }) => email,
  inactive: ({ inactive }) => inactive,
  date_created: ({ date_created }) => date_created,
  last_login_date: ({ last_login_date }) => last_login_date,
  has_password: ({ has_password }) => has_password,
  requests: ({ requests }) => requests,
  keys: ({ keys }) => keys,
  fields: ({ fields }) => JSON.stringify(fields),
};
