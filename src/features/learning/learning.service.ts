import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { learningQuestions } from "../../contract/gateway-states.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { findGateway } from "../gateways/gateways.store.ts";
import { sentEnd } from "../keys/key.ts";
import type * as contract from "./learning.contract.ts";
import { isOn, LONGEST_MS } from "./learning.ts";
import { countLearned, findLearning } from "./learning.store.ts";
import * as transactions from "./learning.transactions.ts";

type Shown = z.output<typeof contract.learning>;

/** Whether a gateway teaches, and until when. Throws `not_found`. */
export async function get(ctx: RequestContext, gateway_id: string): Promise<Shown> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  if (!await findGateway(reader, { org_id, id: gateway_id })) throw new Failure("not_found");
  const row = await findLearning(reader, { org_id, gateway_id });
  return {
    gateway_id,
    on: isOn(row, toTimestamp(clock.now())),
    started_at: row?.started_at ?? null,
    started_by: row?.started_by ?? null,
    ends_at: row?.ends_at ?? null,
    questions_per_second: Number(row?.questions_per_second ?? learningQuestions.usual),
    learned: await countLearned(reader, { org_id, gateway_id }),
  };
}

/** Has a gateway teach until an end. Throws `not_found` and `invalid_input`. */
export async function start(
  ctx: RequestContext,
  gateway_id: string,
  { ends_at: sent, questions_per_second }: z.output<typeof contract.startLearning.body & z.ZodType>,
): Promise<Shown> {
  const { principal, clock, storage } = ctx;
  const actor = actorOf(principal, clock.now());
  const ends_at = sentEnd(sent) ?? "";
  if (ends_at <= toTimestamp(actor.now) || ends_at > toTimestamp(actor.now + LONGEST_MS)) {
    const message = "ends_at: expected a time to come, within 366 days";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  const input = { actor, gateway_id, ends_at, questions_per_second };
  await storage.commit(transactions.startLearning, input);
  return await get(ctx, gateway_id);
}

/** Ends learning from a gateway. Throws `not_found`. */
export async function stop(ctx: RequestContext, gateway_id: string): Promise<Shown> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(transactions.stopLearning, { actor, gateway_id });
  return await get(ctx, gateway_id);
}
