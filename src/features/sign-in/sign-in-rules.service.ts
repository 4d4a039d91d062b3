import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { passkeySiteOf } from "../access/passkey.ts";
import { providersFor } from "../identity/offered-providers.ts";
import { administrationOf } from "../access/people.service.ts";
import {
  doAnyTokensSignIn,
  domainsOf,
  findDomainOwner,
  findSecondFactorRule,
  findSignaturesRule,
  findTokensRule,
} from "../access/sign-in-rules.store.ts";
import type { listSignInWays } from "./sign-in-rules.contract.ts";
import {
  type NewSignInRules,
  replaceSignInRules,
  type SignInRules,
} from "./sign-in-rules.transactions.ts";

/** How people of the caller's organisation sign in. */
export async function get(ctx: RequestContext): Promise<SignInRules> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const tokens = await findTokensRule(reader, { org_id }) !== 0;
  const signed_approvals = await findSignaturesRule(reader, { org_id }) === 1;
  const second_factor = await findSecondFactorRule(reader, { org_id }) === 1;
  const domains = await domainsOf(reader, { org_id });
  return { tokens, domains, signed_approvals, second_factor };
}

/** Sets it. Throws `last_administrator`, `domain_taken`, `invalid_input`. */
export async function replace(ctx: RequestContext, rules: NewSignInRules): Promise<SignInRules> {
  return await ctx.storage.commit(replaceSignInRules, { ...administrationOf(ctx), rules });
}

/** What an address can try, by its domain alone. `host`: the address that the browser came by. */
export async function waysOf(
  { storage: { reader }, settings, sealer }: RequestContext,
  email: string,
  host: string | null,
): Promise<z.output<typeof listSignInWays.response>> {
  const domain = email.slice(email.lastIndexOf("@") + 1).trim().toLowerCase();
  const org_id = await findDomainOwner(reader, { domain });
  const tokens = org_id === undefined
    ? await doAnyTokensSignIn(reader)
    : await findTokensRule(reader, { org_id }) !== 0;
  const hasPasskeys = passkeySiteOf(settings.publicUrl, host) !== undefined;
  return {
    ways: [...hasPasskeys ? ["passkey" as const] : [], ...tokens ? ["token" as const] : []],
    domain,
    providers: org_id === undefined ? [] : await providersFor({ reader, sealer }, org_id, domain),
  };
}
