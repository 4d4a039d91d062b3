/** The tables by which a store is watched: the log of its trail, what has leaked, what is damaged, how far purging is, who serves. */
export interface WatchTables {
  /** The log of an organisation's trail: a Merkle tree of RFC 6962. */
  trail_logs: {
    org_id: string;
    size: number;
    /** As kernel/merkle.ts writes it. */
    frontier: string;
    /** The highest id of a row from before there were logs; empty once all these are in. */
    upgrade_until: string;
    /** The key of the newest checkpoint, that checkpoint, and when it was signed; each empty before the first. */
    key_id: string;
    checkpoint: string;
    checkpoint_at: string;
    /** How many of the first rows retention has removed, and the frontier of the tree of them. */
    cut_size: number;
    cut_frontier: string;
  };
  /** What the log's tree is made of, and which row each leaf stands for. */
  trail_leaves: {
    org_id: string;
    leaf_index: number;
    event_id: string;
    /** `written`, `upgrade` or `older`: see operations/trail/leaf.ts. */
    kind: string;
    /** Hex: the hash of the row's content. */
    leaf_hash: string;
  };
  /** Checkpoints that are kept: the first of each hour, and those at which retention has cut. */
  trail_checkpoints: { org_id: string; size: number; at: string; note: string };
  /** The desk's keys for checkpoints; org_id is always empty. */
  trail_keys: {
    org_id: string;
    id: string;
    /** Base64 of 32 bytes. */
    public_key: string;
    /** Sealed base64 of PKCS#8; null where it was lost with its sealing key. */
    private_key: string | null;
    made_at: string;
  };
  /** One row, id 1: which node appends to the logs, and until when nobody else does. */
  trail_lease: { id: number; holder: string; until: string };
  /** Reported as leaked and not worked off yet: hashes alone, of any organisation's or of nothing. */
  leak_reports: {
    /** Lower-case hex SHA-256 of the reported text. */
    hash: string;
    /** The same of the parts before and behind its first colon; each "" where it has none. */
    name_hash: string;
    secret_hash: string;
    at: string;
    /** The identifier of the partner's public key; "" where anybody reported it. */
    reported_by: string;
    /** Where it was found; "" where that was not said. */
    url: string;
    request_id: string;
    caller_request_id: string;
    client_address: string;
  };
  /** What has leaked, by its first report; `action`: the strictest that was wanted so far. */
  leaks: {
    org_id: string;
    object: "credential" | "access_token";
    object_id: string;
    action: "tell" | "suspend" | "revoke";
    reported_at: string;
    reported_by: string;
    url: string;
  };
  /** PostgreSQL only. Processes that serve; whoever ends in order leaves none behind. Times by the store's clock. */
  nodes: {
    /** Of the process's start. */
    id: string;
    /** The host and the port. */
    name: string;
    version: string;
    started_at: string;
    seen_at: string;
    /** How old its last look at what was revoked was, in milliseconds; -1: nobody verifies there. */
    stale_ms: number;
  };
  /** One row, id 1: the time by which was purged last, in milliseconds since 1970. */
  purge_clock: { id: number; until: number };
  /** One row, id 1: how far the scrub is, of all nodes together. */
  scrubs: {
    id: number;
    /** JSON of the table and the key behind which it goes on; empty at the beginning of a round. */
    place: string;
    /** When the round began; empty before the first. */
    round_at: string;
    /** Rows that were looked at in this round, and rounds that were ended. */
    rows: number;
    rounds: number;
    /** The node that goes on, and until when nobody else does. */
    held_by: string;
    held_until: string;
  };
  /** What was found damaged and is not mended yet. */
  damages: {
    org_id: string;
    /** `key`, `access_token` or `user`. */
    object: string;
    object_id: string;
    found_at: string;
    what: string;
  };
}
