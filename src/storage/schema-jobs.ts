/** Many decisions in one job. Part of the schema, as schema.ts has it. */
export interface JobTables {
  jobs: {
    org_id: string;
    id: string;
    kind: "approve" | "decline" | "reopen";
    /** How keys are handed over; "" where none is. */
    deliver: "" | "links" | "mail";
    reason: string | null;
    /** When the keys of its approvals end; null: when their plans say. */
    key_expires_at: string | null;
    /** JSON text of what was selected; see job.ts. */
    selection: string;
    /** More rows than this end the job before its first decision; 0: any number. */
    at_most: number;
    /** Who started it, by which access token and which call. */
    person: string;
    token_id: string;
    request_id: string;
    caller_request_id: string;
    started_at: string;
    state: "preparing" | "running" | "stopping" | "done" | "stopped" | "broken_off";
    /** Why it was broken off; else "". */
    why: string;
    stopped_by: string;
    /** How far the selection was gone through; "" at its start. */
    place: string;
    /** Rows so far, and up to which of them outcomes are counted. */
    total: number;
    settled: number;
    done: number;
    left_alone: number;
    failed: number;
    ended_at: string | null;
    /** When it is forgotten; null until it has ended. */
    expires_at: string | null;
  };
  /** The key requests of a job, in its order. */
  job_rows: {
    org_id: string;
    job_id: string;
    /** From 1. */
    n: number;
    request_id: string;
    /** What it was when it was selected; "": there was none. */
    revision: string;
    /** "" until its turn. */
    outcome: "" | "done" | "left_alone" | "failed";
    /** Why it was left alone or failed; else "". */
    code: string;
    key_id: string;
    /** When the claim link ends; null: there is none. */
    claim_ends: string | null;
    at: string | null;
  };
  /** Tokens of claims that wait to be fetched, sealed, by the claim's id; null where one was lost with its sealing key. */
  job_links: {
    org_id: string;
    id: string;
    job_id: string;
    n: number;
    link: string | null;
    expires_at: string;
  };
  /** One row, id 1: which node works, and until when. */
  job_lease: { id: number; holder: string; until: string };
}
