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
    "How far it goes with an unused key: nothing is done, its developer is warned twice, then it is suspended, and 30 days later revoked, which can be undone for 7 days.",
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
    "True: imported keys count too, since no former system accepts them. False: they are left alone until a person states of a key that every gateway asks Keydesk.",
});

/** The rule for a plan's unused keys. */
export const unusedRule = z.strictObject({
  plan: text.meta({ description: "The plan's `_id`." }),
  action,
  after_days: z.int(),
  warn_days: z.int(),
  imported,
  date_updated: nullable(timestamp).meta({ description: "Null: it was never set." }),
  revision: text.meta({ description: "The value of `ETag` and `If-Match`, without the quotes." }),
}).meta({ id: "UnusedKeyRule" });

/** The next automatic step of a key. */
export const keySchedule = z.strictObject({
  key_id: text,
  unused_since: timestamp.meta({
    description: "Since when it was neither used nor changed.",
  }),
  step: nullable(z.enum(["warned", "warned_again", "suspended", "revoked", "left_alone"])).meta({
    description:
      "The last step of the schedule of unused keys; `left_alone`: it is valid at gateways that do not ask Keydesk, too. Null: none.",
  }),
  step_at: nullable(timestamp),
  warning_sent_at: nullable(timestamp).meta({
    description:
      "When the mail of the last warning was sent; null: it is not known to be. Nothing follows before.",
  }),
  next: nullable(z.strictObject({
    what: z.enum(["warn", "suspend", "revoke"]),
    not_before: timestamp,
  })).meta({ description: "The next step unless the key is used; null: none by itself." }),
  elsewhere: z.strictObject({
    valid: z.boolean().meta({
      description: "It is also valid at gateways that do not ask Keydesk, so its use says nothing.",
    }),
    imported: z.boolean().meta({ description: "It came from another system." }),
    stated_by: nullable(text).meta({ description: "The person who said so; null: none did." }),
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
    description:
      "The callers who tried it since it was suspended, as single denied calls are kept; null: it is not suspended.",
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
  summary: "Read a plan's rule for unused keys, with its ETag",
  description: "By default it is switched off.",
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
  summary: "Set a plan's rule for unused keys",
  description:
    "Only a key whose plans all have such a rule is concerned, and the mildest of its rules counts. Two warnings are mailed before anything else, and a use or `keep` takes the key out at once. Keys that are also valid elsewhere are left alone. A change counts from the next step on.",
  permission: ["plans"],
  body: unusedKeyRuleInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: unusedRule,
  errors: [...bodyErrors, "not_found", "precondition_failed", "managed_by_file"],
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
    "The step of the schedule of unused keys, whether the key is also valid elsewhere, and when a suspension expires.",
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
    "It is valid as before, and the days without a use begin anew. Suspensions and revocations by people stay.",
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
  summary: "State whether a key is valid at gateways that do not ask Keydesk",
  description:
    "The schedule of unused keys leaves such a key alone, and resumes it if it has suspended it. Null, or absent: not stated, so imported keys count as valid elsewhere.",
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

/** Says whether other gateways open for a key; null: no one says. See sayElsewhere. */
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
