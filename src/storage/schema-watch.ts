import {
  integer,
  integerOrNull,
  key,
  keyOf,
  sealed,
  type Tables,
  text,
  textOrNull,
  word,
} from "./columns.ts";
/**
 * The tables by which a store is watched: its audit log, what has leaked, what is damaged, how far
 * purging is, who serves.
 */
export const watchTables = {
  /** The log of an organisation's audit log: a Merkle tree of RFC 6962. */
  trail_logs: {
    org_id: key,
    size: integer,
    /** As `Frontier` writes it. */
    frontier: text,
    /** The highest id of a row from before there were logs; empty once all these are in. */
    upgrade_until: text,
    /**
     * The key of the newest checkpoint, that checkpoint, and when it was signed; each empty before
     * the first.
     */
    key_id: text,
    checkpoint: text,
    checkpoint_at: text,
    /** How many of the first rows retention has removed, and the frontier of the tree of them. */
    cut_size: integer,
    cut_frontier: text,
  },
  /** The leaves of the log's tree, and the row of each. */
  trail_leaves: {
    org_id: key,
    leaf_index: keyOf(integer),
    event_id: text,
    /** `written`, `upgrade` or `older`: see maintenance/audit-log/leaf.ts. */
    kind: text,
    /** Hex: the hash of the row's content. */
    leaf_hash: text,
  },
  /** Checkpoints that are kept: the first of each hour, and those at which retention has cut. */
  trail_checkpoints: { org_id: key, size: keyOf(integer), at: text, note: text },
  /** The newest checkpoint of a log that witnesses have signed, with their lines. */
  trail_cosigned: { org_id: key, size: integer, at: text, note: text },
  /** The size of the checkpoint that was last sent to channels, and when. */
  trail_told: { org_id: key, size: integer, at: text },
  /** Rows of the audit log that its stream may lack; see maintenance/audit-stream. */
  trail_unsent: { at: key, event_id: key, org_id: key },
  /** Of earlier code, which may run again: logs of others whose checkpoints a server signed. */
  witnessed_logs: {
    /** The log's own name. */
    origin: key,
    /**
     * The possible signers of its checkpoints: a JSON list of keys as `keydesk audit checkpoint
     * --keys` prints them.
     */
    keys: text,
    /** The longest checkpoint that this server has signed; 0: none yet. */
    size: integer,
    /** Hex; "" where there is none yet. */
    root: text,
    /** When; "" where there is none yet. */
    at: text,
    added_at: text,
  },
  /**
   * Keydesk's keys for checkpoints, org_id empty; those by which earlier code signed checkpoints of
   * others, org_id `witness`.
   */
  trail_keys: {
    org_id: key,
    id: key,
    /** Base64 of 32 bytes. */
    public_key: text,
    /** Sealed base64 of PKCS#8; null where it was lost with its sealing key. */
    private_key: sealed(textOrNull),
    made_at: text,
  },
  /** One row, id 1: which node appends to the logs, and until when no one else does. */
  trail_lease: { id: keyOf(integer), holder: text, until: text },
  /** Reported as leaked, not worked off yet: hashes alone, of any organisation or of nothing. */
  leak_reports: {
    /** Lower-case hex SHA-256 of the reported text. */
    hash: key,
    /** The hashes of the parts before and behind its first colon; each "" if it has none. */
    name_hash: text,
    secret_hash: text,
    at: text,
    /** The identifier of the partner's public key; "" where anybody reported it. */
    reported_by: text,
    /** The location where it was found; "" if that was not stated. */
    url: text,
    request_id: text,
    caller_request_id: text,
    client_address: text,
  },
  /**
   * The leaked things, by their first report; `action`: the strictest that was requested so far.
   */
  leaks: {
    org_id: key,
    object: keyOf(word<"credential" | "access_token">()),
    object_id: key,
    action: word<"tell" | "suspend" | "revoke">(),
    reported_at: text,
    reported_by: text,
    url: text,
    /** When a person said that it is not so, and who; null: no one did. */
    dismissed_at: textOrNull,
    dismissed_by: textOrNull,
  },
  /**
   * PostgreSQL only. Processes that serve; anyone who ends in order leaves none behind. Times by
   * the store's clock.
   */
  nodes: {
    /** Of the process's start. */
    id: key,
    /** The host and the port. */
    name: text,
    version: text,
    started_at: text,
    seen_at: text,
    /** How old its last look at what was revoked was, in milliseconds; -1: none verifies there. */
    stale_ms: integer,
    /**
     * How far its own clock was ahead of the store's, in milliseconds; null: code that does not say
     * so.
     */
    ahead_ms: integerOrNull,
  },
  /** One row, id 1: the time by which was purged last, in milliseconds since 1970. */
  purge_clock: { id: keyOf(integer), until: integer },
  /** One row, id 1: how far the scrub is, of all nodes together. */
  scrubs: {
    id: keyOf(integer),
    /** JSON of the table and the key behind which it goes on; empty at the beginning of a round. */
    place: text,
    /** When the round began; empty before the first. */
    round_at: text,
    /** Rows that were looked at in this round, and rounds that were ended. */
    rows: integer,
    rounds: integer,
    /** The node that goes on, and until when no one else does. */
    held_by: text,
    held_until: text,
  },
  /** The damaged rows that were not yet fixed. */
  damages: {
    org_id: key,
    /** `key`, `access_token` or `user`. */
    object: key,
    object_id: key,
    found_at: text,
    what: text,
  },
} satisfies Tables;
