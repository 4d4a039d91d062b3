import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import type { AtGateways } from "./approve.transactions.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import type { Delivery } from "../../contract/claim-link.ts";
import { Failure } from "../../kernel/failure.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { claimLink, newClaim } from "../keys/claims/claim.ts";
import type { SomeKeyLabels } from "../keys/key-labels.ts";
import { sentEnd } from "../keys/key.ts";
import { newAttempt } from "../keys/credential.ts";
import { mintOf, type ShownReplacement, showReplacement } from "../keys/keys.service.ts";
import {
  approveV1,
  changeReason,
  declineRequest,
  reopenRequest,
} from "./decisions.transactions.ts";
import { grantedTerms, type SentTerms } from "./sent-terms.ts";
import { endOffer, makeOffer } from "./offers.transactions.ts";
import { reissueKey } from "./reissue.transactions.ts";
import { restartApproval } from "./restart-approval.transactions.ts";
import { isStep, stepsMissing } from "./steps.transactions.ts";
import type { offerForKeyRequest } from "./offers.contract.ts";
import type { approvals, declines } from "./several.contract.ts";
import type { v1Approval } from "./v1.contract.ts";

/** What a decision may carry besides its request's id. */
interface DecisionCall {
  ifMatch: string[] | null;
  idempotency: Idempotency;
}

/** How a request is approved: what is handed over, and why, where somebody said so. */
interface ApprovalTerms {
  deliver: "claim" | "answer";
  reason?: string | undefined;
  labels?: SomeKeyLabels | undefined;
  /** When the key ends; undefined: as its plans say. */
  expires_at?: string | undefined;
  /** To the developer. */
  message?: string | undefined;
  conditions?: SentTerms | undefined;
}

/** A request as somebody has seen it. */
interface SeenRequest {
  id: string;
  revision: string;
}

/** Approves a request; the answer holds the credential or the claim link, this once. */
export async function approveOne(
  ctx: RequestContext,
  id: string,
  { deliver, reason = "", message = "", labels, expires_at, conditions = {} }: ApprovalTerms,
  call: DecisionCall,
): Promise<{ approval: z.output<typeof v1Approval> } & AtGateways> {
  const { settings, storage } = ctx;
  const input = inputOf(ctx, id, call);
  const claim = deliver === "claim" ? newClaim(input.actor.now, settings.claimLifeSeconds) : null;
  const attempt = newAttempt(settings.keyFormat);
  const terms = {
    attempt,
    claim,
    reason: reason || null,
    message: message || null,
    granted: grantedTerms(conditions, input.actor.now),
    expires_at: sentEnd(expires_at),
    ...labels && { labels },
  };
  const approved = await storage.commit(approveV1, { ...input, ...terms });
  if (isStep(approved)) {
    const { missing } = approved;
    const none = { key_id: "", mask: "", credential: null, expires_at: null, claim: null };
    return { approval: { id, state: "pending", ...none, missing } };
  }
  const { key_id, mask, reveal, handed, at_gateways } = approved;
  const approval = {
    id,
    state: "issued",
    key_id,
    mask,
    credential: reveal,
    // Answers that are kept since before there was this member lack it.
    expires_at: approved.expires_at ?? null,
    // Of the first call, where this one repeats it.
    claim: handed && {
      id: handed.id,
      link: claimLink(settings.publicUrl, handed.token),
      expires_at: handed.expires_at,
    },
  } as const;
  return { approval, at_gateways };
}

/** Offers something else than a request asks for. Throws `invalid_input` where it is not less. */
export async function offer(
  ctx: RequestContext,
  id: string,
  { reason, message, conditions }: z.output<typeof offerForKeyRequest.body & z.ZodType>,
  call: DecisionCall,
): Promise<void> {
  const input = inputOf(ctx, id, call);
  const { now } = input.actor;
  await ctx.storage.commit(makeOffer, {
    ...input,
    offer_id: newId(now),
    terms: grantedTerms(conditions, now),
    reason: reason || null,
    message: message || null,
    expires_at: toTimestamp(now + ctx.settings.offerLifeMs),
  });
}

/** Takes an offer back that waits. */
export async function withdrawOffer(
  ctx: RequestContext,
  id: string,
  call: DecisionCall,
): Promise<void> {
  await ctx.storage.commit(endOffer, inputOf(ctx, id, call));
}

/** Declines a pending request. */
export async function decline(
  ctx: RequestContext,
  id: string,
  reason: string | undefined,
  call: DecisionCall,
): Promise<void> {
  const input = inputOf(ctx, id, call);
  await ctx.storage.commit(declineRequest, { ...input, reason: reason || null });
}

