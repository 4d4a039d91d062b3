import { z } from "zod";
import { pageOf } from "../../../contract/paging.ts";
import { denialReasons } from "../../../contract/denied-calls.ts";
import { nullable, pageQuery } from "../../../contract/v1.ts";
import { id, integer, text, timestamp } from "../../../contract/values.ts";
import { lazyMigration } from "../lazy-migration/lazy-migration.contract.ts";

const day = z.iso.date();

/** Calls by who decided them. */
const sides = {
  in_keydesk: integer.describe(
    "Decided in Keydesk: by verify, forward-auth, or for a switched plan.",
  ),
  at_gateway: integer.describe("Decided by the old gateway, of keys that Keydesk knows."),
};

const openedThereOnly = z.array(
  z.strictObject({ reason: z.enum(denialReasons), calls: integer }).meta({
    id: "MigrationDifference",
  }),
).describe(
  "Allowed at the gateway and would have been denied in Keydesk, by reason, the most frequent first.",
);

const refusedThereOnly = integer.describe(
  "Would have been allowed in Keydesk and were not at the gateway, for whatever reason: the gateway also denies calls for reasons other than keys, and a report may be lost.",
);

export const decided = z.enum(["keydesk", "gateway"]);

/** How far a plan has moved. */
export const migrationPlan = z.strictObject({
  plan: text.describe("The plan's `_id`."),
  name: text,
  keys: integer.describe("Active ones."),
  keys_at_gateway: nullable(integer).describe(
    "Of them, those that called the old gateway within 14 days; null: more than 5,000 of all plans did.",
  ),
  keys_in_keydesk: integer.describe(
    "Of them, those that are decided in Keydesk once this plan is: their other plans are switched.",
  ),
  never_seen: integer.describe(
    "Of them, those that were seen neither in Keydesk nor at the gateway.",
  ),
  in_keydesk: integer.describe("Calls yesterday that were decided in Keydesk."),
  at_gateway: integer.describe("Calls yesterday that the old gateway decided."),
  last_at_gateway: nullable(timestamp).describe("The last of those, within 90 days."),
  compared: integer.describe(
    "The last calls that were compared: 2,000,000 or those of 90 days, by whole days.",
  ),
  allowed_at_gateway_only: openedThereOnly,
  denied_at_gateway_only: refusedThereOnly,
  decided: decided.describe("The side that decides calls of keys whose plans all say `keydesk`."),
  decided_at: nullable(timestamp).describe("Since when; null: it was never switched."),
  decided_by: nullable(text),
  safe: z.boolean().describe(
    "The gateway decided nothing for 14 whole days, and allowed no compared call that Keydesk would have denied.",
  ),
  safe_on: nullable(day).describe(
    "The first day on which it is, if the gateway decides nothing any more; null: calls differ, or went on within 7 days.",
  ),
}).meta({ id: "MigrationPlan" });

/** A key that still calls there, or was never seen. */
export const migrationKey = z.strictObject({
  key_id: text,
  mask: text,
  name: text.describe("Its display name; may be empty."),
  developer_id: text.describe("Empty: no developer's."),
  developer_name: text.describe("Their name, else their address; may be empty."),
  plans: z.array(text),
  calls: integer.describe("At the old gateway, yesterday."),
}).meta({ id: "MigrationKey" });

/** The answer of `getMigration`. */
export const getMigrationResponse = z.strictObject({
  connected: z.boolean().describe(
    "Whether there is a gateway of Tyk's, a lazy migration ever ran, or shadow mode was used.",
  ),
  since: nullable(day).describe("The first day of shadow mode."),
  reports: z.boolean().describe(
    "False: calls in shadow mode would have been allowed, and the gateway never reports an allowed call. Is the plugin's second hook set?",
  ),
  now: z.strictObject({
    ...sides,
    allowed_at_gateway_only: openedThereOnly,
    denied_at_gateway_only: refusedThereOnly,
    unknown: z.strictObject({ calls: integer, opened: integer }).describe(
      "Of keys that Keydesk does not know, and how many of them the gateway allowed.",
    ),
  }).describe("Today so far."),
  unknown: z.strictObject({ calls: integer, opened: integer }).describe("As above, in 7 days."),
  shares: z.array(
    z.strictObject({ days: z.union([z.literal(1), z.literal(7), z.literal(30)]), ...sides }),
  )
    .describe("The last 1, 7 and 30 whole days, as far as shadow mode ran."),
  days: z.array(z.strictObject({ date: day, ...sides })).describe("The last 30, oldest first."),
  plans: z.array(migrationPlan).describe(
    "Those with keys or calls: the most calls at the gateway first.",
  ),
  more_plans: integer.describe("Plans beyond 1,000 that are left out."),
  safe_plans: integer,
  keys: z.strictObject({
    all: integer.describe("Active keys with a plan."),
    safe: integer.describe("Those whose plans are all safe."),
    at_gateway_yesterday: integer,
    never_seen: integer.describe("They came over and work, but nothing proves it."),
    migrated: integer.describe("Those that gateways taught, from the first on."),
    never_seen_developers: integer,
    mailable_developers: integer.describe("Those of them whose address is known."),
  }),
  lazy_migrations: z.array(
    lazyMigration.omit({ started_by: true, questions_per_second: true })
      .extend({ gateway_name: text.describe("Empty: it was removed.") })
      .meta({ id: "MigrationLazy" }),
  ).describe("Gateways with a lazy migration, now or earlier."),
  still_at_gateway: z.array(migrationKey).describe("Up to 10, the most calls yesterday first."),
  all_safe_on: nullable(day).describe(
    "When every plan is safe if all goes on as in the last 7 days; null: it then never is.",
  ),
}).meta({ id: "Migration" });

/** The query of `listMigrationKeys`. */
export const listMigrationKeysQuery = z.object({
  seen: z.enum(["at_gateway", "never"], { error: "expected at_gateway or never" })
    .default("at_gateway").meta({
      description: "`at_gateway`: called the old gateway yesterday; `never`: seen at neither.",
    }),
  plan: id.optional().meta({ description: "Only of this plan." }),
  developer: id.optional().meta({ description: "Only of this developer." }),
  ...pageQuery,
});

/** The answer of `listMigrationDifferences`. */
export const migrationDifferenceList = pageOf(
  z.strictObject({
    id: text,
    at: timestamp,
    key_id: nullable(text).describe("Null: the presented key is unknown."),
    key_mask: nullable(text),
    developer_id: nullable(text),
    developer_name: text,
    plan_id: nullable(text),
    api_id: nullable(text),
    gateway: text,
    at_gateway: z.literal("allowed"),
    in_keydesk: z.enum(denialReasons).describe("Why it would have been refused."),
  }).meta({ id: "MigrationDifferentCall" }),
).meta({ id: "MigrationDifferentCallList" });

/** The query of `listMigrationDifferences`. */
export const listMigrationDifferencesQuery = z.object({
  key: id.optional().meta({ description: "Only of the key with this id." }),
  plan: id.optional().meta({ description: "Only of calls by this plan." }),
  developer: id.optional().meta({ description: "Only of keys of this developer." }),
  ...pageQuery,
});

/** The answer of `switchPlanEndpoint`. */
export const planSwitch = z.strictObject({
  plan: text,
  decided,
  decided_at: nullable(timestamp),
  decided_by: nullable(text),
}).meta({ id: "PlanSwitch" });
