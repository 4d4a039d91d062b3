/** Who is told before something ends. Part of the schema, as schema.ts has it. */
export interface AlertTables {
  /** One row for each organisation that has its own rule. */
  alert_settings: {
    org_id: string;
    /** JSON list of the days before an end at which is told of it. */
    days: string;
    /** 1: it is told of the end itself too. */
    at_end: number;
  };
  /** Up to where the ends of an organisation's objects were gone through, for each rule. */
  alert_progress: {
    org_id: string;
    /** `start` in the one row that says that the first start was told of. */
    object: "certificate" | "key" | "start";
    /** Days before the end; 0: the end. */
    days: number;
    /** The last end that was gone through, and which of the objects with it was the last. */
    ends_at: string;
    tie: string;
  };
  /** What became of the newest alert of an object. */
  alerts: {
    org_id: string;
    object: "certificate" | "key";
    object_id: string;
    days: number;
    ends_at: string;
    at: string;
    outcome: "told" | "renewed" | "muted";
    /** Of what was muted why, of what was renewed by what. */
    reason: string;
    /** The outbox's message; "" where none was left. */
    event_id: string;
    /** When the row is of no use any more. */
    expires_at: string;
  };
  /** Objects of which nobody is told until `expires_at`. */
  alert_mutes: {
    org_id: string;
    object: "certificate" | "key";
    object_id: string;
    reason: string;
    muted_by: string;
    muted_at: string;
    expires_at: string;
  };
  /** One row, id 1: which node looks for what ends, and until when. */
  alert_lease: { id: number; holder: string; until: string };
}
