import { type Tables, text, word } from "./columns.ts";
/**
 * What keys and developers are filed under, and keys searched by. Part of the schema, as schema.ts
 * has it.
 */
export const labelTables = {
  /** One row for each plan of a credential; state and issued_at are copies, for lists. */
  credential_plans: {
    org_id: text,
    plan_id: text,
    state: word<"active" | "suspended" | "revoked">(),
    issued_at: text,
    key_id: text,
  },
  /** One row for the environment and each tag of a credential; issued_at is a copy, for lists. */
  credential_labels: {
    org_id: text,
    kind: word<"environment" | "tag">(),
    label: text,
    issued_at: text,
    key_id: text,
  },
  /** The words of credentials' names. */
  credential_words: { org_id: text, word: text, key_id: text },
  /** One row for each tag of a developer; instant is a copy, for lists. */
  developer_tags: { org_id: text, tag: text, instant: text, id: text },
} satisfies Tables;
