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
    description: "The approver's message to the developer; null: none.",
  }),
  requested_end: nullable(timestamp).meta({
    description:
      "Until when its developer asks that the key in `key` lives, which an approval then gives it; null: it asks for no later end.",
  }),
  assignee: nullable(z.strictObject({ id: text, name: text })).meta({
    description: "The assignee while it waits; null: none. It does not change `revision`.",
  }),
  granted: nullable(granted).meta({
    description: "The conditions of its key; null: as requested, or no key yet.",
  }),
  offer: nullable(offered).meta({
    description: "The counter-offer; null: none, or it is over.",
  }),
  approval: nullable(policyView).meta({
    description:
      "The policy under which it was filed, and its approvals; null: any approver decides.",
  }),
  expires_at: nullable(timestamp).meta({
    description:
      "When it is declined automatically, unless it is decided before; null: it waits without limit, is decided, or an offer waits.",
  }),
  developer_email_state: emailState,
  developer_email_changed_at: nullable(timestamp).meta({
    description: "When the developer's address became what it is; null: they always had it.",
  }),
  revision: text.meta({ description: "The value of `ETag` and `If-Match`, without the quotes." }),
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
      "The findings at the time of the decision; null: it waits, or a server of an earlier release decided.",
  }),
  may_approve: z.array(z.strictObject({ id: text, name: text })).meta({
    description:
      "People who may approve the present step of its policy, 50 at the most; empty: no steps.",
  }),
  added_words: z.array(addedWords).meta({
    description:
      "The developer's additions while it waited, the oldest first; they do not change `revision`.",
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
  key_id: text.meta({ description: "Empty if there is no key yet." }),
  mask: text,
  expires_at: nullable(timestamp).meta({ description: "When the key expires; null: never." }),
  key: nullable(approval),
  one_time_link: nullable(issuedOneTimeLink),
  missing: text.optional().meta({
    description:
      "Present only if it was a step: the missing approvers, in words; empty: none, an offer waits for the developer.",
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
