/** What was ended and can be brought back. Part of the schema, as schema.ts has it. */
export interface EndedTables {
  /** Revoked keys that a person with `approve` can bring back. */
  ended_keys: {
    org_id: string;
    key_id: string;
    developer_id: string;
    /** The deletion of the developer that it went with, and comes back with alone; "": none. */
    deletion: string;
    /** The person whose access token ended it. */
    ended_by: string;
    /** What it was, sealed; see ended-key.ts. null: lost with its sealing key. */
    kept: string | null;
    /** From this instant on nothing brings it back. */
    expires_at: string;
  };
  /** Developers who were deleted and can be brought back. */
  deleted_developers: {
    org_id: string;
    /** The deletion: one developer may be deleted twice. */
    id: string;
    developer_id: string;
    deleted_at: string;
    deleted_by: string;
    /** How many keys were shut. */
    keys: number;
    /** The developer, sealed; see deleted-developer.ts. null: lost with its sealing key. */
    kept: string | null;
    expires_at: string;
  };
  /** How many keys access tokens without `approve` ended within the last hour. */
  ended_counts: {
    org_id: string;
    token_id: string;
    /** JSON text: pairs of a minute since 1970 and how many keys were ended in it. */
    minutes: string;
    /** When somebody was told last that the limit was reached; "": never. */
    told_at: string;
    expires_at: string;
  };
}
