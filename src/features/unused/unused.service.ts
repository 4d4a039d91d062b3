import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { Answer } from "../../kernel/answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { type Key, showOne } from "../keys/show-key.ts";
import { findTimedSuspension } from "../keys/timed-suspensions.store.ts";
import { seenKey } from "../keys/within-scope.service.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { findPlan } from "../plans/plans.store.ts";
import { isImported } from "./elsewhere.ts";
import { keepKey, sayElsewhere, setRule } from "./keep.transactions.ts";
import { knocksOf } from "./knocks.ts";
import { ruleOfKey } from "./rule-of-key.ts";
import { findRule, revisionOfRule, termsIn } from "./rules.store.ts";
import { findScheduledKey, keyIn, scheduleIn } from "./schedules.store.ts";
import type { keySchedule, putUnusedKeyRule, unusedRule } from "./unused.contract.ts";
import {
  comesNext,
  idleSince,
  isInForce,
  isUnused,
  type Schedule,
  SWITCHED_OFF,
} from "./unused-rule.ts";

type Rule = z.output<typeof unusedRule>;
type ShownSchedule = z.output<typeof keySchedule>;

/** What becomes of a plan's unused keys. Throws `not_found`. */
export async function getRule(ctx: RequestContext, id: string): Promise<Answer<Rule>> {
  const { storage: { reader }, principal } = ctx;
  const { org_id } = principal;
  const plan = await findPlan(reader, { org_id, id });
  const coverage = await coverageOfCaller(reader, principal);
  if (!plan || plan.deleted_at !== null || (coverage && !coverage.plans.has(plan.id))) {
    throw new Failure("not_found");
  }
  const row = await findRule(reader, { org_id, plan: plan.id });
  const revision = revisionOfRule(plan.id, row);
  const date_updated = row?.updated_at ?? null;
  return tagged({ plan: plan.id, ...termsIn(row), date_updated, revision });
}

/** Sets it; what is left out has its default. Throws `not_found` and `precondition_failed`. */
export async function putRule(
  ctx: RequestContext,
  plan: string,
  sent: z.output<typeof putUnusedKeyRule.body & z.ZodType>,
  ifMatch: string[] | null,
): Promise<Answer<Rule>> {
  const { action, after_days, warn_days, imported } = sent;
  const terms = {
    action,
    after_days: after_days ?? SWITCHED_OFF.after_days,
    warn_days: warn_days ?? SWITCHED_OFF.warn_days,
    imported: imported ?? SWITCHED_OFF.imported,
  };
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { updated_at, ...set } = await ctx.storage.commit(setRule, { actor, plan, terms, ifMatch });
  return tagged({ plan: set.plan, ...set.terms, date_updated: updated_at, revision: set.revision });
}

function tagged(rule: Rule): Answer<Rule> {
  return new Answer(rule, { etag: `"${rule.revision}"` });
}

/** What comes next for a key by itself. Throws `not_found`. */
export async function schedule(ctx: RequestContext, key_id: string): Promise<ShownSchedule> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const shown = await seenKey(ctx, key_id);
  const row = await findScheduledKey(reader, { org_id, key_id });
  if (!row) throw new Failure("not_found");
  const now = await ctx.storeClock.now();
  // as: a key's plans are stored as an array of ids.
  const rule = await ruleOfKey(reader, org_id, JSON.parse(row.plans) as string[]);
  const key = keyIn(row, rule ?? SWITCHED_OFF, toTimestamp(now));
  const stored = scheduleIn(row);
  const own = stored && isInForce(stored, key) ? stored : undefined;
  const idle_since = idleSince(key);
  const isLeftAlone = key.elsewhere && key.state === "active" && rule !== undefined &&
    isUnused(idle_since, rule, now);
  const next = own && !isLeftAlone ? comesNext(own, rule) : null;
  const since = shown.state === "suspended" ? shown.state_changed_at : null;
  const timed = since === null ? undefined : await findTimedSuspension(reader, { org_id, key_id });
  return {
    key_id,
    unused_since: idle_since,
    step: isLeftAlone ? "left_alone" : shownStep(own),
    step_at: isLeftAlone || !shownStep(own) ? null : own?.at ?? null,
    warning_sent_at: own?.sent_at ?? null,
    next: next && { what: next.what, not_before: toTimestamp(Math.max(next.at, now)) },
    elsewhere: {
      opens: key.elsewhere,
      imported: isImported(row),
      said_by: row.said_by,
      said_at: row.said_at,
    },
    resumes_at: timed?.suspended_at === since ? timed?.resume_at ?? null : null,
    knocks: since === null ? null : await knocksOf(reader, { org_id, key_id, since }),
  };
}

function shownStep(row: Schedule | undefined): Exclude<ShownSchedule["step"], "left_alone"> {
  switch (row?.step) {
    case "warned":
    case "warned_again":
    case "suspended":
    case "revoked":
      return row.step;
    default:
      return null;
  }
}

/** Undoes what a key's schedule has done; see keepKey. */
export async function keep(
  ctx: RequestContext,
  key_id: string,
  reason: string | undefined,
  idempotency: Idempotency,
): Promise<Key> {
  const call = callOf(ctx, key_id, idempotency);
  await ctx.storage.commit(keepKey, { ...call, reason: reason ?? KEPT });
  return await showOne(ctx, await seenKey(ctx, key_id), toTimestamp(ctx.clock.now()));
}

const KEPT = "It is needed.";

/** Says whether other doors open for a key; null: nobody says. See sayElsewhere. */
export async function setElsewhere(
  ctx: RequestContext,
  key_id: string,
  elsewhere: boolean | null,
): Promise<ShownSchedule> {
  await ctx.storage.commit(sayElsewhere, { ...callOf(ctx, key_id, null), elsewhere });
  return await schedule(ctx, key_id);
}

function callOf(ctx: RequestContext, key_id: string, idempotency: Idempotency) {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return {
    actor,
    key_id,
    owner: null,
    idempotency: idempotentCall(ctx.principal, actor.now, idempotency),
  };
}
