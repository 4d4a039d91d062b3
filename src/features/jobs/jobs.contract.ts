import { z } from "zod";
import { ownKinds } from "../../contract/job-kinds.ts";
import { issuedOneTimeLink } from "../../contract/one-time-link.ts";
import { selectionSchemas } from "../../contract/filter-schemas.ts";
import {
  certificateFilters,
  developerFilters,
  jobLists,
  keyFilters,
} from "../../contract/list-filters.ts";
import { nullable, pageQuery } from "../../contract/v1.ts";
import { id, integer, text, timestamp } from "../../contract/values.ts";
import { keyLabels } from "../../contract/labels.ts";
import { owner } from "../certificates/v1.contract.ts";
import { toDeveloper } from "../key-requests/decision.contract.ts";
import { grantInput, keyConditions } from "../keys/conditions.contract.ts";
import { chosenEnd } from "../keys/issued-keys.contract.ts";

/** Ids that one job may be given. */
const MOST_IDS = 5000;

const expectedKind = { error: `expected ${ownKinds.join(", ")}` };

const ownKind = z.enum(ownKinds, expectedKind);

export const kind = z.enum([...ownKinds, "undo"], { error: `${expectedKind.error}, undo` });

const deliver = z.enum(["links", "mail"], { error: "expected links or mail" });

const narrowing = selectionSchemas(jobLists, {
  keys: "Of keys alone.",
  certificates: "Of certificates alone.",
});

const STATES = [...new Set([...keyFilters.state.of, ...developerFilters.state.of])];

/** The filters of a list of key requests, keys, certificates or developers, in a job. */
export const jobFilter = {
  ...narrowing,
  waits_for: narrowing.waits_for.meta({
    description: "`me`: only key requests that the starting person may decide as it prepares.",
  }),
  created_before: narrowing.created_before.meta({
    description:
      "Only what was asked, issued, added or registered earlier; certificates by whole seconds.",
  }),
  state: z.enum(STATES, { error: `expected ${STATES.join(", ")}` }).optional().meta({
    description: "Of keys; of developers `active` or `inactive`.",
  }),
  tag: narrowing.tag.meta({ description: "Of keys, certificates and developers." }),
  status: narrowing.status.meta({ description: certificateFilters.status.description }),
  expires_within: z.string().regex(/^\d{1,4}$/, { error: "expected days, up to 9999" }).optional()
    .meta({ description: "Only certificates that end within so many days of the moment." }),
  owner: narrowing.owner.meta({ description: certificateFilters.owner.description }),
};

/** The filters as in an answer. */
const selected = Object.fromEntries(
  Object.entries(jobFilter).map(([name, schema]) => {
    const one: z.ZodType = schema.unwrap();
    if (!(one instanceof z.ZodEnum)) return [name, text];
    const words = one.options.map(String);
    return [name, words.length === 1 ? z.literal(words) : z.enum(words)];
  }),
  // as: it takes what the filter does.
) as { [Name in keyof typeof jobFilter]: ReturnType<(typeof jobFilter)[Name]["unwrap"]> };

const overlap_seconds = z.int().min(0).max(30 * 24 * 60 * 60);

const keysOfDevelopers = z.enum(["keep", "suspend", "resume"], {
  error: "expected keep, suspend or resume: what becomes of the developers' keys",
});

/** A job with how far it is. */
export const job = z.strictObject({
  id,
  kind,
  of: z.enum(["key_requests", "keys", "certificates", "developers"]).meta({
    description: "The kind of objects that it changes.",
  }),
  undoes: nullable(ownKind).meta({
    description: "The kind of the job that it takes back, where its own is `undo`; else null.",
  }),
  undone_by: nullable(z.enum(["reopen", "undo"])).meta({
    description:
      "The kind of a job that takes back what this one did, with its id as `of_job`; null: nothing does, as with what is approved, revoked or rotated.",
  }),
  state: z.enum(["preparing", "running", "stopping", "done", "stopped", "broken_off"]).meta({
    description: "`preparing`: what was selected is gone through, and nothing is decided yet.",
  }),
  why: nullable(z.enum(["permission_ended", "too_many", "links_not_mailed"])).meta({
    description:
      "Why it was stopped: the starting person lost the permission or has another scope, more matched than `at_most`, or no channel mails the links any more.",
  }),
  filter: nullable(
    z.strictObject({
      ...selected,
      late: z.literal("true").meta({ description: "Of jobs of earlier releases alone." }),
    }).partial(),
  ).meta({ description: "The filter that selected them; null: ids or a job were given." }),
  of_job: nullable(id),
  deliver: nullable(deliver),
  reason: nullable(text),
  assignee: nullable(z.strictObject({ id: text, name: text })).meta({
    description: "The assignee; null: it unassigns, or it decides.",
  }),
  message: nullable(text).meta({ description: "Said to the developers of its approvals." }),
  conditions: nullable(keyConditions).meta({
    description:
      "The conditions on which the keys of its approvals are granted; null: only their plans.",
  }),
  key_expires_at: nullable(timestamp).meta({
    description:
      "When the keys of its approvals end, or which end it sets; null: when their plans say, or it sets none.",
  }),
  plans: nullable(z.array(text)).meta({
    description: "The plans that it gives to keys; null: no plans.",
  }),
  tags: nullable(z.array(text)).meta({
    description: "The tags that it adds to keys or developers, or removes; null: it does neither.",
  }),
  overlap_seconds: nullable(integer).meta({
    description: "How long keys live on that it rotates; null: it rotates none.",
  }),
  owner: nullable(text).meta({
    description: "The e-mail address that it says cares for certificates; null: none.",
  }),
  until: nullable(timestamp).meta({
    description: "Until when it mutes certificates; null: it mutes none.",
  }),
  keys: nullable(keysOfDevelopers).meta({
    description:
      "The change to the keys of its developers; null: none, or it is over other objects.",
  }),
  total: nullable(integer).meta({
    description:
      "Key requests, keys, certificates or developers of the job; null while it prepares. If it found more than `at_most`: those found until then.",
  }),
  done: integer,
  steps: integer.meta({
    description:
      "Of those done: approvals that count, while others must approve too or the developer must accept.",
  }),
  left_alone: integer.meta({
    description: "Decided, changed or deleted by others before their turn.",
  }),
  failed: integer,
  started_at: timestamp,
  started_by: text,
  started_by_name: text,
  stopped_by_name: nullable(text),
  ended_at: nullable(timestamp),
  expires_at: nullable(timestamp).meta({
    description: "When it is forgotten, with its result: 30 days behind its end.",
  }),
  mine: z.boolean().meta({ description: "Whether you started it." }),
  links_wait: z.boolean().meta({ description: "Whether links wait for you to take them." }),
}).meta({ id: "Job" });

