import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actingCall, actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { handingOf } from "../developer-accounts/edit-developer.service.ts";
import { withBrake } from "../keys/revoke-brake.service.ts";
import { publicBrand } from "../branding/public-brand.ts";
import { findDeveloperEmail } from "../developers/developer-email.store.ts";
import { emailLinkHash, isProved, maskedEmail, newEmailLinks } from "../developers/email-proof.ts";
import { findEmailLink } from "../developers/email-proof.store.ts";
import type {
  confirmDeveloperEmail,
  confirmEmail,
  previewEmailConfirmation,
} from "./developer-emails.contract.ts";
import { confirmByLink, confirmByPerson } from "./developer-emails.transactions.ts";

/** Confirms a developer's address as a person; see confirmByPerson. */
export async function confirmAsPerson(
  ctx: RequestContext,
  id: string,
  { email, account, predecessor_keys: keys }: z.output<
    NonNullable<typeof confirmDeveloperEmail.body>
  >,
  by: { ifMatch: string[] | null; idempotency: Idempotency },
): Promise<void> {
  const { mail, settings } = ctx;
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const handing = handingOf(ctx, { account, keys }, actor.now);
  const input = {
    actor,
    id,
    email,
    handing,
    ifMatch: by.ifMatch,
    canMail: mail !== undefined && settings.publicUrl !== "",
    link: newEmailLinks(actor.now).new,
    idempotency: idempotentCall(ctx.principal, actor.now, by.idempotency),
  };
  const { at_most } = handing.ending;
  await withBrake(
    ctx.storage,
    { actor, at_most },
    () => ctx.storage.commit(confirmByPerson, input),
  );
}

/** What a token would confirm; it stays as it is. Throws what `confirm` throws. */
export async function preview(
  ctx: RequestContext,
  token: string,
  address: string | undefined,
): Promise<z.output<typeof previewEmailConfirmation.response>> {
  const { storage: { reader }, clock } = ctx;
  return await counted(ctx, token, address, async () => {
    const link = await findEmailLink(reader, {
      hash: emailLinkHash(token),
      now: toTimestamp(clock.now()),
    });
    const known = link && await findDeveloperEmail(reader, link.org_id, link.developer_id);
    if (!known || isProved(known.proof)) throw new Failure("confirmation_gone");
    const { name, logo, colour, support } = await publicBrand(reader, link.org_id);
    return {
      side: link.side,
      organisation: { name, logo, colour, support },
      email: link.side === "new" ? known.email : maskedEmail(known.email),
      changed_at: known.proof.changed_at ?? link.expires_at,
      expires_at: link.expires_at,
    };
  });
}

/**
 * Confirms by the token of a mailed link, once. Throws `confirmation_gone`, and `too_many_requests`
 * once `address`, the visitor's, or this very token was wrong too often; a token that confirms
 * something always passes.
 */
export async function confirm(
  ctx: RequestContext,
  token: string,
  address: string | undefined,
): Promise<z.output<typeof confirmEmail.response>> {
  const { storage, clock, principal } = ctx;
  const input = { token, now: clock.now(), call: actingCall(principal) };
  return await counted(ctx, token, address, () => storage.commit(confirmByLink, input));
}

/** What a token gives, where it may be tried. Tokens of links are guessed at like claims'. */
async function counted<T>(
  { attempts }: RequestContext,
  token: string,
  address: string | undefined,
  give: () => Promise<T>,
): Promise<T> {
  const credential = emailLinkHash(token);
  const refused = () =>
    attempts.failed("claim", { address, credential }) ?? new Failure("confirmation_gone");
  if (attempts.isWrong("claim", credential)) throw refused();
  try {
    return await give();
  } catch (error) {
    // A store that was away says nothing about the token.
    throw error instanceof Failure && error.code === "confirmation_gone" ? refused() : error;
  }
}
