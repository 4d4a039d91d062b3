import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { operation } from "../../../http/operation.ts";
import { lazyMigration, lazyMigrationInput } from "./lazy-migration.contract.ts";
import * as service from "./lazy-migration.service.ts";

const tag = "Gateways";

/** Whether it does. */
export const getLazyMigration = operation({
  id: "getLazyMigration",
  method: "GET",
  path: "/v1/gateways/{id}/lazy-migration",
  tag,
  summary: "Read whether keys that nobody knows here are learned from a gateway, and until when",
  description: "What was learned stays when it is over.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  response: lazyMigration,
  errors: ["not_found"],
  serve: (ctx, { params }) => service.get(ctx, params.id),
});

/** It does from now on. */
export const startLazyMigration = operation({
  id: "startLazyMigration",
  method: "PUT",
  path: "/v1/gateways/{id}/lazy-migration",
  tag,
  summary: "Learn keys that nobody knows here from a gateway, until an end",
  description:
    "Verification asks the gateway about a key that it does not know, by its hashes alone, and keeps the key's SHA-256 with its plans, developer and end where it opens there. Never learned: what needs a password, OAuth clients, what is pinned to a certificate. While the gateway can't tell, or the limit is reached, verification answers 503 with `Retry-After`. Of 32-bit hashes (`murmur32`) another text with the same hash may be learned first. What was learned is asked again within each minute in which it is used, else once a day, and follows plans, end, state and quota there until all its plans are decided here. At most five keys an hour lose access by it; of more all wait for a person's yes (`awaiting`).",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: lazyMigrationInput,
  response: lazyMigration,
  errors: [...bodyErrors, "not_found"],
  example: { ends_at: "2026-12-31T00:00:00Z" },
  serve: (ctx, { params, body }) => service.start(ctx, params.id, body),
});

/** It does no more. */
export const stopLazyMigration = operation({
  id: "stopLazyMigration",
  method: "DELETE",
  path: "/v1/gateways/{id}/lazy-migration",
  tag,
  summary: "Learn no more keys from a gateway; what was learned stays",
  description: "What nobody knows here is `unknown` again, on every server within a second.",
  permission: ["admin"],
  response: lazyMigration,
  errors: ["not_found"],
  serve: (ctx, { params }) => service.stop(ctx, params.id),
});

/** A person's yes. */
export const confirmLosses = operation({
  id: "confirmLosses",
  method: "POST",
  path: "/v1/gateways/{id}/lazy-migration/confirm",
  tag,
  summary: "Say yes to keys losing access because of what a gateway says",
  description:
    "By a session alone, within five minutes of its sign-in. Each of these keys is asked about anew, and loses access if the gateway still says so. `awaiting` as it was read: where more keys wait since, read it again.",
  permission: ["admin"],
  permissionBesides: "approve",
  needsFreshSignIn: true,
  body: z.object({ awaiting: z.int().min(1) }).meta({ id: "LossesConfirmation" }),
  response: lazyMigration,
  errors: [...bodyErrors, "not_found", "person_needed", "precondition_failed"],
  example: { awaiting: 1 },
  serve: (ctx, { params, body }) => service.confirmLosses(ctx, params.id, body.awaiting),
});
