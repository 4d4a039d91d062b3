import { integer, type Tables, text, textOrNull, word } from "./columns.ts";

/** What happens to keys by themselves. Part of the schema, as schema.ts has it. */
export const unusedTables = {
  /** What becomes of the keys of a plan that nobody uses. */
  unused_rules: {
    org_id: text,
    /** The plan's `_id`. */
    plan: text,
    /** JSON text; see features/unused/unused-rule.ts. */
    terms: text,
    updated_at: text,
    /** JSON text of the place behind which the look at its keys goes on; "": at the first. */
    place: text,
    /** When the look began that is under way, or that was ended last. */
    round_at: text,
  },
  /** How far the schedule of unused keys is with a key. */
  key_schedules: {
    org_id: text,
    key_id: text,
    step: word<
      "idle" | "warned" | "warned_again" | "suspended" | "revoked" | "elsewhere" | "kept"
    >(),
    /** When the step was done; of a suspended or revoked key its `state_changed_at`. */
    at: text,
    /** Since when nobody used it, as the step saw it. */
    idle_since: text,
    /** When it is looked at next; null: not by itself. */
    due_at: textOrNull,
    /** The message of the last warning; "": none. */
    event_id: text,
    /** When that warning had been sent; null: it was not seen to be yet. */
    sent_at: textOrNull,
  },
  /** What people said of whether doors that do not ask Keydesk open for a key too; 1: they do. */
  keys_elsewhere: {
    org_id: text,
    key_id: text,
    elsewhere: integer,
    said_by: text,
    said_at: text,
  },
  /** Keys that are suspended for a while; of another suspension than that it says nothing. */
  timed_suspensions: { org_id: text, key_id: text, suspended_at: text, resume_at: text },
} satisfies Tables;
