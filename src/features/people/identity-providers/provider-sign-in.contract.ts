import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../../contract/endpoint.ts";
import { nullable } from "../../../contract/v1.ts";
import { permissions } from "../../../contract/permissions.ts";
import { text, timestamp } from "../../../contract/values.ts";
import { LONGEST_LOGOUT_TOKEN } from "../../../kernel/input-limits.ts";
import { session } from "../sessions.contract.ts";

const tag = "Sign-in";

/** What comes back from a provider, in examples. */
export const exampleAnswer = "code=CODE-OF-THE-PROVIDER&state=STATE-OF-THIS-BROWSER";

/** What a provider posts, in examples. */
export const exampleLogoutToken = "LOGOUT-TOKEN-OF-THE-PROVIDER";

const ticket = {
  "set-cookie":
    "What binds the way there and back to this browser: `__Host-keydesk-provider` over https, else `keydesk_provider`; HttpOnly, SameSite=Strict, ten minutes.",
};

const away = z.strictObject({
  url: text.meta({ description: "Where the browser goes now." }),
}).meta({ id: "WayToProvider" });

const answer = z.string().trim().min(1).max(8192).meta({
  description: "What stands behind the `?` of the address that the browser came back to.",
});

/** To the provider. */
export const beginProviderSignIn = defineEndpoint({
  id: "beginProviderSignIn",
  method: "POST",
  path: "/v1/session/provider/{id}",
  tag,
  summary: "Begin to sign a browser in by an identity provider: where it goes for that",
  description:
    "It comes back to `/console/from/{id}`, whose query goes to `POST /v1/session/provider/{id}/answer` within ten minutes. With `fresh` the provider asks again whoever is signed in there.",
  permission: "public",
  body: z.object({ fresh: z.boolean().default(false) }).meta({ id: "ProviderSignInInput" }),
  answerHeaders: ticket,
  response: away,
  errors: [
    ...bodyErrors,
    "not_found",
    "csrf_refused",
    "provider_away",
    "providers_unavailable",
    "too_many_requests",
  ],
  example: { fresh: false },
});

/** And back. */
export const finishProviderSignIn = defineEndpoint({
  id: "finishProviderSignIn",
  method: "POST",
  path: "/v1/session/provider/{id}/answer",
  tag,
  summary: "Sign a browser in that came back from an identity provider; sets the session's cookie",
  description:
    "Whose account it is follows from issuer and subject alone. `no_group_opens`: none of the person's groups gives anything here; what they held by them is gone. Why a sign-in was refused is told to administrators alone: in activity, in the log, and as `last_refused` of the provider.",
  permission: "public",
  body: z.object({ answer }).meta({ id: "ProviderAnswerInput" }),
  answerHeaders: {
    "set-cookie":
      "The browser's session: `__Host-keydesk` over https, else `keydesk_session`; HttpOnly, SameSite=Strict.",
  },
  response: session,
  errors: [
    ...bodyErrors,
    "not_authorised",
    "csrf_refused",
    "groups_incomplete",
    "identity_unknown",
    "last_administrator",
    "no_group_opens",
    "provider_away",
    "too_many_requests",
  ],
  example: { answer: exampleAnswer },
});

/** The provider ends what it began. */
export const endByProvider = defineEndpoint({
  id: "endByProvider",
  method: "POST",
  path: "/v1/session/provider/{id}/logout",
  tag,
  summary: "End sessions that began with an identity provider, as it says (back-channel logout)",
  description:
    "OpenID Connect Back-Channel Logout 1.0: for the provider, which signs the token. It counts once.",
  permission: "public",
  body: z.object({ logout_token: z.string().min(1).max(LONGEST_LOGOUT_TOKEN) }),
  bodyEncoding: "form",
  response: z.strictObject({ ended: z.int() }).meta({ id: "EndedByProvider" }),
  errors: [...bodyErrors, "logout_refused", "provider_away", "too_many_requests"],
  example: { logout_token: exampleLogoutToken },
});

/** One of the caller's accounts. */
export const ownIdentity = z.strictObject({
  id: text,
  provider_id: text,
  provider: text.meta({ description: "What its button says; empty: it can't be read." }),
  date_created: timestamp,
  last_used_at: nullable(timestamp),
  managed: z.boolean().meta({
    description:
      "The provider added the caller and says what they may do: it is their only account, and can't be unlinked.",
  }),
}).meta({ id: "Identity" });

/** All of them. */
export const listIdentities = defineEndpoint({
  id: "listIdentities",
  method: "GET",
  path: "/v1/identities",
  tag,
  summary: "List the accounts at identity providers that sign the caller in, the oldest first",
  description:
    "And the providers at which the caller can link one; none for whom a provider added.",
  permission: permissions,
  withinScope: true,
  response: z.strictObject({
    data: z.array(ownIdentity),
    providers: z.array(z.strictObject({ id: text, name: text })),
  }).meta({ id: "IdentityList" }),
  errors: [],
});

/** To the provider, signed in. */
export const beginIdentity = defineEndpoint({
  id: "beginIdentity",
  method: "POST",
  path: "/v1/identity-providers/{id}/link",
  tag,
  summary: "Begin to link an account at an identity provider: where the browser goes for that",
  description:
    "The account then signs in whoever this session is. A session that opens less than its person may links none, nor does a person whom a provider added.",
  permission: permissions,
  withinScope: true,
  needsFreshSignIn: true,
  answerHeaders: ticket,
  response: away,
  errors: [
    "not_found",
    "added_by_provider",
    "provider_away",
    "providers_unavailable",
    "session_opens_less",
  ],
});

/** And back. */
export const createIdentity = defineEndpoint({
  id: "createIdentity",
  method: "POST",
  path: "/v1/identity-providers/{id}/link/answer",
  tag,
  summary: "Link the account that the browser came back with from an identity provider",
  description:
    "To the session that went there, within ten minutes, and where the provider has just asked its person.",
  permission: permissions,
  withinScope: true,
  body: z.object({ answer }).meta({ id: "IdentityAnswerInput" }),
  response: ownIdentity,
  errors: [
    ...bodyErrors,
    "not_found",
    "added_by_provider",
    "identity_taken",
    "not_authorised",
    "provider_away",
    "session_opens_less",
  ],
  example: { answer: exampleAnswer },
});

/** One less. */
export const deleteIdentity = defineEndpoint({
  id: "deleteIdentity",
  method: "DELETE",
  path: "/v1/identities/{id}",
  tag,
  summary: "Unlink one of the caller's own accounts: it signs in nobody any more",
  description:
    "Other sessions that began with it end. The account by which a provider added its person stays.",
  permission: permissions,
  withinScope: true,
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true) }).meta({ id: "IdentityRemoved" }),
  errors: ["not_found", "added_by_provider"],
});
