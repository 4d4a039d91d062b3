import { z } from "zod";
import { deliver } from "../../contract/one-time-link.ts";
import { gatewayProblems } from "../../contract/gateway-states.ts";
import { leaked } from "../../contract/leak.ts";
import { filterSchemas } from "../../contract/filter-schemas.ts";
import { labelsView } from "../../contract/labels.ts";
import { keyFilters } from "../../contract/list-filters.ts";
import { direction, pageQuery } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { denied } from "./denied.contract.ts";
import { keyConditions } from "./conditions.contract.ts";

export const nullable = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

const states = keyFilters.state.of;

/** A key as it is shown: never the key itself. */
export const key = z.strictObject({
  key_id: text,
  mask: text,
  kind: z.enum(["token", "basic", "oauth"]),
  state: z.enum(states),
  denied,
  plans: z.array(text),
  developer_id: text,
  developer_email: text.meta({
    description: "In lower case; empty if no developer is registered.",
  }),
  developer_name: text.meta({
    description: "The field `name` of the developer; empty if there is none.",
  }),
  key_request_id: nullable(text).meta({
    description: "The key request that it was issued for; null: it came without one.",
  }),
  request_id: nullable(text).meta({
    description:
      "The older name of `key_request_id`, for this release alone. It is no id of a call, which `request_id` is elsewhere.",
    deprecated: true,
  }),
  created: timestamp,
  expires_at: nullable(timestamp),
  last_used_at: nullable(timestamp),
  state_changed_at: nullable(timestamp),
  reason: nullable(text),
  replaced_by: nullable(text),
  undo: nullable(z.strictObject({
    until: timestamp,
    ended_by: text.meta({ description: "The person whose access token revoked it." }),
    with_developer: z.boolean().meta({
      description: "True: it comes back with its deleted developer, and not by itself.",
    }),
  })).meta({
    description:
      "Until when a caller with `approve` can restore a revoked key; null: it is not revoked, or for good.",
  }),
  conditions: nullable(keyConditions).meta({
    description: "Its conditions besides plans and expiry; null: none.",
  }),
  algorithm: z.enum(["sha256", "murmur64", "murmur128"]),
  use_before: nullable(timestamp),
  imported_as: nullable(text).meta({ description: "The id that it had until its first use." }),
  leaked,
  at_gateways: z.array(
    z.strictObject({
      gateway_id: text,
      gateway: text.meta({ description: "Its name." }),
      state: z.enum(gatewayProblems).meta({
        description:
          "`late`: it waits for over a minute. `closing`: it was revoked or suspended at `since`, and may be valid until `may_be_valid_until`.",
      }),
      since: timestamp,
      valid: z.boolean().meta({
        description:
          "Whether it is valid at the gateway meanwhile, or may be, as it was written before.",
      }),
      may_be_valid_until: nullable(timestamp).meta({
        description:
          "Of one that is closing; null: as long as calls with it go on, or it was not revoked there.",
      }),
    }).meta({ id: "KeyNotThere" }),
  ).meta({
    description:
      "Gateways that hold keys of their own and at which this one is not as it should be; empty: it is so at all of them. An active key is not complete while one of them has `opens` false.",
  }),
  ...labelsView,
  revision: text.meta({ description: "The value of `ETag` and `If-Match`, without the quotes." }),
}).meta({ id: "Key" });

/** Why a key's state is changed: for the audit log and for those who look at the key. */
export const reason = z.string().trim().min(1).max(500);

/** The filters of a list. */
export const listQuery = z.object({
  limit: pageQuery.limit.meta({ description: "Keys on a page, 1 to 100; 20 by default." }),
  cursor: z.string().max(1024).optional()
    .meta({ description: "`next_cursor` of the page before." }),
  ...filterSchemas(keyFilters),
  sort: z.enum(["created", "expires_at"], { error: "expected created or expires_at" }).optional()
    .meta({
      description:
        "Newest first by default. Keys without an end come after all others. Goes with no filter but `state`, and not with `expired`.",
    }),
  direction,
});

/** The body of changes of a key's state. */
export const stateBody = z.object({ reason }).meta({ id: "KeyStateInput" });

/** The body of `rotateKeyEndpoint`. */
export const rotateKeyInput = z.object({
  overlap_seconds: z.int().min(0).max(30 * 24 * 60 * 60)
    .meta({ description: "How long the old key lives on, up to 30 days." }),
  deliver,
  expires_at: timestamp.optional().meta({
    description:
      "When the fresh key expires, in the future; absent: as `GET /v1/keys/{key_id}/expiry` says of a rotation.",
  }),
}).meta({ id: "RotateKeyInput" });
