import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";

const tag = "OAuth";

/** What a client presents in the body where it sends no `Authorization: Basic`. */
const clientMembers = {
  client_id: z.string().max(255).optional(),
  client_secret: z.string().max(1024).optional(),
};

const tokenMembers = {
  token: z.string().max(4096),
  token_type_hint: z.string().optional(),
};

/** The client of the examples; no server knows it. */
const exampleClient = {
  client_id: "0123456789abcdef0123456789abcdef",
  client_secret: "the-secret-that-the-approval-answered",
};

/** RFC 6749, 4.4. */
export const issueToken = defineEndpoint({
  id: "issueToken",
  method: "POST",
  path: "/oauth/token",
  tag,
  summary:
    "Get a token for an OAuth client, which authenticates with Basic or in the body (RFC 6749)",
  description:
    "For clients that an approval made. The token opens what the client's plans allow until it ends. Too many wrong secrets are answered 429.",
  permission: "public",
  body: z.object({
    grant_type: z.string(),
    scope: z.string().optional(),
    ...clientMembers,
  }),
  bodyEncoding: "form",
  response: z.strictObject({
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.int(),
  }).meta({ id: "OAuthToken" }),
  errors: [
    "oauth_invalid_client",
    "oauth_unsupported_grant_type",
    "oauth_invalid_scope",
    "too_many_requests",
  ],
  example: { grant_type: "client_credentials", ...exampleClient },
});

/** RFC 7662, 2.2. */
export const introspection = z.union([
  z.strictObject({
    active: z.literal(true),
    client_id: z.string().optional(),
    token_type: z.literal("Bearer"),
    exp: z.int(),
    iat: z.int(),
    sub: z.string().optional(),
    key_id: z.string(),
    plans: z.array(z.string()),
  }),
  z.strictObject({ active: z.literal(false) }),
]).meta({ id: "OAuthIntrospection" });

/** RFC 7662. */
export const introspectToken = defineEndpoint({
  id: "introspectToken",
  method: "POST",
  path: "/oauth/introspect",
  tag,
  summary: "Whether a token is good, and whose it is (RFC 7662)",
  description:
    "For gateways. A token that is not good, for whatever reason, is answered `active: false`.",
  permission: ["verify"],
  clientAuthentication: true,
  body: z.object({
    ...tokenMembers,
    client_id: z.string().max(255).optional().meta({
      description: "Anything: it is not looked at.",
    }),
    client_secret: z.string().max(4096).optional()
      .meta({ description: "An access token, where there is no `Authorization`." }),
  }),
  bodyEncoding: "form",
  response: introspection,
  errors: ["oauth_invalid_client"],
  example: { token: "kdt_…" },
});

/** RFC 7009. */
export const revokeToken = defineEndpoint({
  id: "revokeToken",
  method: "POST",
  path: "/oauth/revoke",
  tag,
  summary: "End a token of the client that calls; one that is no token of its own is no error",
  description: "The client authenticates as for a token.",
  permission: "public",
  body: z.object({ ...tokenMembers, ...clientMembers }),
  bodyEncoding: "form",
  response: z.strictObject({}),
  errors: ["oauth_invalid_client", "too_many_requests"],
  example: { token: "kdt_…", ...exampleClient },
});
