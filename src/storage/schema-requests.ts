import { integerOrNull, key, type Tables, text, textOrNull } from "./columns.ts";

/** Plans, who has access to them, and how requests for them are decided. */
export const requestTables = {
  plans: {
    org_id: key,
    /** The interface's `_id`: 24 hex. */
    id: key,
    /** The interface's `id`: free text; the same as `_id` where no one gave another. */
    given_id: text,
    name: text,
    auth_type: text,
    document: text,
    date_created: text,
    /** Since when it is gone; null while it lives. */
    deleted_at: textOrNull,
    /** The subject of its `key_expires_in`: "access", the developer's; null: each key's. */
    expiry_applies_to: textOrNull,
    /** Live keys a developer may have of it; 0 or null: any number; -1: see mostKeys. */
    max_keys: integerOrNull,
    /** The price as developers read it; null: none. */
    price_text: textOrNull,
  },
  /** Until when developers have access to plans, as a plan or a person says; null: for good. */
  plan_accesses: {
    org_id: key,
    developer_id: key,
    plan_id: key,
    granted_at: text,
    ends_at: textOrNull,
  },
  /** Both ids of every plan, deleted ones too: each names one plan of its organisation for ever. */
  plan_ids: { org_id: key, id: key, plan_id: text },

  /** The people who decide in the place of an absent person. */
  delegations: {
    org_id: key,
    person_id: key,
    delegate_id: text,
    until: text,
    created_at: text,
  },
  /** The approvers; `plan` is a plan's `_id`, "" of those that have none of their own. */
  approval_policies: {
    org_id: key,
    plan: key,
    /** JSON text of PolicyTerms. */
    terms: text,
    updated_at: text,
  },

  /** The comments of the team on a request; `words` null: it was removed. */
  request_comments: {
    org_id: key,
    request_id: key,
    id: key,
    author: text,
    at: text,
    words: textOrNull,
    /** JSON text: the ids of people. */
    mentions: text,
    removed_at: textOrNull,
    removed_by: textOrNull,
  },
} satisfies Tables;
