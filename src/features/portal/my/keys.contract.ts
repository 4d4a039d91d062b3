import { z } from "zod";
import { pageOf } from "../../../contract/paging.ts";
import { type DenialReason, denialReasons } from "../../../contract/denied-calls.ts";
import { nullable, pageQuery } from "../../../contract/v1.ts";
import { text, timestamp } from "../../../contract/values.ts";
import { denied } from "../../keys/denied.contract.ts";
import { keyConditions } from "../../keys/conditions.contract.ts";
import { replacement } from "../../keys/issued-keys.contract.ts";
import { namedPlan } from "./requests.contract.ts";

const states = ["active", "suspended", "expired", "revoked"] as const;

export const quota = {
  limit: z.int().meta({ description: "Calls in a period." }),
  left: z.int().meta({ description: "Of these, those that are left now." }),
  renews_at: nullable(timestamp).meta({
    description: "When it starts again; null: it never does.",
  }),
};

/** A key as its holder reads it: never the key itself, nor what administrators keep of it. */
export const myKey = z.strictObject({
  id: text.meta({ description: "The SHA-256 of the key." }),
  mask: text,
  name: text,
  environment: text,
  kind: z.enum(["token", "basic", "oauth"]),
  state: z.enum(states),
  denied,
  plans: z.array(namedPlan),
  request_id: nullable(text).meta({
    description: "The request that led to it; null: it came without one.",
  }),
  date_created: timestamp,
  expires_at: nullable(timestamp).meta({ description: "null: it does not end by itself." }),
  state_changed_at: nullable(timestamp),
  suspended_by: nullable(z.enum(["me", "others"])).meta({
    description: "The one who can resume it; null: it is not suspended.",
  }),
  last_used_at: nullable(timestamp),
  replaced_by: nullable(text).meta({
    description: "The key that took over; until `ends_at` both are valid for the same plans.",
  }),
  waits_until: nullable(timestamp).meta({
    description: "Until when the key waits to be opened; null: it was opened, or it is too late.",
  }),
  quota: nullable(z.strictObject(quota)).meta({ description: "null: its plans set none." }),
  conditions: nullable(keyConditions).meta({
    description: "Its conditions besides plans and expiry; null: none.",
  }),
  on_its_way: nullable(z.strictObject({
    valid_at: z.int().meta({ description: "Gateways at which it is valid." }),
    of: z.int().meta({ description: "Gateways at which it is to be valid." }),
    late: z.boolean().meta({ description: "Whether it takes longer than usual: people know." }),
  })).meta({
    description: "An active key that is not valid at every gateway yet; null: it is.",
  }),
  calls_30_days: z.int().meta({ description: "All calls of the last 30 days, denied ones too." }),
}).meta({ id: "MyKey" });

/** Why a call of a key that a person holds is denied. */
const ownReasons = denialReasons.filter((one): one is Exclude<DenialReason, "unknown"> =>
  one !== "unknown"
);

const counts = {
  calls: z.int(),
  passed: z.int(),
  refused_401: z.int().meta({ description: "It was suspended, had expired or was revoked." }),
  refused_403: z.int().meta({ description: "None of its plans was valid for the API." }),
  refused_429: z.int().meta({ description: "Over the rate or the quota." }),
};

/** One key, with how it is used. */
export const myKeyDetail = z.strictObject({
  ...myKey.shape,
  quota: nullable(
    z.strictObject({
      ...quota,
      used: z.int(),
      used_up_at: nullable(timestamp).meta({
        description:
          "Since when all of it is used up; null: something is left, or it is not recorded.",
      }),
      per_day: z.number().meta({
        description: "Calls that passed on a day, of the last 7 days or since there is the key.",
      }),
      is_enough: nullable(z.boolean()).meta({
        description:
          "Whether what is left lasts until the quota starts again, where the pace stays as it is; null: it never starts again.",
      }),
    }),
  ).meta({ description: "null: its plans set none." }),
  expires_at_if_rotated: nullable(timestamp).meta({
    description:
      "When a key would end that took its place now; null: never. A rotation makes no access longer: ask for a later end.",
  }),
  replaces: z.array(
    z.strictObject({
      id: text,
      mask: text,
      expires_at: nullable(timestamp),
      last_used_at: nullable(timestamp),
    }),
  ).meta({ description: "The previous keys of this one that are still valid." }),
  waited_until: nullable(timestamp).meta({
    description: "Until when the unopened key waited; null: it was opened, or it waits still.",
  }),
  later_end: nullable(z.strictObject({ request_id: text, until: timestamp })).meta({
    description: "The later end that was asked for and waits for people; null: none.",
  }),
  unused_warning: nullable(
    z.strictObject({
      unused_since: timestamp,
      suspended_from: nullable(timestamp).meta({
        description: "Before it the key is not suspended for that; null: nothing is to come yet.",
      }),
    }),
  ).meta({
    description: "When the developer was warned that the key is unused; null: not warned.",
  }),
  use: z.strictObject({
    from: z.iso.date(),
    to: z.iso.date(),
    days: z.array(z.strictObject({ day: z.iso.date(), ...counts })).meta({
      description: "The oldest first, in UTC; without days that had no calls.",
    }),
    total: z.strictObject(counts),
  }).meta({ description: "Of the last 30 days." }),
  denied_calls: z.array(
    z.strictObject({
      at: timestamp,
      reason: z.enum(ownReasons),
      status: z.int().meta({ description: "The answer of forward-auth: 401, 403 or 429." }),
      api_id: nullable(text).meta({ description: "The API that was asked for; null: any." }),
      limit: nullable(z.int()).meta({ description: "Of over_rate and over_quota: what is given." }),
      per_seconds: nullable(z.number()).meta({ description: "In each so many seconds." }),
      retry_after: nullable(z.int()).meta({
        description: "Seconds, from then on, after which a call passes.",
      }),
      valid_for: z.array(text).meta({
        description: "Of wrong_api: some of the APIs for which the key's plans are valid.",
      }),
    }).meta({ id: "MyDeniedCall" }),
  ).meta({
    description:
      "Its newest calls that were denied, ten at the most, of the last 30 days and within 2 " +
      "seconds of each.",
  }),
}).meta({ id: "MyKeyDetail" });

/** The answer of `listMyKeys`. */
export const myKeyList = pageOf(myKey).meta({ id: "MyKeyList" });

/** The query of `listMyKeys`. */
export const listMyKeysQuery = z.object({
  ...pageQuery,
  state: z.enum([...states, "over"], { error: `expected ${states.join(" or ")} or over` })
    .optional().meta({
      description: "Only keys in this state; `over`: those that are expired or revoked.",
    }),
});

// The plan of an OAuth client is one of the key's, which has its own words for it.
const { one_time_link: _, policy_id: __, ...answeredOnce } = replacement.shape;

/** A key that is shown this once. */
export const mySecret = z.strictObject(answeredOnce).meta({ id: "MyShownKey" });
