import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { domain } from "../../contract/mail-domain.ts";
import { text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { requireSameOrigin } from "../../http/session-cookie.ts";
import { passkeySiteOf } from "../people/passkey.ts";
import { administrationOf } from "../people/people.service.ts";
import {
  doAnyTokensSignIn,
  domainsOf,
  findDomainOwner,
  findSecondFactorRule,
  findSignaturesRule,
  findTokensRule,
} from "../people/sign-in-rules.store.ts";
import { providersFor } from "../people/identity-providers/offered-providers.ts";
import { replaceSignInRules } from "./sign-in-rules.transactions.ts";

const tag = "Sign-in";

const members = {
  tokens: z.boolean().meta({
    description:
      "False: people can't sign in to the console by an access token. Programs go on calling by theirs.",
  }),
  domains: z.array(domain).max(20).meta({
    description:
      "Domains of the addresses of these people: an address of these on the sign-in page is offered the ways of this organisation.",
  }),
};

const signedApprovals = z.boolean().meta({
  description:
    "True: an earlier release was to have each approval and offer signed by a passkey. No release does any more, so none goes through until this is false; automatic approvals do.",
});

const secondFactor = z.boolean().meta({
  description:
    "True: people sign in by a passkey, by an identity provider, or by an access token with a one-time code beside it. Programs go on calling by theirs.",
});

/** How people of an organisation sign in. */
const signInRules = z.strictObject({
  ...members,
  signed_approvals: signedApprovals,
  second_factor: secondFactor,
}).meta({ id: "SignInRules" });

const signInRulesInput = z.object({
  ...members,
  signed_approvals: signedApprovals.optional().meta({
    description: "False: approvals go through unsigned. Absent: as it was, and true only then.",
  }),
  second_factor: secondFactor.optional().meta({ description: "Absent: as it was." }),
}).meta({ id: "SignInRulesInput" });

/** Them. */
export const getSignInRules = operation({
  id: "getSignInRules",
  method: "GET",
  path: "/v1/sign-in-rules",
  tag,
  summary: "How people of the organisation sign in to the console",
  description: "By default: access tokens and passkeys.",
  permission: ["admin:read"],
  response: signInRules,
  errors: [],
  async serve(ctx) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    const tokens = await findTokensRule(reader, { org_id }) !== 0;
    const signed_approvals = await findSignaturesRule(reader, { org_id }) === 1;
    const second_factor = await findSecondFactorRule(reader, { org_id }) === 1;
    const domains = await domainsOf(reader, { org_id });
    return { tokens, domains, signed_approvals, second_factor };
  },
});

/** Others. */
export const putSignInRules = operation({
  id: "putSignInRules",
  method: "PUT",
  path: "/v1/sign-in-rules",
  tag,
  summary: "Set how people of the organisation sign in to the console",
  description:
    "`tokens` is switched off only while an administrator has a passkey of this server's address; `keydesk console` signs in whatever is set. A domain is one organisation's alone. `signed_approvals` is switched off alone: approvals by two people are set in their plans' policies. `second_factor` is switched on only while an administrator has a passkey of this address or one-time codes. An invitation signs in a person with neither, to set one up.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: signInRulesInput,
  response: signInRules,
  errors: [...bodyErrors, "last_administrator", "domain_taken", "managed_by_file"],
  example: { tokens: true, domains: ["example.org"] },
  serve: (ctx, { body: rules }) =>
    ctx.storage.commit(replaceSignInRules, { ...administrationOf(ctx), rules }),
});

const signInWays = z.strictObject({
  ways: z.array(z.enum(["passkey", "token"])),
  domain: text,
  providers: z.array(z.strictObject({ id: text, name: text })).meta({
    description: "Identity providers that addresses of the domain are offered.",
  }),
})
  .meta({ id: "SignInWays" });

/** Lists the ways to sign in with this address. */
export const listSignInWays = operation({
  id: "listSignInWays",
  method: "POST",
  path: "/v1/session/ways",
  tag,
  summary: "Read the ways to sign in with an address: by its domain alone",
  description:
    "The answer is the same for every address of a domain, whether a person has it or not, and no person is looked up.",
  permission: "public",
  body: z.object({ email: z.string().trim().min(1).max(320) }).meta({ id: "SignInWaysInput" }),
  response: signInWays,
  errors: [...bodyErrors, "csrf_refused"],
  example: { email: "grace@example.org" },
  serve(ctx, { body, headers }) {
    requireSameOrigin(headers, ctx.settings.publicUrl);
    return waysOf(ctx, body.email, headers.get("host"));
  },
});

/**
 * The ways to sign in with an address, by its domain alone. `host`: the address that the browser
 * came by.
 */
async function waysOf(
  { storage: { reader }, settings, sealer }: RequestContext,
  email: string,
  host: string | null,
): Promise<z.output<typeof signInWays>> {
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
