/** What of an organisation belongs to its desk and travels with it. */

/** Tables whose rows travel, in the order in which they are put into another desk. */
export const deskTables = {
  organisations: { scope: "id", key: [], columns: ["name"], holds: "the organisation's name" },
  // Without access tokens they open nothing; the other desk's administrators give them new ones.
  users: {
    key: ["id"],
    columns: [
      "id",
      "name",
      "permissions",
      "date_created",
      "deactivated_at?",
      "suspended_at?",
      "email?",
      "covers?",
    ],
    holds: "people",
    isApart: true,
  },
  branding: { key: [], columns: ["document"], holds: "the brand" },
  plans: {
    key: ["id"],
    columns: [
      "id",
      "given_id",
      "name",
      "auth_type",
      "document",
      "date_created",
      "deleted_at?",
      "expiry_applies_to?",
      "max_keys#?",
    ],
    holds: "plans",
  },
  portal_configurations: {
    key: [],
    columns: ["id", "document"],
    holds: "the portal's configuration",
  },
  catalogues: { key: [], columns: ["id", "email", "revision#"], holds: "the catalogue" },
  catalogue_entries: {
    key: ["position#"],
    columns: ["position#", "api_id", "policy_id", "document"],
    holds: "catalogue entries",
  },
  portal_documents: {
    key: ["id"],
    columns: ["id", "api_id", "doc_type", "documentation", "date_created"],
    holds: "documents of the catalogue",
  },
  // Not by the position itself, which is the store's: the order is what travels.
  certificates: {
    key: ["position#"],
    columns: [
      "fingerprint",
      "kind#",
      "not_before",
      "not_after",
      "subject_key",
      "head",
      "tail",
      "details",
      "search",
      "owner?",
      "tags?",
    ],
    holds: "certificates",
    isOrdered: true,
  },
  certificate_files: {
    key: ["fingerprint"],
    columns: ["fingerprint", "certificate", "chain", "private_key?"],
    holds: "the files of certificates",
  },
  developers: {
    key: ["id"],
    columns: [
      "id",
      "email_key",
      "document",
      "secrets?",
      "date_created",
      "instant",
      "password_hash?",
      "own_password?",
      "inactive#",
      "sso_key_shared",
      "email_shared",
      "tags?",
    ],
    holds: "developers",
  },
  developer_emails: {
    key: ["id"],
    columns: [
      "id",
      "state",
      "cause",
      "address",
      "previous",
      "changed_at",
      "changed_by",
      "asked_at",
    ],
    holds: "what is known of developers' addresses",
  },
  verified_emails: {
    key: ["id"],
    columns: ["id", "email_key", "address", "verified_at"],
    holds: "which of developers' addresses are verified",
  },
  developer_choices: {
    key: ["id"],
    columns: ["id", "language", "quota_mails#", "end_mails#"],
    holds: "which mails developers chose",
  },
  credentials: {
    key: ["key_id"],
    columns: [
      "key_id",
      "kind",
      "secret_hash?",
      "state",
      "developer_id",
      "request_id",
      "plans",
      "mask",
      "attempt_id",
      "issued_at",
      "issued_by",
      "expires_at?",
      "state_changed_at?",
      "state_reason?",
      "replaced_by?",
      "algorithm",
      "use_before?",
      "quota_from?",
      "imported_as?",
      "wrapped_by?",
      "weak?",
      "name?",
      "environment?",
      "note?",
      "tags?",
      "conditions?",
      "end_chosen_at?",
      "review_at?",
      "quota_key?",
    ],
    holds: "keys, user names and OAuth clients",
  },
  key_requests: {
    key: ["id"],
    columns: [
      "id",
      "state",
      "approved#",
      "by_user",
      "instant",
      "for_plan",
      "head",
      "tail",
      "sent_developer?",
      "sent_entry?",
      "sent_catalogues",
      "secrets?",
      "issued_at?",
      "issued_by?",
      "decided_at?",
      "decided_by?",
      "decision_reason?",
      "message?",
      "granted?",
      "offer?",
      "decided_on?",
      "asked_end?",
      "policy?",
      "added_words?",
      "reminded_at?",
      "assignee?",
      "expires_at?",
      "due_at?",
    ],
    holds: "key requests",
  },
  request_comments: {
    key: ["request_id", "id"],
    columns: [
      "request_id",
      "id",
      "author",
      "at",
      "words?",
      "mentions",
      "removed_at?",
      "removed_by?",
    ],
    holds: "comments on key requests",
  },
  claims: {
    key: ["id"],
    columns: [
      "id",
      "hash",
      "state",
      "secret?",
      "key_id",
      "request_id",
      "access_token_id",
      "created_by",
      "created_at",
      "expires_at",
      "closed_at?",
      "email?",
    ],
    // Those of access tokens stay behind with the tokens.
    only: ["access_token_id", ""],
    holds: "claim links",
  },
  plan_accesses: {
    key: ["developer_id", "plan_id"],
    columns: ["developer_id", "plan_id", "granted_at", "ends_at?"],
    holds: "until when developers have access to plans",
  },
  credential_uses: {
    key: ["key_id"],
    columns: ["key_id", "last_used_at"],
    holds: "when keys were last used",
  },
  quota_uses: {
    key: ["key_id", "plan_id", "period#"],
    columns: ["key_id", "plan_id", "period#", "used#", "told?", "used_up_at?"],
    holds: "what is used of quotas",
  },
  usage_hours: { ...usage(), holds: "use by the hour" },
  usage_days: { ...usage(), holds: "use by the day" },
  usage_erasures: {
    key: ["key_id"],
    columns: ["key_id"],
    holds: "keys whose use is being erased",
  },
  leaks: {
    key: ["object_id"],
    columns: [
      "object",
      "object_id",
      "action",
      "reported_at",
      "reported_by",
      "url",
      "dismissed_at?",
      "dismissed_by?",
    ],
    only: ["object", "credential"],
    holds: "keys that leaked",
  },
  alert_settings: { key: [], columns: ["days", "at_end#"], holds: "when is told of ends" },
  certificate_renewals: {
    key: ["fingerprint", "renewal"],
    columns: ["fingerprint", "renewal", "renews#", "said_by", "said_at"],
    holds: "renewals of certificates that people named",
  },
  alert_mutes: {
    key: ["object", "object_id"],
    columns: ["object", "object_id", "reason", "muted_by", "muted_at", "expires_at"],
    holds: "muted alerts",
  },
  delivery_targets: {
    key: ["id"],
    columns: [
      "id",
      "kind",
      "name",
      "config",
      "topics",
      "secrets?",
      "old_secret_until?",
      "state",
      "state_reason",
      "state_changed_at",
      "created_at",
    ],
    holds: "targets of deliveries",
  },
  views: {
    key: ["id"],
    columns: [
      "id",
      "list",
      "name",
      "owner",
      "shared#",
      "query",
      "created_at",
      "changed_at",
    ],
    holds: "saved views",
  },
  list_columns: {
    key: ["user_id", "list"],
    columns: ["user_id", "list", "columns"],
    holds: "the columns that people chose",
  },
} as const satisfies Readonly<Record<string, TableShape>>;

