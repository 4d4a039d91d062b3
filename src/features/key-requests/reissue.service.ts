import type { RequestContext } from "../../calls/context.ts";
import type { Idempotency } from "../../calls/principal.ts";
import { mintOf, showReplacement } from "../keys/keys.service.ts";
import type { Delivery } from "../../contract/claim-link.ts";
import type { ShownReplacement } from "../keys/keys.service.ts";
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
