import { defineEndpoint } from "../../contract/endpoint.ts";
import { envelope } from "../../contract/envelope.ts";

const tag = "Keys of a developer";

/**
 * What the original's ways to revoke a key have in common. The key is named by its id, or is the
 * key itself.
 */
const revocation = {
  method: "DELETE",
  tag,
  permission: ["revoke"],
  keyParameter: "key",
  response: envelope,
} as const;

/** The key of a developer. The plan is not looked at: the whole key ends. */
export const revokeKeyOfPlan = defineEndpoint({
  ...revocation,
  id: "revokeKeyOfPlan",
  path: "/api/portal/developers/key/{plan}/{key}/{developer}",
  withinScope: true,
  summary: "Revoke a developer's key, by its id or by itself; the plan is not looked at",
  description:
    "A key that exists and is another developer's is answered 400, never 404, since it would go on working.",
  errors: ["key_not_found", "key_not_owned", "too_many_revoked"],
});

/** A key. The API is not looked at: the whole key ends. */
export const revokeKeyOfApi = defineEndpoint({
  ...revocation,
  id: "revokeKeyOfApi",
  path: "/api/apis/{api}/keys/{key}",
  withinScope: true,
  // A public plugin leaves the API out, and begins with its base's `/api` once more.
  otherPaths: [
    "/api/apis//keys/{key}",
    "/api/api/apis/{api}/keys/{key}",
    "/api/api/apis//keys/{key}",
  ],
  summary: "Revoke a key, by its id or by itself; the API is not looked at",
  description: "The API may be left empty, as some clients of the older interface do.",
  errors: ["key_not_found", "too_many_revoked"],
});

/** A key. */
export const revokeNamedKey = defineEndpoint({
  ...revocation,
  id: "revokeNamedKey",
  path: "/api/keys/{key}",
  withinScope: true,
  otherPaths: ["/api/api/keys/{key}"],
  summary: "Revoke a key, by its id or by itself",
  description:
    "It opens nothing within a second. What an access token with `revoke` and without `approve` ends can be brought back for 7 days, by `POST /v1/keys/{id}/restore`.",
  errors: ["key_not_found", "too_many_revoked"],
});

/** An OAuth client. */
export const deleteOAuthClient = defineEndpoint({
  id: "deleteOAuthClient",
  method: "DELETE",
  path: "/api/portal/developers/oauth/{client}",
  tag,
  summary: "Revoke a developer's OAuth client, by its client_id or key id",
  description: "Its tokens end with it.",
  permission: ["approve"],
  withinScope: true,
  response: envelope,
  errors: ["not_found_for_deletion"],
});
