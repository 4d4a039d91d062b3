import { integer, type Tables, text, textOrNull } from "./columns.ts";
/** What people keep of lists. */
export const viewTables = {
  views: {
    org_id: text,
    id: text,
    /** Which list it is of; see contract/view-lists.ts. */
    list: text,
    name: text,
    /** The person who made it. */
    owner: text,
    /** 1: everybody of the organisation who may read the list has it. */
    shared: integer,
    /** A JSON object of texts: filters, search and order as the console's address says them. */
    query: text,
    /** A JSON array of the columns that it shows; null: whichever one has chosen. */
    columns: textOrNull,
    created_at: text,
    changed_at: text,
  },
  /** The columns of a list that a person sees: a JSON array. */
  list_columns: { org_id: text, user_id: text, list: text, columns: text },
} satisfies Tables;
