import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import type { Delivery, IssuedOneTimeLink } from "../../contract/one-time-link.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { newOneTimeLink, oneTimeLinkUrl } from "./one-time-links/one-time-link.ts";
import { endingOf, undoUntil } from "./ending.ts";
import { newAttempt } from "./key-kinds.ts";
import { labelsWithin, seenKey } from "./within-scope.service.ts";
import type { SomeKeyLabels } from "./key-labels.ts";
import { labelsInUse } from "./key-labels.store.ts";
import { withRevokeLimit } from "./revoke-limit.service.ts";
import { changeState } from "./key-life.transactions.ts";
import type { rotateKeyInput } from "./keys.contract.ts";
import { sentEnd, type StateChange } from "./key.ts";
import type { References } from "../plans/plan.ts";
import {
  type ClientTerms,
  issueKey,
  type Replacement,
  rotateKey,
} from "./mint-key.transactions.ts";
import { type Key, serializeOne } from "./show-key.ts";

/** The key as it is now, after a change of it. */
export async function changed(ctx: RequestContext, key_id: string): Promise<Key> {
  return await serializeOne(ctx, await seenKey(ctx, key_id), toTimestamp(ctx.clock.now()));
}

/** Suspends, resumes or revokes; gives the key as it is then. */
export async function change(
  ctx: RequestContext,
  key_id: string,
  what: StateChange,
  reason: string,
  idempotency: Idempotency,
): Promise<Key> {
  const call = callOf(ctx, key_id, idempotency);
  await changeKey(ctx, { ...call, change: what, reason });
  return await changed(ctx, key_id);
}

/**
 * Changes a key for its own developer, who resumes only keys that they suspended; people may
 * restore for a while keys that the developer revoked.
 */
export async function changeByOwner(
  ctx: RequestContext,
  owner: string,
  key_id: string,
  what: StateChange,
  idempotency: Idempotency,
): Promise<void> {
  const call = callOf(ctx, key_id, idempotency, owner);
  const ending = { undo_until: undoUntil(call.actor.now), at_most: null };
  const reason = "by its holder";
  const input = { ...call, change: what, reason, ending, byOwner: true };
  await ctx.storage.commit(changeState, input);
}

/** The environments and tags that the keys have which the caller sees. */
export async function labels(ctx: RequestContext) {
  const { storage: { reader }, principal: { org_id, covers } } = ctx;
  if (covers) return await labelsWithin(ctx);
  const [environments, tags] = await Promise.all([
    labelsInUse(reader, { org_id, kind: "environment" }),
    labelsInUse(reader, { org_id, kind: "tag" }),
  ]);
  return { environments, tags };
}

/** Replaces a key by a fresh one, shown once. `owner`: the developer whose key it must be. */
export async function rotate(
  ctx: RequestContext,
  key_id: string,
  { overlap_seconds, deliver = "answer", expires_at }: z.output<
    typeof rotateKeyInput
  >,
  idempotency: Idempotency,
  owner: string | null = null,
): Promise<ReplacementView> {
  const mint = mintOf(ctx, deliver, idempotency);
  const end = sentEnd(expires_at);
  const call = { ...mint, key_id, overlap_ms: overlap_seconds * 1000, owner, expires_at: end };
  return toReplacement(ctx, await ctx.storage.commit(rotateKey, call));
}

/** Issues a key to a developer without a request. */
export async function issue(
  ctx: RequestContext,
  developer_id: string,
  { plans, deliver = "answer", expires_at, reason, client, ...labels }:
    & {
      plans: readonly string[];
      client?: ClientTerms | undefined;
      deliver?: Delivery | undefined;
      expires_at?: string | undefined;
      reason?: string | undefined;
    }
    & SomeKeyLabels,
  references: References | "known",
  idempotency: Idempotency,
): Promise<ReplacementView> {
  const call = {
    ...mintOf(ctx, deliver, idempotency),
    developer_id,
    plans: [...new Set(plans)],
    references,
    labels,
    ...client && { client },
    expires_at: sentEnd(expires_at),
    reason: reason ?? null,
  };
  return toReplacement(ctx, await ctx.storage.commit(issueKey, call));
}

/** A fresh key as answers show it. */
type ReplacementView = Omit<Replacement, "handed"> & { one_time_link: IssuedOneTimeLink | null };

/** With the one-time link where the key is kept for one. */
export function toReplacement(
  { settings: { publicUrl } }: RequestContext,
  { handed, ...minted }: Replacement,
): ReplacementView {
  if (!handed) return { ...minted, one_time_link: null };
  const { id, token, expires_at } = handed;
  return { ...minted, one_time_link: { id, link: oneTimeLinkUrl(publicUrl, token), expires_at } };
}

/** Commits a change of a key's state, as this caller may end keys. */
export async function changeKey(
  { storage, principal, settings }: RequestContext,
  call: ReturnType<typeof callOf> & { change: StateChange; reason: string; resume_at?: string },
): Promise<void> {
  const ending = endingOf(principal, settings, call.actor.now);
  const { actor } = call;
  const { at_most } = ending;
  const input = { ...call, ending };
  await withRevokeLimit(storage, { actor, at_most }, () => storage.commit(changeState, input));
}

export function callOf(
  ctx: RequestContext,
  key_id: string,
  idempotency: Idempotency,
  owner: string | null = null,
) {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const call = idempotentCall(ctx.principal, actor.now, idempotency);
  return { actor, key_id, owner, idempotency: call };
}

/** The input of every commit that mints: the caller, and an attempt of this call's own. */
export function mintOf(ctx: RequestContext, deliver: Delivery, idempotency: Idempotency) {
  const { actor, idempotency: call } = callOf(ctx, "", idempotency);
  const { keyFormat, oneTimeLinkLifeSeconds } = ctx.settings;
  const oneTimeLink = deliver === "one_time_link"
    ? newOneTimeLink(actor.now, oneTimeLinkLifeSeconds)
    : null;
  return { actor, attempt: newAttempt(keyFormat), oneTimeLink, idempotency: call };
}
