import { z } from "zod";
import { pageOf } from "../../../contract/paging.ts";
import { denialReasons } from "../../../contract/denied-calls.ts";
import { nullable, pageQuery } from "../../../contract/v1.ts";
import { id, integer, text, timestamp } from "../../../contract/values.ts";
import { lazyMigration } from "../lazy-migration/lazy-migration.contract.ts";

const day = z.iso.date();

/** Calls by who decided them. */
const sides = {
  in_keydesk: integer.describe("Decided here: by verify, forward-auth, or for a switched plan."),
  at_gateway: integer.describe("Decided by the old gateway, of keys that are known here."),
};

const openedThereOnly = z.array(
  z.strictObject({ reason: z.enum(denialReasons), calls: integer }).meta({
    id: "MigrationDifference",
  }),
).describe("Let in there and would have been refused here, by reason, the most frequent first.");

const refusedThereOnly = integer.describe(
  "Would have opened here and was not let in there, for whatever reason: the gateway also refuses what is no matter of keys, and a report may be lost.",
);

export const decided = z.enum(["here", "there"]);

/** How far a plan has moved. */
export const migrationPlan = z.strictObject({
  plan: text.describe("The plan's `_id`."),
  name: text,
  keys: integer.describe("Active ones."),
  keys_at_gateway: nullable(integer).describe(
    "Of them, those that called the old gateway within 14 days; null: more than 5,000 of all plans did.",
  ),
  keys_in_keydesk: integer.describe(
    "Of them, those that are decided here once this plan is: their other plans are switched.",
  ),
  never_seen: integer.describe("Of them, those that were seen neither here nor there."),
  in_keydesk: integer.describe("Calls yesterday that were decided here."),
  at_gateway: integer.describe("Calls yesterday that the old gateway decided."),
  last_at_gateway: nullable(timestamp).describe("The last of those, within 90 days."),
  compared: integer.describe(
    "The last calls that were compared: 2,000,000 or those of 90 days, by whole days.",
  ),
  allowed_at_gateway_only: openedThereOnly,
  denied_at_gateway_only: refusedThereOnly,
  decided: decided.describe("Who decides about keys of which every plan says `here`."),
  decided_at: nullable(timestamp).describe("Since when; null: it was never switched."),
  decided_by: nullable(text),
  safe: z.boolean().describe(
    "Nothing was decided there for 14 whole days, and no compared call was let in there alone.",
  ),
  safe_on: nullable(day).describe(
    "The first day on which it is, if nothing is decided there any more; null: calls there differ, or went on within 7 days.",
  ),
}).meta({ id: "MigrationPlan" });

/** A key that still calls there, or was never seen. */
export const migrationKey = z.strictObject({
  key_id: text,
  mask: text,
  name: text.describe("What people call it; may be empty."),
  developer_id: text.describe("Empty: nobody's."),
  developer_name: text.describe("Their name, else their address; may be empty."),
  plans: z.array(text),
  calls: integer.describe("At the old gateway, yesterday."),
}).meta({ id: "MigrationKey" });

/** The answer of `getMigration`. */
export const getMigrationResponse = z.strictObject({
  connected: z.boolean().describe(
    "Whether there is a gateway of the original's, one ever taught keys, or anything was observed.",
  ),
  since: nullable(day).describe("The first day on which anything was observed."),
  reports: z.boolean().describe(
    "False: observed calls would have opened, and the gateway never says that it let one in. Is the plugin's second hook set?",
  ),
  now: z.strictObject({
    ...sides,
    allowed_at_gateway_only: openedThereOnly,
    denied_at_gateway_only: refusedThereOnly,
    unknown: z.strictObject({ calls: integer, opened: integer }).describe(
      "Of keys that nobody knows here, and how many of them were let in there.",
    ),
  }).describe("Today so far."),
  unknown: z.strictObject({ calls: integer, opened: integer }).describe("The same, in 7 days."),
  shares: z.array(
    z.strictObject({ days: z.union([z.literal(1), z.literal(7), z.literal(30)]), ...sides }),
  )
    .describe("The last 1, 7 and 30 whole days, as far as they were observed."),
  days: z.array(z.strictObject({ date: day, ...sides })).describe("The last 30, oldest first."),
  plans: z.array(migrationPlan).describe("Those with keys or calls: the most calls there first."),
  more_plans: integer.describe("Plans beyond 1,000 that are not told."),
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
  ).describe("Gateways that teach keys, or did."),
  still_at_gateway: z.array(migrationKey).describe("Up to 10, the most calls yesterday first."),
  all_safe_on: nullable(day).describe(
    "When every plan is safe if all goes on as in the last 7 days; null: it then never is.",
  ),
}).meta({ id: "Migration" });

/** The query of `listMigrationKeys`. */
export const listMigrationKeysQuery = z.object({
  seen: z.enum(["there", "never"], { error: "expected there or never" }).default("there")
    .meta({
      description: "`there`: called the old gateway yesterday; `never`: seen at neither.",
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
    key_id: nullable(text).describe("Null: nobody knows here what was presented."),
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
