import { integer, key, keyOf, type Tables, text, word } from "./columns.ts";

/** The alerts before something expires, and which certificates renew which. */
export const alertTables = {
  /** One row for each organisation that has its own rule. */
  alert_settings: {
    org_id: key,
    /** JSON list of the days before an expiry at which it is reported. */
    days: text,
    /** 1: the expiry itself is reported too. */
    at_end: integer,
  },
  /** Up to where the ends of an organisation's objects were gone through, for each rule. */
  alert_progress: {
    org_id: key,
    /**
     * `start` in the one row that says that the first digest was sent, `review` in the one that
     * says up to which day and key reviews were reported.
     */
    object: keyOf(word<"certificate" | "key" | "start" | "review">()),
    /** Days before the end; 0: the end. */
    days: keyOf(integer),
    /** The last end that was gone through, and which of the objects with it was the last. */
    ends_at: text,
    tie: text,
  },
  /** The state of the newest alert of an object. */
  alerts: {
    org_id: key,
    object: keyOf(word<"certificate" | "key">()),
    object_id: key,
    days: integer,
    ends_at: text,
    at: text,
    outcome: word<"told" | "renewed" | "muted">(),
    /** Of what was muted why, of what was renewed by what. */
    reason: text,
    /** The outbox's message; "" where none was left. */
    event_id: text,
    /** When the row is of no use any more. */
    expires_at: text,
  },
  /** Objects of which no one is notified until `expires_at`. */
  alert_mutes: {
    org_id: key,
    object: keyOf(word<"certificate" | "key">()),
    object_id: key,
    reason: text,
    muted_by: text,
    muted_at: text,
    expires_at: text,
  },
  /** One row, id 1: which node looks for what ends, and until when. */
  alert_lease: { id: keyOf(integer), holder: text, until: text },

  /** A set of alternative names that another holds, both by their hashes. */
  wider_names: {
    org_id: key,
    names: key,
    wider: key,
    /** How many names the wider set has. */
    size: integer,
  },
  /** The statements of people about two certificates: that one renews the other, or does not. */
  certificate_renewals: {
    org_id: key,
    fingerprint: key,
    /** The fingerprint of the one that renews it, or does not. */
    renewal: key,
    /** 1: it renews it; 0: it does not. */
    renews: integer,
    said_by: text,
    said_at: text,
  },
  /**
   * How many certificates of each kind stand in a range of the order by names. It begins behind the
   * place that names it; the first is named by "" and 0. The wide ones are level 0; those of level
   * 1 lie within them.
   */
  certificate_name_ranges: {
    org_id: key,
    level: keyOf(integer),
    key: key,
    position: keyOf(integer),
    n0: integer,
    n1: integer,
    n2: integer,
    n3: integer,
    /** 0: nothing in it is counted yet; it is the last of its level. */
    counted: integer,
  },
} satisfies Tables;
