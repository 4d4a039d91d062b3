import type { RequestContext } from "./context.ts";
import { actorOf } from "./principal.ts";
import { writeTrailRows } from "./trail-notes.transactions.ts";

/**
 * Says in the trail that the caller takes away all of this that `filters` let through; before the first of it goes
 * out, so that nothing leaves without a trace.
 */
export async function recordExport(
  ctx: RequestContext,
  what: string,
  filters: Readonly<Record<string, unknown>>,
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { client_address, ...detail } = filters;
  const event = {
    ...{ action: `${what}.exported`, object: "export", object_id: what, detail },
    ...typeof client_address === "string" && { personal: { "/client_address": client_address } },
  };
  await ctx.storage.commit(writeTrailRows, { rows: [{ actor, event }] });
}
