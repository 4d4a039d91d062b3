import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { envelope, ok } from "../../contract/envelope.ts";
import { operation } from "../../http/operation.ts";
import { endingOf } from "./ending.ts";
import { namesOf, revokeOAuthClient } from "./named-keys.service.ts";
import { withRevokeLimit } from "./revoke-limit.service.ts";
import { revokeNamed } from "./revoke-named.transactions.ts";

const tag = "Keys of a developer";

/**
 * The common parts of the original's endpoints that revoke a key. The key is named by its id, or is
 * the key itself.
 */
const revocation = {
  method: "DELETE",
  tag,
  permission: ["revoke"],
  keyParameter: "key",
  response: envelope,
} as const;

/** The key of a developer. The plan is not looked at: the whole key ends. */
export const revokeKeyOfPlan = operation({
  ...revocation,
  id: "revokeKeyOfPlan",
  path: "/api/portal/developers/key/{plan}/{key}/{developer}",
  withinScope: true,
  summary: "Revoke a developer's key, by its id or by itself; the plan is not looked at",
  description:
    "A key that exists and is another developer's is answered 400, never 404, since it would go on working.",
  errors: ["key_not_found", "key_not_owned", "too_many_revoked"],
  async serve(ctx, { params }) {
    await revokeByName(ctx, params.key, params.developer);
    return ok(DELETED);
  },
});

/** A key. The API is not looked at: the whole key ends. */
export const revokeKeyOfApi = operation({
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
  async serve(ctx, { params }) {
    await revokeByName(ctx, params.key);
    return ok(DELETED);
  },
});

/** A key. */
export const revokeNamedKey = operation({
  ...revocation,
  id: "revokeNamedKey",
  path: "/api/keys/{key}",
  withinScope: true,
  otherPaths: ["/api/api/keys/{key}"],
  summary: "Revoke a key, by its id or by itself",
  description:
    "It is invalid within a second. A key that an access token with `revoke` and without `approve` revokes can be restored for 7 days, by `POST /v1/keys/{id}/restore`.",
  errors: ["key_not_found", "too_many_revoked"],
  async serve(ctx, { params }) {
    await revokeByName(ctx, params.key);
    return ok(DELETED);
  },
});

/** An OAuth client. */
export const deleteOAuthClient = operation({
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
  async serve(ctx, { params }) {
    await revokeOAuthClient(ctx, params.client);
    return ok("Data deleted");
  },
});

const DELETED = "Key deleted successfully.";

/**
 * Revokes the key that `named` is the id of, or is; `owner` undefined: anyone who has it. Nothing
 * keeps what was named. Throws `key_not_found`, for a revoked key too, `key_not_owned` and
 * `too_many_revoked`.
 */
async function revokeByName(
  ctx: RequestContext,
  named: string,
  owner?: string,
): Promise<void> {
  const names = await namesOf(ctx, named);
  const { storage, principal, settings } = ctx;
  const actor = actorOf(principal, ctx.clock.now());
  const ending = endingOf(principal, settings, actor.now);
  const input = { actor, names, owner: owner ?? null, reason: "deleted", ending };
  const { at_most } = ending;
  await withRevokeLimit(storage, { actor, at_most }, () => storage.commit(revokeNamed, input));
}
