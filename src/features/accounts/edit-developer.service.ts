import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, may } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { newEmailLinks } from "../developers/email-proof.ts";
import { endingOf } from "../keys/ending.ts";
import { withBrake } from "../keys/revoke-brake.service.ts";
import type { HandOver } from "./hand-over.transactions.ts";
import type { editDeveloper } from "./v1.contract.ts";
import { editAccount } from "./v1.transactions.ts";

/**
 * Replaces e-mail address and fields; see editAccount. Of a successor more than keeping keys takes
 * `revoke`, else `access_denied`.
 */
export async function editV1(
  ctx: RequestContext,
  id: string,
  { account, predecessor_keys: keys, ...sent }: z.output<NonNullable<typeof editDeveloper.body>>,
  ifMatch: string[] | null,
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const emailLinks = newEmailLinks(actor.now);
  const handing = handingOf(ctx, { account, keys }, actor.now);
  const input = { actor, id, ifMatch, emailLinks, handing, ...sent };
  const { at_most } = handing.ending;
  await withBrake(ctx.storage, { actor, at_most }, () => ctx.storage.commit(editAccount, input));
}

/**
 * How the caller hands an account over. Throws `access_denied` where they may not do that to keys.
 */
export function handingOf(
  { principal, settings }: RequestContext,
  said: Omit<HandOver, "ending">,
  now: number,
): HandOver {
  const { keys = "keep" } = said;
  if (keys !== "keep" && !may(principal, "revoke")) throw new Failure("access_denied");
  return { ...said, ending: endingOf(principal, settings, now) };
}
