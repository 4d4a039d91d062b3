import { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { operation } from "../../../http/operation.ts";
import { LONGEST_LOGOUT_TOKEN } from "../../../kernel/input-limits.ts";
import * as service from "./provider-sign-in.service.ts";

/** A provider's logout token, in examples. */
export const exampleLogoutToken = "LOGOUT-TOKEN-OF-THE-DEVELOPERS-PROVIDER";

/** The developers' provider ends what it began. */
export const endDevelopersByProvider = operation({
  id: "endDevelopersByProvider",
  method: "POST",
  path: "/v1/my/session/provider/{id}/logout",
  tag: "My account",
  summary: "End developers' sessions that began with an identity provider, as it says",
  description:
    "OpenID Connect Back-Channel Logout 1.0: for a provider for developers, which signs the token. It counts once.",
  permission: "public",
  body: z.object({ logout_token: z.string().min(1).max(LONGEST_LOGOUT_TOKEN) }),
  bodyEncoding: "form",
  response: z.strictObject({ ended: z.int() }).meta({ id: "DevelopersEndedByProvider" }),
  errors: [...bodyErrors, "logout_refused", "provider_away", "too_many_requests"],
  example: { logout_token: exampleLogoutToken },
  async serve(ctx: RequestContext, call) {
    const { params, body } = call;
    const address = ctx.clientAddresses.of(call);
    return { ended: await service.endByProvider(ctx, params.id, body.logout_token, address) };
  },
});
