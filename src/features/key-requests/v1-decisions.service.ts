import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import type { AtGateways } from "./approve.transactions.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { newOneTimeLink, oneTimeLinkUrl } from "../keys/one-time-links/one-time-link.ts";
import type { SomeKeyLabels } from "../keys/key-labels.ts";
import { sentEnd } from "../keys/key.ts";
import { newAttempt } from "../keys/key-kinds.ts";
import { approveV1, declineRequest } from "./decisions.transactions.ts";
import { grantedTerms, type SentTerms } from "./sent-terms.ts";
import { isStep } from "./steps.transactions.ts";
import type { v1Approval } from "./v1.contract.ts";

/** The options of a decision besides its request's id. */
export interface DecisionCall {
  ifMatch: string[] | null;
  idempotency: Idempotency;
}

/** How a request is approved: what is handed over, and why, where a person said so. */
interface ApprovalTerms {
  deliver: "one_time_link" | "answer";
  reason?: string | undefined;
  labels?: SomeKeyLabels | undefined;
  /** When the key ends; undefined: as its plans say. */
  expires_at?: string | undefined;
  /** To the developer. */
  message?: string | undefined;
  conditions?: SentTerms | undefined;
}

/** Approves a request; the answer holds the key or the one-time link, this once. */
export async function approveOne(
  ctx: RequestContext,
  id: string,
  { deliver, reason = "", message = "", labels, expires_at, conditions = {} }: ApprovalTerms,
  call: DecisionCall,
): Promise<{ approval: z.output<typeof v1Approval> } & AtGateways> {
  const { settings, storage } = ctx;
  const input = inputOf(ctx, id, call);
  const oneTimeLink = deliver === "one_time_link"
    ? newOneTimeLink(input.actor.now, settings.oneTimeLinkLifeSeconds)
    : null;
  const attempt = newAttempt(settings.keyFormat);
  const terms = {
    attempt,
    oneTimeLink,
    reason: reason || null,
    message: message || null,
    granted: grantedTerms(conditions, input.actor.now),
    expires_at: sentEnd(expires_at),
    ...labels && { labels },
  };
  const approved = await storage.commit(approveV1, { ...input, ...terms });
  if (isStep(approved)) {
    const { missing } = approved;
    const none = { key_id: "", mask: "", key: null, expires_at: null, one_time_link: null };
    return { approval: { id, state: "pending", ...none, missing } };
  }
  const { key_id, mask, reveal, handed, at_gateways } = approved;
  const approval = {
    id,
    state: "issued",
    key_id,
    mask,
    key: reveal,
    // Answers that are kept since before there was this member lack it.
    expires_at: approved.expires_at ?? null,
    // Of the first call, where this one repeats it.
    one_time_link: handed && {
      id: handed.id,
      link: oneTimeLinkUrl(settings.publicUrl, handed.token),
      expires_at: handed.expires_at,
    },
  } as const;
  return { approval, at_gateways };
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

export function inputOf(ctx: RequestContext, id: string, { ifMatch, idempotency }: DecisionCall) {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const call = idempotentCall(ctx.principal, actor.now, idempotency);
  return { actor, id, ifMatch, idempotency: call };
}