/** The body of `startJob`. */
export const jobInput = z.object({
  kind,
  filter: z.object(jobFilter).optional(),
  ids: z.array(id).min(1).max(MOST_IDS).optional(),
  seen: z.array(z.object({
    id,
    revision: z.string().min(1).max(64)
      .meta({ description: "The `revision` that the key request had when it was read." }),
  })).min(1).max(MOST_IDS).optional().meta({
    description:
      "In the place of `ids`, where key requests are approved, declined or reopened: one that has changed since it was seen is left alone.",
  }),
  of_job: id.optional().meta({
    description:
      "The kind `reopen` reopens what this job declined, `undo` takes back what it changed of keys or certificates that have not changed since.",
  }),
  deliver: deliver.optional().meta({
    description:
      "Of approvals and rotations: `links`: the starting person downloads the one-time links as a file, once; `mail`: a mail channel sends each developer theirs. `links` by default.",
  }),
  reason: z.string().trim().max(2000).optional(),
  message: toDeveloper,
  conditions: grantInput.optional().meta({
    description:
      "Of approvals: what each of the keys is granted on, as where one is approved. Less rate or quota is offered one by one.",
  }),
  expires_at: chosenEnd.meta({
    description:
      "Of `set_key_end`: when each key expires. Of approvals: when each of the keys expires, in the future; absent: as its plans say (`key_expires_in`). A key request fails if it is decided after that time.",
  }),
  assignee: id.optional().meta({
    description:
      "Of the kind `assign`, which needs it: a person by their id, `me`: the caller, or `nobody`.",
  }),
  at_most: z.int().min(1).optional().meta({
    description: "If more match, nothing is decided.",
  }),
  plans: z.array(id).min(1).max(100).optional().meta({
    description: "`set_key_plans`: in place of each key's own; `add_key_plans`: besides them.",
  }),
  tags: keyLabels.tags.min(1).optional().meta({
    description:
      "`tag_keys` and `tag_developers` add them, `untag_keys` and `untag_developers` remove them.",
  }),
  keys: keysOfDevelopers.optional().meta({
    description:
      "Of `deactivate_developers`, which needs it: `keep` or `suspend`; of `reactivate_developers`: `keep` or `resume`, `keep` by default.",
  }),
  overlap_seconds: overlap_seconds.optional().meta({
    description: "Of `rotate_keys`: how long each old key lives on, up to 30 days.",
  }),
  owner: owner.optional().meta({
    description: "Of `set_certificate_owner`: the e-mail address of who cares for them.",
  }),
  until: timestamp.optional().meta({
    description: "Of `mute_certificates`: until when there are no alerts of their expiry.",
  }),
}).meta({ id: "JobInput" });

/** The result of one row. */
export const jobRow = z.strictObject({
  id: text.meta({ description: "Of the key request, key, certificate or developer." }),
  outcome: nullable(z.enum(["done", "step", "left_alone", "failed"])).meta({
    description:
      "`step`: an approval that counts, and made no key yet. Null: it has not had its turn.",
  }),
  error: nullable(z.strictObject({ code: text, detail: text })).meta({
    description: "Why it was left alone or failed, or what a step waits for.",
  }),
  key_id: nullable(text).meta({ description: "The key that was issued, or took over." }),
  at: nullable(timestamp),
}).meta({ id: "JobRow" });

/** The answer of `takeJobClaims`. */
export const takenOneTimeLinks = z.strictObject({
  data: z.array(z.strictObject({ id: text, key_id: text, one_time_link: issuedOneTimeLink })).meta({
    description: "`id`: of the key request; empty of a key that came without one.",
  }),
  more: z.boolean().meta({ description: "Whether there may be more to take." }),
}).meta({ id: "JobOneTimeLinks" });

/** The query of `listJobs`. */
export const listJobsQuery = z.object({
  ...pageQuery,
  mine: z.enum(["true"], { error: "expected true" }).optional()
    .meta({ description: "Only jobs that the caller started." }),
});

/** The answer of `countSelection`. */
export const jobSelection = z.strictObject({
  total: integer,
  complete: z.boolean().meta({ description: "False: there may be more." }),
  created_before: timestamp,
  mails_links: z.boolean().meta({
    description: "Whether a channel mails developers the links of their approved keys.",
  }),
}).meta({ id: "JobSelection" });

/** The query of `countSelection`. */
export const countSelectionQuery = z.object({
  kind: ownKind.optional().meta({ description: "`approve` by default." }),
  ...jobFilter,
});
