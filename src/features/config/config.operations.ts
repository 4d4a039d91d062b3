import { z } from "zod";
import { actorOf, type Principal } from "../../calls/principal.ts";
import { changeBy } from "../../calls/change-by.ts";
import { findChangesRule } from "../../changes/config-changes.store.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { freeForm } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { Answer } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { isOperator } from "../people/operator.transactions.ts";
import {
  applyConfig,
  askForReview,
  confirmReview,
  isOver,
  setConfigChanges,
} from "./apply.transactions.ts";
import { findReview, managedOf, type ReviewRow, reviewsOf } from "./config-objects.store.ts";
import {
  applyInput,
  configApplied,
  configDiff,
  configReview,
  configRule,
  declared,
  diffInput,
  managedConfig,
} from "./config.contract.ts";
import { declarationSchema, MOST } from "./declaration.ts";
import type { ConfigContext } from "./kind.ts";
import { driftOf, exported, type Planned, planned, readState, toChange } from "./planned.ts";

const tag = "Configuration";

/** Limits of a declaration. */
const LONG = { longestBody: 16 * 1024 * 1024, mostMembers: MOST };

const example = {
  config: { plans: [{ name: "Tides, free", rate: 60, per: 60 }] },
  source: "platform.yaml",
};

/** Everything of the organisation, as a declaration. */
export const getConfig = operation({
  id: "getConfig",
  method: "GET",
  path: "/v1/config",
  tag,
  summary: "Read the organisation as a declaration: plans, APIs, policies and the rest, by name",
  description:
    "Without secrets. Its form is the JSON Schema at `/v1/config/schema`. To apply it changes nothing.",
  permission: ["config"],
  response: declared,
  errors: [],
  serve: async (ctx: ConfigContext) => exported(await readState(ctx)),
});

/** For editors. */
export const getConfigSchema = operation({
  id: "getConfigSchema",
  method: "GET",
  path: "/v1/config/schema",
  tag,
  summary: "Read the JSON Schema of declarations, for editors",
  description: "Draft 2020-12. It says nothing of an organisation.",
  permission: "public",
  response: freeForm,
  errors: [],
  serve: () => new Answer(declarationSchema()),
});

/** The changes that it would make. */
export const diffConfig = operation({
  id: "diffConfig",
  method: "POST",
  path: "/v1/config/diff",
  tag,
  summary: "Compare a declaration with the organisation: what would change, and who loses access",
  description:
    "Nothing is changed, so that it takes no other permission. Members that are left out of a declaration stay as they are.",
  permission: ["config"],
  ...LONG,
  keepsUnknown: true,
  body: diffInput,
  response: configDiff,
  errors: [...bodyErrors, "managed_by_file"],
  example,
  async serve(ctx: ConfigContext, call) {
    const one = await planned(ctx, call, call.body, { isLook: true });
    return { ...toDiff(one), needs_confirmation: one.needsConfirmation };
  },
});

/** Brings it about. */
export const applyConfigEndpoint = operation({
  id: "applyConfig",
  method: "POST",
  path: "/v1/config/apply",
  tag,
  summary: "Bring the organisation to what a declaration says, whole or not at all",
  description:
    "In one transaction. Each change takes the permission of its operation. `expect` refuses anything but what was reviewed. What takes a person who has just signed in is applied by an access token only after one has confirmed the digest, within a day.",
  permission: ["plans", "admin"],
  permissionBesides: "config",
  ...LONG,
  keepsUnknown: true,
  body: applyInput,
  response: configApplied,
  errors: [
    ...bodyErrors,
    "managed_by_file",
    "config_changed",
    "config_differs",
    "config_unconfirmed",
    "fresh_sign_in_required",
  ],
  example: { ...example, revision: "3f9c1e2" },
  serve: async (ctx: ConfigContext, call) => {
    const { source, revision, expect } = call.body;
    const one = await planned(ctx, call, call.body);
    const { digest, changes, steps, managing, left } = one;
    // A repeat finds it done: nothing is to be reviewed of that.
    const isOther = expect !== undefined && expect !== digest && changes.length > 0;
    if (isOther) throw new Failure("config_differs");
    const isConfirmed = one.needsConfirmation && await requireConfirmed(ctx, one, call.body);
    if (steps.length + managing.length + left.length > 0) {
      const count = (action: string) => changes.filter((change) => change.action === action).length;
      await changeBy(ctx, applyConfig, {
        source,
        revision,
        digest,
        seen: one.state.seen,
        steps: [...steps],
        managing: [...managing],
        left: [...left],
        counts: {
          created: count("create"),
          updated: count("update"),
          deleted: count("delete"),
        },
        isConfirmed,
      });
    }
    return toDiff(one);
  },
});

