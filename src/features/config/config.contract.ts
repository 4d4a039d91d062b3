import { z } from "zod";
import { line } from "../../contract/labels.ts";
import { nullable } from "../../contract/v1.ts";
import { freeForm, integer, text, timestamp } from "../../contract/values.ts";

/** A declaration as JSON; its form is the JSON Schema at `/v1/config/schema`. */
export const declared = freeForm.meta({ id: "OrganisationConfig" });

const value = z.unknown().meta({ id: "ConfigValue" });

const change = z.strictObject({
  kind: text.meta({ description: "The member of the declaration." }),
  noun: text.meta({ description: "The word for one of them." }),
  name: text,
  action: z.enum(["create", "update", "delete"]),
  index: nullable(integer).meta({
    description: "Its place in the declaration's list, from 0; null: it is not in one.",
  }),
  members: z.array(z.strictObject({
    member: text,
    before: value.optional(),
    after: value.optional(),
  })).meta({
    description: "References and secrets as they are written, never their values.",
  }),
}).meta({ id: "ConfigChange" });

const losing = z.strictObject({
  plan: text,
  because: text,
  keys: integer.meta({ description: "1000: so many or more." }),
  developers: integer.meta({ description: "The developers of these keys." }),
  pending_requests: integer,
}).meta({ id: "ConfigLoss" });

/** The answer of `diffConfig`. */
export const configDiff = z.strictObject({
  digest: text.meta({ description: "It names this change; `expect` of `applyConfig` takes it." }),
  changes: z.array(change),
  loses_access: z.array(losing).meta({
    description: "Plans whose keys, developers or waiting requests lose something by it.",
  }),
  needs_confirmation: z.boolean().meta({
    description:
      "True: a part of it takes a person who has just signed in. An access token applies it once a person has confirmed the digest.",
  }),
}).meta({ id: "ConfigDiff" });

/** The answer of `applyConfig`. */
export const configApplied = z.strictObject({
  digest: text,
  changes: z.array(change),
  loses_access: z.array(losing),
}).meta({ id: "ConfigApplied" });

const input = {
  config: declared,
  references: z.record(z.string().max(510), z.string().max(5_000_000)).default({}).meta({
    description:
      "The values of the declaration's references, by names such as `env:EDGE_SECRET`. No diff shows them.",
  }),
  source: line(200).min(1).default("config").meta({
    description: "The file's name. Things that it declares are managed by it.",
  }),
  prune: z.boolean().default(false).meta({
    description: "True: what the same file made, and no longer declares, is removed.",
  }),
};

/** The body of `diffConfig`. */
export const diffInput = z.object(input).meta({ id: "ConfigDiffInput" });

/** The body of `applyConfig`. */
export const applyInput = z.object({
  ...input,
  revision: line(200).default("").meta({
    description: "The file's revision, such as a commit; the audit log has it.",
  }),
  expect: text.max(64).optional().meta({
    description: "The digest that was reviewed; anything else is refused.",
  }),
}).meta({ id: "ConfigApplyInput" });

/** The things that files manage, and how they differ. */
export const managedConfig = z.strictObject({
  changes: z.enum(["warn", "refuse"]).meta({
    description:
      "Whether changes of managed things by anybody but their file are refused, or made and shown.",
  }),
  data: z.array(z.strictObject({
    kind: text,
    id: text.meta({ description: "The audit log's id of it; empty of what there is one of." }),
    name: text,
    source: text,
    revision: text.meta({ description: "Of the file, when it last said something new of it." }),
    made: z.boolean().meta({ description: "Whether the file made it, so that it may remove it." }),
    declared: z.boolean().meta({ description: "False: the file no longer names it." }),
    applied_at: timestamp,
    drifted_at: nullable(timestamp).meta({
      description: "Since when it was changed otherwise; null: it was not.",
    }),
    drift: z.array(z.strictObject({
      member: text,
      before: value.optional(),
      after: value.optional(),
    })).meta({ description: "The members that differ: as they are, and as the file has them." }),
  })),
}).meta({ id: "ManagedConfig" });

/** The body of `setConfigRule`. */
export const configRule = z.object({
  changes: z.enum(["warn", "refuse"], { error: "expected warn or refuse" }),
}).meta({ id: "ConfigRule" });

/** A change by a file that waits for a person, or that one has confirmed. */
export const configReview = z.strictObject({
  digest: text,
  source: text,
  revision: text,
  changes: z.array(change),
  loses_access: z.array(losing),
  asked_by: text.meta({ description: "The id of the person whose access token asked." }),
  asked_at: timestamp,
  confirmed_by: nullable(text),
  confirmed_at: nullable(timestamp),
}).meta({ id: "ConfigReview" });
