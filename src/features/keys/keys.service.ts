import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import type { ClaimLink, Delivery } from "../../contract/claim-link.ts";
import { Answer } from "../../kernel/answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { FailureCode } from "../../kernel/failure-codes.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { oneRow, rowsOf } from "../../storage/touched-rows.ts";
import { networksOf } from "../people/address-list.ts";
import { claimLink, newClaim } from "./claims/claim.ts";
import { endingOf, undoUntil } from "./ending.ts";
import { newAttempt } from "./credential.ts";
import { labelsWithin, seenKey } from "./within-scope.service.ts";
import { findKey } from "./key-list.store.ts";
import type { KeyLabels, SomeKeyLabels } from "./key-labels.ts";
import { labelsInUse } from "./key-labels.store.ts";
import { anyChosenIdsOf } from "./chosen-keys.store.ts";
import { hasMurmurKeys } from "./murmur.store.ts";
import { murmurIdsOf } from "./murmur.ts";
import { withBrake } from "./revoke-brake.service.ts";
import { changeAddresses } from "./key-addresses.transactions.ts";
import { changeLabels } from "./label-key.transactions.ts";
import { changeExpiry, changePlans, changeState, resetQuota } from "./key-life.transactions.ts";
import type { rotateKeyEndpoint, setKeyPlans } from "./keys.contract.ts";
import { knowsGateways } from "./at-gateways.ts";
import { keptKey } from "./kept-key.ts";
import { sentEnd, type StateChange, turnsAt } from "./key.ts";
import type { References } from "../plans/plan.ts";
import { restoreKey } from "./restore-key.transactions.ts";
import {
  type ClientTerms,
  issueKey,
  type Replacement,
  rotateKey,
} from "./mint-key.transactions.ts";
import { type Key, seesNotes, showOne } from "./show-key.ts";
import { MINUTE_MS } from "./timed-suspension.ts";

/** One key by its id. Throws `not_found`. */
export function get(
  ctx: RequestContext,
  key_id: string,
): Answer<string> | Promise<Answer<string>> {
  const { principal } = ctx;
  // Nothing of it is kept for others.
  if (principal.covers) return changedAnswer(ctx, key_id);
  // What gateways have of it changes at each moment.
  const any = knowsGateways(ctx, principal.org_id);
  if (any instanceof Promise) {
    return any.then((is) => is ? changedAnswer(ctx, key_id) : keptAnswer(ctx, key_id));
  }
  return any ? changedAnswer(ctx, key_id) : keptAnswer(ctx, key_id);
}

/** The same out of memory, while nothing that it was made of has changed. */
function keptAnswer(
  ctx: RequestContext,
  key_id: string,
): Answer<string> | Promise<Answer<string>> {
  const { principal } = ctx;
  // An id may be any text: behind one of these words it never reads as the other.
  const name = seesNotes(principal) ? "key-with-note" : "key-without-note";
  return keptKey(ctx, `${name} ${key_id}`, async () => {
    const { org_id } = principal;
    const row = await seenKey(ctx, key_id);
    const now = toTimestamp(ctx.clock.now());
    const shown = await showOne(ctx, row, now);
    const parts = [
      ...oneRow("credentials", org_id, key_id),
      ...oneRow("credential_uses", org_id, key_id),
      ...oneRow("developers", org_id, row.developer_id),
      ...rowsOf("leaks", org_id),
      ...rowsOf("ended_keys", org_id),
      ...rowsOf("gateways", org_id),
      // Whether its plans grant anything.
      ...rowsOf("plans", org_id),
      ...rowsOf("plan_ids", org_id),
    ];
    return {
      text: JSON.stringify(shown),
      headers: { etag: `"${shown.revision}"` },
      parts,
      turnsAt: turnsAt(row, now),
    };
  });
}

/** The key as it is now, after a change of it. */
async function changed(ctx: RequestContext, key_id: string): Promise<Key> {
  return await showOne(ctx, await seenKey(ctx, key_id), toTimestamp(ctx.clock.now()));
}

/** The same with its ETag. */
async function changedAnswer(ctx: RequestContext, key_id: string): Promise<Answer<string>> {
  const key = await changed(ctx, key_id);
  return new Answer(JSON.stringify(key), { etag: `"${key.revision}"` });
}

