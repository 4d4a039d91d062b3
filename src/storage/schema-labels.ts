/** What keys are filed under and searched by. Part of the schema, as schema.ts has it. */
export interface LabelTables {
  /** One row for each plan of a credential; state and issued_at are copies, for lists. */
  credential_plans: {
    org_id: string;
    plan_id: string;
    state: "active" | "suspended" | "revoked";
    issued_at: string;
    key_id: string;
  };
  /** One row for the environment and each tag of a credential; issued_at is a copy, for lists. */
  credential_labels: {
    org_id: string;
    kind: "environment" | "tag";
    label: string;
    issued_at: string;
    key_id: string;
  };
  /** The words of credentials' names. */
  credential_words: { org_id: string; word: string; key_id: string };
}
