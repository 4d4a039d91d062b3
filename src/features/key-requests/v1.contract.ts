import { z } from "zod";
import { issuedOneTimeLink } from "../../contract/one-time-link.ts";
import { filterSchemas } from "../../contract/filter-schemas.ts";
import { requestFilters } from "../../contract/list-filters.ts";
import { direction, nullable, pageQuery } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";
import { emailState } from "../developers/developers.contract.ts";
import { granted } from "../keys/conditions.contract.ts";
import { approval } from "../keys/issued-keys.contract.ts";
import { addedWords, decidedOn, offered } from "./decision.contract.ts";
import { policyView } from "./asked-policy.contract.ts";
import { keyRequest } from "./key-requests.contract.ts";

const states = requestFilters.state.of;

export const { apply_policies, remove_policies, ...shared } = keyRequest.shape;

/** A key request with what was decided. Members that are sealed read "". */
export const v1KeyRequest = z.strictObject({
  ...shared,
  plans: apply_policies.meta({ description: "The plans that are asked for." }),
  remove_plans: remove_policies.meta({ description: "Those that a changed key is to lose." }),
  state: z.enum(states),
  decided_at: nullable(timestamp),
  decided_by: nullable(text),
  decided_by_name: nullable(text),
  reason: nullable(text).meta({
    description: "Why: of an approval for those who approve alone, of a decline for its developer.",
  }),
  message: nullable(text).meta({
    description: "What was said to the developer with the approval; null: nothing.",
  }),
  requested_end: nullable(timestamp).meta({
    description:
      "Until when its developer asks that the key in `key` lives, which an approval then gives it; null: it asks for no later end.",
  }),
  assignee: nullable(z.strictObject({ id: text, name: text })).meta({
    description:
      "Who of the team looks after it while it waits; null: nobody. It changes nothing of `revision`.",
  }),
  granted: nullable(granted).meta({
    description: "What its key was granted on; null: what was asked, or nothing yet.",
  }),
  offer: nullable(offered).meta({
    description: "What was offered instead of what is asked; null: nothing, or it is no more.",
  }),
  approval: nullable(policyView).meta({
    description:
      "The policy under which it was asked, and who has approved; null: whoever may approve decides.",
  }),
  expires_at: nullable(timestamp).meta({
    description:
      "When it is declined by itself, unless somebody decides before; null: it waits for as long as it takes, is decided, or an offer waits.",
  }),
  developer_email_state: emailState,
  developer_email_changed_at: nullable(timestamp).meta({
    description: "When the developer's address became what it is; null: they always had it.",
  }),
  revision: text.meta({ description: "What `ETag` and `If-Match` hold, without the quotes." }),
}).meta({ id: "KeyRequest" });

/** One key request, with its developer's others. */
export const keyRequestDetail = z.strictObject({
  ...v1KeyRequest.shape,
  other_requests: z.array(z.strictObject({
    id,
    state: z.enum(states),
    for_plan: text,
    date_created: timestamp,
  })).meta({ description: "The developer's newest other requests, 20 at the most." }),
  more_requests: z.boolean().meta({ description: "Whether the developer has still others." }),
  decided_on: nullable(decidedOn).meta({
    description:
      "What was known as it was decided; null: it waits, or a server of an earlier release decided.",
  }),
  may_approve: z.array(z.strictObject({ id: text, name: text })).meta({
    description:
      "Who may give the present step of its policy, 50 at the most; empty where it has no steps.",
  }),
  added_words: z.array(addedWords).meta({
    description:
      "What its developer added while it waited, the oldest first; it changes nothing of `revision`.",
  }),
  reminded_at: nullable(timestamp).meta({
    description: "When its developer last reminded approvers of it; null: never.",
  }),
}).meta({ id: "KeyRequestDetail" });

/** The result of an approval: the key this once, its link, or neither for a changed key. */
export const v1Approval = z.strictObject({
  id,
  state: z.enum(["issued", "pending"]).meta({
    description: "Pending: the approval was a step, and others must approve before there is a key.",
  }),
  key_id: text.meta({ description: "Empty where there is no key yet." }),
  mask: text,
  expires_at: nullable(timestamp).meta({ description: "When the key ends; null: it does not." }),
  credential: nullable(approval),
  one_time_link: nullable(issuedOneTimeLink),
  missing: text.optional().meta({
    description:
      "There only where it was a step: who must approve still, in words; empty: nobody, an offer waits for the developer.",
  }),
}).meta({ id: "Approval" });

export const { state, waits_for, ...narrowing } = filterSchemas(requestFilters);

/** The filters of a list. */
export const listQuery = z.object({
  ...pageQuery,
  state,
  waits_for,
  ...narrowing,
  sort: z.enum(["newest", "oldest", "decided_at"], {
    error: "expected newest or oldest or decided_at",
  }).optional().meta({
    description:
      "`newest`, by date_created, by default. `decided_at` goes with the states `issued` and `declined`, and with no other filter.",
  }),
  direction: direction.meta({
    description: "Which way `decided_at` goes; `asc` by default.",
  }),
});
