import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import type { Page } from "../../contract/paging.ts";
import { Failure } from "../../kernel/failure.ts";
import { byId, type PageQuery, walk } from "../../kernel/walk.ts";
import { newAccessToken } from "./access-token.ts";
import { findFirstOrganisation, organisationsBelow } from "./organisations.store.ts";
import { createOrganisation } from "./organisations.transactions.ts";

/** Organisations, newest first. Throws `access_denied` outside the first one. */
export async function list(
  ctx: RequestContext,
  query: PageQuery,
): Promise<Page<{ id: string; name: string; date_created: string }>> {
  const { storage: { reader }, principal } = ctx;
  const first = await findFirstOrganisation(reader);
  if (first?.id !== principal.org_id) throw new Failure("access_denied");
  const { rows, next_cursor } = await walk(
    byId("organisations", (below, limit) => organisationsBelow(reader, { below }, limit)),
    query,
  );
  return { data: rows, next_cursor };
}

/** Makes an organisation; its administrator's access token stands nowhere but in this answer. */
export async function create(
  ctx: RequestContext,
  body: { id?: string | undefined; name: string; administrator: string },
  idempotency: Idempotency,
) {
  const now = ctx.clock.now();
  return await ctx.storage.commit(createOrganisation, {
    actor: actorOf(ctx.principal, now),
    ...body,
    credential: newAccessToken(),
    longestMs: ctx.settings.longestTokenMs,
    idempotency: idempotentCall(ctx.principal, now, idempotency),
  });
}
