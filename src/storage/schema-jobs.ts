import type { JobKind } from "../contract/job-kinds.ts";
import { integer, key, keyOf, sealed, type Tables, text, textOrNull, word } from "./columns.ts";
/** Many decisions in one job. Part of the schema, as schema.ts has it. */
export const jobTables = {
  jobs: {
    org_id: key,
    id: key,
    kind: word<JobKind>(),
    /** How keys are handed over; "" where none is. */
    deliver: word<"" | "links" | "mail">(),
    reason: textOrNull,
    /** To whom it assigns; null: to no one, or it does something else. */
    assignee: textOrNull,
    /** When its keys end; null: when their plans say, or it sets no end. */
    key_expires_at: textOrNull,
    /** Of its approvals: said to each developer, and JSON text of GrantedTerms; null: neither. */
    message: textOrNull,
    conditions: textOrNull,
    /** JSON text of JobTerms; null: there are none. */
    terms: textOrNull,
    /** JSON text of what was selected; see job.ts. */
    selection: text,
    /** More rows than this end the job before its first decision; 0: any number. */
    at_most: integer,
    /** 1: so few that it is done within the call, beside other jobs of the person; else 0. */
    small: integer,
    /** The person who started it, with their access token and call. */
    person: text,
    token_id: text,
    /** The id of the temporary access in which it was started; null: in none. */
    elevation: textOrNull,
    request_id: text,
    caller_request_id: text,
    started_at: text,
    state: word<"preparing" | "running" | "stopping" | "done" | "stopped" | "broken_off">(),
    /** Why it was broken off; else "". */
    why: text,
    stopped_by: text,
    /** How far the selection was gone through; "" at its start. */
    place: text,
    /** Rows so far, and up to which of them outcomes are counted. */
    total: integer,
    settled: integer,
    done: integer,
    /** Of those done, approvals that were a step of several or led to an offer. */
    steps: integer,
    left_alone: integer,
    failed: integer,
    ended_at: textOrNull,
    /** When it is forgotten; null until it has ended. */
    expires_at: textOrNull,
  },
  /** The rows of a job, in its order. */
  job_rows: {
    org_id: key,
    job_id: key,
    /** From 1. */
    n: keyOf(integer),
    /** The id of a key request, or of whatever else the job is over. */
    request_id: text,
    /** Its revision when it was selected; "": there was none. */
    revision: text,
    /** "" until its turn. */
    outcome: word<"" | "done" | "left_alone" | "failed">(),
    /** Why it was left alone or failed; else "". */
    code: text,
    key_id: text,
    /** When the one-time link ends; null: there is none. */
    claim_ends: textOrNull,
    at: textOrNull,
    /** JSON text of WhatItWas, by which it is undone; null: it can not be. */
    was: textOrNull,
  },
  /**
   * Tokens of one-time links that wait to be fetched, sealed, by the link's id; null where one was
   * lost with its sealing key.
   */
  job_links: {
    org_id: key,
    id: key,
    job_id: text,
    n: integer,
    link: sealed(textOrNull),
    expires_at: text,
  },
  /** One row, id 1: which node works, and until when. */
  job_lease: { id: keyOf(integer), holder: text, until: text },
} satisfies Tables;
