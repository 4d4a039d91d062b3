import { integer, type Tables, text } from "./columns.ts";

/** Keys that verification learned from a gateway. Part of those of gateways. */
export const learningTables = {
  /** A gateway that teaches, or did; it does until `ends_at`. */
  key_learning: {
    org_id: text,
    gateway_id: text,
    started_at: text,
    started_by: text,
    ends_at: text,
    /** So many questions each process asks it a second, at the most. */
    questions_per_second: integer,
  },
  /** A key that was learned: never deleted, so that no other key is learned by its name. */
  learned_keys: {
    org_id: text,
    key_id: text,
    gateway_id: text,
    /** What the gateway calls it. */
    remote_id: text,
    learned_at: text,
    /** When the gateway was last asked whether it still opens there. */
    asked_at: text,
  },
  /** One row, id 1: which node asks anew, and until when. */
  learning_lease: { id: integer, holder: text, until: text },
} satisfies Tables;
