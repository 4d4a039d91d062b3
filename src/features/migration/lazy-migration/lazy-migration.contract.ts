import { z } from "zod";
import { migrationQuestions } from "../../../contract/gateway-states.ts";
import { nullable } from "../../../contract/v1.ts";
import { integer, text, timestamp } from "../../../contract/values.ts";

/** Whether a gateway teaches keys that no one knows here. */
export const lazyMigration = z.strictObject({
  gateway_id: text,
  on: z.boolean(),
  started_at: nullable(timestamp).meta({ description: "null: never." }),
  started_by: nullable(text),
  ends_at: nullable(timestamp).meta({ description: "When it expires, or expired." }),
  questions_per_second: integer.meta({
    description: "So many questions each server asks the gateway, at the most.",
  }),
  migrated: integer.meta({ description: "How many keys were migrated from it so far." }),
  waiting: integer.meta({
    description:
      "Of them, those that are due to be read again; changes at the gateway that wait for hours are not known in Keydesk.",
  }),
  alarms: integer.meta({
    description: "How often the audit log says `gateway.key_not_migrated` of it; 100: or more.",
  }),
  not_followed: integer.meta({
    description:
      "How often the audit log says `gateway.key_not_followed` of it, as for a change that has no effect there; 100: or more.",
  }),
  awaiting: integer.meta({
    description:
      "Keys that would lose access because of what the gateway says, and wait for a person's yes.",
  }),
  awaiting_since: nullable(timestamp).meta({
    description: "Since when the first of them waits.",
  }),
}).meta({ id: "LazyMigration" });

/** The body of `startLazyMigration`. */
export const lazyMigrationInput = z.object({
  ends_at: timestamp.meta({
    description: "Within 366 days; to migrate for longer, call it again.",
  }),
  questions_per_second: z.int().min(1).max(migrationQuestions.most).default(
    migrationQuestions.usual,
  ).meta({
    description:
      "So many questions each server asks at the most; each gateway, and each network at a gateway, has the same share of them.",
  }),
}).meta({ id: "LazyMigrationInput" });