/** Takes a decline back. */
export async function reopen(ctx: RequestContext, id: string, call: DecisionCall): Promise<void> {
  await ctx.storage.commit(reopenRequest, inputOf(ctx, id, call));
}

/** Has a request that nobody can decide approved from the start, by today's policy. */
export async function restart(ctx: RequestContext, id: string, call: DecisionCall): Promise<void> {
  await ctx.storage.commit(restartApproval, inputOf(ctx, id, call));
}

/** Says why a request was declined; an empty text takes the reason away. */
export async function setReason(
  ctx: RequestContext,
  id: string,
  reason: string,
  call: DecisionCall,
): Promise<void> {
  const input = inputOf(ctx, id, call);
  await ctx.storage.commit(changeReason, { ...input, reason: reason || null });
}

/**
 * Approves several, each in a transaction of its own and only as it was seen; what is handed over
 * are claim links alone.
 */
export async function approveMany(
  ctx: RequestContext,
  requests: readonly SeenRequest[],
  terms: Pick<ApprovalTerms, "reason" | "message" | "expires_at" | "conditions">,
  idempotency: Idempotency,
): Promise<z.output<typeof approvals>> {
  const data = await eachOf<SeenRequest, Outcome<typeof approvals>>(
    distinct(requests),
    async ({ id, revision }) => {
      // Of the same request seen twice, one must not get the other's answer.
      const part = partOf(idempotency, `${id}\n${revision}`);
      const call = { ifMatch: [revision], idempotency: part };
      const handed = { ...terms, deliver: "claim" } as const;
      const { approval } = await approveOne(ctx, id, handed, call);
      const { key_id, claim, missing } = approval;
      if (missing !== undefined) throw stepsMissing({ missing });
      return { id, approved: true, key_id, claim, error: null };
    },
    ({ id }, error) => ({ id, approved: false, key_id: null, claim: null, error }),
  );
  return { data };
}

/** Declines several, each in a transaction of its own. */
export async function declineMany(
  ctx: RequestContext,
  ids: readonly string[],
  reason: string | undefined,
  idempotency: Idempotency,
): Promise<z.output<typeof declines>> {
  const data = await eachOf<string, Outcome<typeof declines>>(new Set(ids), async (id) => {
    await decline(ctx, id, reason, { ifMatch: null, idempotency: partOf(idempotency, id) });
    return { id, declined: true, error: null };
  }, (id, error) => ({ id, declined: false, error }));
  return { data };
}

/** Mints a request's key anew. */
export async function reissue(
  ctx: RequestContext,
  request_id: string,
  deliver: Delivery,
  idempotency: Idempotency,
): Promise<ShownReplacement> {
  const call = { ...mintOf(ctx, deliver, idempotency), request_id };
  return showReplacement(ctx, await ctx.storage.commit(reissueKey, call));
}

function inputOf(ctx: RequestContext, id: string, { ifMatch, idempotency }: DecisionCall) {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const call = idempotentCall(ctx.principal, actor.now, idempotency);
  return { actor, id, ifMatch, idempotency: call };
}

/** The part of a bulk call's idempotency that one of its requests has: each is its own call. */
function partOf(idempotency: Idempotency, part: string): Idempotency {
  return idempotency && { ...idempotency, key: `${idempotency.key}\n${part}` };
}

/** Each request once as it was seen: who names two states of it is told which of them holds. */
function distinct(requests: readonly SeenRequest[]): Iterable<SeenRequest> {
  return new Map(requests.map((one) => [`${one.id}\n${one.revision}`, one])).values();
}

/** What became of one request. */
type Outcome<Many extends typeof approvals | typeof declines> = z.output<Many>["data"][number];

/** Does the work for each, all at the same time; a failure is that one's alone. */
async function eachOf<One, R>(
  all: Iterable<One>,
  work: (one: One) => Promise<R>,
  failed: (one: One, error: { code: string; detail: string }) => R,
): Promise<R[]> {
  return await Promise.all(
    Array.from(all, async (one) => {
      try {
        return await work(one);
      } catch (error) {
        // What nobody foresaw is the whole call's failure, which the log then tells of.
        if (!(error instanceof Failure)) throw error;
        return failed(one, { code: error.code, detail: detailOf(error) });
      }
    }),
  );
}

/** What one of several is told, who sent no header. */
function detailOf({ code, message }: Failure): string {
  return code === "precondition_failed"
    ? "This request has changed since it was read. Read it again."
    : message;
}
