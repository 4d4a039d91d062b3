/** The tables of what moved in from another system. */
export interface ImportTables {
  /** The newest run, by kind. */
  imports: {
    org_id: string;
    kind: string;
    /** The names of its sources. */
    source: string;
    began_at: string;
    /** Null while it runs, and where it was broken off. */
    ended_at: string | null;
    /** Objects of the organisation that were read, and objects of others. */
    seen: number;
    others: number;
    /** JSON: how often each member was met that Keydesk does not keep. */
    dropped: string;
    /** JSON of two objects: of how many documents each source told, and of how many another one did first. */
    sources: string;
  };
  imported_objects: {
    org_id: string;
    kind: string;
    id: string;
    /** SHA-256, hex: of the object there when it was taken over, and of what stood here right after. */
    there: string;
    here: string;
  };
  /** What came otherwise than it was, or not at all. */
  import_findings: { org_id: string; kind: string; id: string; code: string; detail: string };
}