/** The things that files manage. */
export const getManagedConfig = operation({
  id: "getManagedConfig",
  method: "GET",
  path: "/v1/config/managed",
  tag,
  summary: "List what files manage, by which file, and how it differs from it",
  description: "Values of references are not compared.",
  permission: ["config"],
  response: managedConfig,
  errors: [],
  async serve(ctx: ConfigContext) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    const rows = await managedOf(reader, { org_id });
    const state = rows.length > 0 ? await readState(ctx) : undefined;
    return {
      changes: await findChangesRule(reader, { org_id }) ?? "warn",
      data: rows.map((row) => ({
        kind: row.kind,
        id: row.object_id,
        name: row.name,
        source: row.source,
        revision: row.revision,
        made: Number(row.made) === 1,
        declared: row.declared !== "",
        applied_at: row.applied_at,
        drifted_at: row.drifted_at,
        drift: state ? driftOf(state, row) : [],
      })),
    };
  },
});

/** Whether others may change it. */
export const setConfigRule = operation({
  id: "setConfigRule",
  method: "PUT",
  path: "/v1/config/managed",
  tag,
  summary: "Set whether changes of managed things by anybody but their file are refused",
  description:
    "`warn`: they are made, and are drift: a message of the topic `config.drifted` tells of each thing once. `refuse`: they are 409 `managed_by_file`, at the older interface too.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: configRule,
  response: configRule,
  errors: bodyErrors,
  example: { changes: "refuse" as const },
  async serve(ctx, { body }) {
    await changeBy(ctx, setConfigChanges, body);
    return body;
  },
});

/** The changes that wait for a person. */
export const listConfigReviews = operation({
  id: "listConfigReviews",
  method: "GET",
  path: "/v1/config/reviews",
  tag,
  summary: "List the changes by files that wait for a person, or that one has confirmed",
  description: "Each is kept for a day; one that was applied is no longer listed.",
  permission: ["config"],
  response: z.strictObject({ data: z.array(configReview) }).meta({ id: "ConfigReviewList" }),
  errors: [],
  async serve(ctx) {
    const { storage: { reader }, principal: { org_id }, clock } = ctx;
    const now = clock.now();
    const reviews = await reviewsOf(reader, { org_id });
    return { data: reviews.filter((one) => !isOver(one, now)).map(toReview) };
  },
});

/** A change that waits for a person. */
export const getConfigReview = operation({
  id: "getConfigReview",
  method: "GET",
  path: "/v1/config/reviews/{digest}",
  tag,
  summary: "Read a change by a file that waits for a person, or that one has confirmed",
  description: "It is kept for a day.",
  permission: ["config"],
  response: configReview,
  errors: ["not_found"],
  async serve(ctx, { params: { digest } }) {
    const { storage: { reader }, principal: { org_id }, clock } = ctx;
    const review = await findReview(reader, { org_id, digest });
    if (!review || isOver(review, clock.now())) throw new Failure("not_found");
    return toReview(review);
  },
});

/** A person's yes. */
export const confirmConfigReview = operation({
  id: "confirmConfigReview",
  method: "POST",
  path: "/v1/config/reviews/{digest}/confirm",
  tag,
  summary: "Confirm a change by a file: an access token may apply exactly this, once, within a day",
  description: "A person who has just signed in does it; access tokens are denied.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: "ignored",
  response: configReview,
  errors: ["not_found", "access_denied", "body_too_large", "body_timeout"],
  async serve(ctx, { params: { digest } }) {
    if (!isPerson(ctx.principal)) throw new Failure("access_denied", { message: PEOPLE });
    return toReview(await changeBy(ctx, confirmReview, { digest }));
  },
});

const PEOPLE = "access denied: a person who has just signed in confirms it, no access token.";

/** A caller with a session has signed in; the operator has the machine. */
function isPerson(principal: Principal): boolean {
  return principal.session !== undefined || isOperator(principal);
}

/**
 * Whether this uses up a confirmation, as an access token's call does. Throws
 * `fresh_sign_in_required` for a session that is not fresh, and `config_unconfirmed` if no person
 * has confirmed it; people are asked from then on.
 */
async function requireConfirmed(
  ctx: ConfigContext,
  one: Planned,
  { source, revision }: { source: string; revision: string },
): Promise<boolean> {
  const { principal, storage: { reader }, clock, settings: { publicUrl } } = ctx;
  const { session, org_id } = principal;
  if (session && !session.isFresh) throw new Failure("fresh_sign_in_required");
  if (isPerson(principal)) return false;
  const { digest, ...told } = toDiff(one);
  const review = await findReview(reader, { org_id, digest });
  if (review?.confirmed_at && !isOver(review, clock.now())) return true;
  const asked = { digest, source, revision, changes: JSON.stringify(told) };
  await ctx.storage.commit(askForReview, { actor: actorOf(principal, clock.now()), review: asked });
  const message =
    `A person who has just signed in has to confirm this first: ${publicUrl}/console/settings/config/${digest}. Then apply it again; nothing was applied.`;
  throw new Failure("config_unconfirmed", { message });
}

function toDiff({ digest, changes, losing }: Planned) {
  return { digest, changes: changes.map(toChange), loses_access: [...losing] };
}

function toReview(
  { digest, source, revision, changes, asked_by, asked_at, confirmed_by, confirmed_at }: ReviewRow,
) {
  // as: askForReview wrote exactly this.
  const told = JSON.parse(changes) as Omit<ReturnType<typeof toDiff>, "digest">;
  return { digest, source, revision, ...told, asked_by, asked_at, confirmed_by, confirmed_at };
}
