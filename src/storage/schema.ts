import {
  checksum,
  integer,
  integerOrNull,
  key,
  keyOf,
  sealed,
  type Tables,
  text,
  textOrNull,
  type TypesOf,
  unsortedOrNull,
  word,
} from "./columns.ts";
import type { Selectable } from "kysely";
import { alertTables } from "./schema-alerts.ts";
import { deliveryTables } from "./schema-deliveries.ts";
import { gatewayTables } from "./schema-gateways.ts";
import { jobTables } from "./schema-jobs.ts";
import { keyTables } from "./schema-keys.ts";
import { peopleTables } from "./schema-people.ts";
import { requestTables } from "./schema-requests.ts";
import { signInTables } from "./schema-sign-in.ts";
import { usageTables } from "./schema-usage.ts";
import { watchTables } from "./schema-watch.ts";

/**
 * The tables, each declared once. The portable subset that both engines share: `text` and `integer`
 * columns; ids made by us; times as ISO 8601 text in UTC; booleans 0/1; what is nested in one JSON
 * text column plus columns for what is filtered, sorted or constrained; `returning` and `on
 * conflict` are allowed; no `select *`, no `now()`, no JSON operators. Names that the interface
 * knows keep its spelling.
 */
export const tables = {
  ...watchTables,
  ...deliveryTables,
  ...gatewayTables,
  ...alertTables,
  ...jobTables,
  ...requestTables,
  ...keyTables,
  ...peopleTables,
  ...signInTables,
  ...usageTables,
  /** `document`: JSON text of the brand. */
  branding: { org_id: key, document: text },
  organisations: { id: key, name: text, date_created: text },
  users: {
    org_id: key,
    id: key,
    name: text,
    permissions: text,
    date_created: text,
    deactivated_at: textOrNull,
    /** Since when all their access tokens and sessions open nothing. */
    suspended_at: textOrNull,
    checksum,
    /** Their e-mail address; null: none. */
    email: textOrNull,
    /** The id of the role whose permissions these are; null: they were given one by one. */
    role: textOrNull,
    /** JSON text of the Scope that are all they see and decide; null: everything. */
    covers: textOrNull,
  },
  access_tokens: {
    org_id: key,
    id: key,
    user_id: text,
    name: text,
    hash: text,
    date_created: text,
    expires_at: textOrNull,
    revoked_at: textOrNull,
    /** Narrower permissions than the person's; null: all of these. */
    scope: textOrNull,
    /** The credential that took over at a rotation. */
    replaced_by: textOrNull,
    /** The person who issued it for another one; "" where no one did. */
    issued_by: text,
    /** Networks from which alone it opens something, separated by blanks; null: from everywhere. */
    addresses: textOrNull,
    /** How lists of certificates read to it; null: as the setting says. */
    certs_answer: textOrNull,
    checksum,
    /** The id of the role whose permissions the scope is; null: it was given one by one. */
    scope_role: textOrNull,
  },
  access_token_uses: { org_id: key, token_id: key, last_used_at: text, address: textOrNull },
  key_requests: {
    org_id: key,
    id: key,
    state: word<"pending" | "issued" | "declined">(),
    /** The value shown: true once issued, else as the client sent it. */
    approved: integer,
    by_user: text,
    /** The instant of date_created as text of one width; see kernel/timestamps.ts. */
    instant: text,
    for_plan: text,
    /** JSON text: members before the value of `approved`; after it up to `portal_developer`. */
    head: text,
    tail: text,
    sent_developer: textOrNull,
    sent_entry: textOrNull,
    /** One line an entry: its policy_id, a tab, its JSON text; no text where it is sent_entry's. */
    sent_catalogues: text,
    /** Sealed JSON of the secrets that were taken out of the texts above; null: there was none. */
    secrets: sealed(textOrNull),
    issued_at: textOrNull,
    issued_by: textOrNull,
    /** When, by whom and why it was declined; null while it is not. */
    decided_at: textOrNull,
    decided_by: textOrNull,
    decision_reason: textOrNull,
    /** The message to the developer; JSON texts of GrantedTerms, Offer and DecidedOn. */
    message: textOrNull,
    granted: textOrNull,
    offer: textOrNull,
    decided_on: textOrNull,
    /** Until when the key that it names shall live; null: it asks for no later end. */
    asked_end: textOrNull,
    /** JSON text of AskedPolicy; null: anyone who may approve decides. */
    policy: textOrNull,
    /** JSON text of AddedWords[]; null: none. */
    added_words: textOrNull,
    /** When anyone who asks reminded approvers the last time. */
    reminded_at: textOrNull,
    /** The id of the person who looks after it while it is pending; null: no one. */
    assignee: textOrNull,
    /** When it is declined unless a person decides; null: it waits for as long as it takes. */
    expires_at: textOrNull,
    /** When approvers are reminded of that, or it ends: what is next; null with `expires_at`. */
    due_at: textOrNull,
    /** Of earlier code, whose nodes may still write them: no code reads either. */
    decide_by: textOrNull,
    tell_at: textOrNull,
  },
  /** Changed requests that the search does not know yet; `mark` sorts about by time. */
  key_request_changes: { org_id: key, mark: key, id: text },
  /** The requests in the search. */
  key_request_positions: {
    org_id: key,
    id: key,
    /** Sorts about by the instant; see search-position.ts. Unique in the whole store. */
    position: integer,
    instant: text,
    /** The searched text; empty on SQLite, whose index is the table below. */
    text: text,
  },
  /** SQLite only. */
  key_request_search: { rowid: integer, text: text, org: text },
  developers: {
    org_id: key,
    id: key,
    email_key: text,
    document: text,
    secrets: sealed(textOrNull),
    date_created: text,
    /** The instant of date_created as text of one width; see kernel/timestamps.ts. */
    instant: text,
    /** Argon2id in PHC form; null where none was chosen. */
    password_hash: textOrNull,
    /**
     * SHA-256 of `password_hash` where the developer chose the password, or an import brought it;
     * any other value: an access token set it.
     */
    own_password: textOrNull,
    /** The document's `inactive`. */
    inactive: integer,
    /** 1: `developer_words` hold what is searched of them as they are now. */
    worded: integer,
    /** Lower-case hex SHA-256 of sso_key, empty where there is none; null: not looked at yet. */
    sso_key_hash: textOrNull,
    /** Their id where another developer had the same sso_key before; else empty. */
    sso_key_shared: text,
    /** email_key folded (see developer.ts), if that differs; null: it does not, or is not known. */
    email_folded: textOrNull,
    /** Their id where another developer had the same folded address before; else empty. */
    email_shared: text,
    /** JSON array of what people file them under; null: nothing. */
    tags: textOrNull,
  },
  /** By whose beginnings developers are found; see developer-words.ts. */
  developer_words: { org_id: key, word: key, id: key },
  catalogues: { org_id: key, id: text, email: text, revision: integer },
  catalogue_entries: {
    org_id: key,
    position: keyOf(integer),
    api_id: text,
    policy_id: text,
    document: text,
  },
  /** Counts changes of what files can declare; what becomes of changes of managed things. */
  config_states: { org_id: key, n: integer, changes: word<"warn" | "refuse">() },
  /** The things that a file manages, by the audit log's ids of them; of single ones it is "". */
  config_objects: {
    org_id: key,
    kind: key,
    object_id: key,
    name: text,
    /** The file's name, and the revision of it that was applied last. */
    source: text,
    revision: text,
    /** 1: the file made it. */
    made: integer,
    /** JSON text: its members as the file wrote them. */
    declared: text,
    applied_at: text,
    /** Since when it is other than its file; null: it is not. */
    drifted_at: textOrNull,
  },
  /** Changes by files that wait for a person, or that one has confirmed. */
  config_reviews: {
    org_id: key,
    digest: key,
    source: text,
    revision: text,
    /** JSON text of what would change. */
    changes: text,
    asked_by: text,
    asked_at: text,
    confirmed_by: textOrNull,
    confirmed_at: textOrNull,
  },
  /** The people who see an API. Clients of the older interface write its entries whole. */
  api_visibilities: {
    org_id: key,
    api_id: key,
    visibility: word<"public" | "signed_in" | "invited">(),
    /** JSON arrays: e-mail addresses and domains, and tags of developers. */
    invited: text,
    invited_tags: text,
  },
  /** Documents that catalogue entries name. */
  portal_documents: {
    org_id: key,
    id: key,
    api_id: text,
    doc_type: text,
    /** Base64, as it came. */
    documentation: text,
    date_created: text,
  },
  portal_configurations: { org_id: key, id: text, document: text },
  credentials: {
    org_id: key,
    key_id: key,
    kind: word<"token" | "basic" | "oauth">(),
    secret_hash: textOrNull,
    state: word<"active" | "suspended" | "revoked">(),
    developer_id: text,
    request_id: text,
    plans: text,
    /** The mask of the key in lists. */
    mask: text,
    attempt_id: text,
    issued_at: text,
    issued_by: text,
    /** From this instant on it opens nothing; null: it does not expire. */
    expires_at: textOrNull,
    /** When and why the state is what it is; null since it was issued. */
    state_changed_at: textOrNull,
    state_reason: textOrNull,
    /** The key id that took over at a rotation. */
    replaced_by: textOrNull,
    /** How key_id was made; murmur: imported keys no one used yet; see also CONDITIONAL. */
    algorithm: word<"sha256" | "sha256-conditions" | "murmur64" | "murmur128">(),
    /** From this instant on an imported key that was never used opens nothing. */
    use_before: textOrNull,
    /** From when on its quotas are counted; null: from issued_at. */
    quota_from: textOrNull,
    /** The key id that it was imported under, once key_id is another. */
    imported_as: textOrNull,
    /** How an unused token's text may have been wrapped where it came from; weak: it is short. */
    wrapped_by: textOrNull,
    weak: textOrNull,
    /** Its labels, note for administrators alone; null: not set. */
    name: textOrNull,
    environment: textOrNull,
    note: textOrNull,
    /** A JSON array; null: none. */
    tags: textOrNull,
    /** JSON text of what it was granted on; null: nothing but its plans and its end. */
    conditions: textOrNull,
    /** When people said when it ends; null: its plans say. */
    end_chosen_at: textOrNull,
    /** When people want to look at it again, as its conditions say. */
    review_at: textOrNull,
    /** The key id that its quotas are counted under; null: its own. */
    quota_key: textOrNull,
    checksum,
  },
  /** Suspended keys whose own developers suspended them. */
  own_suspensions: { org_id: key, key_id: key },
  credential_uses: { org_id: key, key_id: key, last_used_at: text },
  /**
   * The parts of a key's quota that nodes were given; `period`: the millisecond in which it begins.
   */
  quota_uses: {
    org_id: key,
    key_id: key,
    plan_id: key,
    period: keyOf(integer),
    used: integer,
    /** The share of it, in per cent, that was last reported; null: none. */
    told: textOrNull,
    /** Since when all of it is used up; null: it is not, or earlier code did not note it. */
    used_up_at: textOrNull,
  },
  oauth_tokens: {
    org_id: key,
    /** Lower-case hex SHA-256 of the token. */
    hash: key,
    /** The client's credential. */
    key_id: text,
    /** The client's id as it presented it. */
    client_id: textOrNull,
    issued_at: text,
    expires_at: text,
  },
  idempotent_answers: {
    org_id: key,
    scope: key,
    fingerprint: text,
    answer: textOrNull,
    expires_at: text,
  },
  audit_events: {
    org_id: key,
    id: key,
    at: text,
    actor: text,
    action: text,
    object: text,
    object_id: text,
    detail: text,
    /** How and from where it was done; each "" where there was none. */
    token_id: text,
    session: text,
    request_id: text,
    /** The id that the caller gave the call; "" in rows of earlier code. */
    caller_request_id: text,
    client_address: text,
    /** The personal values in `detail`, by their places there. */
    personal: text,
    /** The hash of the content, hex; null in rows of earlier code. See audit-content.ts. */
    content_hash: textOrNull,
    /** JSON texts: the salts of personal values, and the salted hashes of erased ones. */
    salts: text,
    erased: text,
    /** The row's place in its organisation's log; null until it is taken in. */
    leaf_index: integerOrNull,
  },
  list_counts: {
    org_id: key,
    list: key,
    level: keyOf(integer),
    bucket: key,
    shard: keyOf(integer),
    n: integer,
  },
  certificates: {
    org_id: key,
    /** SHA-256 of the certificate; its id is org_id and this together. */
    fingerprint: key,
    /** The order of addition: unique in its organisation, never given twice, with gaps. */
    position: integer,
    /** 2 with a private key, plus 1 for an authority; see certificate.ts. */
    kind: integer,
    /** Whole seconds, `Z`; a bare public key's "" and "~", sorted before and after every time. */
    not_before: text,
    not_after: text,
    /** The subject's common name in lower case, cut to what an index takes. */
    subject_key: text,
    /** JSON text of the item: see stored-certificate.ts. */
    head: text,
    tail: text,
    details: text,
    /** The searched text, in lower case, one value a line. */
    search: text,
    /** By what code before this named its renewals; "" in what is added since. */
    names: unsortedOrNull,
    /** The hash of what it is renewed by; "": of nothing; null: not known yet. */
    renewal_names: textOrNull,
    /** Its owner: an e-mail address; null: none. */
    owner: unsortedOrNull,
    /** JSON list of texts; null: none. */
    tags: unsortedOrNull,
  },
  certificate_files: {
    org_id: key,
    fingerprint: key,
    /** Base64 of the DER. */
    certificate: text,
    /** Base64 of the DER of each certificate of the chain, one a line. */
    chain: text,
    /** Sealed base64 of the PKCS#8 DER. */
    private_key: sealed(textOrNull),
  },
  /** SQLite only. */
  certificate_search: { rowid: integer, text: text, org: text, pk: text, ca: text },
  invalidations: {
    position: keyOf(integer),
    org_id: text,
    kind: word<"key" | "plan">(),
    object_id: text,
    at: text,
  },
  /** One row, id 1: the position of the newest invalidation. */
  invalidation_counter: { id: keyOf(integer), position: integer },
  /**
   * PostgreSQL only. Marks of the newest transactions; `kept` 1: it was committed, 0: it was given
   * up and never will be.
   */
  commits: { id: key, kept: integer, at: text },
  sealing_keys: { version: keyOf(integer), check_value: text },
  schema_versions: { version: keyOf(integer), name: text, oldest_code: integer, applied_at: text },
} satisfies Tables;

/** The tables, as Kysely sees them. */
export interface Database extends TypesOf<typeof tables> {}

/** A row of a table as it is read. */
export type StoredRow<T extends keyof Database> = Selectable<Database[T]>;