/** One key by itself. Throws `not_found`. */
export async function find(ctx: RequestContext, plain: string): Promise<Key> {
  const { storage: { reader }, principal } = ctx;
  const { org_id } = principal;
  const ids = [sha256(plain)];
  if (await hasMurmurKeys(reader, { org_id })) ids.push(...await murmurIdsOf(plain));
  ids.push(...await anyChosenIdsOf(reader, org_id, plain));
  for (const key_id of ids) {
    const row = await findKey(reader, { org_id, key_id });
    if (row && principal.covers) return await changed(ctx, key_id);
    // A SHA-256 can't have the length of a murmur hash, so this is the hash of the key and not the
    // key of another.
    if (row) return await showOne(ctx, row, toTimestamp(ctx.clock.now()));
  }
  throw new Failure("not_found");
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

/** Suspends a key, until it is resumed or for some minutes; gives it as it is then. */
export async function suspend(
  ctx: RequestContext,
  key_id: string,
  { reason, minutes }: { reason: string; minutes?: number | undefined },
  idempotency: Idempotency,
): Promise<Key> {
  if (minutes === undefined) return await change(ctx, key_id, "suspend", reason, idempotency);
  const call = callOf(ctx, key_id, idempotency);
  // By the clock of those who resume it.
  const resume_at = toTimestamp(await ctx.storeClock.now() + minutes * MINUTE_MS);
  await changeKey(ctx, { ...call, change: "suspend", reason, resume_at });
  return await changed(ctx, key_id);
}

/**
 * The same by the key's own developer, who resumes only what they suspended; people may bring back
 * for a while what they end.
 */
export async function changeByHolder(
  ctx: RequestContext,
  owner: string,
  key_id: string,
  what: StateChange,
  idempotency: Idempotency,
): Promise<void> {
  const call = callOf(ctx, key_id, idempotency, owner);
  const ending = { undo_until: undoUntil(call.actor.now), at_most: null };
  const reason = "by its holder";
  const input = { ...call, change: what, reason, ending, byHolder: true };
  await ctx.storage.commit(changeState, input);
}

/** Brings back a revoked key; gives it as it is then. See restoreKey. */
export async function restore(
  ctx: RequestContext,
  key_id: string,
  reason: string,
  idempotency: Idempotency,
): Promise<Key> {
  const { owner: _, ...call } = callOf(ctx, key_id, idempotency);
  await ctx.storage.commit(restoreKey, { ...call, reason });
  return await changed(ctx, key_id);
}

/**
 * Gives a key other plans, and the end that was chosen with them, if any was; see changePlans.
 */
export async function setPlans(
  ctx: RequestContext,
  key_id: string,
  { plans, expires_at: end }: z.output<typeof setKeyPlans.body & z.ZodType>,
): Promise<Key> {
  const { references } = ctx.settings;
  const expires_at = sentEnd(end);
  const input = {
    ...callOf(ctx, key_id, null),
    plans: [...new Set(plans)],
    references,
    ...expires_at === null ? {} : { expires_at },
  };
  await ctx.storage.commit(changePlans, input);
  return await changed(ctx, key_id);
}

/** Sets when a key ends; undefined: never. Throws `invalid_input` for a time that is over. */
export async function setExpiry(
  ctx: RequestContext,
  key_id: string,
  end: string | undefined,
): Promise<Key> {
  const expires_at = sentEnd(end);
  if (expires_at !== null && expires_at <= toTimestamp(ctx.clock.now())) {
    const message = "expires_at: expected a time to come; revoke the key to end it now";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  await ctx.storage.commit(changeExpiry, { ...callOf(ctx, key_id, null), expires_at });
  return await changed(ctx, key_id);
}

/** Sets from where a key opens; see changeAddresses. Throws `invalid_input` for what is none. */
export async function setAddresses(
  ctx: RequestContext,
  key_id: string,
  sent: readonly string[],
): Promise<Key> {
  const { actor } = callOf(ctx, key_id, null);
  const addresses = networksOf(sent) ?? [];
  await ctx.storage.commit(changeAddresses, { actor, key_id, addresses });
  return await changed(ctx, key_id);
}

/** Gives a key other labels; see changeLabels. */
export async function setLabels(
  ctx: RequestContext,
  key_id: string,
  labels: KeyLabels,
  ifMatch: string[] | null,
): Promise<Answer<Key>> {
  const { actor } = callOf(ctx, key_id, null);
  await ctx.storage.commit(changeLabels, { actor, key_id, ifMatch, labels });
  const key = await changed(ctx, key_id);
  return new Answer(key, { etag: `"${key.revision}"` });
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
    typeof rotateKeyEndpoint.body & z.ZodType
  >,
  idempotency: Idempotency,
  owner: string | null = null,
): Promise<ShownReplacement> {
  const mint = mintOf(ctx, deliver, idempotency);
  const end = sentEnd(expires_at);
  const call = { ...mint, key_id, overlap_ms: overlap_seconds * 1000, owner, expires_at: end };
  return showReplacement(ctx, await ctx.storage.commit(rotateKey, call));
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
): Promise<ShownReplacement> {
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
  return showReplacement(ctx, await ctx.storage.commit(issueKey, call));
}

/** A fresh key as answers show it. */
export type ShownReplacement = Omit<Replacement, "handed"> & { claim: ClaimLink | null };

/** With the claim's link where the key is kept for one. */
export function showReplacement(
  { settings: { publicUrl } }: RequestContext,
  { handed, ...minted }: Replacement,
): ShownReplacement {
  if (!handed) return { ...minted, claim: null };
  const { id, token, expires_at } = handed;
  return { ...minted, claim: { id, link: claimLink(publicUrl, token), expires_at } };
}

/** Gives a developer's own key other plans. Throws `not_found` for a revoked one too. */
export async function setPlansOf(
  ctx: RequestContext,
  owner: string,
  key_id: string,
  plans: readonly string[],
): Promise<void> {
  const { references } = ctx.settings;
  const call = { ...callOf(ctx, key_id, null, owner), plans: [...new Set(plans)], references };
  await revokedReads("not_found", () => ctx.storage.commit(changePlans, call));
}

/** Revokes a developer's own key. Throws `not_found_for_deletion` for a revoked one too. */
export async function revokeOf(ctx: RequestContext, owner: string, key_id: string): Promise<void> {
  const call = callOf(ctx, key_id, null, owner);
  const input = { ...call, change: "revoke" as const, reason: "deleted" };
  await revokedReads("not_found_for_deletion", () => changeKey(ctx, input));
}

/** Commits a change of a key's state, as this caller may end keys. */
async function changeKey(
  { storage, principal, settings }: RequestContext,
  call: ReturnType<typeof callOf> & { change: StateChange; reason: string; resume_at?: string },
): Promise<void> {
  const ending = endingOf(principal, settings, call.actor.now);
  const { actor } = call;
  const { at_most } = ending;
  const input = { ...call, ending };
  await withBrake(storage, { actor, at_most }, () => storage.commit(changeState, input));
}

/** Begins the quotas of a developer's own key anew. Throws `not_found` for a revoked one too. */
export async function resetQuotaOf(
  ctx: RequestContext,
  owner: string,
  key_id: string,
): Promise<void> {
  const call = callOf(ctx, key_id, null, owner);
  await revokedReads("not_found", () => ctx.storage.commit(resetQuota, call));
}

function callOf(
  ctx: RequestContext,
  key_id: string,
  idempotency: Idempotency,
  owner: string | null = null,
) {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const call = idempotentCall(ctx.principal, actor.now, idempotency);
  return { actor, key_id, owner, idempotency: call };
}

/** What everything that mints is committed with: who calls, and an attempt of this call's own. */
export function mintOf(ctx: RequestContext, deliver: Delivery, idempotency: Idempotency) {
  const { actor, idempotency: call } = callOf(ctx, "", idempotency);
  const { keyFormat, claimLifeSeconds } = ctx.settings;
  const claim = deliver === "claim" ? newClaim(actor.now, claimLifeSeconds) : null;
  return { actor, attempt: newAttempt(keyFormat), claim, idempotency: call };
}

/** To the older interface a revoked key is gone. */
async function revokedReads<T>(code: FailureCode, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const gone = error instanceof Failure && ["key_revoked", "not_found"].includes(error.code);
    throw gone ? new Failure(code) : error;
  }
}
