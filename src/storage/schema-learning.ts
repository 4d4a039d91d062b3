import { integer, type Tables, text, textOrNull } from "./columns.ts";

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
    /** When a person last said yes to what waits; null: never. */
    confirmed_at: textOrNull,
    /** Since when, and how many, keys lost access by what the gateway said; null: none did yet. */
    losses_since: textOrNull,
    losses: integer,
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
    /** What it said then, as SeenThere; "": it was not kept. */
    seen: text,
    /** What of it was not done here, and was reported; "": nothing. */
    reported: text,
    /** Since when it would lose access by that and waits for a yes; null: it does not. */
    awaits_since: textOrNull,
  },
  /** One row, id 1: which node asks anew, and until when. */
  learning_lease: { id: integer, holder: text, until: text },
} satisfies Tables;
