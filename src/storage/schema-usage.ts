import { integer, integerOrNull, key, keyOf, type Tables, text, textOrNull } from "./columns.ts";

/** How many of the refused calls were refused for which reason; null: none. */
const reasonColumns = {
  refused_unknown: integerOrNull,
  refused_revoked: integerOrNull,
  refused_suspended: integerOrNull,
  refused_damaged: integerOrNull,
  refused_expired: integerOrNull,
  refused_unknown_plan: integerOrNull,
  refused_plan_inactive: integerOrNull,
  refused_wrong_api: integerOrNull,
  refused_address: integerOrNull,
  refused_address_unknown: integerOrNull,
  refused_over_rate: integerOrNull,
  refused_over_quota: integerOrNull,
  /** Nothing could be decided: in no other column of the row. */
  refused_unsure: integerOrNull,
} satisfies Tables[string];

/** Calls that were verified, of one thing within one hour or one UTC day. */
const usageTable = {
  org_id: key,
  /**
   * `organisation`, whose object_id is empty, `key`, `developer`, `plan`, `api` or `door`
   * (gateway).
   */
  kind: key,
  /** Of gateways, "" is all of them together, and `other` those that no one set up. */
  object_id: key,
  /** The hour in which it begins, counted from 1970. */
  begins: keyOf(integer),
  /**
   * Of a key's rows, the plan and the API that were called, of a gateway's the API; empty: unknown,
   * or another kind.
   */
  plan_id: key,
  api_id: key,
  /** Calls that were let in, and calls that were refused by the status that tells why. */
  success: integer,
  error_401: integer,
  error_403: integer,
  error_429: integer,
  ...reasonColumns,
  last_hit: text,
} satisfies Tables[string];

/** How keys were used, and what was refused. Part of the schema, as schema.ts has it. */
export const usageTables = {
  usage_hours: usageTable,
  usage_days: usageTable,
  /** Keys whose counts no one can read any more, and which the purger removes. */
  usage_erasures: { org_id: key, key_id: key },
  /** Calls that were refused, each by itself: the newest of them. */
  refusals: {
    org_id: key,
    /** Sorts by time, to the second. */
    id: key,
    at: text,
    reason: text,
    /** The name of the gateway, `other`, or "" if the call named none. */
    door: text,
    /** The API that was asked for; "" where none was. */
    api_id: text,
    /** The plan that the call went by; "" where it came to none. */
    plan_id: text,
    /** "" for a credential that no one knows. */
    key_id: text,
    developer_id: text,
    /** JSON of what the plan allows, and of the other data of the reason; see denied-call.ts. */
    facts: text,
    /** The first digits of the SHA-256 of what was presented. */
    hash_start: text,
    /** The network of the visitor's address; "" where it is not known. */
    network: text,
  },
  /** Gateways that a person set up: proxies and gateways that name themselves. */
  doors: {
    org_id: key,
    id: key,
    name: text,
    /** The kind of gateway: one of `gatewayKinds`. */
    kind: text,
    /** After how many minutes without a call it counts as silent; 0: never. */
    silent_minutes: integer,
    created_at: text,
    created_by: text,
    /** The version of its file by its last call; "" if it gave none. */
    version: text,
    /** Null: it never called. */
    first_call_at: textOrNull,
    last_call_at: textOrNull,
    /** When it was reported as silent; null: it calls, or that was not reported. */
    told_silent_at: textOrNull,
    /** Its calls in the newest minutes; see call-minutes.ts. */
    minutes: text,
  },
} satisfies Tables;
