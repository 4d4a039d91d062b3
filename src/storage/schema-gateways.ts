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

/** Gateways that hold keys of their own, what is learned and compared there, and imports. */
export const gatewayTables = {
  /** A gateway that teaches, or did; it does until `ends_at`. */
  key_learning: {
    org_id: key,
    gateway_id: key,
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
    org_id: key,
    key_id: key,
    gateway_id: text,
    /** The gateway's name of it. */
    remote_id: text,
    learned_at: text,
    /** When the gateway was last asked whether it still opens there. */
    asked_at: text,
    /** Its answer then, as SeenThere; "": it was not kept. */
    seen: text,
    /** The part of it that was not applied, and was reported; "": none. */
    reported: text,
    /** Since when it would lose access by that and waits for a yes; null: it does not. */
    awaits_since: textOrNull,
  },
  /** One row, id 1: which node asks anew, and until when. */
  learning_lease: { id: keyOf(integer), holder: text, until: text },

  gateways: {
    org_id: key,
    id: key,
    name: text,
    kind: word<"tyk" | "hashes">(),
    url: text,
    /** JSON text of MapSettings; null: it does not go by hashes. */
    map: textOrNull,
    /** An API behind it that is called to see whether revocations hold; "": none. */
    probe_url: text,
    /** A JSON array of the plans whose keys stand there; null: those of all. */
    plans: textOrNull,
    /**
     * The address of its Redis, by which keys are made whose secret is not kept any more; "": they
     * are not.
     */
    redis_url: text,
    /** secretsText, sealed; null: it was lost with its sealing key, or there is none. */
    secret: sealed(textOrNull),
    /** `ending`: its keys are ended there, and it goes with the last of them. */
    state: word<"active" | "paused" | "ending">(),
    /** The key of Keydesk's own by which a 404 is believed, as the gateway names it; "": none. */
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
    /** 1: keys are pinned there to the certificate that their request names. */
    certificates: integer,
    created_at: text,
    created_by: text,
    /** Raised before keys of its map are brought: no new key is missed by who fetches it. */
    edition: integer,
    /** Since when it waits for a person's yes, raised by each change meanwhile; null: it has it. */
    unconfirmed_since: textOrNull,
  },
  provisioned_keys: {
    org_id: key,
    gateway_id: key,
    /** Of a certificate, which earlier code brought, its id. */
    key_id: key,
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
    /** The gateway's name of it, for good; "": it is not known yet. */
    remote_id: text,
    /** The state that was last synced there, as heldText gives it; "": none. */
    held: text,
    delivered_at: textOrNull,
  },
  /** The secrets with which gateways make a key, sealed, until every gateway has it. */
  provisioning_secrets: {
    org_id: key,
    key_id: key,
    secret: sealed(textOrNull),
    expires_at: text,
  },
  /** The secrets of newly issued keys, of which no gateway has a row yet. */
  provisioning_new: { org_id: key, issued_at: key, key_id: key, secret: sealed(textOrNull) },
  /** Keys of Keydesk's own that were made at a gateway, used and revoked, for a day. */
  canary_runs: {
    org_id: key,
    gateway_id: key,
    at: key,
    /** `begun`: its key may still stand there. */
    state: word<"begun" | "done">(),
    /** Whether its key was called with, or read back; "": it was not made. */
    how: word<"called" | "read" | "">(),
    /** The gateway's name of its key; "": it was not made. */
    name: text,
    /** How long it took to open and to shut; -1: it did not. */
    opened_ms: integer,
    shut_ms: integer,
  },
  /** Which state of a gateway's map a proxy has that fetches it by this access token. */
  map_readers: {
    org_id: key,
    gateway_id: key,
    token_id: key,
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
  /** A gateway's names of keys that Keydesk does not know, as it last listed them. */
  unknown_keys_there: { org_id: key, gateway_id: key, name: key },
  /** One row, id 1: which node works, and until when. */
  gateway_lease: { id: keyOf(integer), holder: text, until: text },

  /** Calls that an old gateway decided and that were compared, of one thing on one UTC day. */
  observed_days: {
    org_id: key,
    /** `unknown`: of keys that no one knows here, by the gateway that asked. */
    kind: keyOf(word<"organisation" | "plan" | "key" | "unknown">()),
    /** "" for the organisation. */
    object_id: key,
    /** The hour in which the day begins, counted from 1970. */
    begins: keyOf(integer),
    /** The answer that Keydesk would have given: `valid`, or a reason. */
    verdict: key,
    asked: integer,
    /** How many of them the gateway let in. */
    opened: integer,
    last_at: text,
  },
  /** Calls that the gateway let in and Keydesk would have refused: the newest of them. */
  observed_differences: {
    org_id: key,
    /** Sorts by time, to the second. */
    id: key,
    at: text,
    /** "" for a credential that no one knows here; of it nothing is kept. */
    key_id: text,
    developer_id: text,
    plan_id: text,
    api_id: text,
    door: text,
    reason: text,
  },
  /** Plans whose keys were switched to be decided here, or back. */
  plan_switches: {
    org_id: key,
    /** The plan's `_id`. */
    plan: key,
    decided: word<"here" | "there">(),
    changed_at: text,
    changed_by: text,
  },

  /** The newest run, by kind. */
  imports: {
    org_id: key,
    kind: key,
    /** The names of its sources. */
    source: text,
    began_at: text,
    /** Null while it runs, and where it was broken off. */
    ended_at: textOrNull,
    /** Objects of the organisation that were read, and objects of others. */
    seen: integer,
    others: integer,
    /** JSON: how often each member was met that Keydesk does not keep. */
    dropped: text,
    /**
     * JSON of two objects: how many documents each source had, and how many of them another source
     * had first.
     */
    sources: text,
  },
  imported_objects: {
    org_id: key,
    kind: key,
    id: key,
    /** SHA-256, hex: of the object there as it was taken over, and of what stood here after. */
    there: text,
    here: text,
  },
  /** The objects that were imported with changes, or not at all. */
  import_findings: { org_id: key, kind: key, id: key, code: key, detail: text },
} satisfies Tables;
