import { integer, type Tables, text, textOrNull } from "./columns.ts";
/** What was ended and can be brought back. Part of the schema, as schema.ts has it. */
export const endedTables = {
  /** Revoked keys that a person with `approve` can bring back. */
  ended_keys: {
    org_id: text,
    key_id: text,
    developer_id: text,
    /** The deletion of the developer that it went with, and comes back with alone; "": none. */
    deletion: text,
    /** The person whose access token ended it. */
    ended_by: text,
    /** What it was, sealed; see ended-key.ts. null: lost with its sealing key. */
    kept: textOrNull,
    /** From this instant on nothing brings it back. */
    expires_at: text,
  },
  /** Developers who were deleted and can be brought back. */
  deleted_developers: {
    org_id: text,
    /** The deletion: one developer may be deleted twice. */
    id: text,
    developer_id: text,
    deleted_at: text,
    deleted_by: text,
    /** How many keys were shut. */
    keys: integer,
    /** The developer, sealed; see deleted-developer.ts. null: lost with its sealing key. */
    kept: textOrNull,
    expires_at: text,
  },
  /** How many keys access tokens without `approve` ended within the last hour. */
  ended_counts: {
    org_id: text,
    token_id: text,
    /** JSON text: pairs of a minute since 1970 and how many keys were ended in it. */
    minutes: text,
    /** When somebody was told last that the limit was reached; "": never. */
    told_at: text,
    expires_at: text,
  },
} satisfies Tables;
