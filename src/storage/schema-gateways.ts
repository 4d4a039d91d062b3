import { integer, integerOrNull, type Tables, text, textOrNull, word } from "./columns.ts";
import { learningTables } from "./schema-learning.ts";

/** Gateways that hold keys of their own. Part of the schema, as schema.ts has it. */
export const gatewayTables = {
  ...learningTables,
  gateways: {
    org_id: text,
    id: text,
    name: text,
    kind: word<"tyk" | "hashes">(),
    url: text,
    /** JSON text of MapSettings; null: it does not go by hashes. */
    map: textOrNull,
    /** An API behind it that is called to see whether revocations hold; "": none. */
    probe_url: text,
    /** A JSON array of the plans whose keys stand there; null: those of all. */
    plans: textOrNull,
    /** Where its Redis is, by which keys are made that nobody has any more; "": they are not. */
    redis_url: text,
    /** secretsText, sealed; null: it was lost with its sealing key, or there is none. */
    secret: textOrNull,
    /** `ending`: its keys are ended there, and it goes with the last of them. */
    state: word<"active" | "paused" | "ending">(),
    /** The key of the desk's own by which a 404 is believed, as the gateway names it; "": none. */
    canary: text,
    /** The key id up to which all keys have been compared; null: all were. */
    filled_to: textOrNull,
    checked_at: textOrNull,
    /** JSON text of Finding[]. */
    findings: text,
    reconciled_at: textOrNull,
    /** JSON text of Reconciled; "": never. */
    reconciled: text,
    /** Since when it can't be reached or trusted; null: it can. */
    failing_since: textOrNull,
    failure: text,
    /** So often it is called at the most; null: as often as it answers. */
    calls_per_second: integerOrNull,
    /** Whether plans are compared with its policies alone, or written there. */
    policies: word<"compare" | "write">(),
    /** 1: certificates stand there too, with their private keys. */
    certificates: integer,
    created_at: text,
    created_by: text,
    /** Raised before keys of its map are brought: no new key is missed by who fetches it. */
    edition: integer,
    /** Since when it waits for a person's yes, raised by each change meanwhile; null: it has it. */
    unconfirmed_since: textOrNull,
  },
  provisioned_keys: {
    org_id: text,
    gateway_id: text,
    /** Of a certificate its id. */
    key_id: text,
    object: word<"key" | "certificate">(),
    /** Raised by each change of the key; `done`: up to which of them the gateway was brought. */
    wanted: integer,
    done: integer,
    state: word<"waiting" | "delivered" | "stuck" | "diverged" | "gone">(),
    /** Why it waits, is stuck or diverged; else "". */
    reason: text,
    /** When the state began. */
    since: text,
    /** When it is worked on next; null: nothing is to be done. */
    due_at: textOrNull,
    /** 0: what closes a key, which goes first; 1: all else that changed; 2: it is read alone. */
    urgency: integer,
    tries: integer,
    /** What the gateway calls it, for good; "": it is not known yet. */
    remote_id: text,
    /** What was last brought there, as heldText gives it; "": nothing. */
    held: text,
    delivered_at: textOrNull,
  },
  /** What a gateway needs to make a key, sealed, until every gateway has it. */
  provisioning_secrets: {
    org_id: text,
    key_id: text,
    secret: textOrNull,
    expires_at: text,
  },
  /** The same of keys that were issued a moment ago, of which no gateway has a row yet. */
  provisioning_new: { org_id: text, issued_at: text, key_id: text, secret: textOrNull },
  /** Keys of the desk's own that were made at a gateway, used and ended, for a day. */
  canary_runs: {
    org_id: text,
    gateway_id: text,
    at: text,
    /** `begun`: its key may still stand there. */
    state: word<"begun" | "done">(),
    /** Whether its key was called with, or read back; "": it was not made. */
    how: word<"called" | "read" | "">(),
    /** What the gateway calls its key; "": it was not made. */
    name: text,
    /** How long it took to open and to shut; -1: it did not. */
    opened_ms: integer,
    shut_ms: integer,
  },
  /** Which state of a gateway's map a proxy has that fetches it by this access token. */
  map_readers: {
    org_id: text,
    gateway_id: text,
    token_id: text,
    /** The gateway's edition that it said it has; 0: none yet. */
    edition: integer,
    /** It has what was decided until then. */
    up_to: textOrNull,
    /** The tag of what it was sent last, with the edition and time of that; "": nothing. */
    sent: text,
    sent_edition: integer,
    sent_at: text,
    seen_at: text,
  },
  /** What a gateway calls keys there that nobody decided here, as it last listed them. */
  unknown_keys_there: { org_id: text, gateway_id: text, name: text },
  /** One row, id 1: which node works, and until when. */
  gateway_lease: { id: integer, holder: text, until: text },
} satisfies Tables;
