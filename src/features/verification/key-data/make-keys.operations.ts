import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { envelope, ok, pageNumber } from "../../../contract/envelope.ts";
import { exampleIds } from "../../../contract/example-ids.ts";
import { operation } from "../../../http/operation.ts";
import { revokeOAuthClient } from "../../keys/named-keys.service.ts";
import type { VerificationContext } from "../verifier.ts";
import { keyIds, namedKeyData } from "./key-data.contract.ts";
import { getClient, listClients, listKeyIds } from "./list-key-data.service.ts";
import { client, clientOfApiInput, session } from "./make-keys.contract.ts";
import * as make from "./make-keys.service.ts";

const tag = "Keys of a developer";

const planErrors = [
  "filed_by_you",
  "unknown_plan",
  "keyless_plan",
  "mixed_auth_types",
  "wrong_auth_type",
] as const;

const plan = exampleIds.plan;

/** A key out of a session. */
export const createKey = operation({
  id: "createKey",
  method: "POST",
  path: "/api/keys",
  // A text of the caller's own is refused with a reason.
  otherPaths: ["/api/keys/{key}"],
  keyParameter: "key",
  tag,
  summary: "Issue a key by a session, as clients of Tyk Gateway send it; Keydesk makes its text",
  description:
    "`key_id` is the key itself, shown this once. Members of the session beyond those below mean nothing: the permissions of the key follow from its plans. Without `meta_data.tyk_developer_id` it belongs to the developer of keys without an owner. A text of the caller's own in the path is 400.",
  permission: ["approve"],
  body: session,
  idempotent: true,
  response: namedKeyData,
  errors: [...bodyErrors, ...planErrors, "unknown_developer"],
  example: { apply_policies: [plan], alias: "Checkout" },
  serve(ctx: VerificationContext, { params, body, idempotency }) {
    // Of one of its paths alone.
    const { key }: { key?: string } = params;
    return make.makeKey(ctx, body, key, idempotency);
  },
});

/** Another session for a key. */
export const updateNamedKey = operation({
  id: "updateNamedKey",
  method: "PUT",
  path: "/api/keys/{key}",
  otherPaths: [
    "/api/apis/{api}/keys/{key}",
    "/api/apis//keys/{key}",
    "/api/api/keys/{key}",
  ],
  keyParameter: "key",
  tag,
  summary: "Change a key by a session: its plans, name, tags, expiry and whether it is active",
  description:
    "Members that are left out, and those that read as they are, change nothing; whose key it is and its password can't be changed.",
  permission: ["approve"],
  withinScope: true,
  body: session,
  response: namedKeyData,
  errors: [...bodyErrors, ...planErrors, "key_not_found", "key_rotated"],
  example: { apply_policies: [plan], alias: "Checkout" },
  serve: (ctx: VerificationContext, { params, body }) => make.changeKey(ctx, params.key, body),
});

/** A user name and a password. */
export const createBasicKey = operation({
  id: "createBasicKey",
  method: "POST",
  path: "/api/apis/keys/basic/{user}",
  keyParameter: "user",
  tag,
  summary: "Issue a key of this user name and of the password in the session",
  description:
    "The password has 20 characters or more and is kept as its SHA-256, as those are that Keydesk makes; it is in no answer. `key_id` is the user name.",
  permission: ["approve"],
  body: session,
  idempotent: true,
  response: namedKeyData,
  errors: [...bodyErrors, ...planErrors, "unknown_developer"],
  example: {
    apply_policies: [plan],
    basic_auth_data: { password: "a long password that is only an example" },
  },
  serve: (ctx: VerificationContext, { params, body, idempotency }) =>
    make.makeBasicKey(ctx, params.user, body, idempotency),
});

/** A fresh OAuth client. */
export const createClientOfApi = operation({
  id: "createClientOfApi",
  method: "POST",
  path: "/api/apis/oauth/{api}",
  tag,
  summary: "Issue an OAuth client for a plan; the API is not looked at",
  description:
    "Keydesk makes its `client_id` and `secret`; a caller's own are 400. It belongs to the developer of keys without an owner.",
  permission: ["approve"],
  body: clientOfApiInput,
  idempotent: true,
  response: client,
  errors: [...bodyErrors, ...planErrors],
  example: { policy_id: plan, redirect_uri: "https://shop.example/callback" },
  serve: (ctx: VerificationContext, { body, idempotency }) =>
    make.makeClient(ctx, body, idempotency),
});

/** The OAuth clients of an API. */
export const listClientsOfApi = operation({
  id: "listClientsOfApi",
  method: "GET",
  path: "/api/apis/oauth/{api}",
  tag,
  summary: "List OAuth clients whose plans are valid for an API, newest first; `-` is any API",
  description: "Without `p` all of them; with `p` from 1 on, that page.",
  permission: ["approve"],
  withinScope: true,
  query: z.object({
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
  }),
  answersSecrets: "to those who may",
  response: z.strictObject({ apps: z.array(client), pages: z.int(), capped: keyIds.shape.capped })
    .meta({ id: "ClientsOfApi" }),
  errors: ["invalid_input"],
  serve: (ctx: VerificationContext, { params, query }) => listClients(ctx, query.p, params.api),
});

/** One OAuth client. */
export const getClientOfApi = operation({
  id: "getClientOfApi",
  method: "GET",
  path: "/api/apis/oauth/{api}/{client}",
  tag,
  summary: "An OAuth client by its client_id or key id; the API is not looked at",
  description: "Its secret is shown to access tokens with the permission `secrets` alone.",
  keyParameter: "client",
  permission: ["approve"],
  withinScope: true,
  answersSecrets: "to those who may",
  response: client,
  errors: ["not_found"],
  serve: (ctx: VerificationContext, { params }) => getClient(ctx, params.client),
});

/** The end of an OAuth client. */
export const deleteClientOfApi = operation({
  id: "deleteClientOfApi",
  method: "DELETE",
  path: "/api/apis/oauth/{api}/{client}",
  tag,
  summary: "Revoke an OAuth client by its client_id or key id; the API is not looked at",
  description: "Its tokens end with it.",
  keyParameter: "client",
  permission: ["approve"],
  withinScope: true,
  response: envelope,
  errors: ["not_found_for_deletion"],
  async serve(ctx: VerificationContext, { params }) {
    await revokeOAuthClient(ctx, params.client);
    return ok("OAuth Client deleted successfully");
  },
});

/** A search of keys. */
export const searchKeysOfApi = operation({
  id: "searchKeysOfApi",
  method: "GET",
  path: "/api/apis/{api}/keys/search",
  otherPaths: ["/api/apis//keys/search"],
  tag,
  summary: "Ids of the keys of an API that a text names, newest first; `-` is any API",
  description:
    "`q` is the key, its id or the beginning of that, or a part of its name in any case. Without `q` as the list.",
  permission: ["approve"],
  withinScope: true,
  query: z.object({
    q: z.string().max(4096).optional(),
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
  }),
  response: keyIds,
  errors: ["invalid_input"],
  serve(ctx: VerificationContext, { params, query }) {
    return listKeyIds(ctx, query.p, params.api, query.q);
  },
});
