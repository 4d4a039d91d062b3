import { z } from "zod";
import { changeBy } from "../../../calls/change-by.ts";
import type { RequestContext } from "../../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../../calls/principal.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { unusedActions } from "../../../contract/unused-actions.ts";
import { entityTag, ifMatch, nullable } from "../../../contract/v1.ts";
import { text, timestamp } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { ifMatchOf } from "../../../http/routes.ts";
import { Answer } from "../../../kernel/answer.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { key } from "../../keys/keys.contract.ts";
import { serializeOne } from "../../keys/show-key.ts";
import { findTimedSuspension } from "../../keys/timed-suspensions.store.ts";
import { seenKey } from "../../keys/within-scope.service.ts";
import { coverageOfCaller } from "../../plans/coverage.ts";
import { findPlan } from "../../plans/plans.store.ts";
import { isImported } from "./elsewhere.ts";
import { keepKey, sayElsewhere, setRule } from "./keep.transactions.ts";
import { suspendedCallsOf } from "./suspended-calls.ts";
import { ruleOfKey } from "./rule-of-key.ts";
import { findRule, revisionOfRule, termsIn } from "./rules.store.ts";
import { findScheduledKey, keyIn, scheduleIn } from "./schedules.store.ts";
import {
  comesNext,
  idleSince,
  isInForce,
  isUnused,
  type Schedule,
  SWITCHED_OFF,
} from "./unused-rule.ts";

const action = z.enum(unusedActions, { error: `expected ${unusedActions.join(" or ")}` }).meta({
  description:
    "How far it goes with a key that nobody uses: nothing is done, its developer is warned twice, then it is suspended, and 30 days later revoked, which can be undone for 7 days.",
});

const after_days = z.int().min(7).max(3650).meta({
  description: "Without a use for so many days a key counts as unused.",
});

const warn_days = z.int().min(1).max(365).meta({
  description:
    "Days between the two warnings, and between the second and a suspension, counted from when the mail was sent.",
});

const imported = z.boolean().meta({
  description:
    "True: imported keys count too, since nothing is left where they came from. False: they are left alone until somebody says of a key that every gateway asks here.",
});

/** The rule for a plan's unused keys. */
export const unusedRule = z.strictObject({
  plan: text.meta({ description: "The plan's `_id`." }),
  action,
  after_days: z.int(),
  warn_days: z.int(),
  imported,
  date_updated: nullable(timestamp).meta({ description: "Null: nobody has ever set it." }),
  revision: text.meta({ description: "What `ETag` and `If-Match` hold, without the quotes." }),
}).meta({ id: "UnusedKeyRule" });

/** The next automatic step of a key. */
export const keySchedule = z.strictObject({
  key_id: text,
  unused_since: timestamp.meta({
    description: "Since when nobody has used it, nor done anything to it.",
  }),
  step: nullable(z.enum(["warned", "warned_again", "suspended", "revoked", "left_alone"])).meta({
    description:
      "What the schedule of unused keys has done; `left_alone`: gateways elsewhere open for it too. Null: nothing.",
  }),
  step_at: nullable(timestamp),
  warning_sent_at: nullable(timestamp).meta({
    description:
      "When the mail of the last warning was sent; null: it is not known to be. Nothing follows before.",
  }),
  next: nullable(z.strictObject({
    what: z.enum(["warn", "suspend", "revoke"]),
    not_before: timestamp,
  })).meta({ description: "What follows unless somebody uses it; null: nothing by itself." }),
  elsewhere: z.strictObject({
    valid: z.boolean().meta({
      description: "Gateways that do not ask Keydesk open for it too, so its use says nothing.",
    }),
    imported: z.boolean().meta({ description: "It came from another system." }),
    stated_by: nullable(text).meta({ description: "Who said so; null: nobody did." }),
    stated_at: nullable(timestamp),
  }),
  resumes_at: nullable(timestamp).meta({
    description: "When it is resumed by itself; null: it is not suspended, or not for a while.",
  }),
  call_origins: nullable(z.strictObject({
    count: z.int().meta({ description: "Calls refused since; 100: so many or more." }),
    last_at: nullable(timestamp),
    gateways: z.array(text).meta({ description: "The named gateways at which it was refused." }),
  })).meta({
    description: "Who tried it since it is suspended, as single refusals are kept; null: it isn't.",
  }),
}).meta({ id: "KeySchedule" });

const reason = z.string().trim().min(1).max(500);

/** The rule of a plan. */
export const getUnusedKeyRule = operation({
  id: "getUnusedKeyRule",
  method: "GET",
  path: "/v1/plans/{id}/unused-keys",
  tag: "Plans",
  withinScope: true,
  summary: "Read what becomes of a plan's keys that nobody uses, with its ETag",
  description: "Switched off until somebody sets it.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  answerHeaders: entityTag,
  response: unusedRule,
  errors: ["not_found"],
  async serve(ctx, { params: { id } }) {
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
  },
});

const unusedKeyRuleInput = z.strictObject({
  action,
  after_days: after_days.optional(),
  warn_days: warn_days.optional(),
  imported: imported.optional(),
}).meta({ id: "UnusedKeyRuleInput" });

