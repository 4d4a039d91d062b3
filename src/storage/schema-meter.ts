import { integer, type Tables, text, word } from "./columns.ts";

/** What tells when an old gateway can be switched off. Part of the schema, as schema.ts has it. */
export const meterTables = {
  /** Calls that an old gateway decided and that were compared, of one thing on one UTC day. */
  observed_days: {
    org_id: text,
    /** `unknown`: of keys that nobody knows here, by the door that asked. */
    kind: word<"organisation" | "plan" | "key" | "unknown">(),
    /** "" for the organisation. */
    object_id: text,
    /** The hour in which the day begins, counted from 1970. */
    begins: integer,
    /** What Keydesk would have answered: `valid`, or a reason. */
    verdict: text,
    asked: integer,
    /** How many of them the gateway let in. */
    opened: integer,
    last_at: text,
  },
  /** Calls that the gateway let in and Keydesk would have refused: the newest of them. */
  observed_differences: {
    org_id: text,
    /** Sorts by time, to the second. */
    id: text,
    at: text,
    /** "" for a credential that nobody knows here; of it nothing is kept. */
    key_id: text,
    developer_id: text,
    plan_id: text,
    api_id: text,
    door: text,
    reason: text,
  },
  /** Plans whose keys were switched to be decided here, or back. */
  plan_switches: {
    org_id: text,
    /** The plan's `_id`. */
    plan: text,
    decided: word<"here" | "there">(),
    changed_at: text,
    changed_by: text,
  },
} satisfies Tables;
