import type { RequestContext } from "../../calls/context.ts";
import type { Idempotency } from "../../calls/principal.ts";
import { mintOf, type ShownReplacement, showReplacement } from "../keys/keys.service.ts";
import type { Delivery } from "../../contract/claim-link.ts";
import { reissueKey } from "./reissue.transactions.ts";

/** Mints a request's key anew. */
export async function reissue(
  ctx: RequestContext,
  request_id: string,
  deliver: Delivery,
  idempotency: Idempotency,
): Promise<ShownReplacement> {
  const call = { ...mintOf(ctx, deliver, idempotency), request_id };
  return showReplacement(ctx, await ctx.storage.commit(reissueKey, call));
}
