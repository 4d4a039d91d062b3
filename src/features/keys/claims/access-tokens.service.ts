import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import type { Idempotency } from "../../../calls/principal.ts";
import type {
  issueAccessCredential,
  issuedAccessToken,
  rotateAccessCredential,
} from "../../access/access-tokens.contract.ts";
import { issueInput, rotateInput } from "../../access/access-tokens.service.ts";
import {
  type HandedOver,
  issueHandedOver,
  rotateHandedOver,
} from "./access-tokens.transactions.ts";
import { claimLink, type NewClaim, newClaim } from "./claim.ts";

type Issued = z.output<typeof issuedAccessToken>;

/**
 * Issues an access token: its value or its claim link stands in this answer and nowhere else.
 * `address`: the caller's.
 */
export async function issue(
  ctx: RequestContext,
  person_id: string,
  { deliver, ...body }: z.output<typeof issueAccessCredential.body & z.ZodType>,
  address: string | undefined,
  idempotency: Idempotency,
): Promise<Issued> {
  const input = issueInput(ctx, person_id, body, address, idempotency);
  const claim = freshClaim(ctx, input.actor.now);
  return show(ctx, await ctx.storage.commit(issueHandedOver, { ...input, deliver, claim }));
}

/** Replaces an access token by a fresh one, which is handed over like one that is issued. */
export async function rotate(
  ctx: RequestContext,
  id: string,
  { deliver, ...body }: z.output<typeof rotateAccessCredential.body & z.ZodType>,
  idempotency: Idempotency,
): Promise<Issued> {
  const input = rotateInput(ctx, id, body, idempotency);
  const claim = freshClaim(ctx, input.actor.now);
  return show(ctx, await ctx.storage.commit(rotateHandedOver, { ...input, deliver, claim }));
}

function freshClaim({ settings }: RequestContext, now: number): NewClaim {
  return newClaim(now, settings.claimLifeSeconds);
}

function show(
  { settings: { publicUrl } }: RequestContext,
  { claim, ...issued }: HandedOver,
): Issued {
  const shown = claim &&
    { id: claim.id, link: claimLink(publicUrl, claim.token), expires_at: claim.expires_at };
  return { ...issued, claim: shown };
}
