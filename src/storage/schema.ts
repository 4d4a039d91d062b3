import type { ColumnType, Generated, Selectable } from "kysely";
import type { AlertTables } from "./schema-alerts.ts";
import type { DeliveryTables } from "./schema-deliveries.ts";
import type { EndedTables } from "./schema-ended.ts";
import type { ImportTables } from "./schema-imports.ts";
import type { JobTables } from "./schema-jobs.ts";
import type { LabelTables } from "./schema-labels.ts";
import type { LinkTables } from "./schema-links.ts";
import type { ViewTables } from "./schema-views.ts";
import type { WatchTables } from "./schema-watch.ts";

/** Must be given where a row is added; null: earlier code added it. See changes/checked-rows.ts. */
type Checksum = ColumnType<string | null, string, string | null>;

/**
 * The tables, as Kysely sees them. The portable subset that both engines share: `text` and `integer`
 * columns; ids made by us; times as ISO 8601 text in UTC; booleans 0/1; what is nested in one JSON text
 * column plus columns for what is filtered, sorted or constrained; `returning` and `on conflict` are
 * allowed; no `select *`, no `now()`, no JSON operators. Names that the interface knows keep its spelling.
 */
export interface Database
  extends
    WatchTables,
    DeliveryTables,
    ImportTables,
    AlertTables,
    JobTables,
    EndedTables,
    LabelTables,
    LinkTables,
    ViewTables {
  /** `document`: JSON text of the brand. */
  branding: { org_id: string; document: string };
  organisations: { id: string; name: string; date_created: string };
  users: {
    org_id: string;
    id: string;
    name: string;
    permissions: string;
    date_created: string;
    deactivated_at: string | null;
    /** Since when all their access tokens and sessions open nothing. */
    suspended_at: string | null;
    checksum: Checksum;
    /** Where they are written to; null: nowhere. */
    email: Generated<string | null>;
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
    /** Narrower permissions than the person's; null: all of these. */
    scope: string | null;
    /** The credential that took over at a rotation. */
    replaced_by: string | null;
    /** The person who issued it for another one; "" where nobody did. */
    issued_by: string;
    /** Networks from which alone it opens something, separated by blanks; null: from everywhere. */
    addresses: string | null;
    checksum: Checksum;
  };
  access_token_uses: {
    org_id: string;
    token_id: string;
    last_used_at: string;
    address: string | null;
  };
  sessions: {
    org_id: string;
    id: string;
    /** Lower-case hex SHA-256 of what the cookie holds. */
    hash: string;
    token_id: string;
    user_id: string;
    created_at: string;
    expires_at: string;
    /** About when it was last used; null: not since it began. */
    last_used_at: string | null;
    /** Such as "Firefox on Linux"; null where it began before they were told apart. */
    browser: string | null;
  };
  sign_in_codes: {
    org_id: string;
    /** Lower-case hex SHA-256 of the code. */
    hash: string;
    token_id: string;
    created_at: string;
    expires_at: string;
  };
  key_requests: {
    org_id: string;
    id: string;
    state: "pending" | "issued" | "declined";
    /** The value shown: true once issued, else as the client sent it. */
    approved: number;
    by_user: string;
    /** The instant of date_created as text of one width; see kernel/timestamps.ts. */
    instant: string;
    for_plan: string;
    /** JSON text: the members before the value of `approved`, and those after it up to `portal_developer`. */
    head: string;
    tail: string;
    sent_developer: string | null;
    sent_entry: string | null;
    /** One line an entry: its policy_id, a tab, its JSON text; no text where that is sent_entry's. */
    sent_catalogues: string;
    /** Sealed JSON of the secrets that were taken out of the texts above; null when there was none. */
    secrets: string | null;
    issued_at: string | null;
    issued_by: string | null;
    /** When, by whom and why it was declined; null while it is not. */
    decided_at: string | null;
    decided_by: string | null;
    decision_reason: string | null;
  };
  /** Changed requests that the search does not know yet; `mark` sorts about by time. */
  key_request_changes: { org_id: string; mark: string; id: string };
  /** What the search knows of. */
  key_request_positions: {
    org_id: string;
    id: string;
    /** Sorts about by the instant; see search-position.ts. Unique in the whole store. */
    position: number;
    instant: string;
    /** What a search looks at; empty on SQLite, whose index is the table below. */
    text: string;
  };
  /** SQLite only. */
  key_request_search: { rowid: number; text: string; org: string };
  developers: {
    org_id: string;
    id: string;
    email_key: string;
    document: string;
    secrets: string | null;
    date_created: string;
    /** The instant of date_created as text of one width; see kernel/timestamps.ts. */
    instant: string;
    /** Argon2id in PHC form; null where none was chosen. */
    password_hash: string | null;
    /** What the document says. */
    inactive: number;
    /** 1: `developer_words` hold what is searched of them as they are now. */
    worded: number;
    /** Lower-case hex SHA-256 of sso_key, empty where there is none; null: not looked at yet. */
    sso_key_hash: string | null;
    /** Their id where another developer had the same sso_key before; else empty. */
    sso_key_shared: string;
    /** email_key folded (see developer.ts) where that is another text; null: it is not, or nobody has looked yet. */
    email_folded: string | null;
    /** Their id where another developer had the same folded address before; else empty. */
    email_shared: string;
  };
  /** By whose beginnings developers are found; see developer-words.ts. */
  developer_words: { org_id: string; word: string; id: string };
  plans: {
    org_id: string;
    /** The interface's `_id`: 24 hex. */
    id: string;
    /** The interface's `id`: free text; the same as `_id` where nobody gave another. */
    given_id: string;
    name: string;
    auth_type: string;
    document: string;
    date_created: string;
    /** Since when it is gone; null while it lives. */
    deleted_at: string | null;
  };
  /** Both ids of every plan, deleted ones too: each names one plan of its organisation for ever. */
  plan_ids: { org_id: string; id: string; plan_id: string };
  catalogues: { org_id: string; id: string; email: string; revision: number };
  catalogue_entries: {
    org_id: string;
    position: number;
    api_id: string;
    policy_id: string;
    document: string;
  };
  /** Documents that catalogue entries name. */
  portal_documents: {
    org_id: string;
    id: string;
    api_id: string;
    doc_type: string;
    /** Base64, as it came. */
    documentation: string;
    date_created: string;
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
    /** From this instant on it opens nothing; null: it does not expire. */
    expires_at: string | null;
    /** When and why the state is what it is; null since it was issued. */
    state_changed_at: string | null;
    state_reason: string | null;
    /** The key id that took over at a rotation. */
    replaced_by: string | null;
    /** How key_id was made of the key; others than SHA-256 are of imported keys that nobody has used yet. */
    algorithm: "sha256" | "murmur64" | "murmur128";
    /** From this instant on an imported key that was never used opens nothing. */
    use_before: string | null;
    /** From when on its quotas are counted; null: from issued_at. */
    quota_from: string | null;
    /** The key id that it was imported under, once key_id is another. */
    imported_as: string | null;
    /** What people say of it, note for administrators alone; null: nobody said. */
    name: string | null;
    environment: string | null;
    note: string | null;
    /** A JSON array; null: none. */
    tags: string | null;
    checksum: Checksum;
  };
  credential_uses: { org_id: string; key_id: string; last_used_at: string };
  /** Of each period of a key's quota, what nodes were given; `period` is the millisecond in which it begins. */
  quota_uses: { org_id: string; key_id: string; plan_id: string; period: number; used: number };
  usage_hours: UsageTable;
  usage_days: UsageTable;
  /** Keys whose counts nobody is told any more, and which the purger removes. */
  usage_erasures: { org_id: string; key_id: string };
  oauth_tokens: {
    org_id: string;
    /** Lower-case hex SHA-256 of the token. */
    hash: string;
    /** The client's credential. */
    key_id: string;
    /** The client's id as it presented it. */
    client_id: string | null;
    issued_at: string;
    expires_at: string;
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
    /** How and from where it was done; each "" where there was none. */
    token_id: string;
    session: string;
    request_id: string;
    /** The id that the caller gave the call; "" in rows of earlier code. */
    caller_request_id: string;
    client_address: string;
    /** What names a person in `detail`, by its place there. */
    personal: string;
    /** The hash of the content, hex; null in rows of earlier code. See audit-content.ts. */
    content_hash: string | null;
    /** JSON texts: the salts of personal values, and the salted hashes of those that were erased. */
    salts: string;
    erased: string;
    /** The row's place in its organisation's log; null until it is taken in. */
    leaf_index: number | null;
  };
  list_counts: {
    org_id: string;
    list: string;
    level: number;
    bucket: string;
    shard: number;
    n: number;
  };
  certificates: {
    org_id: string;
    /** SHA-256 of the certificate; its id is org_id and this together. */
    fingerprint: string;
    /** The order of addition: unique in its organisation, never given twice, with gaps. */
    position: number;
    /** 2 with a private key, plus 1 for an authority; see certificate.ts. */
    kind: number;
    /** Whole seconds, `Z`; of a bare public key "" and "~", which sort before and after every time. */
    not_before: string;
    not_after: string;
    /** The subject's common name in lower case, cut to what an index takes. */
    subject_key: string;
    /** JSON text of the item: see stored-certificate.ts. */
    head: string;
    tail: string;
    details: string;
    /** What a search looks at, in lower case, one text a line. */
    search: string;
    /** The hash of its names, which those that renew each other share; "": it has none; null: nobody has looked. */
    names: string | null;
    /** Who cares for it: an e-mail address; null: nobody. */
    owner: Generated<string | null>;
    /** JSON list of texts; null: none. */
    tags: Generated<string | null>;
  };
  certificate_files: {
    org_id: string;
    fingerprint: string;
    /** Base64 of the DER. */
    certificate: string;
    /** The same of each certificate of the chain, one a line. */
    chain: string;
    /** Sealed base64 of the PKCS#8 DER. */
    private_key: string | null;
  };
  /** SQLite only. */
  certificate_search: { rowid: number; text: string; org: string; pk: string; ca: string };
  invalidations: {
    position: number;
    org_id: string;
    kind: "key" | "plan";
    object_id: string;
    at: string;
  };
  /** One row, id 1: the position of the newest invalidation. */
  invalidation_counter: { id: number; position: number };
  /**
   * PostgreSQL only. Marks of the newest transactions; `kept` 1: it was committed, 0: it was given up and never will
   * be.
   */
  commits: { id: string; kept: number; at: string };
  sealing_keys: { version: number; check_value: string };
  schema_versions: { version: number; name: string; oldest_code: number; applied_at: string };
}

/** Calls that were verified, of one thing within one hour or one UTC day. */
interface UsageTable {
  org_id: string;
  /** `organisation`, whose object_id is empty, `key`, `developer`, `plan` or `api`. */
  kind: string;
  object_id: string;
  /** The hour in which it begins, counted from 1970. */
  begins: number;
  /** Of a key's rows, the plan and the API that were called; empty: none is known, and in the rows of other kinds. */
  plan_id: string;
  api_id: string;
  /** Calls that were let in, and calls that were refused by the status that tells why. */
  success: number;
  error_401: number;
  error_403: number;
  error_429: number;
  last_hit: string;
}

/** A row of a table as it is read. */
export type StoredRow<T extends keyof Database> = Selectable<Database[T]>;
