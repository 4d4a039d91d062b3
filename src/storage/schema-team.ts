import { type Tables, text, textOrNull } from "./columns.ts";

/** What people who decide do together. Part of the schema, as schema.ts has it. */
export const teamTables = {
  /** What people of the team say to each other about a request; `words` null: it was removed. */
  request_comments: {
    org_id: text,
    request_id: text,
    id: text,
    author: text,
    at: text,
    words: textOrNull,
    /** JSON text: the ids of people. */
    mentions: text,
    removed_at: textOrNull,
    removed_by: textOrNull,
  },
} satisfies Tables;
