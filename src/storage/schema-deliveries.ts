import {
  integer,
  integerOrNull,
  key,
  keyOf,
  sealed,
  type Tables,
  text,
  textByDefault,
  textOrNull,
  unsortedOrNull,
  word,
} from "./columns.ts";

/** The targets of changes, and the fate of each message. Part of the schema of schema.ts. */
export const deliveryTables = {
  outbox_events: {
    org_id: key,
    id: key,
    at: text,
    topic: text,
    object_id: text,
    /** The ids of the call that made it; "" where no one called, and in rows of earlier code. */
    request_id: text,
    caller_request_id: text,
    /** The actor, as the audit log has it; "" in rows of earlier code. */
    actor: text,
    /** The order in which messages of an object were made; null if no one was to be notified. */
    position: integerOrNull,
    /** 1 once its deliveries stand; null: they do not yet, or never will. */
    fanned: integerOrNull,
    /** JSON text of what it says beyond its ids; null: nothing. */
    detail: unsortedOrNull,
  },
  /** One row for each organisation that ever had a channel. */
  outbox_heads: {
    org_id: key,
    /** How many channels it has. */
    targets: integer,
    /** No position that is given from here on is below it. */
    floor: integer,
  },
  /**
   * The server that mails are handed to, if none is in the environment: one row, of the first
   * organisation. `document`: JSON text of it without the password.
   */
  mail_servers: { org_id: key, id: key, document: text, password: sealed(textOrNull) },
  /** The channels to which changes are reported. */
  delivery_targets: {
    org_id: key,
    id: key,
    kind: word<"webhook" | "mail">(),
    name: text,
    /** JSON texts: what its kind needs, and the patterns of topics. */
    config: text,
    topics: text,
    /** Sealed JSON of the secrets that sign; null where it was lost with its sealing key. */
    secrets: sealed(textOrNull),
    /** Until when the secret before the last rotation signs too. */
    old_secret_until: textOrNull,
    state: word<"active" | "paused">(),
    /** Why it is paused, "" while it is not; and since when its state is what it is. */
    state_reason: text,
    state_changed_at: text,
    /** The position behind which it gets messages. */
    starts_behind: integer,
    /** Since when nothing succeeded, and how many tries failed since; null: the last succeeded. */
    failing_since: textOrNull,
    failures: integer,
    /** It takes messages again: by this time what waits for it is to be due; null: that is done. */
    wake_by: textOrNull,
    created_at: text,
  },
  /**
   * A message for a channel. Its id is its event's and its channel's, so it is the same however
   * often it is made.
   */
  deliveries: {
    org_id: key,
    id: key,
    target_id: text,
    event_id: text,
    topic: text,
    object_id: text,
    at: text,
    position: integer,
    state: word<"waiting" | "delivered" | "dead" | "skipped">(),
    /** Whom a mail is for, as recipient.ts has it, never an address; "": the channel itself. */
    recipient: textByDefault,
    /**
     * 1 while it is in the line of its object: it waits, or it is dead and no later message has
     * said so.
     */
    line: integer,
    /** 1: another one of its line goes first. */
    blocked: integer,
    /**
     * When it is tried next, or while `holder` tries it, when that one's right ends; null: not by
     * itself.
     */
    due_at: textOrNull,
    holder: text,
    /** How often it was tried since it was made or replayed, and in all. */
    tries: integer,
    attempts: integer,
    first_try_at: textOrNull,
    ended_at: textOrNull,
  },
  delivery_attempts: {
    org_id: key,
    delivery_id: key,
    n: keyOf(integer),
    at: text,
    /** 0: there was no answer. */
    status: integer,
    duration_ms: integer,
    answer: text,
    error: text,
  },
  /**
   * Tokens of one-time links that wait to be mailed, sealed; null where one was lost with its
   * sealing key.
   */
  claim_links: {
    org_id: key,
    id: key,
    request_id: text,
    link: sealed(textOrNull),
    expires_at: text,
  },
  /** When the newest mails went to an address, of which the hash is here. */
  mail_counts: { org_id: key, address: key, sent: text, expires_at: text },
  /** One row, id 1: which node fans out, and until when. */
  delivery_lease: { id: keyOf(integer), holder: text, until: text },
} satisfies Tables;
