import type { RequestContext } from "../../calls/context.ts";
import { recordExport } from "../../calls/record-export.ts";
import { actorOf } from "../../calls/principal.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { fingerprintOf } from "./certificate.ts";
import { removeTransaction } from "./certificates.transactions.ts";
import { type ExportFormat, exportStream } from "./export.ts";
import { type CertificateQuery, select } from "./selection.ts";

/** All that match, as a file. Throws `invalid_input` for a search that is too short or too long. */
export async function exportAll(
  ctx: RequestContext,
  format: ExportFormat,
  query: CertificateQuery,
): Promise<Answer<Pieces>> {
  const now = ctx.clock.now();
  const { q, ...chosen } = query;
  // A refused call logs no export.
  const selection = select(query, now);
  await recordExport(ctx, "certificates", { detail: { format, ...chosen }, typed: { q } });
  return exportStream(ctx, format, selection, now);
}

/** Throws `certificate_not_removed`. */
export async function remove(ctx: RequestContext, id: string): Promise<void> {
  const fingerprint = fingerprintOf(ctx.principal.org_id, id);
  if (fingerprint === undefined) throw new Failure("certificate_not_removed");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(removeTransaction, { actor, fingerprint });
}
