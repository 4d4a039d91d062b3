import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { developerExists } from "../developers/developers.store.ts";
import { isOpenSession, shownSession } from "./developer-session.ts";
import { developerSessionsOf } from "./developer-sessions.store.ts";
import { openTokens } from "./developer-tokens.service.ts";
import { endDevelopersAccess } from "./developers-access.transactions.ts";

/** A developer's sessions that open something, newest first. Throws `not_found`. */
export async function listSessions(ctx: RequestContext, id: string) {
  await requireDeveloper(ctx, id);
  const { storage: { reader }, clock, principal: { org_id } } = ctx;
  const rows = await developerSessionsOf(reader, { org_id, developer_id: id });
  return rows.filter((row) => isOpenSession(row, clock.now()))
    .map((row) => ({ ...shownSession(row), viewer: row.viewer ?? "" }));
}

/** A developer's tokens that open something, newest first. Throws `not_found`. */
export async function listTokens(ctx: RequestContext, id: string) {
  await requireDeveloper(ctx, id);
  return await openTokens(ctx, id);
}

/** Ends one session or token of a developer; null: all. Tells how many. Throws `not_found`. */
export async function end(
  ctx: RequestContext,
  id: string,
  what: "sessions" | "tokens",
  only: string | null,
): Promise<number> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return await ctx.storage.commit(endDevelopersAccess, { actor, id, what, only });
}

async function requireDeveloper({ storage, principal }: RequestContext, id: string) {
  if (!await developerExists(storage.reader, { org_id: principal.org_id, id })) {
    throw new Failure("not_found");
  }
}
