/**
 * The tables, as Kysely sees them. The portable subset that both engines share: `text` and `integer`
 * columns; ids made by us; times as ISO 8601 text in UTC; booleans 0/1; what is nested in one JSON text
 * column plus columns for what is filtered, sorted or constrained; `returning` and `on conflict` are
 * allowed; no `select *`, no `now()`, no JSON operators. Names that the interface knows keep its spelling.
 */
export interface Database {
  organisations: { id: string; name: string; date_created: string };
  users: {
    org_id: string;
    id: string;
    name: string;
    permissions: string;
    date_created: string;
  };
  access_tokens: {
    org_id: string;
    id: string;
    user_id: string;
    name: string;
    hash: string;
    date_created: string;
    expires_at: string | null;
    revoked_at: string | null;
  };
  key_requests: {
    org_id: string;
    id: string;
    state: "pending" | "issued" | "declined";
    /** The value shown: true once issued, else as the client sent it. */
    approved: number;
    by_user: string;
    /** The instant of date_created as text of one width; see lib/timestamps.ts. */
    instant: string;
    for_plan: string;
    /** JSON text: the members before the value of `approved`, and those after it up to `portal_developer`. */
    head: string;
    tail: string;
    sent_developer: string | null;
    sent_entry: string | null;
    /** One line an entry: its policy_id, a tab, its JSON text. */
    sent_catalogues: string;
    /** Sealed JSON of the secrets that were taken out of the texts above; null when there was none. */
    secrets: string | null;
    issued_at: string | null;
    issued_by: string | null;
  };
  developers: {
    org_id: string;
    id: string;
    email_key: string;
    document: string;
    secrets: string | null;
    date_created: string;
  };
  plans: {
    org_id: string;
    id: string;
    name: string;
    auth_type: string;
    document: string;
    date_created: string;
  };
  catalogues: { org_id: string; id: string; email: string; revision: number };
  catalogue_entries: {
    org_id: string;
    position: number;
    api_id: string;
    policy_id: string;
    document: string;
  };
  portal_configurations: { org_id: string; id: string; document: string };
  credentials: {
    org_id: string;
    key_id: string;
    kind: "token" | "basic" | "oauth";
    secret_hash: string | null;
    state: "active" | "suspended" | "revoked";
    developer_id: string;
    request_id: string;
    plans: string;
    /** What of the key may be shown in lists. */
    mask: string;
    attempt_id: string;
    issued_at: string;
    issued_by: string;
  };
  idempotent_answers: {
    org_id: string;
    scope: string;
    fingerprint: string;
    answer: string | null;
    expires_at: string;
  };
  audit_events: {
    org_id: string;
    id: string;
    at: string;
    actor: string;
    action: string;
    object: string;
    object_id: string;
    detail: string;
  };
  outbox_events: {
    org_id: string;
    id: string;
    at: string;
    topic: string;
    object_id: string;
  };
  list_counts: {
    org_id: string;
    list: string;
    level: number;
    bucket: string;
    shard: number;
    n: number;
  };
  sealing_keys: { version: number; check_value: string };
  schema_versions: { version: number; name: string; oldest_code: number; applied_at: string };
}
