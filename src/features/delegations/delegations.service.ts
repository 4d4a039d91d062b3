import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { peopleWhoApprove } from "../access/people.store.ts";
import type { delegation } from "./delegations.contract.ts";
import { awayFor, findDelegation } from "./delegations.store.ts";
import { endDelegation, setDelegation } from "./delegations.transactions.ts";

type Shown = z.output<typeof delegation>;

/** People who are named of those who could, at the most. */
const MOST_NAMED = 100;

/** Who decides in the caller's place, and in whose place they do. */
export async function read(ctx: RequestContext): Promise<Shown> {
  const { storage: { reader }, principal: { org_id, user_id }, clock } = ctx;
  const now = toTimestamp(clock.now());
  const own = await findDelegation(reader, { org_id, person_id: user_id });
  const away = await awayFor(reader, { org_id, delegate_id: user_id, now });
  const people = await peopleWhoApprove(reader, org_id);
  return {
    delegate: own && own.until > now
      ? { id: own.delegate_id, name: own.delegate_name ?? own.delegate_id, until: own.until }
      : null,
    decides_for: away.map(({ id, name, until }) => ({ id, name, until })),
    candidates: people.filter(({ id }) => id !== user_id).slice(0, MOST_NAMED)
      .map(({ id, name }) => ({ id, name })),
  };
}

/** Names somebody. Throws what the endpoint lists. */
export async function put(
  ctx: RequestContext,
  { delegate_id, until }: { delegate_id: string; until: string },
): Promise<Shown> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(setDelegation, { actor, delegate_id, until });
  return await read(ctx);
}

/** Ends it. */
export async function end(ctx: RequestContext): Promise<Shown> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(endDelegation, { actor });
  return await read(ctx);
}
