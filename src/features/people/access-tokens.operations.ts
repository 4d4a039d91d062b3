import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { pageOf } from "../../contract/paging.ts";
import { nextPageLink, pageQuery } from "../../contract/v1.ts";
import { text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import { accessTokenMembers, addressesInput, tag } from "./access-tokens.contract.ts";
import * as service from "./access-tokens.service.ts";

/** An access token, never its value. */
const accessToken = z.strictObject(accessTokenMembers).meta({ id: "AccessToken" });

/** An access token with its person's name. */
export const namedAccessToken = accessToken.extend({ person_name: text })
  .meta({ id: "NamedAccessToken" });

/** Access tokens of everybody. */
export const listAccessTokens = operation({
  id: "listAccessTokens",
  method: "GET",
  path: "/v1/access-tokens",
  tag,
  summary: "List the access tokens of all people, newest first; never their values",
  description: "By cursor. `q` and `state` combine with `person_id`.",
  permission: ["admin:read"],
  query: z.object({
    ...pageQuery,
    person_id: z.string().max(64).optional().meta({ description: "Those of one person." }),
    state: accessTokenMembers.state.optional(),
    q: z.string().trim().max(100).optional().meta({
      description: "Part of the token's name or of its person's name, or the token's id.",
    }),
  }),
  answerHeaders: nextPageLink,
  response: pageOf(namedAccessToken).meta({ id: "NamedAccessTokenList" }),
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await service.listAll(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** One access token. */
export const getAccessToken = operation({
  id: "getAccessToken",
  method: "GET",
  path: "/v1/access-tokens/{id}",
  tag,
  summary: "Read one access token, never its value",
  description: "With its scope, its end and its last use.",
  permission: ["admin:read"],
  response: namedAccessToken,
  errors: ["not_found"],
  serve: (ctx, { params }) => service.get(ctx, params.id),
});

/** A person's access tokens. */
export const listPersonAccessTokens = operation({
  id: "listPersonAccessTokens",
  method: "GET",
  path: "/v1/people/{id}/access-tokens",
  tag,
  summary: "List a person's access tokens, newest first; never their values",
  description: "Active, expired and revoked ones, with their scope and end.",
  permission: ["admin:read"],
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(accessToken).meta({ id: "AccessTokenList" }),
  errors: ["invalid_input", "not_found"],
  async serve(ctx, call) {
    const page = await service.list(ctx, call.params.id, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** The end of an access token. */
export const revokeAccessToken = operation({
  id: "revokeAccessToken",
  method: "DELETE",
  path: "/v1/access-tokens/{id}",
  tag,
  summary: "Revoke an access token: it is invalid within a second, and so are its sessions",
  description: "The person and their other access tokens stay.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: accessToken,
  errors: [
    "not_found",
    "access_token_ended",
    "person_holds_more",
    "last_administrator",
    "managed_by_file",
  ],
  serve: (ctx, { params }) => service.revoke(ctx, params.id),
});

/** From where an access token opens something. */
export const limitAccessToken = operation({
  id: "limitAccessToken",
  method: "PUT",
  path: "/v1/access-tokens/{id}/addresses",
  tag,
  summary:
    "Set the addresses from which alone an access token is valid, the caller's own among them",
  description:
    "From elsewhere it is answered 401 like a wrong one. It holds for the sessions of the access token too, within a second.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({
    addresses: addressesInput.meta({ description: "Empty: from everywhere." }),
  }).meta({ id: "AccessTokenAddresses" }),
  response: accessToken,
  errors: [
    ...bodyErrors,
    "not_found",
    "access_token_ended",
    "person_holds_more",
    "managed_by_file",
  ],
  example: { addresses: [] },
  serve: (ctx, call) =>
    service.limit(
      ctx,
      call.params.id,
      call.body.addresses,
      ctx.clientAddresses.exactly(call),
    ),
});
