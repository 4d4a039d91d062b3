import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { type Idempotency, idempotentCall } from "../../../calls/principal.ts";
import { Answer } from "../../../kernel/answer.ts";
import { newId } from "../../../kernel/ids.ts";
import { givenNow, openedRule, type TemporaryAccessRule } from "../../people/temporary-access.ts";
import { temporaryAccessRulesOf } from "../../people/temporary-access.store.ts";
import { administrationOf } from "../../people/people.service.ts";
import type { ruleInput, temporaryAccessRule } from "./temporary-access-rules.contract.ts";
import {
  addTemporaryAccessRule,
  changeTemporaryAccessRule,
  dropTemporaryAccessRule,
  type SentRule,
} from "./temporary-access-rules.transactions.ts";
import { ruleHealth } from "./rule-health.ts";
import { ruleRevision } from "./serialized-temporary-access.ts";

type View = z.output<typeof temporaryAccessRule>;
type Sent = z.output<typeof ruleInput>;

/** Every rule of the organisation, the oldest first. */
export async function list(ctx: RequestContext): Promise<{ data: View[] }> {
  const { storage: { reader }, sealer, principal: { org_id } } = ctx;
  const data: View[] = [];
  for (const row of await temporaryAccessRulesOf(reader, { org_id })) {
    const rule = openedRule(sealer, row);
    if (rule) data.push(await serialize(ctx, rule));
  }
  return { data };
}

/** Adds one. Throws what the endpoint lists. */
export async function add(
  ctx: RequestContext,
  sent: Sent,
  idempotency: Idempotency,
): Promise<Answer<View>> {
  const administration = administrationOf(ctx);
  const { now } = administration.actor;
  const call = idempotentCall(ctx.principal, now, idempotency);
  const input = { ...administration, id: newId(now), rule: ruleOf(sent), idempotency: call };
  return await tagged(ctx, await ctx.storage.commit(addTemporaryAccessRule, input));
}

/** Changes one. Throws what the endpoint lists. */
export async function change(
  ctx: RequestContext,
  id: string,
  sent: Sent,
  ifMatch: string[] | null,
): Promise<Answer<View>> {
  const input = { ...administrationOf(ctx), id, rule: ruleOf(sent), ifMatch };
  return await tagged(ctx, await ctx.storage.commit(changeTemporaryAccessRule, input));
}

/** Removes one, and tells how much temporary access ended by that. Throws `not_found`. */
export async function remove(ctx: RequestContext, id: string): Promise<number> {
  return await ctx.storage.commit(dropTemporaryAccessRule, { ...administrationOf(ctx), id });
}

function ruleOf({ name, people, role, minutes, proof, seconds, receivers }: Sent): SentRule {
  const each = (ids: readonly string[] = []) => [...new Set(ids)];
  return {
    name,
    people: each(people),
    role,
    minutes,
    proof,
    seconds: each(seconds),
    receivers: each(receivers),
  };
}

async function serialize(ctx: RequestContext, rule: TemporaryAccessRule): Promise<View> {
  const { storage: { reader }, sealer, settings: { publicUrl }, principal: { org_id } } = ctx;
  const { id, name, people, role, minutes, proof, seconds, receivers } = rule;
  return {
    id,
    name,
    people,
    role,
    permissions: await givenNow(reader, sealer, org_id, rule),
    minutes,
    proof,
    seconds,
    receivers,
    ...await ruleHealth({ reader, sealer, publicUrl }, org_id, rule),
    date_created: rule.created_at,
    date_updated: rule.updated_at,
  };
}

async function tagged(ctx: RequestContext, rule: TemporaryAccessRule): Promise<Answer<View>> {
  return new Answer(await serialize(ctx, rule), { etag: `"${ruleRevision(rule)}"` });
}
