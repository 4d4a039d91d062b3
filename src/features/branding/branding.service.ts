import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { findBranding } from "./branding.store.ts";
import { replaceBranding } from "./branding.transactions.ts";
import { type Branding, readBranding } from "./branding.ts";
import { signInBrand } from "./public-brand.ts";

/** The brand of the caller's organisation. */
export async function get(ctx: RequestContext): Promise<Branding> {
  return readBranding(await findBranding(ctx.storage.reader, { org_id: ctx.principal.org_id }));
}

/** The brand of the page where one signs in. */
export async function getSignIn(
  { storage: { reader } }: RequestContext,
): Promise<Pick<Branding, "name" | "logo" | "colour" | "support">> {
  const { name, logo, colour, support } = await signInBrand(reader);
  return { name, logo, colour, support };
}

/** Replaces it. */
export async function replace(ctx: RequestContext, branding: Branding): Promise<Branding> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return await ctx.storage.commit(replaceBranding, { actor, branding });
}
