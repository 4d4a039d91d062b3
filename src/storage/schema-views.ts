/** What people keep of lists. */
export interface ViewTables {
  views: {
    org_id: string;
    id: string;
    /** Which list it is of; see contract/view-lists.ts. */
    list: string;
    name: string;
    /** The person who made it. */
    owner: string;
    /** 1: everybody of the organisation who may read the list has it. */
    shared: number;
    /** A JSON object of texts: filters, search and order as the console's address says them. */
    query: string;
    /** A JSON array of the columns that it shows; null: whichever one has chosen. */
    columns: string | null;
    created_at: string;
    changed_at: string;
  };
  /** The columns of a list that a person sees: a JSON array. */
  list_columns: { org_id: string; user_id: string; list: string; columns: string };
}
