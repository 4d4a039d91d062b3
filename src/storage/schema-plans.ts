import { integerOrNull, type Tables, text, textOrNull } from "./columns.ts";

/** Plans, and who has access to them. */
export const planTables = {
  plans: {
    org_id: text,
    /** The interface's `_id`: 24 hex. */
    id: text,
    /** The interface's `id`: free text; the same as `_id` where nobody gave another. */
    given_id: text,
    name: text,
    auth_type: text,
    document: text,
    date_created: text,
    /** Since when it is gone; null while it lives. */
    deleted_at: textOrNull,
    /** Whose time its `key_expires_in` is: "access", the developer's; null: each key's. */
    expiry_applies_to: textOrNull,
    /** Live keys a developer may have of it; 0 or null: any number; -1: see mostKeys. */
    max_keys: integerOrNull,
  },
  /** Until when developers have access to plans, as a plan or a person says; null: for good. */
  plan_accesses: {
    org_id: text,
    developer_id: text,
    plan_id: text,
    granted_at: text,
    ends_at: textOrNull,
  },
  /** Both ids of every plan, deleted ones too: each names one plan of its organisation for ever. */
  plan_ids: { org_id: text, id: text, plan_id: text },
} satisfies Tables;