/** Sets it. */
export const putUnusedKeyRule = operation({
  id: "putUnusedKeyRule",
  method: "PUT",
  path: "/v1/plans/{id}/unused-keys",
  tag: "Plans",
  summary: "Set what becomes of a plan's keys that nobody uses",
  description:
    "Only a key of which every plan has such a rule is concerned, and the gentlest of its rules counts. Two warnings are mailed before anything else, and a use or `keep` takes the key out at once. Keys that open elsewhere too are left alone. What is set counts from the next step on.",
  permission: ["plans"],
  body: unusedKeyRuleInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: unusedRule,
  errors: [...bodyErrors, "not_found", "precondition_failed"],
  example: { action: "suspend" as const, after_days: 180, warn_days: 14, imported: false },
  async serve(ctx, call) {
    const { params: { id: plan }, body: sent } = call;
    const ifMatch = ifMatchOf(call);
    const { action, after_days, warn_days, imported } = sent;
    const terms = {
      action,
      after_days: after_days ?? SWITCHED_OFF.after_days,
      warn_days: warn_days ?? SWITCHED_OFF.warn_days,
      imported: imported ?? SWITCHED_OFF.imported,
    };
    const { updated_at, ...set } = await changeBy(ctx, setRule, { plan, terms, ifMatch });
    return tagged({
      plan: set.plan,
      ...set.terms,
      date_updated: updated_at,
      revision: set.revision,
    });
  },
});

/** Reads a key's schedule. */
export const getKeySchedule = operation({
  id: "getKeySchedule",
  method: "GET",
  path: "/v1/keys/{key_id}/schedule",
  tag: "Keys",
  withinScope: true,
  summary: "Read what comes next for a key by itself, and who tried it since it is suspended",
  description:
    "How far the schedule of unused keys is, whether it opens elsewhere, and when a suspension ends by itself.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  response: keySchedule,
  errors: ["not_found"],
  serve: (ctx, { params }) => schedule(ctx, params.key_id),
});

/** It is needed. */
export const keepKeyEndpoint = operation({
  id: "keepKey",
  method: "POST",
  path: "/v1/keys/{key_id}/keep",
  tag: "Keys",
  withinScope: true,
  summary: "Say that an unused key is needed: what its schedule has done is undone",
  description:
    "It opens again what it opened, and the days without a use begin anew. What people suspended or revoked stays so.",
  permission: ["approve"],
  body: z.object({ reason: reason.optional() }).meta({ id: "KeepKeyInput" }),
  idempotent: true,
  response: key,
  errors: [...bodyErrors, "not_found", "key_suspended", "key_revoked", "developer_deleted"],
  example: { reason: "Runs once a year, for the annual report" },
  async serve(ctx, { params: { key_id }, body: { reason }, idempotency }) {
    const call = callOf(ctx, key_id, idempotency);
    await ctx.storage.commit(keepKey, { ...call, reason: reason ?? KEPT });
    return await serializeOne(ctx, await seenKey(ctx, key_id), toTimestamp(ctx.clock.now()));
  },
});

/** Other gateways open for it too, or none does. */
export const setKeyElsewhere = operation({
  id: "setKeyElsewhere",
  method: "PUT",
  path: "/v1/keys/{key_id}/elsewhere",
  tag: "Keys",
  withinScope: true,
  summary: "Say whether gateways that do not ask Keydesk open for a key",
  description:
    "The schedule of unused keys leaves such a key alone, and resumes it where it has suspended it. Null, or absent: nobody says, so imported keys count as opening elsewhere.",
  permission: ["approve"],
  // A misspelt member would take back what was said.
  body: z.strictObject({ elsewhere: z.boolean().optional() }).meta({ id: "KeyElsewhereInput" }),
  response: keySchedule,
  errors: [...bodyErrors, "not_found"],
  example: { elsewhere: true },
  serve: (ctx, { params, body }) => setElsewhere(ctx, params.key_id, body.elsewhere ?? null),
});

type Rule = z.output<typeof unusedRule>;

type ScheduleView = z.output<typeof keySchedule>;

function tagged(rule: Rule): Answer<Rule> {
  return new Answer(rule, { etag: `"${rule.revision}"` });
}

/** The next automatic step of a key. Throws `not_found`. */
async function schedule(ctx: RequestContext, key_id: string): Promise<ScheduleView> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const view = await seenKey(ctx, key_id);
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
  const since = view.state === "suspended" ? view.state_changed_at : null;
  const timed = since === null ? undefined : await findTimedSuspension(reader, { org_id, key_id });
  return {
    key_id,
    unused_since: idle_since,
    step: isLeftAlone ? "left_alone" : toStep(own),
    step_at: isLeftAlone || !toStep(own) ? null : own?.at ?? null,
    warning_sent_at: own?.sent_at ?? null,
    next: next && { what: next.what, not_before: toTimestamp(Math.max(next.at, now)) },
    elsewhere: {
      valid: key.elsewhere,
      imported: isImported(row),
      stated_by: row.said_by,
      stated_at: row.said_at,
    },
    resumes_at: timed?.suspended_at === since ? timed?.resume_at ?? null : null,
    call_origins: since === null ? null : await suspendedCallsOf(reader, { org_id, key_id, since }),
  };
}

function toStep(row: Schedule | undefined): Exclude<ScheduleView["step"], "left_alone"> {
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

const KEPT = "It is needed.";

/** Says whether other gateways open for a key; null: nobody says. See sayElsewhere. */
async function setElsewhere(
  ctx: RequestContext,
  key_id: string,
  elsewhere: boolean | null,
): Promise<ScheduleView> {
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
