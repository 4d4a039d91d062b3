import { integer, type Tables, text, textOrNull } from "./columns.ts";
/** The tables of what moved in from another system. */
export const importTables = {
  /** The newest run, by kind. */
  imports: {
    org_id: text,
    kind: text,
    /** The names of its sources. */
    source: text,
    began_at: text,
    /** Null while it runs, and where it was broken off. */
    ended_at: textOrNull,
    /** Objects of the organisation that were read, and objects of others. */
    seen: integer,
    others: integer,
    /** JSON: how often each member was met that Keydesk does not keep. */
    dropped: text,
    /**
     * JSON of two objects: of how many documents each source told, and of how many another one did
     * first.
     */
    sources: text,
  },
  imported_objects: {
    org_id: text,
    kind: text,
    id: text,
    /** SHA-256, hex: of the object there as it was taken over, and of what stood here after. */
    there: text,
    here: text,
  },
  /** What came otherwise than it was, or not at all. */
  import_findings: { org_id: text, kind: text, id: text, code: text, detail: text },
} satisfies Tables;