interface TableShape {
  /** The column that holds the organisation; absent: org_id. */
  scope?: string;
  /** What besides the organisation makes the primary key, or another order that is unique. */
  key: readonly string[];
  /**
   * What travels: `name` a text, `name?` a text or null, `name#` an integer, `name#?` that or null.
   */
  columns: readonly string[];
  /** Only rows with this value in this column. */
  only?: readonly [column: string, value: string];
  /** What its rows are, for people. */
  holds: string;
  /** True: the order of the rows is a part of what they say. */
  isOrdered?: boolean;
  /** True: no desk is without such rows of its own, so they don't count in its digest. */
  isApart?: boolean;
}

/** A table that travels. */
export type DeskTable = keyof typeof deskTables;

/** The shape of one. */
export function shapeOf(table: DeskTable): TableShape {
  return deskTables[table];
}

/** All of them, in their order. */
// as: the keys of exactly this object.
export const deskTableNames = Object.keys(deskTables) as readonly DeskTable[];

/** A name out of `columns` or `key` without what says its type. */
export function columnName(word: string): string {
  return word.replace(/#?\??$/, "");
}

/** A row that travels: what was sealed is open. Absent members are null. */
export type DeskRow = Readonly<Record<string, string | number | null>>;

/** Rows that travel together, by table. */
export type DeskRows = Readonly<Partial<Record<DeskTable, readonly DeskRow[]>>>;

/** What travels of use, by the hour and by the day. */
function usage() {
  return {
    key: ["kind", "object_id", "begins#", "plan_id", "api_id"],
    columns: [
      "kind",
      "object_id",
      "begins#",
      "plan_id",
      "api_id",
      "success#",
      "error_401#",
      "error_403#",
      "error_429#",
      "refused_unknown#?",
      "refused_revoked#?",
      "refused_suspended#?",
      "refused_damaged#?",
      "refused_expired#?",
      "refused_unknown_plan#?",
      "refused_plan_inactive#?",
      "refused_wrong_api#?",
      "refused_address#?",
      "refused_address_unknown#?",
      "refused_over_rate#?",
      "refused_over_quota#?",
      "refused_unsure#?",
      "last_hit",
    ],
  } as const;
}
