import { integer, key, keyOf, sealed, type Tables, text, textOrNull, word } from "./columns.ts";

/** Keys: what was ended, what they are filed under, what happens to them by themselves, links. */
export const keyTables = {
  /** Revoked keys that a person with `approve` can bring back. */
  ended_keys: {
    org_id: key,
    key_id: key,
    developer_id: text,
    /** The deletion of the developer that it went with, and comes back with alone; "": none. */
    deletion: text,
    /** The person whose access token ended it. */
    ended_by: text,
    /** Its earlier state, sealed; see ended-key.ts. null: lost with its sealing key. */
    kept: sealed(textOrNull),
    /** From this instant on nothing brings it back. */
    expires_at: text,
  },
  /** Developers who were deleted and can be brought back. */
  deleted_developers: {
    org_id: key,
    /** The deletion: one developer may be deleted twice. */
    id: key,
    developer_id: text,
    deleted_at: text,
    deleted_by: text,
    /** How many keys were shut. */
    keys: integer,
    /** The developer, sealed; see deleted-developer.ts. null: lost with its sealing key. */
    kept: sealed(textOrNull),
    expires_at: text,
  },
  /** How many keys access tokens without `approve` ended within the last hour. */
  ended_counts: {
    org_id: key,
    token_id: key,
    /** JSON text: pairs of a minute since 1970 and how many keys were ended in it. */
    minutes: text,
    /** When a person was last notified that the limit was reached; "": never. */
    told_at: text,
    expires_at: text,
  },

  /** One row for each plan of a credential; state and issued_at are copies, for lists. */
  credential_plans: {
    org_id: key,
    plan_id: key,
    state: keyOf(word<"active" | "suspended" | "revoked">()),
    issued_at: key,
    key_id: key,
  },
  /** One row for the environment and each tag of a credential; issued_at is a copy, for lists. */
  credential_labels: {
    org_id: key,
    kind: keyOf(word<"environment" | "tag">()),
    label: key,
    issued_at: key,
    key_id: key,
  },
  /** The words of credentials' names. */
  credential_words: { org_id: key, word: key, key_id: key },
  /** One row for each tag of a developer; instant is a copy, for lists. */
  developer_tags: { org_id: key, tag: key, instant: key, id: key },

  /** The rules for the unused keys of a plan. */
  unused_rules: {
    org_id: key,
    /** The plan's `_id`. */
    plan: key,
    /** JSON text; see features/hygiene/unused/unused-rule.ts. */
    terms: text,
    updated_at: text,
    /** JSON text of the place behind which the look at its keys goes on; "": at the first. */
    place: text,
    /** When the look began that is under way, or that was ended last. */
    round_at: text,
  },
  /** How far the schedule of unused keys is with a key. */
  key_schedules: {
    org_id: key,
    key_id: key,
    step: word<
      "idle" | "warned" | "warned_again" | "suspended" | "revoked" | "elsewhere" | "kept"
    >(),
    /** When the step was done; of a suspended or revoked key its `state_changed_at`. */
    at: text,
    /** Since when no one used it, as the step saw it. */
    idle_since: text,
    /** When it is looked at next; null: not by itself. */
    due_at: textOrNull,
    /** The message of the last warning; "": none. */
    event_id: text,
    /** When that warning had been sent; null: it was not seen to be yet. */
    sent_at: textOrNull,
  },
  /**
   * The statements of people about whether gateways that do not check with Keydesk accept a key
   * too; 1: they do.
   */
  keys_elsewhere: {
    org_id: key,
    key_id: key,
    elsewhere: integer,
    said_by: text,
    said_at: text,
  },
  /** Keys that are suspended for a while; of another suspension than that it says nothing. */
  timed_suspensions: { org_id: key, key_id: key, suspended_at: text, resume_at: text },

  claims: {
    org_id: key,
    id: key,
    /** Lower-case hex SHA-256 of the token. */
    hash: text,
    state: word<"open" | "opened" | "withdrawn">(),
    /** Sealed with the token; null once it is closed or over. */
    secret: sealed(textOrNull),
    key_id: text,
    request_id: text,
    /** The access token that it hands over, if it is no key; else "". */
    access_token_id: text,
    created_by: text,
    created_at: text,
    expires_at: text,
    closed_at: textOrNull,
    /**
     * The only address to which its link is mailed; "": none; null: it is closed, over, or older
     * code's.
     */
    email: textOrNull,
  },
  /** Absent for a developer who has the address that they always had. */
  developer_emails: {
    org_id: key,
    /** The developer's. */
    id: key,
    state: word<"proved" | "unproved" | "reached" | "agreed">(),
    cause: word<"changed" | "first" | "anew" | "successor">(),
    /** The address that this says something of, as addressKey has it. */
    address: text,
    /** The address that was proved before, while this one is not; else "". */
    previous: text,
    changed_at: text,
    changed_by: text,
    /** When it was last asked for by mail. */
    asked_at: text,
  },
  email_links: {
    org_id: key,
    id: key,
    developer_id: text,
    /** To which address it goes. */
    side: word<"new" | "old">(),
    /** Lower-case hex SHA-256 of the token. */
    hash: text,
    /** The token, sealed, until it was mailed. */
    link: sealed(textOrNull),
    expires_at: text,
  },
} satisfies Tables;
