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
  summary:
    "Read whether unknown keys are migrated from a gateway at their first call, and until when",
  description: "Migrated keys stay when it is over.",
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
  summary: "Migrate unknown keys from a gateway at their first call, until a time",
  description:
    "Verification asks the gateway about a key that it does not know, by its hashes alone, and keeps the key's SHA-256 with its plans, developer and expiry if it is valid there. Never migrated: password users, OAuth clients, keys that are pinned to a certificate. While the gateway can't answer, or the limit is reached, verification answers 503 with `Retry-After`. Of 32-bit hashes (`murmur32`) another text with an equal hash may be migrated first. A migrated key is read again within each minute in which it is used, else once a day, and follows plans, expiry, state and quota there until all its plans are decided in Keydesk. At most five keys an hour lose access by it; of more all wait for a person's confirmation (`awaiting`).",
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
  summary: "Stop the lazy migration from a gateway; migrated keys stay",
  description:
    "Keys that Keydesk does not know are `unknown` again, on every server within a second.",
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
