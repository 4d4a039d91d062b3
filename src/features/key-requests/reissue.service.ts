import type { RequestContext } from "../../calls/context.ts";
import type { Idempotency } from "../../calls/principal.ts";
import { mintOf } from "../keys/keys.service.ts";
import type { Replacement } from "../keys/mint-key.transactions.ts";
import { reissueKey } from "./reissue.transactions.ts";

/** Mints a request's key anew. */
export async function reissue(
  ctx: RequestContext,
  request_id: string,
  idempotency: Idempotency,
): Promise<Replacement> {
  return await ctx.storage.commit(reissueKey, { ...mintOf(ctx, idempotency), request_id });
}
