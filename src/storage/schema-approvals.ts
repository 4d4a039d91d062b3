import { type Tables, text } from "./columns.ts";

/** Who must approve, and in whose place. Part of the schema, as schema.ts has it. */
export const approvalTables = {
  /** Who decides in the place of a person who is away. */
  delegations: {
    org_id: text,
    person_id: text,
    delegate_id: text,
    until: text,
    created_at: text,
  },
  /** Who must say yes; `plan` is a plan's `_id`, "" of those that have none of their own. */
  approval_policies: {
    org_id: text,
    plan: text,
    /** JSON text of PolicyTerms. */
    terms: text,
    updated_at: text,
  },
} satisfies Tables;
