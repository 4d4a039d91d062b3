import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { recordExport } from "../../calls/record-export.ts";
import { toldOf } from "../../contract/filters.ts";
import { certificateFilters } from "../../contract/list-filters.ts";
import type { Answer, Pieces } from "../../kernel/answer.ts";
import { type Columns, csvFile } from "../../kernel/csv.ts";
import type { exportQuery, v1CertificateList } from "./v1.contract.ts";
import { listV1 } from "./v1.service.ts";

type List = z.output<typeof v1CertificateList>;

/**
 * All certificates that match, as a CSV file; never a private key. Throws `invalid_input` as the
 * list does.
 */
export async function exportV1(
  ctx: RequestContext,
  query: Omit<z.output<typeof exportQuery>, "bom">,
): Promise<Answer<Pieces>> {
  const file = await csvFile("certificates.csv", columns, async (cursor) => {
    const { text } = await listV1(ctx, { ...query, cursor, limit: 100 });
    // as: listV1 answers by this contract.
    return JSON.parse(text) as List;
  });
  await recordExport(ctx, "certificates", toldOf(certificateFilters, { format: "csv", ...query }));
  return file;
}

const columns: Columns<List["data"][number]> = {
  id: ({ id }) => id,
  subject_cn: ({ subject_cn }) => subject_cn,
  issuer_cn: ({ issuer_cn }) => issuer_cn,
  not_before: ({ not_before }) => not_before,
  not_after: ({ not_after }) => not_after,
  status: ({ status }) => status,
  days_left: ({ days_left }) => days_left,
  is_ca: ({ is_ca }) => is_ca,
  has_private: ({ has_private }) => has_private,
  key_algorithm: ({ key_algorithm }) => key_algorithm,
  key_size: ({ key_size }) => key_size,
  serial_number: ({ serial_number }) => serial_number,
  fingerprint: ({ fingerprint }) => fingerprint,
  dns_names: ({ dns_names }) => dns_names.join(" "),
  owner: ({ owner }) => owner,
  tags: ({ tags }) => tags.join("; "),
  renewed_by: ({ renewed_by }) => renewed_by,
};
