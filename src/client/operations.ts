// Written by `npm run generate` from the contract; change it there.

export interface AcceptedCredential {
  valid: true;
  key_id: string;
  mask: string;
  kind: "token" | "basic" | "oauth";
  /** The plans in force. */
  plans: string[];
  /** The tags of those plans. */
  tags: string[];
  developer_id: string;
  /** In lower case; empty where nobody knows it. */
  developer_email: string;
  expires_at: string | null;
  rate: Limit | null;
  quota: Limit | null;
}

export interface AccessCredential {
  id: string;
  person_id: string;
  name: string;
  state: "active" | "suspended" | "expired" | "revoked";
  permissions: ("portal:read" | "portal:write" | "certs:read" | "certs:write" | "plans" | "approve" | "revoke" | "verify" | "secrets" | "audit" | "metrics" | "admin" | "operator")[];
  scope: ("portal:read" | "portal:write" | "certs:read" | "certs:write" | "plans" | "approve" | "revoke" | "verify" | "secrets" | "audit" | "metrics" | "admin" | "operator")[] | null;
  date_created: string;
  expires_at: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
  /** Who issued it for somebody else: a person's id, or `operator`. */
  issued_by: string | null;
  addresses: string[] | null;
  ends_soon: boolean;
  last_used_at: string | null;
  last_used_from: string | null;
  /** When it was reported as leaked, and by whom; null: it was not. */
  leaked: LeakMark | null;
}

export interface AccessCredentialAddresses {
  /** Empty: from everywhere. */
  addresses: string[];
}

export interface AccessCredentialInput {
  name: string;
  /** Absent: it does not end by itself, or with the longest life that the server allows. */
  expires_at?: string;
  /** Absent: whatever the person holds. */
  scope?: ("portal:read" | "portal:write" | "certs:read" | "certs:write" | "plans" | "approve" | "revoke" | "verify" | "secrets" | "audit" | "metrics" | "admin" | "operator")[];
  /** `claim`: a link that hands the access token over, once; the default for somebody else's. `answer`: in this answer; the default for one's own. */
  deliver?: "claim" | "answer";
  /** Addresses and networks such as `10.0.0.0/8` from which alone it opens something, the caller's own among them. Absent or empty: from everywhere. */
  addresses?: string[];
}

export interface AccessCredentialList {
  data: AccessCredential[];
  next_cursor: string | null;
}

export interface ActivityEvent {
  id: string;
  at: string;
  actor: string;
  actor_name: string;
  action: string;
  object: string;
  object_id: string;
  /** What the thing was called then: a key's mask, a plan's or certificate's name. */
  object_name: string;
  /** Whose it was: the name, else the e-mail address. */
  developer_name: string;
  /** For which plan, or plans. */
  plan_name: string;
  detail: Record<string, Json>;
  /** The access token, also where a session stood for it. */
  token_id: string;
  /** What the access token is called. */
  token_name: string;
  session: string;
  /** Our id of the call, as the access log has it. */
  request_id: string;
  /** The `X-Request-Id` that the caller gave the call; empty where it gave none. */
  caller_request_id: string;
  /** As `KEYDESK_AUDIT_ADDRESSES` lets it stand. */
  client_address: string;
}

export interface ActivityList {
  data: ActivityEvent[];
  next_cursor: string | null;
}

export interface ActivityProof {
  org_id: string;
  /** The row as it stands now, in the form of `keydesk export audit --proof`. */
  event: {
    org_id: string;
    id: string;
    at: string;
    actor: string;
    action: string;
    object: string;
    object_id: string;
    detail: Record<string, Json>;
    personal: Record<string, string>;
    token_id: string;
    session: string;
    request_id: string;
    client_address: string;
    /** Absent where the caller gave the call none. */
    caller_request_id?: string;
    salts: Record<string, string>;
    erased: Record<string, string>;
  };
  /** How the row came into the log; `waiting`: it is not in a signed head yet. */
  kind: "written" | "upgrade" | "older" | "waiting";
  /** Its place in the log, from 0; null: none yet. */
  leaf_index: number | null;
  /** The hash that the log has of it; empty: none yet. */
  leaf_hash: string;
  /** How many entries the head has that it is proved against. */
  tree_size: number;
  /** The hashes beside the way to the root, from the leaf up. */
  audit_path: string[];
  /** That head, signed; empty before the first. */
  checkpoint: string;
  /** When it was signed; empty before the first. */
  checkpoint_at: string;
  /** Who may have signed, as `keydesk audit head --keys` prints it. */
  keys: string[];
}

export interface AlertReport {
  object: "certificate" | "key";
  id: string;
  ends_at: string | null;
  /** Who cares for a certificate; null for keys. */
  owner: string | null;
  /** `What was sent?` where anything arrived. */
  title: string;
  /** What decided about the newest alert. */
  verdict: "no_end" | "revoked" | "no_rules" | "not_due" | "not_told" | "renewed" | "no_recipient" | "target_paused" | "muted" | "waiting" | "delivery_failed" | "host_not_named" | "told";
  decided_by: "due" | "renewed" | "targets" | "mute" | "sending";
  /** The verdict as a sentence. */
  answer: string;
  /** True: somebody should do something. */
  needs_attention: boolean;
  next_alert: {
    at: string;
    /** Days before the end; 0: the end itself. */
    days: number;
  } | null;
  /** True: a mute lasts until after the next alert. */
  held_back: boolean;
  last_alert: {
    at: string;
    /** Days before the end; 0: the end itself. */
    days: number;
  } | null;
  renewed_by: string | null;
  mute: {
    until: string;
    reason: string;
    muted_at: string;
    /** The person's name. */
    muted_by: string;
  } | null;
  /** In the order in which they run, up to the one that decided. */
  rules: ({
    rule: "due" | "renewed" | "targets" | "mute" | "sending";
    result: "passed" | "decided" | "not_reached";
    says: string;
  })[];
  /** Who wants such alerts, 100 at the most. */
  targets: ({
    id: string;
    name: string;
    kind: "webhook" | "mail";
    /** False: it sends mails, and nobody has an address. */
    has_recipient: boolean;
    state: "active" | "paused";
    paused_since: string | null;
    /** Of the newest alert. */
    delivery_id: string | null;
    delivery: "waiting" | "delivered" | "dead" | null;
    ended_at: string | null;
    /** Why the newest try failed. */
    error: string;
  })[];
}

export interface AlertRules {
  /** Days before an end at which it is told of; empty: at none. */
  days: number[];
  /** Whether it is told of the end itself. */
  at_end: boolean;
}

export interface AlertRulesInput {
  /** Days before an end at which it is told of; empty: at none. */
  days: number[];
  /** Whether it is told of the end itself. */
  at_end: boolean;
}

export interface ApiList {
  apis: ({
    api_definition: {
      api_id: string;
      name: string;
      id: string;
      active: boolean;
    };
  })[];
  pages: number;
}

export interface Approval {
  RawKey: string;
  Password: string;
  client_id?: string;
  secret?: string;
  policy_id?: string;
  redirect_uri?: string;
}

export interface Approvals {
  data: ({
    id: string;
    approved: boolean;
    key_id: string | null;
    claim: ClaimLink | null;
    error: {
      code: string;
      detail: string;
    } | null;
  })[];
}

export interface ApproveInput {
  /** `claim`: a link that hands the credential over, instead of itself. */
  deliver?: "claim" | "answer";
  reason?: string;
  /** When the key ends, in the future; absent: as its plans say (`key_expires_in`). */
  expires_at?: string;
  /** What it is called, up to 100 characters. */
  name?: string;
  /** Where it is used, such as production or test, up to 50 characters. */
  environment?: string;
  /** For administrators, up to 2,000 characters; no developer sees it. */
  note?: string;
  /** Up to 10 words, each of up to 50 characters. */
  tags?: string[];
}

export interface ApproveManyInput {
  requests: ({
    id: string;
    /** The `revision` that the request had when it was read. */
    revision: string;
  })[];
  reason?: string;
  /** When the key ends, in the future; absent: as its plans say (`key_expires_in`). */
  expires_at?: string;
}

export interface Branding {
  /** Empty: the organisation's own name. */
  name?: string;
  /** A square picture as a `data:` URL, at most 64 KiB. */
  logo?: string;
  /** Of buttons. Darkened where white on it could not be read. */
  colour?: string;
  /** Whom people write to when something is wrong. */
  support?: string;
  /** Where your APIs are described. */
  documentation?: string;
  /** Where your gateway answers; calls are shown with it. */
  base_url?: string;
  /** The header that your gateway takes keys in. */
  key_header?: string;
}

export interface BundleAdded {
  added: number;
  exists: number;
  refused: number;
  results: ({
    index: number;
    line?: number;
    result: "added" | "exists" | "refused";
    id?: string;
    subject_cn?: string;
    reason?: string;
    message?: string;
  })[];
}

export interface Busiest {
  /** The first day. */
  from: string;
  /** The last day. */
  to: string;
  all: {
    /** Calls that were let in. */
    success: number;
    /** Calls over the rate or the quota. */
    limited: number;
    /** Calls that were refused for another reason. */
    refused: number;
    /** Let in in the 30 days before. */
    before: number;
  };
  plans: ({
    id: string;
    name: string;
    /** Calls that were let in. */
    success: number;
    /** Calls over the rate or the quota. */
    limited: number;
    /** Calls that were refused for another reason. */
    refused: number;
    /** Let in in the 30 days before. */
    before: number;
    /** Calls let in, a number for each day, the oldest first. */
    days: number[];
  })[];
  keys: ({
    key_id: string;
    mask: string;
    /** What people call it; empty: nobody said. */
    name: string;
    developer_id: string;
    developer_email: string | null;
    /** The field `name` of the developer; empty where there is none. */
    developer_name: string;
    /** Calls that were let in. */
    success: number;
    /** Calls over the rate or the quota. */
    limited: number;
    /** Calls that were refused for another reason. */
    refused: number;
    /** The share of what its plan's quota lets in within 30 days; null: it has none, or several plans. */
    of_quota: number | null;
  })[];
  silent: {
    count: number;
    keys: ({
      key_id: string;
      mask: string;
      /** What people call it; empty: nobody said. */
      name: string;
      developer_id: string;
      developer_email: string | null;
      /** The field `name` of the developer; empty where there is none. */
      developer_name: string;
      plans: string[];
      /** When it was last used; never: when it was issued. */
      since: string;
    })[];
  };
}

export interface Caller {
  person: {
    id: string;
    name: string;
  };
  organisation: {
    id: string;
    name: string;
  };
  permissions: ("portal:read" | "portal:write" | "certs:read" | "certs:write" | "plans" | "approve" | "revoke" | "verify" | "secrets" | "audit" | "metrics" | "admin" | "operator")[];
  credential: {
    id: string;
    name: string;
    expires_at: string | null;
  };
}

export interface CaredCertificate {
  id: string;
  dns_names: string[];
  has_private: boolean;
  is_ca: boolean;
  issuer_cn: string;
  subject_cn: string;
  not_after: string;
  not_before: string;
  fingerprint: string;
  serial_number: string;
  issuer: DistinguishedName;
  subject: DistinguishedName;
  key_algorithm: string;
  key_size: number;
  signature_algorithm: string;
  ip_addresses: string[];
  uris: string[];
  email_addresses: string[];
  chain_length: number;
  date_created: string;
  path_length: number | null;
  status: "valid" | "expiring" | "expired" | "not_yet_valid";
  days_left: number | null;
  /** The e-mail address of who cares for it; empty: nobody. */
  owner: string;
  tags: string[];
  /** The id of the certificate of the same names that ends last and later. */
  renewed_by: string | null;
}

export interface Catalogue {
  id: string;
  org_id: string;
  apis: LiveCatalogueEntry[];
  email: string;
}

export interface CatalogueApi {
  /** What gateways call it when they ask whether a key opens it. */
  id: string;
  /** Its entries' name; where they are named one by one, what its plans call it. */
  name: string;
  short_description: string;
  long_description: string;
  documentation: string;
  version: string;
  /** Whether portals show it. Its keys open it either way. */
  show: boolean;
  plans: OfferedPlan[];
  /** What `ETag` and `If-Match` hold, without the quotes. */
  revision: string;
}

export interface CatalogueApiDeleted {
  id: string;
}

export interface CatalogueApiList {
  data: CatalogueApi[];
  next_cursor: string | null;
}

export interface CatalogueApis {
  data: ({
    /** What `api` of a list of key requests takes. */
    id: string;
    name: string;
    plans: ({
      id: string;
      /** Empty where there is no such plan. */
      name: string;
    })[];
  })[];
}

export interface CatalogueEntry {
  name: string;
  short_description: string;
  long_description: string;
  show: boolean;
  api_id: string;
  policy_id: string;
  documentation: string;
  version: string;
  is_keyless: boolean;
  config: {
    id: string;
    org_id: string;
    signup_fields: Json[];
    key_request_fields: Json[];
    require_key_approval: boolean;
    redirect_on_key_request: boolean;
    redirect_to: string;
    enable_multi_selection: boolean;
    disable_login: boolean;
    disable_signup: boolean;
    disable_auto_login: boolean;
    catalogue_login_only: boolean;
    oauth_usage_limit: number;
    email: string;
    mail_options: {
      mail_from_name: string;
      mail_from_email: string;
      email_copy: {
        welcome_email: {
          enabled: boolean;
          subject: string;
          body: string;
          sign_off: string;
          hide_token_data: boolean;
        };
        key_email: {
          enabled: boolean;
          subject: string;
          body: string;
          sign_off: string;
          hide_token_data: boolean;
        };
        reset_password_email: {
          enabled: boolean;
          subject: string;
          body: string;
          sign_off: string;
          hide_token_data: boolean;
        };
      };
    };
    override: boolean;
    HashKeys: boolean;
  };
  fields: Record<string, Json>;
  auth_type: string;
}

export interface CatalogueEntryInput {
  name?: string;
  short_description?: string;
  long_description?: string;
  show?: boolean;
  api_id?: string;
  policy_id?: string;
  documentation?: string;
  version?: string;
  is_keyless?: boolean;
  config?: {
    id?: string;
    org_id?: string;
    signup_fields?: Json[];
    key_request_fields?: Json[];
    require_key_approval?: boolean;
    redirect_on_key_request?: boolean;
    redirect_to?: string;
    enable_multi_selection?: boolean;
    disable_login?: boolean;
    disable_signup?: boolean;
    disable_auto_login?: boolean;
    catalogue_login_only?: boolean;
    oauth_usage_limit?: number;
    email?: string;
    mail_options?: {
      mail_from_name?: string;
      mail_from_email?: string;
      email_copy?: {
        welcome_email?: {
          enabled?: boolean;
          subject?: string;
          body?: string;
          sign_off?: string;
          hide_token_data?: boolean;
        };
        key_email?: {
          enabled?: boolean;
          subject?: string;
          body?: string;
          sign_off?: string;
          hide_token_data?: boolean;
        };
        reset_password_email?: {
          enabled?: boolean;
          subject?: string;
          body?: string;
          sign_off?: string;
          hide_token_data?: boolean;
        };
      };
    };
    override?: boolean;
    HashKeys?: boolean;
  };
  fields?: Record<string, Json>;
  auth_type?: string;
}

export interface CatalogueInput {
  id?: string;
  org_id?: string;
  apis?: LiveCatalogueEntryInput[];
  email?: string;
}

export interface CertificateAdded {
  id: string;
  message: "Certificate added";
  status: "ok";
}

export interface CertificateBasics {
  id: string;
  dns_names: string[];
  has_private: boolean;
  is_ca: boolean;
  issuer_cn: string;
  subject_cn: string;
  not_after: string;
  not_before: string;
}

export interface CertificateCare {
  owner?: string;
  tags?: string[];
}

export interface CertificateCounts {
  total: number;
  with_private: number;
  authorities: number;
  /** Each certificate stands in one of them. */
  bands: {
    expired: number;
    within_7_days: number;
    /** But not within 7 days; so on. */
    within_30_days: number;
    within_90_days: number;
    later: number;
    /** Bare public keys. */
    never: number;
  };
  /** By the month (UTC) in which they end: the present one and 23 more. */
  timeline: {
    before: number;
    months: ({
      month: string;
      certificates: number;
    })[];
    after: number;
  };
}

export interface CertificateDeleted {
  id: string;
}

export interface CertificateDetails {
  id: string;
  dns_names: string[];
  has_private: boolean;
  is_ca: boolean;
  issuer_cn: string;
  subject_cn: string;
  not_after: string;
  not_before: string;
  fingerprint: string;
  serial_number: string;
  issuer: DistinguishedName;
  subject: DistinguishedName;
  key_algorithm: string;
  key_size: number;
  signature_algorithm: string;
  ip_addresses: string[];
  uris: string[];
  email_addresses: string[];
  chain_length: number;
  date_created: string;
  path_length: number | null;
  status: "valid" | "expiring" | "expired" | "not_yet_valid";
  days_left: number | null;
}

export interface CertificateDetailsList {
  certificates: CertificateDetails[];
  pages: number;
  capped?: true;
}

export type CertificateList = {
  certs: string[];
  cert_basics: CertificateBasics[];
  pages: number;
  capped?: true;
} | {
  cert_basics: CertificateDetails[];
  pages: number;
  capped?: true;
} | {
  certs: string[];
  pages: number;
} | {
  cert_basics: CertificateBasics[];
  pages: number;
};

export interface CertificateRelative {
  id: string;
  subject_cn: string;
  /** The common name, else another name, else unit and organisation; empty where it has none. */
  name: string;
  not_after: string;
  /** Whether it is a certificate of the list itself. */
  stored: boolean;
}

export interface CertificateRemoved {
  message: "removed";
  status: "ok";
}

export interface CertificateUses {
  policies: ({
    id: string;
    name: string;
  })[];
  /** Key ids, up to 1,000, without revoked ones. */
  keys: string[];
  /** API ids. */
  apis: string[];
}

export interface CertificatesUploaded {
  added: number;
  key_added: number;
  exists: number;
  refused: number;
  results: ({
    index: number;
    line?: number;
    result: "added" | "key_added" | "exists" | "refused";
    id?: string;
    subject_cn?: string;
    /** Why it was refused, such as `passphrase_required` or `malformed`. */
    reason?: string;
    message?: string;
  })[];
}

export interface Claim {
  id: string;
  state: "open" | "opened" | "expired" | "withdrawn";
  request_id: string;
  key_id: string;
  /** What it hands over where that is no key; else empty. */
  access_token_id: string;
  created_by: string;
  created_at: string;
  expires_at: string;
  closed_at: string | null;
}

export interface ClaimLink {
  id: string;
  link: string;
  expires_at: string;
}

export interface ClaimList {
  data: Claim[];
  next_cursor: string | null;
}

export interface ClaimPreview {
  kind: "key" | "oauth_client" | "access_token";
  organisation: {
    /** Empty: the organisation's own name. */
    name?: string;
    /** A square picture as a `data:` URL, at most 64 KiB. */
    logo?: string;
    /** Of buttons. Darkened where white on it could not be read. */
    colour?: string;
    /** Whom people write to when something is wrong. */
    support?: string;
    documentation: string;
  };
  /** Whose it is; empty members where nobody knows. */
  recipient: {
    name: string;
    email: string;
  };
  /** What the key is called; empty: nobody said. */
  name: string;
  /** Where the key is used, such as production; may be empty. */
  environment: string;
  plans: ({
    id: string;
    name: string;
    /** What its keys open, by name. */
    apis: string[];
    rate: number;
    per: number;
    quota_max: number;
    quota_renewal_rate: number;
  })[];
  /** Where the gateway answers; empty where nobody has said. */
  base_url: string;
  key_header: string;
  created_at: string;
  /** Until when the link opens anything. */
  expires_at: string;
  /** From when on what it hands over is over. */
  ends_at: string | null;
}

export interface ConfirmEmailInput {
  email: string;
}

export interface CreateDeveloperInput {
  id?: string;
  email: string;
  fields?: Record<string, Json>;
}

export interface CreateKeyRequestInput {
  key?: string;
  for_plan?: string;
  apply_policies?: string[];
  remove_policies?: string[];
  fields?: Record<string, string>;
  jwt_secret?: string;
  certificate?: string;
  oauth_info?: {
    redirect_uri?: string;
  };
  by_user: string;
}

export interface CreatePlanInput {
  _id?: string;
  id?: string;
  name?: string;
  active?: boolean;
  rate?: number;
  per?: number;
  quota_max?: number;
  quota_renewal_rate?: number;
  access_rights?: Record<string, Record<string, Json>>;
  auth_type?: string;
  tags?: string[];
  key_expires_in?: number;
  /** What is done about a key of it that is reported as leaked. */
  when_leaked?: "tell" | "suspend" | "revoke";
}

export interface CreateViewInput {
  list: ViewedList;
  /** Another one than your other views of this list have. */
  name: string;
  /** Filters, search and order by the names that the console's address has for them. */
  query?: Record<string, string>;
  /** The columns that it shows; absent: whichever one has chosen. */
  columns?: string[];
  /** True: everybody of the organisation who may read the list has it. */
  shared?: boolean;
}

export interface CreatedOrganisation {
  id: string;
  name: string;
  date_created: string;
  administrator: {
    person_id: string;
    credential_id: string;
    credential: string;
  };
}

export interface CredentialQuestion {
  /** A key, or an OAuth access token. */
  key?: string;
  username?: string;
  password?: string;
  /** The API that is called; absent: any. */
  api_id?: string;
  /** The same, as forward-auth calls it. */
  api?: string;
}

export interface DeactivateDeveloperInput {
  keys: "keep" | "suspend" | "revoke";
}

export interface DeclineInput {
  reason?: string;
}

export interface DeclineManyInput {
  ids: string[];
  reason?: string;
}

export interface DeclineReasonInput {
  reason: string;
}

export interface Declines {
  data: ({
    id: string;
    declined: boolean;
    error: {
      code: string;
      detail: string;
    } | null;
  })[];
}

export interface DeletedDeveloper {
  /** Which deletion: an id may be deleted, taken and deleted. */
  deletion: string;
  id: string;
  email: string;
  fields: Record<string, Json>;
  deleted_at: string;
  /** The person whose access token deleted them. */
  deleted_by: string;
  /** Keys that were shut with them, and come back too. */
  keys: number;
  /** Then they are forgotten, and their keys revoked for good. */
  until: string;
}

export interface DeletedDeveloperList {
  data: DeletedDeveloper[];
  next_cursor: string | null;
}

export interface Delivery {
  /** The `webhook-id` that it is sent with. */
  id: string;
  target_id: string;
  /** Whom a mail is for; null: the target is told by itself. */
  recipient: {
    kind: "person" | "developer" | "owner" | "previous";
    /** Of the person or developer; an owner's is the certificate's. */
    id: string;
  } | null;
  topic: string;
  object_id: string;
  event_id: string;
  /** When the change was made. */
  event_at: string;
  /** `dead`: it was given up, after 24 hours of tries or since nobody takes it there, until it is replayed. `skipped`: what it would have told was over before. */
  state: "waiting" | "delivered" | "dead" | "skipped";
  /** True: an earlier message of its object goes first. */
  blocked: boolean;
  /** How often it was tried. */
  attempts: number;
  next_try_at: string | null;
  /** When it was delivered or given up. */
  ended_at: string | null;
}

export interface DeliveryCounts {
  /** Messages that were given up; 1,000: so many or more. */
  dead: number;
  dead_by_target: ({
    target_id: string;
    dead: number;
    /** Of the newest one's last try; 0: no answer. */
    status: number;
    /** Why there was none. */
    error: string;
  })[];
}

export interface DeliveryList {
  data: Delivery[];
  next_cursor: string | null;
}

export interface DeliveryWithAttempts {
  /** The `webhook-id` that it is sent with. */
  id: string;
  target_id: string;
  /** Whom a mail is for; null: the target is told by itself. */
  recipient: {
    kind: "person" | "developer" | "owner" | "previous";
    /** Of the person or developer; an owner's is the certificate's. */
    id: string;
  } | null;
  topic: string;
  object_id: string;
  event_id: string;
  /** When the change was made. */
  event_at: string;
  /** `dead`: it was given up, after 24 hours of tries or since nobody takes it there, until it is replayed. `skipped`: what it would have told was over before. */
  state: "waiting" | "delivered" | "dead" | "skipped";
  /** True: an earlier message of its object goes first. */
  blocked: boolean;
  /** How often it was tried. */
  attempts: number;
  next_try_at: string | null;
  /** When it was delivered or given up. */
  ended_at: string | null;
  /** The newest 100, the newest first. */
  tries: ({
    n: number;
    at: string;
    /** 0: there was no answer. */
    status: number;
    duration_ms: number;
    /** Up to 4 KiB of the answer's body. */
    answer: string;
    /** Why there was no answer. */
    error: string;
  })[];
}

export interface Developer {
  id: string;
  email: string;
  date_created: string;
  inactive: boolean;
  org_id: string;
  keys: Record<string, string[]>;
  subscriptions: Record<string, string>;
  fields: Record<string, Json>;
  nonce: string;
  sso_key: string;
  oauth_clients: Record<string, ({
    client_id: string;
    secret: string;
    redirect_uri: string;
    app_description: string;
    use_case: string;
    date_created: string;
  })[]>;
  password_max_days: number;
  password_updated: string;
  PWHistory: Json[];
  last_login_date: string;
}

export interface DeveloperAccountInput {
  id?: string;
  email?: string;
  date_created?: string;
  inactive?: boolean;
  keys?: Record<string, string[]>;
  subscriptions?: Record<string, string>;
  fields?: Record<string, Json>;
  nonce?: string;
  sso_key?: string;
  oauth_clients?: Record<string, ({
    client_id?: string;
    secret?: string;
    redirect_uri?: string;
    app_description?: string;
    use_case?: string;
    /** Absent: 0001-01-01T00:00:00Z. */
    date_created?: string;
  })[]>;
  password_max_days?: number;
  password_updated?: string;
  last_login_date?: string;
  password?: string;
}

export interface DeveloperDeleted {
  id: string;
  revoked_keys: number;
  deleted_requests: number;
  /** Until when somebody with `approve` can bring developer and keys back. */
  undo_until: string;
}

export interface DeveloperDetail {
  id: string;
  email: string;
  /** `proved`: the address is theirs. After a change it is `unproved`; `reached`, once the link that was mailed there was opened; `agreed`, once the address before it, or a person with `approve`, confirmed. Both make it `proved`. Until then no claim is mailed there. */
  email_state: "proved" | "unproved" | "reached" | "agreed";
  /** When the address became what it is; null: they always had it. */
  email_changed_at: string | null;
  /** True: the portal does not let them sign in. */
  inactive: boolean;
  fields: Record<string, Json>;
  date_created: string;
  last_login_date: string | null;
  has_password: boolean;
  /** Key requests in any state; 1000: so many or more. */
  requests: number;
  /** Keys that are not revoked; 1000: so many or more. */
  keys: number;
  /** Keys that were suspended as the developer was deactivated, and are so still; 1000: so many or more. Reactivating with `keys: resume` resumes them. */
  suspended_keys: number;
  /** The newest key for each plan. */
  subscriptions: Record<string, string>;
  /** What `ETag` and `If-Match` hold, without the quotes. */
  revision: string;
}

export interface DeveloperInput {
  id?: string;
  email?: string;
  /** Absent: 0001-01-01T00:00:00Z. */
  date_created?: string;
  inactive?: boolean;
  org_id?: string;
  keys?: Record<string, string[]>;
  subscriptions?: Record<string, string>;
  fields?: Record<string, Json>;
  nonce?: string;
  sso_key?: string;
  oauth_clients?: Record<string, ({
    client_id?: string;
    secret?: string;
    redirect_uri?: string;
    app_description?: string;
    use_case?: string;
    /** Absent: 0001-01-01T00:00:00Z. */
    date_created?: string;
  })[]>;
  password_max_days?: number;
  /** Absent: 0001-01-01T00:00:00Z. */
  password_updated?: string;
  PWHistory?: Json[];
  /** Absent: 0001-01-01T00:00:00Z. */
  last_login_date?: string;
}

export interface DeveloperKeyInput {
  apply_policies: string[];
}

export interface DeveloperList {
  Data: Developer[];
  Pages: number;
}

export interface DeveloperPassword {
  password: string;
}

export interface DeveloperSignIn {
  username: string;
  password: string;
}

export interface DistinguishedName {
  CommonName: string;
  Organization: string[];
  OrganizationalUnit: string[];
  Country: string[];
  Province: string[];
  Locality: string[];
  StreetAddress: string[];
  PostalCode: string[];
  SerialNumber: string;
  Names: ({
    Type: number[];
    Value: string;
  })[];
}

export interface Documentation {
  id: string;
  api_id: string;
  doc_type: string;
  documentation: string;
}

export interface DocumentationInput {
  api_id?: string;
  doc_type?: string;
  documentation?: string;
}

export interface EditCatalogueApiInput {
  name?: string;
  short_description?: string;
  long_description?: string;
  documentation?: string;
  version?: string;
  show?: boolean;
  /** The plans that it is offered by, by either of their ids; others are no longer. */
  plans?: string[];
}

export interface EditDeveloperInput {
  email: string;
  fields?: Record<string, Json>;
}

export interface EditPlanInput {
  name?: string;
  active?: boolean;
  rate?: number;
  per?: number;
  quota_max?: number;
  quota_renewal_rate?: number;
  access_rights?: Record<string, Record<string, Json>>;
  auth_type?: string;
  tags?: string[];
  key_expires_in?: number;
  /** What is done about a key of it that is reported as leaked. */
  when_leaked?: "tell" | "suspend" | "revoke";
}

export interface EmailConfirmationInput {
  token: string;
}

export interface EmailConfirmationPreview {
  /** `new`: the address itself is asked; `old`: the one before it is. */
  side: "new" | "old";
  organisation: {
    /** Empty: the organisation's own name. */
    name?: string;
    /** A square picture as a `data:` URL, at most 64 KiB. */
    logo?: string;
    /** Of buttons. Darkened where white on it could not be read. */
    colour?: string;
    /** Whom people write to when something is wrong. */
    support?: string;
  };
  /** The address; the one before it is told a part of it. */
  email: string;
  changed_at: string;
  expires_at: string;
}

export interface EmailConfirmed {
  /** `new`: the address itself is asked; `old`: the one before it is. */
  side: "new" | "old";
  /** `proved`: the address is theirs. After a change it is `unproved`; `reached`, once the link that was mailed there was opened; `agreed`, once the address before it, or a person with `approve`, confirmed. Both make it `proved`. Until then no claim is mailed there. */
  email_state: "proved" | "unproved" | "reached" | "agreed";
}

export interface Ends {
  keys: {
    /** Those that have ended already. */
    expired: number;
    within_7_days: number;
    /** After the 7 days. */
    within_30_days: number;
    /** After the 30 days. */
    within_90_days: number;
    /** After the 90 days. */
    within_1_year: number;
    /** After the year. */
    later: number;
    /** 16 of equal width on a scale of log(days / 7) from 7 days to 5 years; the last one holds what ends later, too. */
    bins: number[];
    next: ({
      key_id: string;
      mask: string;
      /** What people call it; empty: nobody said. */
      name: string;
      developer_id: string;
      developer_email: string | null;
      /** The field `name` of the developer; empty where there is none. */
      developer_name: string;
      plans: string[];
      expires_at: string;
    })[];
  } | null;
  certificates: {
    /** Those that have ended already. */
    expired: number;
    within_7_days: number;
    /** After the 7 days. */
    within_30_days: number;
    /** After the 30 days. */
    within_90_days: number;
    /** After the 90 days. */
    within_1_year: number;
    /** After the year. */
    later: number;
    /** 16 of equal width on a scale of log(days / 7) from 7 days to 5 years; the last one holds what ends later, too. */
    bins: number[];
    never: number;
    next: ({
      id: string;
      /** The common name in lower case, else another name, else unit and organisation; may be empty. */
      name: string;
      not_after: string;
      /** Another one of the same names ends later. */
      renewed: boolean;
    })[];
  } | null;
}

export interface Envelope {
  Status: "OK";
  Message: string;
  Meta: null;
}

export interface FindKeyInput {
  key: string;
}

export interface FirstSteps {
  /** An access token may approve. */
  approver: {
    done: boolean;
    at: string | null;
  };
  /** One that does not administer has `portal:write`. */
  portal_token: {
    done: boolean;
    at: string | null;
  };
  /** One that does not administer has `verify` and was used. */
  gateway: {
    done: boolean;
    at: string | null;
  };
  /** A mail server has taken a mail. */
  mail: {
    done: boolean;
    at: string | null;
  };
}

export interface Hello {
  status: "pass" | "fail";
  /** The major version alone. */
  version: string;
  description: "Keydesk";
}

export interface IssueKeyInput {
  plans: string[];
  /** `claim`: a link that hands the credential over, instead of itself. */
  deliver?: "claim" | "answer";
  /** When the key ends, in the future; absent: as its plans say (`key_expires_in`). */
  expires_at?: string;
  /** What it is called, up to 100 characters. */
  name?: string;
  /** Where it is used, such as production or test, up to 50 characters. */
  environment?: string;
  /** For administrators, up to 2,000 characters; no developer sees it. */
  note?: string;
  /** Up to 10 words, each of up to 50 characters. */
  tags?: string[];
}

export interface IssuedAccessCredential {
  id: string;
  person_id: string;
  name: string;
  state: "active" | "suspended" | "expired" | "revoked";
  permissions: ("portal:read" | "portal:write" | "certs:read" | "certs:write" | "plans" | "approve" | "revoke" | "verify" | "secrets" | "audit" | "metrics" | "admin" | "operator")[];
  scope: ("portal:read" | "portal:write" | "certs:read" | "certs:write" | "plans" | "approve" | "revoke" | "verify" | "secrets" | "audit" | "metrics" | "admin" | "operator")[] | null;
  date_created: string;
  expires_at: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
  /** Who issued it for somebody else: a person's id, or `operator`. */
  issued_by: string | null;
  addresses: string[] | null;
  ends_soon: boolean;
  last_used_at: string | null;
  last_used_from: string | null;
  /** When it was reported as leaked, and by whom; null: it was not. */
  leaked: LeakMark | null;
  /** Null where a claim link hands it over. */
  credential: string | null;
  claim: ClaimLink | null;
}

export interface IssuedCertificateList {
  data: CertificateBasics[];
  next_cursor: string | null;
}

export interface Job {
  id: string;
  kind: "approve" | "decline" | "reopen";
  /** `preparing`: what was selected is gone through, and nothing is decided yet. */
  state: "preparing" | "running" | "stopping" | "done" | "stopped" | "broken_off";
  /** Why it was broken off: whoever started it may not approve any more, more matched than `at_most`, or no target mails the links any more. */
  why: "permission_ended" | "too_many" | "links_not_mailed" | null;
  /** What was selected; null where ids or a job were given. */
  filter: {
    plan?: string;
    api?: string;
    developer?: string;
    asked_after?: string;
    asked_before?: string;
    q?: string;
  } | null;
  of_job: string | null;
  deliver: "links" | "mail" | null;
  reason: string | null;
  /** Key requests of the job; null while it prepares. Where it found more than `at_most`: those found until then. */
  total: number | null;
  done: number;
  /** Decided, changed or deleted by others before their turn. */
  left_alone: number;
  failed: number;
  started_at: string;
  started_by: string;
  started_by_name: string;
  stopped_by_name: string | null;
  ended_at: string | null;
  /** When it is forgotten, with its result: 30 days behind its end. */
  expires_at: string | null;
  /** Whether you started it. */
  mine: boolean;
  /** Whether links wait for you to take them. */
  links_wait: boolean;
}

export interface JobInput {
  kind: "approve" | "decline" | "reopen";
  filter?: {
    /** Only requests whose `for_plan` is this. */
    plan?: string;
    /** Only requests for a plan that the catalogue offers for this API. */
    api?: string;
    /** Only requests of this developer. */
    developer?: string;
    /** Only with this date_created or later. */
    asked_after?: string;
    /** Only with an earlier date_created. */
    asked_before?: string;
    /** Only requests that hold this text, in any case, in id, developer, name, e-mail, plans, API or answers. */
    q?: string;
  };
  ids?: string[];
  /** Reopens what this job declined. */
  of_job?: string;
  /** Of approvals: `links`: whoever started the job takes the claim links as a file, once; `mail`: a mail target sends each developer theirs. `links` by default. */
  deliver?: "links" | "mail";
  reason?: string;
  /** Where more match, nothing is decided. */
  at_most?: number;
}

export interface JobList {
  data: Job[];
  next_cursor: string | null;
}

export interface JobSelection {
  total: number;
  /** False: there may be more. */
  complete: boolean;
  asked_before: string;
  /** Whether a target mails developers the links of their approved keys. */
  mails_links: boolean;
}

export type Json = unknown;

export interface Key {
  key_id: string;
  mask: string;
  kind: "token" | "basic" | "oauth";
  state: "active" | "suspended" | "revoked" | "expired";
  plans: string[];
  developer_id: string;
  /** In lower case; empty where nobody is registered. */
  developer_email: string;
  /** The field `name` of the developer; empty where there is none. */
  developer_name: string;
  request_id: string | null;
  created: string;
  expires_at: string | null;
  last_used_at: string | null;
  state_changed_at: string | null;
  reason: string | null;
  replaced_by: string | null;
  /** Until when somebody with `approve` can bring a revoked key back; null: it is not revoked, or for good. */
  undo: {
    until: string;
    /** The person whose access token ended it. */
    ended_by: string;
    /** True: it comes back with its deleted developer, and not by itself. */
    with_developer: boolean;
  } | null;
  algorithm: "sha256" | "murmur64" | "murmur128";
  use_before: string | null;
  /** When it was reported as leaked, and by whom; null: it was not. */
  leaked: LeakMark | null;
  /** What people call it; empty: nobody said. */
  name: string;
  /** Where it is used, such as production; may be empty. */
  environment: string;
  /** For administrators, and never for developers; empty for callers with neither `approve` nor `admin`. */
  note: string;
  tags: string[];
  /** What `ETag` and `If-Match` hold, without the quotes. */
  revision: string;
}

export interface KeyActivity {
  id: {
    /** 0 in `res=month`. */
    day: number;
    month: number;
    year: number;
    /** 0 unless `res=hour`. */
    hour: number;
    /** 200 where a call was let in, else what most calls were refused with. */
    code: number;
  };
  hits: number;
  /** Calls that were let in. */
  success: number;
  /** Calls that were refused: 401, 403 or 429. */
  error: number;
  last_hit: string;
}

export interface KeyActivityList {
  /** The oldest first; without what had no calls. */
  data: KeyActivity[];
  pages: number;
}

export interface KeyData {
  /** Calls in a period; -1: as many as they like. */
  quota_max: number;
  /** What is left of them as this server knows it; -1: as many as they like. */
  quota_remaining: number;
  /** When the next period begins, in seconds since 1970; 0: never. */
  quota_renews: number;
  /** Calls in `per` seconds; 0: as many as they like. */
  rate: number;
  per: number;
  /** In seconds since 1970; 0: never. */
  expires: number;
  apply_policies: string[];
  /** By API id; empty: every API, or none where `is_inactive`. */
  access_rights: Record<string, Record<string, Json>>;
  /** True: suspended, expired, or none of the plans opens an API. */
  is_inactive: boolean;
}

export interface KeyDetails {
  keys: NamedKeyData[];
  pages: number;
  /** There only where it is true: `pages` counts the newest 10,000 alone. */
  capped?: true;
}

export interface KeyExpiryInput {
  expires_at?: string;
}

export interface KeyIds {
  data: {
    keys: string[];
  };
  pages: number;
  /** There only where it is true: `pages` counts the newest 10,000 alone. */
  capped?: true;
}

export interface KeyLabelsInUse {
  environments: string[];
  tags: string[];
}

export interface KeyLabelsInput {
  /** What it is called, up to 100 characters. */
  name?: string;
  /** Where it is used, such as production or test, up to 50 characters. */
  environment?: string;
  /** For administrators, up to 2,000 characters; no developer sees it. */
  note?: string;
  /** Up to 10 words, each of up to 50 characters. */
  tags?: string[];
}

export interface KeyList {
  data: Key[];
  next_cursor: string | null;
  /** There only where developers wait whom `q` does not know yet. Ask again. */
  incomplete?: true;
}

export interface KeyPlansInput {
  plans: string[];
}

export interface KeyRequest {
  id: string;
  key: string;
  org_id: string;
  for_api: string;
  for_plan: string;
  apply_policies: string[];
  remove_policies: string[];
  by_user: string;
  fields: Record<string, string>;
  approved: boolean;
  date_created: string;
  version: string;
  jwt_secret: string;
  certificate: string;
  oauth_info?: {
    redirect_uri: string;
  };
  portal_developer: Developer;
  catalogue_entry: CatalogueEntry;
  catalogues: CatalogueEntry[];
}

export interface KeyRequestCounts {
  pending: number;
  issued: number;
  declined: number;
  all: number;
}

export interface KeyRequestDetail {
  id: string;
  key: string;
  org_id: string;
  for_api: string;
  for_plan: string;
  apply_policies: string[];
  remove_policies: string[];
  by_user: string;
  fields: Record<string, string>;
  approved: boolean;
  date_created: string;
  version: string;
  jwt_secret: string;
  certificate: string;
  oauth_info?: {
    redirect_uri: string;
  };
  portal_developer: Developer;
  catalogue_entry: CatalogueEntry;
  catalogues: CatalogueEntry[];
  state: "pending" | "issued" | "declined";
  decided_at: string | null;
  decided_by: string | null;
  decided_by_name: string | null;
  reason: string | null;
  /** `proved`: the address is theirs. After a change it is `unproved`; `reached`, once the link that was mailed there was opened; `agreed`, once the address before it, or a person with `approve`, confirmed. Both make it `proved`. Until then no claim is mailed there. */
  developer_email_state: "proved" | "unproved" | "reached" | "agreed";
  /** When the developer's address became what it is; null: they always had it. */
  developer_email_changed_at: string | null;
  /** What `ETag` and `If-Match` hold, without the quotes. */
  revision: string;
  /** The developer's newest other requests, 20 at the most. */
  other_requests: ({
    id: string;
    state: "pending" | "issued" | "declined";
    for_plan: string;
    date_created: string;
  })[];
  /** Whether the developer has still others. */
  more_requests: boolean;
}

export interface KeyRequestInput {
  key?: string;
  for_api?: string;
  for_plan?: string;
  apply_policies?: string[];
  remove_policies?: string[];
  by_user?: string;
  fields?: Record<string, string>;
  approved?: boolean;
  date_created?: string;
  version?: string;
  jwt_secret?: string;
  certificate?: string;
  oauth_info?: {
    redirect_uri?: string;
  };
  portal_developer?: DeveloperInput;
  catalogue_entry?: CatalogueEntryInput;
  catalogues?: CatalogueEntryInput[];
}

export interface KeyRequestList {
  Data: KeyRequest[];
  Pages: number;
}

export interface KeyStateInput {
  reason: string;
}

export type LeakFeedback = ({
  token_hash: string;
  token_type: string;
  label: "false_positive";
})[];

export interface LeakMark {
  reported_at: string;
  /** `anybody`, or `partner` and the identifier of the public key that the report was signed with. */
  reported_by: string;
  /** Where it was found, as whoever reported it says; never follow it unseen. */
  url: string | null;
}

export interface LeaksInput {
  /** What was found; only hashes of it are kept, until they are looked up. */
  keys: string[];
  /** Where it was found. */
  url?: string;
}

export interface LeaksReceived {
  /** How many texts it held. */
  received: number;
}

export interface Limit {
  limit: number;
  remaining: number;
  /** Seconds until all of it is there again; null: a quota that is never renewed. */
  reset: number | null;
}

export interface ListColumns {
  list: ViewedList;
  columns: string[];
}

export interface ListColumnsInput {
  list: ViewedList;
  columns?: string[];
}

export interface ListColumnsKept {
  list: ViewedList;
  columns: string[] | null;
}

export interface ListColumnsList {
  data: ListColumns[];
}

export interface LiveCatalogueEntry {
  name: string;
  short_description: string;
  long_description: string;
  show: boolean;
  api_id: string;
  policy_id: string;
  documentation: string;
  version: string;
  is_keyless: boolean;
  config: {
    id: string;
    org_id: string;
    signup_fields: Json[];
    key_request_fields: Json[];
    require_key_approval: boolean;
    redirect_on_key_request: boolean;
    redirect_to: string;
    enable_multi_selection: boolean;
    disable_login: boolean;
    disable_signup: boolean;
    disable_auto_login: boolean;
    catalogue_login_only: boolean;
    oauth_usage_limit: number;
    email: string;
    mail_options: {
      mail_from_name: string;
      mail_from_email: string;
      email_copy: {
        welcome_email: {
          enabled: boolean;
          subject: string;
          body: string;
          sign_off: string;
          hide_token_data: boolean;
          [member: string]: unknown;
        };
        key_email: {
          enabled: boolean;
          subject: string;
          body: string;
          sign_off: string;
          hide_token_data: boolean;
          [member: string]: unknown;
        };
        reset_password_email: {
          enabled: boolean;
          subject: string;
          body: string;
          sign_off: string;
          hide_token_data: boolean;
          [member: string]: unknown;
        };
        [member: string]: unknown;
      };
      [member: string]: unknown;
    };
    override: boolean;
    HashKeys: boolean;
    [member: string]: unknown;
  };
  fields: Record<string, Json>;
  auth_type: string;
  [member: string]: unknown;
}

export interface LiveCatalogueEntryInput {
  name?: string;
  short_description?: string;
  long_description?: string;
  show?: boolean;
  api_id?: string;
  policy_id?: string;
  documentation?: string;
  version?: string;
  is_keyless?: boolean;
  config?: PortalConfigurationInput;
  fields?: Record<string, Json>;
  auth_type?: string;
  [member: string]: unknown;
}

export interface Mail {
  from: string;
  from_name: string;
  reply_to: string;
  digest_minutes: number;
  per_hour: number;
  language: string;
  time_zone: string;
  words: Record<string, string>;
  mails: Record<string, {
    enabled?: boolean;
    subject?: string;
    text?: string;
    button?: string;
  }>;
  /** What will stand in the mails as it was written. */
  unknown_placeholders: ({
    mail: string;
    placeholders: string[];
  })[];
}

export interface MailInput {
  /** Who mails are from; empty: `mail_options` of the portal's configuration, else `KEYDESK_MAIL_FROM`. */
  from?: string;
  from_name?: string;
  reply_to?: string;
  /** Minutes between two mails to an approver: what comes between is gathered. */
  digest_minutes?: number;
  /** Mails to one address within an hour, at the most; what is over waits. */
  per_hour?: number;
  language?: string;
  time_zone?: string;
  /** The fixed words in another language. */
  words?: Record<string, string>;
  /** By mail, what of it is worded otherwise. */
  mails?: Record<string, {
    /** Absent: as it is usual. `key_request.created` is off unless it is switched on. */
    enabled?: boolean;
    subject?: string;
    text?: string;
    button?: string;
  }>;
}

export interface MailPreview {
  from: string;
  subject: string;
  text: string;
  /** For a frame that runs no scripts: it holds none. */
  html: string;
  /** What this mail has values for. */
  placeholders: string[];
  /** What will stand in the mail as it was written. */
  unknown_placeholders: string[];
  worded_by: "keydesk" | "target" | "configuration";
}

export interface MailPreviewInput {
  mail: "key_request.waiting" | "key_request.waiting_several" | "key_request.created" | "key_request.approved" | "key_request.declined" | "key_request.reissued" | "credential.ends_soon" | "credential.ended" | "credential.suspended" | "credential.resumed" | "credential.revoked" | "access_token.braked" | "certificate.ends_soon" | "certificate.ended" | "developer.created" | "developer.password_changed" | "developer.email_asked" | "developer.email_changed";
  draft?: MailInput;
}

export interface MessageData {
  /** The object's id. */
  id: string;
  /** What it is: the topic's first half. */
  object: string;
  /** What the key is called as the message is sent, where it is about a key that has a name. */
  name?: string;
  organisation_id: string;
  /** The change's id, the same for every target. */
  event_id: string;
  /** Our id of the call that made the change, as the trail and the access log have it; null: nobody called. */
  request_id: string | null;
  /** The `X-Request-Id` that its caller gave it; null: none. */
  caller_request_id: string | null;
  /** Where `/v1` shows the object to an access token that may read it. */
  path: string | null;
  /** Where the console shows it, where that is known. */
  url: string | null;
  /** How many earlier messages of this object were given up since the last that was delivered. */
  missing: number;
  /** What the topic says besides: of an alert `days` (0: the end itself) and `ends_at`, of `alerts.digest` its counts; null: nothing. */
  detail: Record<string, string | number> | null;
}

export interface MuteInput {
  until: string;
  reason: string;
}

export interface NamedKeyData {
  key_id: string;
  key_hash: string;
  data: KeyData;
}

export interface NativeApproval {
  id: string;
  state: "issued";
  key_id: string;
  mask: string;
  /** When the key ends; null: it does not. */
  expires_at: string | null;
  credential: Approval | null;
  claim: ClaimLink | null;
}

export interface NativeCertificate {
  id: string;
  dns_names: string[];
  has_private: boolean;
  is_ca: boolean;
  issuer_cn: string;
  subject_cn: string;
  not_after: string;
  not_before: string;
  fingerprint: string;
  serial_number: string;
  issuer: DistinguishedName;
  subject: DistinguishedName;
  key_algorithm: string;
  key_size: number;
  signature_algorithm: string;
  ip_addresses: string[];
  uris: string[];
  email_addresses: string[];
  chain_length: number;
  date_created: string;
  path_length: number | null;
  status: "valid" | "expiring" | "expired" | "not_yet_valid";
  days_left: number | null;
  /** The e-mail address of who cares for it; empty: nobody. */
  owner: string;
  tags: string[];
  /** The id of the certificate of the same names that ends last and later. */
  renewed_by: string | null;
  /** The certificate alone; never a private key. */
  pem: string;
  /** What was uploaded with it, from its issuer up. */
  chain: CertificateRelative[];
  /** Authorities of the list whose name is its issuer's, 20 at the most. */
  issuers: CertificateRelative[];
  /** What `ETag` and `If-Match` hold, without the quotes. */
  revision: string;
}

export interface NativeCertificateList {
  data: CaredCertificate[];
  next_cursor: string | null;
}

export interface NativeCertificateUses {
  plans: ({
    id: string;
    name: string;
  })[];
  apis: ({
    id: string;
    name: string;
  })[];
  /** Up to 20, without revoked ones; none for callers without `portal:read`. */
  keys: ({
    key_id: string;
    /** What people call it; empty: nothing. */
    name: string;
    /** What of it may be shown. */
    mask: string;
  })[];
  /** How many more keys name it; at most 1,000 are counted. */
  more_keys: number;
}

export interface NativeDeveloper {
  id: string;
  email: string;
  /** `proved`: the address is theirs. After a change it is `unproved`; `reached`, once the link that was mailed there was opened; `agreed`, once the address before it, or a person with `approve`, confirmed. Both make it `proved`. Until then no claim is mailed there. */
  email_state: "proved" | "unproved" | "reached" | "agreed";
  /** When the address became what it is; null: they always had it. */
  email_changed_at: string | null;
  /** True: the portal does not let them sign in. */
  inactive: boolean;
  fields: Record<string, Json>;
  date_created: string;
  last_login_date: string | null;
  has_password: boolean;
  /** Key requests in any state; 1000: so many or more. */
  requests: number;
  /** Keys that are not revoked; 1000: so many or more. */
  keys: number;
}

export interface NativeDeveloperList {
  data: NativeDeveloper[];
  next_cursor: string | null;
  /** There only where a search may lack what was registered or changed just now. */
  incomplete?: true;
}

export interface NativeKeyRequest {
  id: string;
  key: string;
  org_id: string;
  for_api: string;
  for_plan: string;
  apply_policies: string[];
  remove_policies: string[];
  by_user: string;
  fields: Record<string, string>;
  approved: boolean;
  date_created: string;
  version: string;
  jwt_secret: string;
  certificate: string;
  oauth_info?: {
    redirect_uri: string;
  };
  portal_developer: Developer;
  catalogue_entry: CatalogueEntry;
  catalogues: CatalogueEntry[];
  state: "pending" | "issued" | "declined";
  decided_at: string | null;
  decided_by: string | null;
  decided_by_name: string | null;
  reason: string | null;
  /** `proved`: the address is theirs. After a change it is `unproved`; `reached`, once the link that was mailed there was opened; `agreed`, once the address before it, or a person with `approve`, confirmed. Both make it `proved`. Until then no claim is mailed there. */
  developer_email_state: "proved" | "unproved" | "reached" | "agreed";
  /** When the developer's address became what it is; null: they always had it. */
  developer_email_changed_at: string | null;
  /** What `ETag` and `If-Match` hold, without the quotes. */
  revision: string;
}

export interface NativeKeyRequestList {
  data: NativeKeyRequest[];
  next_cursor: string | null;
  /** There only where a search may lack what was asked or changed just now. */
  incomplete?: true;
}

export interface NativePlan {
  _id: string;
  id: string;
  name: string;
  active: boolean;
  rate: number;
  per: number;
  quota_max: number;
  quota_renewal_rate: number;
  access_rights: Record<string, Record<string, Json>>;
  auth_type: string;
  tags: string[];
  key_expires_in: number;
  /** What is done about a key of it that is reported as leaked, beside telling of it. */
  when_leaked: "tell" | "suspend" | "revoke";
  date_created: string;
  /** As the catalogue or the portal's configuration says. */
  approval: "manual" | "automatic";
  /** What a request is asked for; from the same place. */
  key_request_fields: ({
    name: string;
    required: boolean;
  })[];
  /** Keys that are not revoked; 1000: so many or more. */
  keys: number;
  /** Likewise; requests whose `for_plan` it is. */
  pending_requests: number;
  /** What `ETag` and `If-Match` hold, without the quotes. */
  revision: string;
}

export interface NativePlanList {
  data: NativePlan[];
  next_cursor: string | null;
}

export interface NewCatalogueApiInput {
  id?: string;
  name: string;
  short_description?: string;
  long_description?: string;
  documentation?: string;
  version?: string;
  show?: boolean;
  /** The plans that it is offered by, by either of their ids; others are no longer. */
  plans?: string[];
}

export type OAuthIntrospection = {
  active: true;
  client_id?: string;
  token_type: "Bearer";
  exp: number;
  iat: number;
  sub?: string;
  key_id: string;
  plans: string[];
} | {
  active: false;
};

export interface OAuthToken {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
}

export interface OfferedPlan {
  /** As the catalogue names it: either id of the plan. */
  id: string;
  /** Empty where there is no such plan; then the rest says nothing. */
  name: string;
  /** Whether its keys open this API: false where its `access_rights` lack it. */
  opens: boolean;
  active: boolean;
  rate: number;
  per: number;
  quota_max: number;
  quota_renewal_rate: number;
  auth_type: string;
  key_expires_in: number;
  /** As the catalogue or the portal's configuration says. */
  approval: "manual" | "automatic";
  /** What a request is asked for; from the same place. */
  key_request_fields: ({
    name: string;
    required: boolean;
  })[];
  /** Keys that are not revoked; 1000: so many or more. */
  keys: number;
  /** Likewise; requests whose `for_plan` it is. */
  pending_requests: number;
}

export interface OpenClaimInput {
  token: string;
}

export interface OpenedClaim {
  credential: {
    RawKey: string;
    Password: string;
    client_id?: string;
    secret?: string;
    policy_id?: string;
    redirect_uri?: string;
  };
  key_id: string;
  plans: string[];
  /** There where an access token is handed over: it stands in `RawKey`. */
  access_token?: {
    id: string;
    name: string;
    expires_at: string | null;
  };
}

export interface Organisation {
  id: string;
  name: string;
  date_created: string;
}

export interface OrganisationInput {
  /** Its id, such as it had in another system; absent: a fresh one. */
  id?: string;
  name: string;
  administrator: string;
}

export interface OrganisationList {
  data: Organisation[];
  next_cursor: string | null;
}

export interface OwnSession {
  id: string;
  /** True: this call comes by it. */
  current: boolean;
  /** Such as `Firefox on Linux`; empty: not known. */
  browser: string;
  date_created: string;
  /** To the minute. */
  last_used_at: string;
  expires_at: string;
}

export interface OwnSessionList {
  data: OwnSession[];
}

export interface Person {
  id: string;
  name: string;
  permissions: ("portal:read" | "portal:write" | "certs:read" | "certs:write" | "plans" | "approve" | "revoke" | "verify" | "secrets" | "audit" | "metrics" | "admin" | "operator")[];
  state: "active" | "suspended" | "deactivated";
  date_created: string;
  deactivated_at: string | null;
  suspended_at: string | null;
  /** Where they are written to; null: nowhere. */
  email: string | null;
}

export interface PersonInput {
  name: string;
  permissions: ("portal:read" | "portal:write" | "certs:read" | "certs:write" | "plans" | "approve" | "revoke" | "verify" | "secrets" | "audit" | "metrics" | "admin" | "operator")[];
  /** Where they are written to; empty: nowhere. Absent: it stays as it is. */
  email?: string;
}

export interface PersonList {
  data: Person[];
  next_cursor: string | null;
}

export interface Plan {
  _id: string;
  id: string;
  name: string;
  active: boolean;
  /** The opposite of `active`. */
  is_inactive: boolean;
  rate: number;
  per: number;
  quota_max: number;
  quota_renewal_rate: number;
  access_rights: Record<string, Record<string, Json>>;
  auth_type: string;
  tags: string[];
  key_expires_in: number;
  [member: string]: unknown;
}

export interface PlanApprovalInput {
  approval?: "manual" | "automatic";
  key_request_fields?: ({
    name: string;
    required: boolean;
  })[];
}

export interface PlanDeleted {
  id: string;
}

export interface PlanInput {
  _id?: string;
  id?: string;
  name?: string;
  active?: boolean;
  /** The opposite of `active`. */
  is_inactive?: boolean;
  rate?: number;
  per?: number;
  quota_max?: number;
  quota_renewal_rate?: number;
  access_rights?: Record<string, Record<string, Json>>;
  auth_type?: string;
  tags?: string[];
  key_expires_in?: number;
  [member: string]: unknown;
}

export interface PlanList {
  Data: Plan[];
  Pages: number;
}

export interface PortalConfiguration {
  id: string;
  org_id: string;
  signup_fields: Json[];
  key_request_fields: Json[];
  require_key_approval: boolean;
  redirect_on_key_request: boolean;
  redirect_to: string;
  enable_multi_selection: boolean;
  disable_login: boolean;
  disable_signup: boolean;
  disable_auto_login: boolean;
  catalogue_login_only: boolean;
  oauth_usage_limit: number;
  email: string;
  mail_options: {
    mail_from_name: string;
    mail_from_email: string;
    email_copy: {
      welcome_email: {
        enabled: boolean;
        subject: string;
        body: string;
        sign_off: string;
        hide_token_data: boolean;
        [member: string]: unknown;
      };
      key_email: {
        enabled: boolean;
        subject: string;
        body: string;
        sign_off: string;
        hide_token_data: boolean;
        [member: string]: unknown;
      };
      reset_password_email: {
        enabled: boolean;
        subject: string;
        body: string;
        sign_off: string;
        hide_token_data: boolean;
        [member: string]: unknown;
      };
      [member: string]: unknown;
    };
    [member: string]: unknown;
  };
  override: boolean;
  HashKeys: boolean;
  [member: string]: unknown;
}

export interface PortalConfigurationInput {
  id?: string;
  org_id?: string;
  signup_fields?: Json[];
  key_request_fields?: Json[];
  require_key_approval?: boolean;
  redirect_on_key_request?: boolean;
  redirect_to?: string;
  enable_multi_selection?: boolean;
  disable_login?: boolean;
  disable_signup?: boolean;
  disable_auto_login?: boolean;
  catalogue_login_only?: boolean;
  oauth_usage_limit?: number;
  email?: string;
  mail_options?: {
    mail_from_name?: string;
    mail_from_email?: string;
    email_copy?: {
      welcome_email?: {
        enabled?: boolean;
        subject?: string;
        body?: string;
        sign_off?: string;
        hide_token_data?: boolean;
        [member: string]: unknown;
      };
      key_email?: {
        enabled?: boolean;
        subject?: string;
        body?: string;
        sign_off?: string;
        hide_token_data?: boolean;
        [member: string]: unknown;
      };
      reset_password_email?: {
        enabled?: boolean;
        subject?: string;
        body?: string;
        sign_off?: string;
        hide_token_data?: boolean;
        [member: string]: unknown;
      };
      [member: string]: unknown;
    };
    [member: string]: unknown;
  };
  override?: boolean;
  HashKeys?: boolean;
  [member: string]: unknown;
}

export interface ReactivateDeveloperInput {
  /** What becomes of the keys that were suspended with them; absent: keep. */
  keys?: "keep" | "resume";
}

export interface Readiness {
  Status: "OK";
  Message: string;
  Meta: null;
  Writing: Writing;
}

export interface RefusedCredential {
  valid: false;
  reason: "unknown" | "revoked" | "suspended" | "damaged" | "expired" | "unknown_plan" | "plan_inactive" | "wrong_api" | "over_rate" | "over_quota";
  /** Seconds; for over_rate, and for over_quota where the quota is renewed. */
  retry_after?: number;
}

export interface RemovedTarget {
  /** How many messages waited or were given up. */
  dropped: number;
}

export interface Replacement {
  RawKey: string;
  Password: string;
  client_id?: string;
  secret?: string;
  policy_id?: string;
  redirect_uri?: string;
  key_id: string;
  expires_at: string | null;
  replaces: ({
    key_id: string;
    expires_at: string;
  })[];
  /** The link that hands the key over; then the members of the key are empty. */
  claim: ClaimLink | null;
}

export interface ReplayInput {
  target_id: string;
  after: string;
  before?: string;
  /** Topics or patterns; absent: all that the target wants. */
  topics?: string[];
  object_id?: string;
  states?: ("dead" | "delivered" | "unsent")[];
  cursor?: string;
}

export interface Replayed {
  replayed: number;
  next_cursor: string | null;
}

export interface RestoreDeveloperInput {
  deletion?: string;
}

export interface RotateAccessCredentialInput {
  /** How long the old one still opens, up to a day. */
  overlap_seconds: number;
  /** When the fresh one ends; absent: when the old one would have. */
  expires_at?: string;
  /** `claim`: a link that hands the access token over, once; the default for somebody else's. `answer`: in this answer; the default for one's own. */
  deliver?: "claim" | "answer";
}

export interface RotateKeyInput {
  /** How long the old key lives on, up to 30 days. */
  overlap_seconds: number;
  /** `claim`: a link that hands the credential over, instead of itself. */
  deliver?: "claim" | "answer";
}

export interface SecretRotation {
  overlap_hours?: number;
}

export interface ServerInfo {
  version: string;
  engine: "sqlite" | "postgres";
  schema_version: number;
  uptime_seconds: number;
  /** The process that answers: of several on one port any, by chance. */
  pid: number;
  /** What the operator should know, a sentence each. */
  warnings: string[];
  /** Plans that active keys of the organisation name and nobody knows; 20 are listed. */
  unknown_plans: {
    /** 1,000: so many or more. */
    count: number;
    plans: ({
      id: string;
      deleted: boolean;
    })[];
  };
  writing: Writing;
  /** Reads since the start that the disk did not answer; SQLite's. */
  failed_reads: number;
  /** What is wrong and lasts, the oldest first. */
  troubles: ({
    name: string;
    reason: string;
    stops: "all" | "writes" | "nothing";
    since: string;
  })[];
  /** Rows that are not as they were written, by what they are, a sentence each; `warnings` has them too. */
  damages: string[];
  /** What `keydesk backup` left a mark of. Told to the first organisation alone, whose operator makes them. */
  backup: {
    /** When the newest was made; null: Keydesk was told of none. */
    at: string | null;
    /** Of a store that is a file, where it was told of none: since when there is something to lose. */
    missing_since: string | null;
  };
  /** The process that answers, then the others that share its PostgreSQL, by the database's clock. What ends in order is not among them, what was killed for a day at most. Told to the first organisation alone. */
  nodes: ({
    /** Host and port. */
    name: string;
    version: string;
    started: string;
    last_seen: string;
    /** `here`: it answers this call. `late`: nothing was heard of it for 15 seconds, `silent`: for a minute. */
    state: "here" | "seen" | "late" | "silent";
    /** How old its last look at what was revoked was, in milliseconds; null: nobody verifies there. */
    stale_ms: number | null;
  })[];
  settings: {
    page_size: number;
    references: "open" | "strict";
    /** `refuse` with strict references. */
    unknown_plan: "refuse" | "allow";
    mask_secrets: boolean;
    certs_filter: "detailed" | "always";
    certs_answer: "full" | "original";
    /** Key requests of one developer that may wait at once; 0: any number. */
    pending_per_developer: number;
    /** The same of the whole organisation. */
    pending_per_organisation: number;
    /** Bytes that are kept of one key request; 0: any number. */
    request_bytes: number;
    /** As the setting says; what each counts by itself is divided by it. */
    processes: number;
  };
}

export interface Session {
  person: {
    id: string;
    name: string;
  };
  organisation: {
    id: string;
    name: string;
  };
  permissions: ("portal:read" | "portal:write" | "certs:read" | "certs:write" | "plans" | "approve" | "revoke" | "verify" | "secrets" | "audit" | "metrics" | "admin" | "operator")[];
  csrf_token: string;
  expires_at: string;
  /** After so many minutes without use it ends earlier; 0: it does not. */
  idle_minutes: number;
  /** True: signed in within the last 5 minutes, as some changes ask for. */
  fresh: boolean;
}

export interface SessionsEnded {
  ended: number;
}

export interface SignInBranding {
  name: string;
  logo: string;
  colour: string;
  support: string;
}

export interface SignInInput {
  credential?: string;
  code?: string;
}

export interface SubscriptionsInput {
  subscriptions: Record<string, string>;
}

export interface Target {
  id: string;
  kind: "webhook" | "mail";
  name: string;
  /** Of a webhook; else empty. */
  url: string;
  template: "standard" | "slack" | "teams" | "discord";
  /** Of a target of mails; else null. */
  mail: Mail | null;
  topics: string[];
  state: "active" | "paused";
  /** `by hand`, `failing`, `gone` or `removed`. */
  state_reason: string;
  state_changed_at: string;
  /** Since when nothing was delivered; null: the last try succeeded. */
  failing_since: string | null;
  /** How many tries failed since then. */
  failures: number;
  /** Until when the secret before the last rotation signs too. */
  old_secret_until: string | null;
  created_at: string;
  /** What `KEYDESK_OUTBOUND` has to name before anything can be sent to the URL; null: it names it. */
  missing_outbound: string | null;
  /** Of a target of mails: the server's settings without which no mail is sent, or none with a link. */
  missing_settings: string[];
}

export interface TargetChange {
  name: string;
  /** Of a webhook: an `https://` URL; `http://` for loopback alone. It is kept in the normal form of the URL standard, without a fragment. */
  url?: string;
  /** The form of the body: that of Standard Webhooks, or a text for a channel of Slack, Teams or Discord. */
  template?: "standard" | "slack" | "teams" | "discord";
  topics?: string[];
  /** Of a target of mails. */
  mail?: MailInput;
}

export interface TargetInput {
  kind?: "webhook" | "mail";
  name: string;
  /** Of a webhook: an `https://` URL; `http://` for loopback alone. It is kept in the normal form of the URL standard, without a fragment. */
  url?: string;
  /** The form of the body: that of Standard Webhooks, or a text for a channel of Slack, Teams or Discord. */
  template?: "standard" | "slack" | "teams" | "discord";
  topics?: string[];
  /** Of a target of mails. */
  mail?: MailInput;
}

export interface TargetList {
  data: Target[];
  next_cursor: string | null;
}

export interface TargetTest {
  /** True: it was taken. */
  ok: boolean;
  /** 0: there was no answer. */
  status: number;
  duration_ms: number;
  /** Up to 4 KiB of the answer's body. */
  answer: string;
  /** Why there was no answer. */
  error: string;
}

export interface TargetWithSecret {
  id: string;
  kind: "webhook" | "mail";
  name: string;
  /** Of a webhook; else empty. */
  url: string;
  template: "standard" | "slack" | "teams" | "discord";
  /** Of a target of mails; else null. */
  mail: Mail | null;
  topics: string[];
  state: "active" | "paused";
  /** `by hand`, `failing`, `gone` or `removed`. */
  state_reason: string;
  state_changed_at: string;
  /** Since when nothing was delivered; null: the last try succeeded. */
  failing_since: string | null;
  /** How many tries failed since then. */
  failures: number;
  /** Until when the secret before the last rotation signs too. */
  old_secret_until: string | null;
  created_at: string;
  /** What `KEYDESK_OUTBOUND` has to name before anything can be sent to the URL; null: it names it. */
  missing_outbound: string | null;
  /** Of a target of mails: the server's settings without which no mail is sent, or none with a link. */
  missing_settings: string[];
  /** Signs what is sent; shown this once. Empty of a target of mails, which has none. */
  secret: string;
}

export interface Usage {
  by: "day" | "hour";
  from: string;
  to: string;
  /** The oldest first; without what had no calls. */
  data: UsageSlot[];
  total: {
    /** All calls of keys that are known. */
    hits: number;
    /** Those that were let in. */
    success: number;
    /** Those that were refused, whose reasons follow. */
    error: number;
    refused: {
      /** The key was revoked, suspended or had ended. */
      "401": number;
      /** None of its plans opened the API. */
      "403": number;
      /** Over the rate or the quota. */
      "429": number;
    };
    last_hit: string | null;
  };
}

export interface UsageSlot {
  /** When it begins. */
  at: string;
  /** All calls of keys that are known. */
  hits: number;
  /** Those that were let in. */
  success: number;
  /** Those that were refused, whose reasons follow. */
  error: number;
  refused: {
    /** The key was revoked, suspended or had ended. */
    "401": number;
    /** None of its plans opened the API. */
    "403": number;
    /** Over the rate or the quota. */
    "429": number;
  };
  last_hit: string;
}

export interface View {
  id: string;
  list: ViewedList;
  name: string;
  query: Record<string, string>;
  columns: string[] | null;
  shared: boolean;
  /** The person who made it. */
  owner: string;
  owner_name: string;
  /** Whether you made it. */
  mine: boolean;
  /** Whether you may change and delete it. */
  may_change: boolean;
  date_created: string;
  date_changed: string;
  /** What `ETag` and `If-Match` hold, without the quotes. */
  revision: string;
}

export interface ViewDeleted {
  id: string;
}

export interface ViewInput {
  /** Another one than your other views of this list have. */
  name: string;
  /** Filters, search and order by the names that the console's address has for them. */
  query?: Record<string, string>;
  /** The columns that it shows; absent: whichever one has chosen. */
  columns?: string[];
  /** True: everybody of the organisation who may read the list has it. */
  shared?: boolean;
}

export interface ViewList {
  data: View[];
}

export type ViewedList = "key-requests" | "keys" | "certificates" | "developers" | "plans" | "deliveries";

export interface Writing {
  /** Null: nothing was written since the start. */
  last_commit: {
    outcome: "kept" | "failed";
    /** The engine's code where it failed: `SQLITE_FULL`. */
    reason: string | null;
    age_seconds: number;
  } | null;
  /** What SQLite's write-ahead log takes on the disk; null on PostgreSQL. */
  log_bytes: number | null;
  /** Since SQLite last took over changes from its log into the database; null on PostgreSQL. */
  checkpoint_age_seconds: number | null;
}

/** Why a call failed; a newer server may know others. */
export type FailureCode =
  | "not_authorised"
  | "signature_invalid"
  | "access_denied"
  | "not_found"
  | "not_found_for_deletion"
  | "key_not_found"
  | "key_not_owned"
  | "certificate_not_found"
  | "certificate_not_removed"
  | "certificate_exists"
  | "unknown_path"
  | "method_not_allowed"
  | "malformed_request"
  | "head_timeout"
  | "target_too_long"
  | "head_too_large"
  | "coding_unsupported"
  | "version_unsupported"
  | "malformed_body"
  | "invalid_input"
  | "body_too_large"
  | "body_timeout"
  | "already_processed"
  | "already_issued"
  | "unknown_plan"
  | "unknown_developer"
  | "email_taken"
  | "sso_key_taken"
  | "developer_refused"
  | "developer_exists"
  | "wrong_credentials"
  | "plan_name_taken"
  | "plan_id_taken"
  | "plan_not_offered"
  | "api_exists"
  | "inactive_plan"
  | "keyless_plan"
  | "mixed_auth_types"
  | "unknown_key"
  | "too_many_pending"
  | "key_request_too_large"
  | "already_decided"
  | "not_declined"
  | "precondition_failed"
  | "email_unproved"
  | "confirmation_gone"
  | "claim_gone"
  | "claim_closed"
  | "wrong_auth_type"
  | "key_revoked"
  | "key_not_revoked"
  | "developer_deleted"
  | "several_deletions"
  | "developer_taken"
  | "too_many_revoked"
  | "key_suspended"
  | "key_not_suspended"
  | "key_expired"
  | "key_rotated"
  | "key_damaged"
  | "job_under_way"
  | "view_name_taken"
  | "too_many_views"
  | "job_over"
  | "links_not_mailed"
  | "not_issued"
  | "permission_not_held"
  | "person_holds_more"
  | "csrf_refused"
  | "fresh_sign_in_required"
  | "organisation_exists"
  | "person_deactivated"
  | "person_suspended"
  | "person_not_suspended"
  | "credential_ended"
  | "credential_rotated"
  | "last_administrator"
  | "idempotency_key_invalid"
  | "idempotency_key_reused"
  | "oauth_invalid_client"
  | "oauth_unsupported_grant_type"
  | "oauth_invalid_scope"
  | "too_many_requests"
  | "unavailable"
  | "store_damaged"
  | "internal";

/** What an operation takes that takes nothing. */
export type Nothing = Record<never, never>;

/** Every operation: what it takes, what it answers, and which of the two headers mean something to it. */
export interface Operations {
  /** List key requests, newest first. GET /api/portal/requests */
  listKeyRequests: {
    input: {
      /** Page from 1; absent or below 1: everything, streamed. */
      p?: number;
      /** Only requests with this value of `approved`. */
      approved?: boolean;
      /** true: the declined requests, which no other list shows. */
      declined?: boolean;
    };
    output: KeyRequestList;
    headers: never;
  };
  /** Read one key request, with its ETag. GET /api/portal/requests/{id} */
  getKeyRequest: {
    input: {
      id: string;
    };
    output: KeyRequest;
    headers: never;
  };
  /** Create a key request. POST /api/portal/requests */
  createKeyRequest: {
    input: {
      body: KeyRequestInput;
    };
    output: Envelope;
    headers: "idempotencyKey";
  };
  /** Replace a key request. PUT /api/portal/requests/{id} */
  updateKeyRequest: {
    input: {
      id: string;
      body: KeyRequestInput;
    };
    output: Envelope;
    headers: never;
  };
  /** Delete a key request; a credential already issued lives on. DELETE /api/portal/requests/{id} */
  deleteKeyRequest: {
    input: {
      id: string;
    };
    output: Envelope;
    headers: never;
  };
  /** Approve a key request once and receive its credential. PUT /api/portal/requests/approve/{id} */
  approveKeyRequest: {
    input: {
      id: string;
    };
    output: Approval;
    headers: "idempotencyKey" | "ifMatch";
  };
  /** List and search key requests; a page may hold fewer than `limit` and still have a next. GET /v1/key-requests */
  listNativeKeyRequests: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** Only requests in this state. */
      state?: "pending" | "issued" | "declined";
      /** Only requests whose `for_plan` is this. */
      plan?: string;
      /** Only requests for a plan that the catalogue offers for this API. */
      api?: string;
      /** Only requests of this developer. */
      developer?: string;
      /** Only with this date_created or later. */
      asked_after?: string;
      /** Only with an earlier date_created. */
      asked_before?: string;
      /** Only requests that hold this text, in any case, in id, developer, name, e-mail, plans, API or answers. */
      q?: string;
      /** `newest`, by date_created, by default. `decided_at` goes with the states `issued` and `declined`, and with no other filter. */
      sort?: "newest" | "oldest" | "decided_at";
      /** Which way `decided_at` goes; `asc` by default. */
      direction?: "asc" | "desc";
    };
    output: NativeKeyRequestList;
    headers: never;
  };
  /** Create a key request for a developer; it waits for its decision. POST /v1/key-requests */
  createNativeKeyRequest: {
    input: {
      body: CreateKeyRequestInput;
    };
    output: KeyRequestDetail;
    headers: "idempotencyKey";
  };
  /** Count key requests by state. GET /v1/key-requests/counts */
  countKeyRequests: {
    input: Nothing;
    output: KeyRequestCounts;
    headers: never;
  };
  /** Export all key requests that match as CSV; never a secret. GET /v1/key-requests/export */
  exportKeyRequests: {
    input: {
      /** Only requests in this state. */
      state?: "pending" | "issued" | "declined";
      /** Only requests whose `for_plan` is this. */
      plan?: string;
      /** Only requests for a plan that the catalogue offers for this API. */
      api?: string;
      /** Only requests of this developer. */
      developer?: string;
      /** Only with this date_created or later. */
      asked_after?: string;
      /** Only with an earlier date_created. */
      asked_before?: string;
      /** Only requests that hold this text, in any case, in id, developer, name, e-mail, plans, API or answers. */
      q?: string;
      /** `newest`, by date_created, by default. `decided_at` goes with the states `issued` and `declined`, and with no other filter. */
      sort?: "newest" | "oldest" | "decided_at";
      /** Which way `decided_at` goes; `asc` by default. */
      direction?: "asc" | "desc";
    };
    output: string;
    headers: never;
  };
  /** Read one key request in any state, with its ETag. GET /v1/key-requests/{id} */
  getNativeKeyRequest: {
    input: {
      id: string;
    };
    output: KeyRequestDetail;
    headers: never;
  };
  /** Approve a key request once, and receive its credential or a claim link for it. POST /v1/key-requests/{id}/approve */
  approveNativeKeyRequest: {
    input: {
      id: string;
      /** `claim`: a link that hands the credential over, instead of itself. */
      deliver?: "claim" | "answer";
      body?: ApproveInput;
    };
    output: NativeApproval;
    headers: "idempotencyKey" | "ifMatch";
  };
  /** Decline a pending key request, with a reason if there is one. POST /v1/key-requests/{id}/decline */
  declineKeyRequest: {
    input: {
      id: string;
      body?: DeclineInput;
    };
    output: KeyRequestDetail;
    headers: "idempotencyKey" | "ifMatch";
  };
  /** Take a decline back: the key request is pending again. POST /v1/key-requests/{id}/reopen */
  reopenKeyRequest: {
    input: {
      id: string;
    };
    output: KeyRequestDetail;
    headers: "idempotencyKey" | "ifMatch";
  };
  /** Add or change why a key request was declined; an empty text takes the reason away. PUT /v1/key-requests/{id}/reason */
  setDeclineReason: {
    input: {
      id: string;
      body: DeclineReasonInput;
    };
    output: KeyRequestDetail;
    headers: "ifMatch";
  };
  /** Approve up to 100 key requests as they were seen, each by itself, and receive a claim link for each. POST /v1/key-requests/approve */
  approveKeyRequests: {
    input: {
      body: ApproveManyInput;
    };
    output: Approvals;
    headers: "idempotencyKey";
  };
  /** Decline up to 100 key requests, each by itself. POST /v1/key-requests/decline */
  declineKeyRequests: {
    input: {
      body: DeclineManyInput;
    };
    output: Declines;
    headers: "idempotencyKey";
  };
  /** List claims, newest first; a page may hold fewer than `limit` and still have a next. GET /v1/claims */
  listClaims: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** Only claims in this state. */
      state?: "open" | "opened" | "expired" | "withdrawn";
      /** Only claims of this key. */
      key_id?: string;
      /** Only claims of this key request. */
      request_id?: string;
    };
    output: ClaimList;
    headers: never;
  };
  /** Withdraw an open claim: its link opens nothing any more; the key lives on. DELETE /v1/claims/{id} */
  withdrawClaim: {
    input: {
      id: string;
    };
    output: Claim;
    headers: "idempotencyKey";
  };
  /** Read whose and what for a claim is, with the token of its link; burns nothing. POST /v1/claims/preview */
  previewClaim: {
    input: {
      body: OpenClaimInput;
    };
    output: ClaimPreview;
    headers: never;
  };
  /** Open a claim with the token of its link and receive the credential; works once. POST /v1/claims/open */
  openClaim: {
    input: {
      body: OpenClaimInput;
    };
    output: OpenedClaim;
    headers: never;
  };
  /** List developers, newest first. GET /api/portal/developers */
  listDevelopers: {
    input: {
      /** Page from 1; absent or below 1: everything, streamed. */
      p?: number;
    };
    output: DeveloperList;
    headers: never;
  };
  /** Register a developer. POST /api/portal/developers */
  createDeveloper: {
    input: {
      body: DeveloperAccountInput;
    };
    output: Envelope;
    headers: "idempotencyKey";
  };
  /** Read one developer. GET /api/portal/developers/{id} */
  getDeveloper: {
    input: {
      id: string;
    };
    output: Developer;
    headers: never;
  };
  /** Replace a developer; secrets, password and live keys that are left out stay. PUT /api/portal/developers/{id} */
  updateDeveloper: {
    input: {
      id: string;
      body: DeveloperAccountInput;
    };
    output: Envelope;
    headers: never;
  };
  /** Delete a developer with their undecided key requests, and revoke or keep their keys. DELETE /api/portal/developers/{id} */
  deleteDeveloper: {
    input: {
      id: string;
      /** What becomes of the developer's keys; absent: revoke. */
      keys?: "revoke" | "keep";
    };
    output: Envelope;
    headers: never;
  };
  /** Read the developer with this e-mail address. GET /api/portal/developers/email/{email} */
  getDeveloperByEmail: {
    input: {
      email: string;
    };
    output: Developer;
    headers: never;
  };
  /** Read the developer whom an identity provider knows by this sso_key. GET /api/portal/developers/ssokey/{key} */
  getDeveloperBySsoKey: {
    input: {
      key: string;
    };
    output: Developer;
    headers: never;
  };
  /** List the developers with a key of a plan that opens an API, newest first; `-` is any. GET /api/portal/developers/api/{api} */
  listDevelopersOfApi: {
    input: {
      api: string;
      /** Page from 1; absent or below 1: everything, streamed. */
      p?: number;
    };
    output: DeveloperList;
    headers: never;
  };
  /** Add to the subscriptions that a developer is shown with; no key opens more or less by it. POST /api/portal/developers/{id}/subscriptions */
  setSubscriptions: {
    input: {
      id: string;
      body: SubscriptionsInput;
    };
    output: Envelope;
    headers: never;
  };
  /** Check a developer's e-mail address and password; the message is the developer's id. POST /api/portal/developers/verify_credentials */
  verifyCredentials: {
    input: {
      body: DeveloperSignIn;
    };
    output: Envelope;
    headers: never;
  };
  /** Set a developer's password. POST /api/portal/developers/password/{id} */
  setDeveloperPassword: {
    input: {
      id: string;
      body: DeveloperPassword;
    };
    output: Envelope;
    headers: never;
  };
  /** List and search developers with the number of their requests and keys. GET /v1/developers */
  listNativeDevelopers: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** Only developers in this state. */
      state?: "active" | "inactive";
      /** Only developers with words that begin so, in any case: id, e-mail address, its domain, `fields`. */
      q?: string;
      /** `newest`, by date_created, by default; who has no `email` comes first by it. With `q` by the words found. */
      sort?: "newest" | "oldest" | "email";
      /** Which way `email` goes; `asc` by default. */
      direction?: "asc" | "desc";
    };
    output: NativeDeveloperList;
    headers: never;
  };
  /** Export all developers that match as CSV; none of their secrets. GET /v1/developers/export */
  exportDevelopers: {
    input: {
      /** Only developers in this state. */
      state?: "active" | "inactive";
      /** Only developers with words that begin so, in any case: id, e-mail address, its domain, `fields`. */
      q?: string;
      /** `newest`, by date_created, by default; who has no `email` comes first by it. With `q` by the words found. */
      sort?: "newest" | "oldest" | "email";
      /** Which way `email` goes; `asc` by default. */
      direction?: "asc" | "desc";
    };
    output: string;
    headers: never;
  };
  /** Register a developer. POST /v1/developers */
  createNativeDeveloper: {
    input: {
      body: CreateDeveloperInput;
    };
    output: DeveloperDetail;
    headers: "idempotencyKey";
  };
  /** Read one developer, with its ETag. GET /v1/developers/{id} */
  getNativeDeveloper: {
    input: {
      id: string;
    };
    output: DeveloperDetail;
    headers: never;
  };
  /** Replace a developer's e-mail address and fields; everything else stays. PUT /v1/developers/{id} */
  editDeveloper: {
    input: {
      id: string;
      body: EditDeveloperInput;
    };
    output: DeveloperDetail;
    headers: "ifMatch";
  };
  /** Let a developer sign in to the portal no more, and say what becomes of their keys. POST /v1/developers/{id}/deactivate */
  deactivateDeveloper: {
    input: {
      id: string;
      body?: DeactivateDeveloperInput;
    };
    output: DeveloperDetail;
    headers: "idempotencyKey" | "ifMatch";
  };
  /** Let a developer sign in to the portal again. POST /v1/developers/{id}/reactivate */
  reactivateDeveloper: {
    input: {
      id: string;
      body?: ReactivateDeveloperInput;
    };
    output: DeveloperDetail;
    headers: "idempotencyKey" | "ifMatch";
  };
  /** Confirm a developer's changed e-mail address, in the place of the one before it. POST /v1/developers/{id}/email/confirm */
  confirmDeveloperEmail: {
    input: {
      id: string;
      body: ConfirmEmailInput;
    };
    output: DeveloperDetail;
    headers: "idempotencyKey" | "ifMatch";
  };
  /** Delete a developer with their undecided requests, and revoke or keep their keys. DELETE /v1/developers/{id} */
  deleteNativeDeveloper: {
    input: {
      id: string;
      /** What becomes of their keys; has to be said. */
      keys: "revoke" | "keep";
    };
    output: DeveloperDeleted;
    headers: "ifMatch";
  };
  /** Read what the link of a mail would confirm, with its token; confirms nothing. POST /v1/email-confirmations/preview */
  previewEmailConfirmation: {
    input: {
      body: EmailConfirmationInput;
    };
    output: EmailConfirmationPreview;
    headers: never;
  };
  /** Confirm a developer's e-mail address with the token of a mailed link; works once. POST /v1/email-confirmations */
  confirmEmail: {
    input: {
      body: EmailConfirmationInput;
    };
    output: EmailConfirmed;
    headers: never;
  };
  /** List deleted developers who can be brought back, the latest first. GET /v1/developers/deleted */
  listDeletedDevelopers: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    output: DeletedDeveloperList;
    headers: never;
  };
  /** Bring back a deleted developer with their keys, for 7 days. POST /v1/developers/{id}/restore */
  restoreDeveloper: {
    input: {
      id: string;
      body: RestoreDeveloperInput;
    };
    output: DeveloperDetail;
    headers: "idempotencyKey";
  };
  /** Read the organisation's catalogue; empty before there is one. GET /api/portal/catalogue */
  getCatalogue: {
    input: Nothing;
    output: Catalogue;
    headers: never;
  };
  /** Set the organisation's catalogue; the message is its id. POST /api/portal/catalogue */
  createCatalogue: {
    input: {
      body: CatalogueInput;
    };
    output: Envelope;
    headers: never;
  };
  /** Replace the organisation's catalogue. PUT /api/portal/catalogue */
  updateCatalogue: {
    input: {
      body: CatalogueInput;
    };
    output: Envelope;
    headers: never;
  };
  /** Read the organisation's portal configuration; empty before there is one. GET /api/portal/configuration */
  getConfiguration: {
    input: Nothing;
    output: PortalConfiguration;
    headers: never;
  };
  /** Set the organisation's portal configuration; the message is its id. POST /api/portal/configuration */
  createConfiguration: {
    input: {
      body: PortalConfigurationInput;
    };
    output: Envelope;
    headers: never;
  };
  /** Replace the organisation's portal configuration. PUT /api/portal/configuration */
  updateConfiguration: {
    input: {
      body: PortalConfigurationInput;
    };
    output: Envelope;
    headers: never;
  };
  /** Add a document that catalogue entries may name; the message is its id. POST /api/portal/documentation */
  createDocumentation: {
    input: {
      body: DocumentationInput;
    };
    output: Envelope;
    headers: "idempotencyKey";
  };
  /** Read a document. GET /api/portal/documentation/{id} */
  getDocumentation: {
    input: {
      id: string;
    };
    output: Documentation;
    headers: never;
  };
  /** Replace a document. PUT /api/portal/documentation/{id} */
  updateDocumentation: {
    input: {
      id: string;
      body: DocumentationInput;
    };
    output: Envelope;
    headers: never;
  };
  /** Delete a document; entries that name it keep its id. DELETE /api/portal/documentation/{id} */
  deleteDocumentation: {
    input: {
      id: string;
    };
    output: Envelope;
    headers: never;
  };
  /** List plans, newest first. GET /api/portal/policies */
  listPlans: {
    input: {
      /** Page from 1; absent or below 1: everything, streamed. */
      p?: number;
    };
    output: PlanList;
    headers: never;
  };
  /** List plans whose name or ids hold a text, newest first. GET /api/portal/policies/search */
  searchPlans: {
    input: {
      /** Page from 1; absent or below 1: everything, streamed. */
      p?: number;
      /** The text, in any case; absent or empty: every plan. */
      q?: string;
    };
    output: PlanList;
    headers: never;
  };
  /** Add a plan; the message is its `_id`. POST /api/portal/policies */
  createPlan: {
    input: {
      body: PlanInput;
    };
    output: Envelope;
    headers: "idempotencyKey";
  };
  /** Read the plan that either of its ids names. GET /api/portal/policies/{id} */
  getPlan: {
    input: {
      id: string;
    };
    output: Plan;
    headers: never;
  };
  /** Change a plan; members that are left out stay, so that no limit is lifted by accident. PUT /api/portal/policies/{id} */
  updatePlan: {
    input: {
      id: string;
      body: PlanInput;
    };
    output: Envelope;
    headers: never;
  };
  /** Delete a plan; keys that have it open nothing any more. DELETE /api/portal/policies/{id} */
  deletePlan: {
    input: {
      id: string;
    };
    output: Envelope;
    headers: never;
  };
  /** List plans, newest first; a page may hold fewer than `limit` and still have a next. GET /v1/plans */
  listNativePlans: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** Only plans in this state. */
      state?: "active" | "inactive";
      /** Only plans that hold this text, in any case, in id, name or tags. */
      q?: string;
    };
    output: NativePlanList;
    headers: never;
  };
  /** Add a plan; what is left out has no limit. POST /v1/plans */
  createNativePlan: {
    input: {
      body: CreatePlanInput;
    };
    output: NativePlan;
    headers: "idempotencyKey";
  };
  /** Read one plan, with its ETag. GET /v1/plans/{id} */
  getNativePlan: {
    input: {
      id: string;
    };
    output: NativePlan;
    headers: never;
  };
  /** Change a plan; members that are left out stay, so that no limit is lifted by accident. PUT /v1/plans/{id} */
  editPlan: {
    input: {
      id: string;
      body: EditPlanInput;
    };
    output: NativePlan;
    headers: "ifMatch";
  };
  /** Deactivate a plan: within a second its keys open nothing of it. POST /v1/plans/{id}/deactivate */
  deactivatePlan: {
    input: {
      id: string;
    };
    output: NativePlan;
    headers: "idempotencyKey" | "ifMatch";
  };
  /** Activate a plan: its keys open it again. POST /v1/plans/{id}/activate */
  activatePlan: {
    input: {
      id: string;
    };
    output: NativePlan;
    headers: "idempotencyKey" | "ifMatch";
  };
  /** Change how a plan's requests are decided and what they ask; what is left out stays. PUT /v1/plans/{id}/approval */
  setPlanApproval: {
    input: {
      id: string;
      body: PlanApprovalInput;
    };
    output: NativePlan;
    headers: "ifMatch";
  };
  /** Delete a plan for good; keys that have it open nothing of it any more. DELETE /v1/plans/{id} */
  deleteNativePlan: {
    input: {
      id: string;
    };
    output: PlanDeleted;
    headers: "ifMatch";
  };
  /** List all APIs of the catalogue with their plans, in its order. GET /v1/catalogue */
  listCatalogue: {
    input: Nothing;
    output: CatalogueApis;
    headers: never;
  };
  /** List the catalogue's APIs with their plans, and what there is of each, in its order. GET /v1/apis */
  listCatalogueApis: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** Only APIs that hold this text, in any case, in id, name or description. */
      q?: string;
    };
    output: CatalogueApiList;
    headers: never;
  };
  /** Add an API to the catalogue; it is shown unless `show` is false. POST /v1/apis */
  createCatalogueApi: {
    input: {
      body: NewCatalogueApiInput;
    };
    output: CatalogueApi;
    headers: "idempotencyKey";
  };
  /** Read one API of the catalogue, with its ETag. GET /v1/apis/{id} */
  getCatalogueApi: {
    input: {
      id: string;
    };
    output: CatalogueApi;
    headers: never;
  };
  /** Change an API of the catalogue; members that are left out stay. PUT /v1/apis/{id} */
  editCatalogueApi: {
    input: {
      id: string;
      body: EditCatalogueApiInput;
    };
    output: CatalogueApi;
    headers: "ifMatch";
  };
  /** Take an API out of the catalogue; its plans stay, and their keys open it as before. DELETE /v1/apis/{id} */
  deleteCatalogueApi: {
    input: {
      id: string;
    };
    output: CatalogueApiDeleted;
    headers: "ifMatch";
  };
  /** Issue a key to a developer without a key request. POST /api/portal/developers/{id}/keys */
  issueDeveloperKey: {
    input: {
      id: string;
      body: DeveloperKeyInput;
    };
    output: Approval;
    headers: "idempotencyKey";
  };
  /** Give a developer's key these plans instead of its own. PUT /api/portal/developers/{id}/keys/{keyId} */
  updateDeveloperKey: {
    input: {
      id: string;
      keyId: string;
      body: DeveloperKeyInput;
    };
    output: Envelope;
    headers: never;
  };
  /** Revoke a developer's key. DELETE /api/portal/developers/{id}/keys/{keyId} */
  deleteDeveloperKey: {
    input: {
      id: string;
      keyId: string;
    };
    output: Envelope;
    headers: never;
  };
  /** Begin the quota of a developer's key anew, whole. POST /api/portal/developers/{id}/keys/{keyId}/reset_quota */
  resetKeyQuota: {
    input: {
      id: string;
      keyId: string;
    };
    output: Envelope;
    headers: never;
  };
  /** Revoke a developer's OAuth client, by its client_id or key id. DELETE /api/portal/developers/oauth/{client} */
  deleteOAuthClient: {
    input: {
      client: string;
    };
    output: Envelope;
    headers: never;
  };
  /** Revoke a developer's key, by its id or by itself; the plan is not looked at. DELETE /api/portal/developers/key/{plan}/{key}/{developer} */
  revokeKeyOfPlan: {
    input: {
      plan: string;
      key: string;
      developer: string;
    };
    output: Envelope;
    headers: never;
  };
  /** Revoke a key, by its id or by itself; the API is not looked at. DELETE /api/apis/{api}/keys/{key} */
  revokeKeyOfApi: {
    input: {
      api: string;
      key: string;
    };
    output: Envelope;
    headers: never;
  };
  /** Revoke a key, by its id or by itself. DELETE /api/keys/{key} */
  revokeNamedKey: {
    input: {
      key: string;
    };
    output: Envelope;
    headers: never;
  };
  /** What a key may do and has left, by its id or by itself; `-` is any API. GET /api/apis/{api}/keys/{key} */
  getKeyOfApi: {
    input: {
      api: string;
      key: string;
    };
    output: NamedKeyData;
    headers: never;
  };
  /** What a key may do and has left, by its id or by itself. GET /api/keys/{key} */
  getNamedKey: {
    input: {
      key: string;
    };
    output: NamedKeyData;
    headers: never;
  };
  /** Ids of the keys whose plans open an API, newest first; `-` is any API. GET /api/apis/{api}/keys */
  listKeysOfApi: {
    input: {
      api: string;
      /** Page from 1; absent or below 1: everything, streamed. */
      p?: number;
    };
    output: KeyIds;
    headers: never;
  };
  /** Ids of all keys that are not revoked, newest first. GET /api/apis/keys */
  listKeyIds: {
    input: {
      /** Page from 1; absent or below 1: everything, streamed. */
      p?: number;
    };
    output: KeyIds;
    headers: never;
  };
  /** All keys that are not revoked with what they may do, newest first. GET /api/keys/detailed */
  listKeyDetails: {
    input: {
      /** Page from 1; absent or below 1: everything, streamed. */
      p?: number;
    };
    output: KeyDetails;
    headers: never;
  };
  /** The APIs that plans and catalogue entries name, by their names. GET /api/apis */
  listApis: {
    input: {
      /** Page from 1; absent or below 1: everything, streamed. */
      p?: number;
    };
    output: ApiList;
    headers: never;
  };
  /** List keys, newest first; a page may hold fewer than `limit` and still have a next one. GET /v1/keys */
  listKeys: {
    input: {
      /** Keys on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** Only keys of this developer. */
      developer?: string;
      /** Only keys for this plan. */
      plan?: string;
      /** Only keys in this state; `expired` is sorted by when they ended. */
      state?: "active" | "suspended" | "revoked" | "expired";
      /** Only keys of this environment, as it is written there. */
      environment?: string;
      /** Only keys with this tag, as it is written there. */
      tag?: string;
      /** Only keys that this finds: each word of it begins a word of the name, the key's id, its mask or the last four characters of that, or a word of its developer. Sorted by where it was found. */
      q?: string;
      /** Newest first by default. Keys without an end come after all others. Goes with no filter but `state`, and not with `expired`. */
      sort?: "created" | "expires_at";
      /** Which way `sort` goes; `asc` by default. */
      direction?: "asc" | "desc";
    };
    output: KeyList;
    headers: never;
  };
  /** Export all keys that match as CSV; never the key itself. GET /v1/keys/export */
  exportKeys: {
    input: {
      /** Only keys of this developer. */
      developer?: string;
      /** Only keys for this plan. */
      plan?: string;
      /** Only keys in this state; `expired` is sorted by when they ended. */
      state?: "active" | "suspended" | "revoked" | "expired";
      /** Only keys of this environment, as it is written there. */
      environment?: string;
      /** Only keys with this tag, as it is written there. */
      tag?: string;
      /** Only keys that this finds: each word of it begins a word of the name, the key's id, its mask or the last four characters of that, or a word of its developer. Sorted by where it was found. */
      q?: string;
      /** Newest first by default. Keys without an end come after all others. Goes with no filter but `state`, and not with `expired`. */
      sort?: "created" | "expires_at";
      /** Which way `sort` goes; `asc` by default. */
      direction?: "asc" | "desc";
    };
    output: string;
    headers: never;
  };
  /** Find a key by the plain key, user name or client_id. POST /v1/keys/find */
  findKey: {
    input: {
      body: FindKeyInput;
    };
    output: Key;
    headers: never;
  };
  /** List the environments and tags that keys have, to choose from. GET /v1/keys/labels */
  listKeyLabels: {
    input: Nothing;
    output: KeyLabelsInUse;
    headers: never;
  };
  /** Read one key by its id, the SHA-256 of the key, with its ETag. GET /v1/keys/{key_id} */
  getKey: {
    input: {
      key_id: string;
    };
    output: Key;
    headers: never;
  };
  /** Suspend a key: it opens nothing until it is resumed. POST /v1/keys/{key_id}/suspend */
  suspendKey: {
    input: {
      key_id: string;
      body: KeyStateInput;
    };
    output: Key;
    headers: "idempotencyKey";
  };
  /** Resume a suspended key. POST /v1/keys/{key_id}/resume */
  resumeKey: {
    input: {
      key_id: string;
      body: KeyStateInput;
    };
    output: Key;
    headers: "idempotencyKey";
  };
  /** Revoke a key. POST /v1/keys/{key_id}/revoke */
  revokeKey: {
    input: {
      key_id: string;
      body: KeyStateInput;
    };
    output: Key;
    headers: "idempotencyKey";
  };
  /** Bring back a key that was revoked without `approve`, for 7 days. POST /v1/keys/{key_id}/restore */
  restoreKey: {
    input: {
      key_id: string;
      body: KeyStateInput;
    };
    output: Key;
    headers: "idempotencyKey";
  };
  /** Replace a key by a fresh one, shown once; the old one lives on for the overlap. POST /v1/keys/{key_id}/rotate */
  rotateKey: {
    input: {
      key_id: string;
      body: RotateKeyInput;
    };
    output: Replacement;
    headers: "idempotencyKey";
  };
  /** Issue a key to a developer without a key request, shown once. POST /v1/developers/{id}/keys */
  issueKey: {
    input: {
      id: string;
      body: IssueKeyInput;
    };
    output: Replacement;
    headers: "idempotencyKey";
  };
  /** Give a key these plans instead of its own. PUT /v1/keys/{key_id}/plans */
  setKeyPlans: {
    input: {
      key_id: string;
      body: KeyPlansInput;
    };
    output: Key;
    headers: never;
  };
  /** Set when a key ends; null or absent: never. PUT /v1/keys/{key_id}/expiry */
  setKeyExpiry: {
    input: {
      key_id: string;
      body: KeyExpiryInput;
    };
    output: Key;
    headers: never;
  };
  /** Set a key's name, environment, note and tags. PUT /v1/keys/{key_id}/labels */
  setKeyLabels: {
    input: {
      key_id: string;
      body: KeyLabelsInput;
    };
    output: Key;
    headers: "ifMatch";
  };
  /** Mint a request's key anew, where the answer of its approval was lost; the old one dies. POST /v1/key-requests/{id}/reissue */
  reissueKey: {
    input: {
      id: string;
      /** `claim`: a link that hands the credential over, instead of itself. */
      deliver?: "claim" | "answer";
    };
    output: Replacement;
    headers: "idempotencyKey";
  };
  /** List certificates in the order in which they were added. GET /api/certs */
  listCertificates: {
    input: {
      /** Page from 1; absent or 0: the first; below 0: everything, streamed. */
      p?: number;
      /** `detailed`: every detail, and `filter` works. */
      mode?: "" | "detailed";
      /** Takes effect with `mode=detailed` only. */
      filter?: "" | "omit" | "with_pk" | "without_pk";
      /** Only certificates that stand so now; `expiring`: within 30 days. */
      status?: "valid" | "expiring" | "expired" | "not_yet_valid";
      /** Only certificates whose validity ends before. */
      expires_before?: string;
      /** Only authorities, or only others. */
      is_ca?: boolean;
      /** Only certificates with a private key, or only those without. */
      has_private?: boolean;
      /** Part of a common or alternative name, issuer, serial number or fingerprint. */
      q?: string;
      /** Default: not_after with status or expires_before, else date_added. */
      sort?: "date_added" | "not_after" | "subject_cn";
      /** Default: asc. */
      direction?: "asc" | "desc";
    };
    output: CertificateList;
    headers: never;
  };
  /** Add a certificate with its chain and at most one private key. POST /api/certs */
  uploadCertificate: {
    input: {
      body: string | Uint8Array | Blob;
    };
    output: CertificateAdded;
    headers: "idempotencyKey";
  };
  /** Add every certificate of a PEM bundle, expired ones too, with a result for each. POST /api/certs/bundle */
  uploadBundle: {
    input: {
      body: string | Uint8Array | Blob;
    };
    output: BundleAdded;
    headers: "idempotencyKey";
  };
  /** List certificates with every detail. GET /api/certs/details */
  listCertificateDetails: {
    input: {
      /** Page from 1; absent or 0: the first; below 0: everything, streamed. */
      p?: number;
      /** Only certificates that stand so now; `expiring`: within 30 days. */
      status?: "valid" | "expiring" | "expired" | "not_yet_valid";
      /** Only certificates whose validity ends before. */
      expires_before?: string;
      /** Only authorities, or only others. */
      is_ca?: boolean;
      /** Only certificates with a private key, or only those without. */
      has_private?: boolean;
      /** Part of a common or alternative name, issuer, serial number or fingerprint. */
      q?: string;
      /** Default: not_after with status or expires_before, else date_added. */
      sort?: "date_added" | "not_after" | "subject_cn";
      /** Default: asc. */
      direction?: "asc" | "desc";
    };
    output: CertificateDetailsList;
    headers: never;
  };
  /** Export all certificates that match; never a private key. GET /api/certs/export */
  exportCertificates: {
    input: {
      /** Default: pem. */
      format?: "pem" | "csv" | "jsonl";
      /** Only certificates that stand so now; `expiring`: within 30 days. */
      status?: "valid" | "expiring" | "expired" | "not_yet_valid";
      /** Only certificates whose validity ends before. */
      expires_before?: string;
      /** Only authorities, or only others. */
      is_ca?: boolean;
      /** Only certificates with a private key, or only those without. */
      has_private?: boolean;
      /** Part of a common or alternative name, issuer, serial number or fingerprint. */
      q?: string;
      /** Default: not_after with status or expires_before, else date_added. */
      sort?: "date_added" | "not_after" | "subject_cn";
      /** Default: asc. */
      direction?: "asc" | "desc";
    };
    output: string;
    headers: never;
  };
  /** Read one certificate. GET /api/certs/{id} */
  getCertificate: {
    input: {
      id: string;
    };
    output: CertificateDetails;
    headers: never;
  };
  /** Delete a certificate with its private key. DELETE /api/certs/{id} */
  deleteCertificate: {
    input: {
      id: string;
    };
    output: CertificateRemoved;
    headers: never;
  };
  /** The plans, keys and APIs that name a certificate. GET /api/certs/dependencies/{id} */
  getCertificateDependencies: {
    input: {
      id: string;
    };
    output: CertificateUses;
    headers: never;
  };
  /** For clients that ask for it before they delete a certificate; changes nothing. DELETE /api/certs/dependencies/{id} */
  deleteCertificateDependencies: {
    input: {
      id: string;
    };
    output: Envelope;
    headers: never;
  };
  /** The APIs of plans and catalogue entries that name a certificate. GET /api/certs/{id}/apis */
  listApisOfCertificate: {
    input: {
      id: string;
    };
    output: ApiList;
    headers: never;
  };
  /** List and search certificates; a page may hold fewer than `limit` and still have a next. GET /v1/certificates */
  listNativeCertificates: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** Only certificates that stand so now; `expiring`: within 30 days. */
      status?: "valid" | "expiring" | "expired" | "not_yet_valid";
      /** Only certificates whose validity ends before. */
      expires_before?: string;
      /** Only authorities, or only others. */
      is_ca?: boolean;
      /** Only certificates with a private key, or only those without. */
      has_private?: boolean;
      /** Part of a common or alternative name, issuer, serial number or fingerprint. */
      q?: string;
      /** Default: not_after with status or expires_before, else date_added. */
      sort?: "date_added" | "not_after" | "subject_cn";
      /** Default: asc. */
      direction?: "asc" | "desc";
      /** Only certificates whose validity ends then or later. */
      expires_after?: string;
      /** Only certificates that have not ended and end within so many days. */
      expires_within?: number;
      /** Only certificates that this e-mail address cares for; empty: nobody. */
      owner?: string;
      /** Only certificates with this tag. */
      tag?: string;
    };
    output: NativeCertificateList;
    headers: never;
  };
  /** Export all certificates that match as CSV; never a private key. GET /v1/certificates/export */
  exportNativeCertificates: {
    input: {
      /** Only certificates that stand so now; `expiring`: within 30 days. */
      status?: "valid" | "expiring" | "expired" | "not_yet_valid";
      /** Only certificates whose validity ends before. */
      expires_before?: string;
      /** Only authorities, or only others. */
      is_ca?: boolean;
      /** Only certificates with a private key, or only those without. */
      has_private?: boolean;
      /** Part of a common or alternative name, issuer, serial number or fingerprint. */
      q?: string;
      /** Default: not_after with status or expires_before, else date_added. */
      sort?: "date_added" | "not_after" | "subject_cn";
      /** Default: asc. */
      direction?: "asc" | "desc";
      /** Only certificates whose validity ends then or later. */
      expires_after?: string;
      /** Only certificates that have not ended and end within so many days. */
      expires_within?: number;
      /** Only certificates that this e-mail address cares for; empty: nobody. */
      owner?: string;
      /** Only certificates with this tag. */
      tag?: string;
    };
    output: string;
    headers: never;
  };
  /** Count certificates, and when they end: by band, and by month for two years. GET /v1/certificates/counts */
  countCertificates: {
    input: {
      /** Only authorities, or only others. */
      is_ca?: boolean;
      /** Only certificates with a private key, or only those without. */
      has_private?: boolean;
    };
    output: CertificateCounts;
    headers: never;
  };
  /** Read one certificate with its PEM, chain and issuers, and its ETag. GET /v1/certificates/{id} */
  getNativeCertificate: {
    input: {
      id: string;
    };
    output: NativeCertificate;
    headers: never;
  };
  /** Set who cares for a certificate, and its tags. PUT /v1/certificates/{id} */
  updateCertificate: {
    input: {
      id: string;
      body: CertificateCare;
    };
    output: NativeCertificate;
    headers: never;
  };
  /** Download one certificate as PEM, with its chain where asked for; never a private key. GET /v1/certificates/{id}/pem */
  downloadCertificate: {
    input: {
      id: string;
      /** Also what was uploaded with it. */
      chain?: boolean;
    };
    output: string;
    headers: never;
  };
  /** List the certificates that name this one as their issuer: what depends on it. GET /v1/certificates/{id}/issued */
  listIssuedCertificates: {
    input: {
      id: string;
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    output: IssuedCertificateList;
    headers: never;
  };
  /** List the plans, keys and APIs that name this certificate, by name. GET /v1/certificates/{id}/uses */
  listCertificateUses: {
    input: {
      id: string;
    };
    output: NativeCertificateUses;
    headers: never;
  };
  /** Add a certificate with its key and chain, or every one of a bundle; a result for each. POST /v1/certificates */
  uploadCertificates: {
    input: {
      /** `one`: a certificate with its chain and key. `each`: every certificate by itself. Absent: `one` for a PKCS#12 file and for PEM with a key, else `each`. */
      as?: "one" | "each";
      body: string | Uint8Array | Blob;
    };
    output: CertificatesUploaded;
    headers: "idempotencyKey";
  };
  /** Delete a certificate with its private key; what it issued stays. DELETE /v1/certificates/{id} */
  deleteNativeCertificate: {
    input: {
      id: string;
    };
    output: CertificateDeleted;
    headers: "ifMatch";
  };
  /** Approve, decline or reopen any number of key requests in one job. POST /v1/jobs */
  startJob: {
    input: {
      body: JobInput;
    };
    output: Job;
    headers: "idempotencyKey";
  };
  /** The organisation's jobs, newest first. GET /v1/jobs */
  listJobs: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** Only jobs that the caller started. */
      mine?: "true";
    };
    output: JobList;
    headers: never;
  };
  /** Count what a job with this filter would decide. GET /v1/jobs/selection */
  countSelection: {
    input: {
      /** `approve` by default. */
      kind?: "approve" | "decline" | "reopen";
      /** Only requests whose `for_plan` is this. */
      plan?: string;
      /** Only requests for a plan that the catalogue offers for this API. */
      api?: string;
      /** Only requests of this developer. */
      developer?: string;
      /** Only with this date_created or later. */
      asked_after?: string;
      /** Only with an earlier date_created. */
      asked_before?: string;
      /** Only requests that hold this text, in any case, in id, developer, name, e-mail, plans, API or answers. */
      q?: string;
    };
    output: JobSelection;
    headers: never;
  };
  /** Read how far a job is. GET /v1/jobs/{id} */
  getJob: {
    input: {
      id: string;
    };
    output: Job;
    headers: never;
  };
  /** Stop a job behind the key requests that have their turn now; what is decided stays. POST /v1/jobs/{id}/stop */
  stopJob: {
    input: {
      id: string;
    };
    output: Job;
    headers: never;
  };
  /** A job's result as a CSV file: a line for each key request that had its turn. GET /v1/jobs/{id}/result */
  getJobResult: {
    input: {
      id: string;
    };
    output: string;
    headers: never;
  };
  /** Take a job's claim links as a CSV file, once. POST /v1/jobs/{id}/links */
  takeJobLinks: {
    input: {
      id: string;
    };
    output: string;
    headers: never;
  };
  /** Your saved views and the shared ones, by name. GET /v1/views */
  listViews: {
    input: {
      /** Only views of this list. */
      list?: ViewedList;
    };
    output: ViewList;
    headers: never;
  };
  /** Save a view: a name for filters, search, order and columns of a list. POST /v1/views */
  createView: {
    input: {
      body: CreateViewInput;
    };
    output: View;
    headers: "idempotencyKey";
  };
  /** Read a view. GET /v1/views/{id} */
  getView: {
    input: {
      id: string;
    };
    output: View;
    headers: never;
  };
  /** Replace name, query and columns of a view, share it or take that back. PUT /v1/views/{id} */
  updateView: {
    input: {
      id: string;
      body: ViewInput;
    };
    output: View;
    headers: "ifMatch";
  };
  /** Delete a view. DELETE /v1/views/{id} */
  deleteView: {
    input: {
      id: string;
    };
    output: ViewDeleted;
    headers: "ifMatch";
  };
  /** The columns of lists that you chose. GET /v1/me/columns */
  listColumns: {
    input: Nothing;
    output: ListColumnsList;
    headers: never;
  };
  /** Choose the columns of a list, for yourself. PUT /v1/me/columns */
  putColumns: {
    input: {
      body: ListColumnsInput;
    };
    output: ListColumnsKept;
    headers: never;
  };
  /** Read the brand of the page where one signs in. GET /v1/branding/sign-in */
  getSignInBranding: {
    input: Nothing;
    output: SignInBranding;
    headers: never;
  };
  /** Read what the organisation shows of itself to people outside. GET /v1/branding */
  getBranding: {
    input: Nothing;
    output: Branding;
    headers: never;
  };
  /** Replace what the organisation shows of itself; what is left out is not shown. PUT /v1/branding */
  putBranding: {
    input: {
      body: Branding;
    };
    output: Branding;
    headers: never;
  };
  /** List who is told of changes, newest first. GET /v1/targets */
  listTargets: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    output: TargetList;
    headers: never;
  };
  /** Add somebody who is told of changes; the secret is shown this once. POST /v1/targets */
  createTarget: {
    input: {
      body: TargetInput;
    };
    output: TargetWithSecret;
    headers: "idempotencyKey";
  };
  /** Read a target. GET /v1/targets/{id} */
  getTarget: {
    input: {
      id: string;
    };
    output: Target;
    headers: never;
  };
  /** Replace name, URL, template, topics and words of a target. PUT /v1/targets/{id} */
  updateTarget: {
    input: {
      id: string;
      body: TargetChange;
    };
    output: Target;
    headers: never;
  };
  /** Remove a target and what waits for it. DELETE /v1/targets/{id} */
  deleteTarget: {
    input: {
      id: string;
    };
    output: RemovedTarget;
    headers: never;
  };
  /** Send a target nothing until it is resumed. POST /v1/targets/{id}/pause */
  pauseTarget: {
    input: {
      id: string;
    };
    output: Target;
    headers: never;
  };
  /** Go on with a paused target. POST /v1/targets/{id}/resume */
  resumeTarget: {
    input: {
      id: string;
    };
    output: Target;
    headers: never;
  };
  /** Show a mail as somebody would get it, with made-up values; nothing is sent. POST /v1/targets/{id}/preview */
  previewMail: {
    input: {
      id: string;
      body: MailPreviewInput;
    };
    output: MailPreview;
    headers: never;
  };
  /** Send a target a test at once, and give what it answers. POST /v1/targets/{id}/test */
  testTarget: {
    input: {
      id: string;
    };
    output: TargetTest;
    headers: never;
  };
  /** Give a target a fresh secret, shown this once. POST /v1/targets/{id}/rotate */
  rotateTargetSecret: {
    input: {
      id: string;
      body?: SecretRotation;
    };
    output: TargetWithSecret;
    headers: "idempotencyKey";
  };
  /** Who was told what, newest first; a page may hold fewer than `limit` and have a next. GET /v1/deliveries */
  listDeliveries: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      target_id?: string;
      state?: "waiting" | "delivered" | "dead" | "skipped";
      topic?: string;
      /** Who was told of the thing of this id. */
      object_id?: string;
      /** Of changes from this time on. */
      after?: string;
      /** Of changes until shortly before this time. */
      before?: string;
    };
    output: DeliveryList;
    headers: never;
  };
  /** Count what was given up, by target. GET /v1/deliveries/counts */
  countDeliveries: {
    input: Nothing;
    output: DeliveryCounts;
    headers: never;
  };
  /** Read a delivery with what became of each try. GET /v1/deliveries/{id} */
  getDelivery: {
    input: {
      id: string;
    };
    output: DeliveryWithAttempts;
    headers: never;
  };
  /** Send a delivery once more, with the same id. POST /v1/deliveries/{id}/replay */
  replayDelivery: {
    input: {
      id: string;
    };
    output: Delivery;
    headers: never;
  };
  /** Send a target the messages of a span of time that match, with the ids that they have. POST /v1/deliveries/replay */
  replayDeliveries: {
    input: {
      body: ReplayInput;
    };
    output: Replayed;
    headers: never;
  };
  /** Read how long before ends of certificates and keys it is told of them. GET /v1/settings/alerts */
  getAlertRules: {
    input: Nothing;
    output: AlertRules;
    headers: never;
  };
  /** Set how long before ends of certificates and keys it is told of them. PUT /v1/settings/alerts */
  setAlertRules: {
    input: {
      body: AlertRulesInput;
    };
    output: AlertRules;
    headers: never;
  };
  /** Why was nothing sent? Or what was, about the end of a certificate. GET /v1/certificates/{id}/alerts */
  getCertificateAlerts: {
    input: {
      id: string;
    };
    output: AlertReport;
    headers: never;
  };
  /** Tell nobody of the end of a certificate until a time. PUT /v1/certificates/{id}/mute */
  muteCertificateAlerts: {
    input: {
      id: string;
      body: MuteInput;
    };
    output: AlertReport;
    headers: never;
  };
  /** Lift the mute of a certificate's alerts. DELETE /v1/certificates/{id}/mute */
  unmuteCertificateAlerts: {
    input: {
      id: string;
    };
    output: AlertReport;
    headers: never;
  };
  /** Why was nothing sent? Or what was, about the end of a key. GET /v1/keys/{key_id}/alerts */
  getKeyAlerts: {
    input: {
      key_id: string;
    };
    output: AlertReport;
    headers: never;
  };
  /** Tell nobody of the end of a key until a time. PUT /v1/keys/{key_id}/mute */
  muteKeyAlerts: {
    input: {
      key_id: string;
      body: MuteInput;
    };
    output: AlertReport;
    headers: never;
  };
  /** Lift the mute of a key's alerts. DELETE /v1/keys/{key_id}/mute */
  unmuteKeyAlerts: {
    input: {
      key_id: string;
    };
    output: AlertReport;
    headers: never;
  };
  /** Report keys and access tokens that were found in public; open to everybody. POST /v1/leaks */
  reportLeaks: {
    input: {
      body: LeaksInput;
    };
    output: LeaksReceived;
    headers: never;
  };
  /** Report matches as GitHub's secret scanning does, signed with a public key of the setting. POST /v1/leaks/partner */
  reportPartnerLeaks: {
    input: {
      body: string | Uint8Array | Blob;
    };
    output: LeakFeedback;
    headers: never;
  };
  /** Get a token for an OAuth client, which authenticates with Basic or in the body (RFC 6749). POST /oauth/token */
  issueToken: {
    input: {
      body: {
        grant_type: string;
        scope?: string;
        client_id?: string;
        client_secret?: string;
      };
    };
    output: OAuthToken;
    headers: never;
  };
  /** Whether a token is good, and whose it is (RFC 7662). POST /oauth/introspect */
  introspectToken: {
    input: {
      body: {
        token: string;
        token_type_hint?: string;
        /** Anything: it is not looked at. */
        client_id?: string;
        /** An access token, where there is no `Authorization`. */
        client_secret?: string;
      };
    };
    output: OAuthIntrospection;
    headers: never;
  };
  /** End a token of the client that calls; one that is no token of its own is no error. POST /oauth/revoke */
  revokeToken: {
    input: {
      body: {
        token: string;
        token_type_hint?: string;
        client_id?: string;
        client_secret?: string;
      };
    };
    output: Record<string, unknown>;
    headers: never;
  };
  /** Is this credential valid, for this API? Counts one call when it is. POST /v1/keys/verify */
  verifyKey: {
    input: {
      body: CredentialQuestion;
    };
    output: AcceptedCredential | RefusedCredential;
    headers: never;
  };
  /** How often keys were used, by day or hour: of a key, a plan, a developer, an API, or all of them. GET /v1/usage */
  getUsage: {
    input: {
      /** Only of the key with this id. */
      key?: string;
      /** Only calls that went by this plan. */
      plan?: string;
      /** Only of this developer's keys. */
      developer?: string;
      /** Only calls of this API. */
      api?: string;
      /** The first day, UTC; 29 days before the last. */
      from?: string;
      /** The last day, UTC; today. */
      to?: string;
      /** What a row is of. */
      by?: "day" | "hour";
    };
    output: Usage;
    headers: never;
  };
  /** How often a key was used, from one day to another. GET /api/activity/keys/{hash}/{from_day}/{from_month}/{from_year}/{to_day}/{to_month}/{to_year} */
  getKeyActivity: {
    input: {
      hash: string;
      from_day: string;
      from_month: string;
      from_year: string;
      to_day: string;
      to_month: string;
      to_year: string;
      /** What a row is of. Days begin at midnight UTC. */
      res?: "day" | "hour" | "month";
      /** Page from 1; absent or below 1: everything. */
      p?: number;
    };
    output: KeyActivityList;
    headers: never;
  };
  /** How often several keys were used, from one day to another: ids separated by commas. GET /api/activity/keys/aggregate/{keys}/{from_day}/{from_month}/{from_year}/{to_day}/{to_month}/{to_year} */
  getKeysActivity: {
    input: {
      keys: string;
      from_day: string;
      from_month: string;
      from_year: string;
      to_day: string;
      to_month: string;
      to_year: string;
      /** What a row is of. Days begin at midnight UTC. */
      res?: "day" | "hour" | "month";
      /** Page from 1; absent or below 1: everything. */
      p?: number;
    };
    output: KeyActivityList;
    headers: never;
  };
  /** How many keys and certificates end when, and which do so next. GET /v1/insight/ends */
  getEnds: {
    input: Nothing;
    output: Ends;
    headers: never;
  };
  /** The plans and keys with the most calls in the last 30 whole days, and silent keys. GET /v1/insight/usage */
  getBusiest: {
    input: Nothing;
    output: Busiest;
    headers: never;
  };
  /** Which of the steps are done that a desk needs before others rely on it. GET /v1/insight/first-steps */
  getFirstSteps: {
    input: Nothing;
    output: FirstSteps;
    headers: never;
  };
  /** Who did what and when, newest first; a page may hold fewer than `limit` and have a next. GET /v1/activity */
  listActivity: {
    input: {
      /** Only what names this, in any case: a person, a developer, a plan, a key's mask, a certificate, an address, or an id. */
      q?: string;
      /** `sign_ins`: sessions and refused sign-ins; `changes`: what changed something. */
      kind?: "changes" | "sign_ins";
      /** Only what this person did. */
      actor?: string;
      /** Only what happened to things of this kind. */
      object?: string;
      /** Only what happened to the thing of this id. */
      object_id?: string;
      /** Only this action, such as `key_request.approved`. */
      action?: string;
      /** Only what was done with this access token. */
      token_id?: string;
      /** Only what was done in this session. */
      session?: string;
      /** Only what the call of this id did: ours, or the caller's own. */
      request_id?: string;
      /** Only from this address, as it is shown. */
      client_address?: string;
      /** From this time on. */
      after?: string;
      /** Until shortly before this time. */
      before?: string;
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    output: ActivityList;
    headers: never;
  };
  /** Everything that matches as JSON lines, newest first, streamed. GET /v1/activity/export */
  exportActivity: {
    input: {
      /** Only what names this, in any case: a person, a developer, a plan, a key's mask, a certificate, an address, or an id. */
      q?: string;
      /** `sign_ins`: sessions and refused sign-ins; `changes`: what changed something. */
      kind?: "changes" | "sign_ins";
      /** Only what this person did. */
      actor?: string;
      /** Only what happened to things of this kind. */
      object?: string;
      /** Only what happened to the thing of this id. */
      object_id?: string;
      /** Only this action, such as `key_request.approved`. */
      action?: string;
      /** Only what was done with this access token. */
      token_id?: string;
      /** Only what was done in this session. */
      session?: string;
      /** Only what the call of this id did: ours, or the caller's own. */
      request_id?: string;
      /** Only from this address, as it is shown. */
      client_address?: string;
      /** From this time on. */
      after?: string;
      /** Until shortly before this time. */
      before?: string;
    };
    output: string;
    headers: never;
  };
  /** The newest signed checkpoint of the audit trail's log, for a witness to keep. GET /v1/activity/checkpoint */
  getActivityCheckpoint: {
    input: Nothing;
    output: string;
    headers: never;
  };
  /** The proof that a row of the audit trail is in the log, against its newest signed head. GET /v1/activity/{id}/proof */
  getActivityProof: {
    input: {
      id: string;
    };
    output: ActivityProof;
    headers: never;
  };
  /** List people, newest first, those who left among them. GET /v1/people */
  listPeople: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    output: PersonList;
    headers: never;
  };
  /** Add a person; nobody gives a permission that they don't hold. POST /v1/people */
  createPerson: {
    input: {
      body: PersonInput;
    };
    output: Person;
    headers: "idempotencyKey";
  };
  /** Read one person. GET /v1/people/{id} */
  getPerson: {
    input: {
      id: string;
    };
    output: Person;
    headers: never;
  };
  /** Replace a person's name, permissions and address; access tokens follow within a second. PUT /v1/people/{id} */
  updatePerson: {
    input: {
      id: string;
      body: PersonInput;
    };
    output: Person;
    headers: "ifMatch";
  };
  /** Deactivate a person: their access tokens end within a second, the trail keeps their name. DELETE /v1/people/{id} */
  deletePerson: {
    input: {
      id: string;
    };
    output: Person;
    headers: "ifMatch";
  };
  /** Suspend all access tokens and sessions of a person: they open nothing within a second, until they are resumed. POST /v1/people/{id}/suspend */
  suspendPerson: {
    input: {
      id: string;
    };
    output: Person;
    headers: never;
  };
  /** Let a suspended person's access tokens and sessions open again what they did. POST /v1/people/{id}/resume */
  resumePerson: {
    input: {
      id: string;
    };
    output: Person;
    headers: never;
  };
  /** List a person's access tokens, newest first; never their values. GET /v1/people/{id}/credentials */
  listPersonCredentials: {
    input: {
      id: string;
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    output: AccessCredentialList;
    headers: never;
  };
  /** Issue an access token; its scope is the person's permissions or less. POST /v1/people/{id}/credentials */
  issueAccessCredential: {
    input: {
      id: string;
      body: AccessCredentialInput;
    };
    output: IssuedAccessCredential;
    headers: "idempotencyKey";
  };
  /** Revoke an access token: it opens nothing within a second, nor do its sessions. DELETE /v1/credentials/{id} */
  revokeAccessCredential: {
    input: {
      id: string;
    };
    output: AccessCredential;
    headers: never;
  };
  /** Replace an access token by a fresh one; the old one lives on for the overlap. POST /v1/credentials/{id}/rotate */
  rotateAccessCredential: {
    input: {
      id: string;
      body: RotateAccessCredentialInput;
    };
    output: IssuedAccessCredential;
    headers: "idempotencyKey";
  };
  /** Set the addresses from which alone an access token opens something, the caller's own among them. PUT /v1/credentials/{id}/addresses */
  limitAccessCredential: {
    input: {
      id: string;
      body: AccessCredentialAddresses;
    };
    output: AccessCredential;
    headers: never;
  };
  /** List organisations, newest first; for the operator, that is within the first one. GET /v1/organisations */
  listOrganisations: {
    input: {
      /** Items on a page, 1 to 100; 20 by default. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    output: OrganisationList;
    headers: never;
  };
  /** Make an organisation with its first administrator, whose access token is shown this once. POST /v1/organisations */
  createOrganisation: {
    input: {
      body: OrganisationInput;
    };
    output: CreatedOrganisation;
    headers: "idempotencyKey";
  };
  /** Sign a browser in with an access token or a one-time code; sets the session's cookie. POST /v1/session */
  signIn: {
    input: {
      body: SignInInput;
    };
    output: Session;
    headers: never;
  };
  /** Who is signed in, and the token that changes by this session must carry. GET /v1/session */
  getSession: {
    input: Nothing;
    output: Session;
    headers: never;
  };
  /** Sign out: the session opens nothing any more. DELETE /v1/session */
  signOut: {
    input: Nothing;
    output: {
      signed_out: true;
    };
    headers: never;
  };
  /** List the caller's own sessions, newest first; at most 20. GET /v1/sessions */
  listSessions: {
    input: Nothing;
    output: OwnSessionList;
    headers: never;
  };
  /** End one of the caller's own sessions; where it is this one, that is signing out. DELETE /v1/sessions/{id} */
  endSession: {
    input: {
      id: string;
    };
    output: SessionsEnded;
    headers: never;
  };
  /** End all sessions of the caller, this one too: sign out everywhere. DELETE /v1/sessions */
  endSessions: {
    input: Nothing;
    output: SessionsEnded;
    headers: never;
  };
  /** Who calls: person, organisation, access token and what it may do. GET /v1/me */
  getCaller: {
    input: Nothing;
    output: Caller;
    headers: never;
  };
  /** Version, engine, schema, uptime, the settings that answers depend on, and what should be known. GET /v1/server */
  getServerInfo: {
    input: Nothing;
    output: ServerInfo;
    headers: never;
  };
  /** The process answers. GET /healthz */
  healthz: {
    input: Nothing;
    output: Envelope;
    headers: never;
  };
  /** The process answers. GET /livez */
  livez: {
    input: Nothing;
    output: Envelope;
    headers: never;
  };
  /** The store answers and takes changes; 503 when it does not. GET /readyz */
  readyz: {
    input: {
      /** What is to be sent to the node; absent: everything. */
      for?: "verify";
    };
    output: Readiness;
    headers: never;
  };
  /** The store answers, in the words of the original; 503 with `fail` when it does not. GET /hello */
  hello: {
    input: Nothing;
    output: Hello;
    headers: never;
  };
}

/** How an operation is sent. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  /** A form, or bytes as they are; absent: JSON. */
  readonly body?: "form" | "bytes";
  readonly headers?: readonly ("idempotencyKey" | "ifMatch")[];
}

/** How each is. */
export const calls: { readonly [Id in keyof Operations]: Call } = {
  listKeyRequests: {"method":"GET","path":"/api/portal/requests","query":["p","approved","declined"]},
  getKeyRequest: {"method":"GET","path":"/api/portal/requests/{id}"},
  createKeyRequest: {"method":"POST","path":"/api/portal/requests","headers":["idempotencyKey"]},
  updateKeyRequest: {"method":"PUT","path":"/api/portal/requests/{id}"},
  deleteKeyRequest: {"method":"DELETE","path":"/api/portal/requests/{id}"},
  approveKeyRequest: {"method":"PUT","path":"/api/portal/requests/approve/{id}","headers":["idempotencyKey","ifMatch"]},
  listNativeKeyRequests: {"method":"GET","path":"/v1/key-requests","query":["limit","cursor","state","plan","api","developer","asked_after","asked_before","q","sort","direction"]},
  createNativeKeyRequest: {"method":"POST","path":"/v1/key-requests","headers":["idempotencyKey"]},
  countKeyRequests: {"method":"GET","path":"/v1/key-requests/counts"},
  exportKeyRequests: {"method":"GET","path":"/v1/key-requests/export","query":["state","plan","api","developer","asked_after","asked_before","q","sort","direction"]},
  getNativeKeyRequest: {"method":"GET","path":"/v1/key-requests/{id}"},
  approveNativeKeyRequest: {"method":"POST","path":"/v1/key-requests/{id}/approve","query":["deliver"],"headers":["idempotencyKey","ifMatch"]},
  declineKeyRequest: {"method":"POST","path":"/v1/key-requests/{id}/decline","headers":["idempotencyKey","ifMatch"]},
  reopenKeyRequest: {"method":"POST","path":"/v1/key-requests/{id}/reopen","headers":["idempotencyKey","ifMatch"]},
  setDeclineReason: {"method":"PUT","path":"/v1/key-requests/{id}/reason","headers":["ifMatch"]},
  approveKeyRequests: {"method":"POST","path":"/v1/key-requests/approve","headers":["idempotencyKey"]},
  declineKeyRequests: {"method":"POST","path":"/v1/key-requests/decline","headers":["idempotencyKey"]},
  listClaims: {"method":"GET","path":"/v1/claims","query":["limit","cursor","state","key_id","request_id"]},
  withdrawClaim: {"method":"DELETE","path":"/v1/claims/{id}","headers":["idempotencyKey"]},
  previewClaim: {"method":"POST","path":"/v1/claims/preview"},
  openClaim: {"method":"POST","path":"/v1/claims/open"},
  listDevelopers: {"method":"GET","path":"/api/portal/developers","query":["p"]},
  createDeveloper: {"method":"POST","path":"/api/portal/developers","headers":["idempotencyKey"]},
  getDeveloper: {"method":"GET","path":"/api/portal/developers/{id}"},
  updateDeveloper: {"method":"PUT","path":"/api/portal/developers/{id}"},
  deleteDeveloper: {"method":"DELETE","path":"/api/portal/developers/{id}","query":["keys"]},
  getDeveloperByEmail: {"method":"GET","path":"/api/portal/developers/email/{email}"},
  getDeveloperBySsoKey: {"method":"GET","path":"/api/portal/developers/ssokey/{key}"},
  listDevelopersOfApi: {"method":"GET","path":"/api/portal/developers/api/{api}","query":["p"]},
  setSubscriptions: {"method":"POST","path":"/api/portal/developers/{id}/subscriptions"},
  verifyCredentials: {"method":"POST","path":"/api/portal/developers/verify_credentials"},
  setDeveloperPassword: {"method":"POST","path":"/api/portal/developers/password/{id}"},
  listNativeDevelopers: {"method":"GET","path":"/v1/developers","query":["limit","cursor","state","q","sort","direction"]},
  exportDevelopers: {"method":"GET","path":"/v1/developers/export","query":["state","q","sort","direction"]},
  createNativeDeveloper: {"method":"POST","path":"/v1/developers","headers":["idempotencyKey"]},
  getNativeDeveloper: {"method":"GET","path":"/v1/developers/{id}"},
  editDeveloper: {"method":"PUT","path":"/v1/developers/{id}","headers":["ifMatch"]},
  deactivateDeveloper: {"method":"POST","path":"/v1/developers/{id}/deactivate","headers":["idempotencyKey","ifMatch"]},
  reactivateDeveloper: {"method":"POST","path":"/v1/developers/{id}/reactivate","headers":["idempotencyKey","ifMatch"]},
  confirmDeveloperEmail: {"method":"POST","path":"/v1/developers/{id}/email/confirm","headers":["idempotencyKey","ifMatch"]},
  deleteNativeDeveloper: {"method":"DELETE","path":"/v1/developers/{id}","query":["keys"],"headers":["ifMatch"]},
  previewEmailConfirmation: {"method":"POST","path":"/v1/email-confirmations/preview"},
  confirmEmail: {"method":"POST","path":"/v1/email-confirmations"},
  listDeletedDevelopers: {"method":"GET","path":"/v1/developers/deleted","query":["limit","cursor"]},
  restoreDeveloper: {"method":"POST","path":"/v1/developers/{id}/restore","headers":["idempotencyKey"]},
  getCatalogue: {"method":"GET","path":"/api/portal/catalogue"},
  createCatalogue: {"method":"POST","path":"/api/portal/catalogue"},
  updateCatalogue: {"method":"PUT","path":"/api/portal/catalogue"},
  getConfiguration: {"method":"GET","path":"/api/portal/configuration"},
  createConfiguration: {"method":"POST","path":"/api/portal/configuration"},
  updateConfiguration: {"method":"PUT","path":"/api/portal/configuration"},
  createDocumentation: {"method":"POST","path":"/api/portal/documentation","headers":["idempotencyKey"]},
  getDocumentation: {"method":"GET","path":"/api/portal/documentation/{id}"},
  updateDocumentation: {"method":"PUT","path":"/api/portal/documentation/{id}"},
  deleteDocumentation: {"method":"DELETE","path":"/api/portal/documentation/{id}"},
  listPlans: {"method":"GET","path":"/api/portal/policies","query":["p"]},
  searchPlans: {"method":"GET","path":"/api/portal/policies/search","query":["p","q"]},
  createPlan: {"method":"POST","path":"/api/portal/policies","headers":["idempotencyKey"]},
  getPlan: {"method":"GET","path":"/api/portal/policies/{id}"},
  updatePlan: {"method":"PUT","path":"/api/portal/policies/{id}"},
  deletePlan: {"method":"DELETE","path":"/api/portal/policies/{id}"},
  listNativePlans: {"method":"GET","path":"/v1/plans","query":["limit","cursor","state","q"]},
  createNativePlan: {"method":"POST","path":"/v1/plans","headers":["idempotencyKey"]},
  getNativePlan: {"method":"GET","path":"/v1/plans/{id}"},
  editPlan: {"method":"PUT","path":"/v1/plans/{id}","headers":["ifMatch"]},
  deactivatePlan: {"method":"POST","path":"/v1/plans/{id}/deactivate","headers":["idempotencyKey","ifMatch"]},
  activatePlan: {"method":"POST","path":"/v1/plans/{id}/activate","headers":["idempotencyKey","ifMatch"]},
  setPlanApproval: {"method":"PUT","path":"/v1/plans/{id}/approval","headers":["ifMatch"]},
  deleteNativePlan: {"method":"DELETE","path":"/v1/plans/{id}","headers":["ifMatch"]},
  listCatalogue: {"method":"GET","path":"/v1/catalogue"},
  listCatalogueApis: {"method":"GET","path":"/v1/apis","query":["limit","cursor","q"]},
  createCatalogueApi: {"method":"POST","path":"/v1/apis","headers":["idempotencyKey"]},
  getCatalogueApi: {"method":"GET","path":"/v1/apis/{id}"},
  editCatalogueApi: {"method":"PUT","path":"/v1/apis/{id}","headers":["ifMatch"]},
  deleteCatalogueApi: {"method":"DELETE","path":"/v1/apis/{id}","headers":["ifMatch"]},
  issueDeveloperKey: {"method":"POST","path":"/api/portal/developers/{id}/keys","headers":["idempotencyKey"]},
  updateDeveloperKey: {"method":"PUT","path":"/api/portal/developers/{id}/keys/{keyId}"},
  deleteDeveloperKey: {"method":"DELETE","path":"/api/portal/developers/{id}/keys/{keyId}"},
  resetKeyQuota: {"method":"POST","path":"/api/portal/developers/{id}/keys/{keyId}/reset_quota"},
  deleteOAuthClient: {"method":"DELETE","path":"/api/portal/developers/oauth/{client}"},
  revokeKeyOfPlan: {"method":"DELETE","path":"/api/portal/developers/key/{plan}/{key}/{developer}"},
  revokeKeyOfApi: {"method":"DELETE","path":"/api/apis/{api}/keys/{key}"},
  revokeNamedKey: {"method":"DELETE","path":"/api/keys/{key}"},
  getKeyOfApi: {"method":"GET","path":"/api/apis/{api}/keys/{key}"},
  getNamedKey: {"method":"GET","path":"/api/keys/{key}"},
  listKeysOfApi: {"method":"GET","path":"/api/apis/{api}/keys","query":["p"]},
  listKeyIds: {"method":"GET","path":"/api/apis/keys","query":["p"]},
  listKeyDetails: {"method":"GET","path":"/api/keys/detailed","query":["p"]},
  listApis: {"method":"GET","path":"/api/apis","query":["p"]},
  listKeys: {"method":"GET","path":"/v1/keys","query":["limit","cursor","developer","plan","state","environment","tag","q","sort","direction"]},
  exportKeys: {"method":"GET","path":"/v1/keys/export","query":["developer","plan","state","environment","tag","q","sort","direction"]},
  findKey: {"method":"POST","path":"/v1/keys/find"},
  listKeyLabels: {"method":"GET","path":"/v1/keys/labels"},
  getKey: {"method":"GET","path":"/v1/keys/{key_id}"},
  suspendKey: {"method":"POST","path":"/v1/keys/{key_id}/suspend","headers":["idempotencyKey"]},
  resumeKey: {"method":"POST","path":"/v1/keys/{key_id}/resume","headers":["idempotencyKey"]},
  revokeKey: {"method":"POST","path":"/v1/keys/{key_id}/revoke","headers":["idempotencyKey"]},
  restoreKey: {"method":"POST","path":"/v1/keys/{key_id}/restore","headers":["idempotencyKey"]},
  rotateKey: {"method":"POST","path":"/v1/keys/{key_id}/rotate","headers":["idempotencyKey"]},
  issueKey: {"method":"POST","path":"/v1/developers/{id}/keys","headers":["idempotencyKey"]},
  setKeyPlans: {"method":"PUT","path":"/v1/keys/{key_id}/plans"},
  setKeyExpiry: {"method":"PUT","path":"/v1/keys/{key_id}/expiry"},
  setKeyLabels: {"method":"PUT","path":"/v1/keys/{key_id}/labels","headers":["ifMatch"]},
  reissueKey: {"method":"POST","path":"/v1/key-requests/{id}/reissue","query":["deliver"],"headers":["idempotencyKey"]},
  listCertificates: {"method":"GET","path":"/api/certs","query":["p","mode","filter","status","expires_before","is_ca","has_private","q","sort","direction"]},
  uploadCertificate: {"method":"POST","path":"/api/certs","body":"bytes","headers":["idempotencyKey"]},
  uploadBundle: {"method":"POST","path":"/api/certs/bundle","body":"bytes","headers":["idempotencyKey"]},
  listCertificateDetails: {"method":"GET","path":"/api/certs/details","query":["p","status","expires_before","is_ca","has_private","q","sort","direction"]},
  exportCertificates: {"method":"GET","path":"/api/certs/export","query":["format","status","expires_before","is_ca","has_private","q","sort","direction"]},
  getCertificate: {"method":"GET","path":"/api/certs/{id}"},
  deleteCertificate: {"method":"DELETE","path":"/api/certs/{id}"},
  getCertificateDependencies: {"method":"GET","path":"/api/certs/dependencies/{id}"},
  deleteCertificateDependencies: {"method":"DELETE","path":"/api/certs/dependencies/{id}"},
  listApisOfCertificate: {"method":"GET","path":"/api/certs/{id}/apis"},
  listNativeCertificates: {"method":"GET","path":"/v1/certificates","query":["limit","cursor","status","expires_before","is_ca","has_private","q","sort","direction","expires_after","expires_within","owner","tag"]},
  exportNativeCertificates: {"method":"GET","path":"/v1/certificates/export","query":["status","expires_before","is_ca","has_private","q","sort","direction","expires_after","expires_within","owner","tag"]},
  countCertificates: {"method":"GET","path":"/v1/certificates/counts","query":["is_ca","has_private"]},
  getNativeCertificate: {"method":"GET","path":"/v1/certificates/{id}"},
  updateCertificate: {"method":"PUT","path":"/v1/certificates/{id}"},
  downloadCertificate: {"method":"GET","path":"/v1/certificates/{id}/pem","query":["chain"]},
  listIssuedCertificates: {"method":"GET","path":"/v1/certificates/{id}/issued","query":["limit","cursor"]},
  listCertificateUses: {"method":"GET","path":"/v1/certificates/{id}/uses"},
  uploadCertificates: {"method":"POST","path":"/v1/certificates","query":["as"],"body":"bytes","headers":["idempotencyKey"]},
  deleteNativeCertificate: {"method":"DELETE","path":"/v1/certificates/{id}","headers":["ifMatch"]},
  startJob: {"method":"POST","path":"/v1/jobs","headers":["idempotencyKey"]},
  listJobs: {"method":"GET","path":"/v1/jobs","query":["limit","cursor","mine"]},
  countSelection: {"method":"GET","path":"/v1/jobs/selection","query":["kind","plan","api","developer","asked_after","asked_before","q"]},
  getJob: {"method":"GET","path":"/v1/jobs/{id}"},
  stopJob: {"method":"POST","path":"/v1/jobs/{id}/stop"},
  getJobResult: {"method":"GET","path":"/v1/jobs/{id}/result"},
  takeJobLinks: {"method":"POST","path":"/v1/jobs/{id}/links"},
  listViews: {"method":"GET","path":"/v1/views","query":["list"]},
  createView: {"method":"POST","path":"/v1/views","headers":["idempotencyKey"]},
  getView: {"method":"GET","path":"/v1/views/{id}"},
  updateView: {"method":"PUT","path":"/v1/views/{id}","headers":["ifMatch"]},
  deleteView: {"method":"DELETE","path":"/v1/views/{id}","headers":["ifMatch"]},
  listColumns: {"method":"GET","path":"/v1/me/columns"},
  putColumns: {"method":"PUT","path":"/v1/me/columns"},
  getSignInBranding: {"method":"GET","path":"/v1/branding/sign-in"},
  getBranding: {"method":"GET","path":"/v1/branding"},
  putBranding: {"method":"PUT","path":"/v1/branding"},
  listTargets: {"method":"GET","path":"/v1/targets","query":["limit","cursor"]},
  createTarget: {"method":"POST","path":"/v1/targets","headers":["idempotencyKey"]},
  getTarget: {"method":"GET","path":"/v1/targets/{id}"},
  updateTarget: {"method":"PUT","path":"/v1/targets/{id}"},
  deleteTarget: {"method":"DELETE","path":"/v1/targets/{id}"},
  pauseTarget: {"method":"POST","path":"/v1/targets/{id}/pause"},
  resumeTarget: {"method":"POST","path":"/v1/targets/{id}/resume"},
  previewMail: {"method":"POST","path":"/v1/targets/{id}/preview"},
  testTarget: {"method":"POST","path":"/v1/targets/{id}/test"},
  rotateTargetSecret: {"method":"POST","path":"/v1/targets/{id}/rotate","headers":["idempotencyKey"]},
  listDeliveries: {"method":"GET","path":"/v1/deliveries","query":["limit","cursor","target_id","state","topic","object_id","after","before"]},
  countDeliveries: {"method":"GET","path":"/v1/deliveries/counts"},
  getDelivery: {"method":"GET","path":"/v1/deliveries/{id}"},
  replayDelivery: {"method":"POST","path":"/v1/deliveries/{id}/replay"},
  replayDeliveries: {"method":"POST","path":"/v1/deliveries/replay"},
  getAlertRules: {"method":"GET","path":"/v1/settings/alerts"},
  setAlertRules: {"method":"PUT","path":"/v1/settings/alerts"},
  getCertificateAlerts: {"method":"GET","path":"/v1/certificates/{id}/alerts"},
  muteCertificateAlerts: {"method":"PUT","path":"/v1/certificates/{id}/mute"},
  unmuteCertificateAlerts: {"method":"DELETE","path":"/v1/certificates/{id}/mute"},
  getKeyAlerts: {"method":"GET","path":"/v1/keys/{key_id}/alerts"},
  muteKeyAlerts: {"method":"PUT","path":"/v1/keys/{key_id}/mute"},
  unmuteKeyAlerts: {"method":"DELETE","path":"/v1/keys/{key_id}/mute"},
  reportLeaks: {"method":"POST","path":"/v1/leaks"},
  reportPartnerLeaks: {"method":"POST","path":"/v1/leaks/partner","body":"bytes"},
  issueToken: {"method":"POST","path":"/oauth/token","body":"form"},
  introspectToken: {"method":"POST","path":"/oauth/introspect","body":"form"},
  revokeToken: {"method":"POST","path":"/oauth/revoke","body":"form"},
  verifyKey: {"method":"POST","path":"/v1/keys/verify"},
  getUsage: {"method":"GET","path":"/v1/usage","query":["key","plan","developer","api","from","to","by"]},
  getKeyActivity: {"method":"GET","path":"/api/activity/keys/{hash}/{from_day}/{from_month}/{from_year}/{to_day}/{to_month}/{to_year}","query":["res","p"]},
  getKeysActivity: {"method":"GET","path":"/api/activity/keys/aggregate/{keys}/{from_day}/{from_month}/{from_year}/{to_day}/{to_month}/{to_year}","query":["res","p"]},
  getEnds: {"method":"GET","path":"/v1/insight/ends"},
  getBusiest: {"method":"GET","path":"/v1/insight/usage"},
  getFirstSteps: {"method":"GET","path":"/v1/insight/first-steps"},
  listActivity: {"method":"GET","path":"/v1/activity","query":["q","kind","actor","object","object_id","action","token_id","session","request_id","client_address","after","before","limit","cursor"]},
  exportActivity: {"method":"GET","path":"/v1/activity/export","query":["q","kind","actor","object","object_id","action","token_id","session","request_id","client_address","after","before"]},
  getActivityCheckpoint: {"method":"GET","path":"/v1/activity/checkpoint"},
  getActivityProof: {"method":"GET","path":"/v1/activity/{id}/proof"},
  listPeople: {"method":"GET","path":"/v1/people","query":["limit","cursor"]},
  createPerson: {"method":"POST","path":"/v1/people","headers":["idempotencyKey"]},
  getPerson: {"method":"GET","path":"/v1/people/{id}"},
  updatePerson: {"method":"PUT","path":"/v1/people/{id}","headers":["ifMatch"]},
  deletePerson: {"method":"DELETE","path":"/v1/people/{id}","headers":["ifMatch"]},
  suspendPerson: {"method":"POST","path":"/v1/people/{id}/suspend"},
  resumePerson: {"method":"POST","path":"/v1/people/{id}/resume"},
  listPersonCredentials: {"method":"GET","path":"/v1/people/{id}/credentials","query":["limit","cursor"]},
  issueAccessCredential: {"method":"POST","path":"/v1/people/{id}/credentials","headers":["idempotencyKey"]},
  revokeAccessCredential: {"method":"DELETE","path":"/v1/credentials/{id}"},
  rotateAccessCredential: {"method":"POST","path":"/v1/credentials/{id}/rotate","headers":["idempotencyKey"]},
  limitAccessCredential: {"method":"PUT","path":"/v1/credentials/{id}/addresses"},
  listOrganisations: {"method":"GET","path":"/v1/organisations","query":["limit","cursor"]},
  createOrganisation: {"method":"POST","path":"/v1/organisations","headers":["idempotencyKey"]},
  signIn: {"method":"POST","path":"/v1/session"},
  getSession: {"method":"GET","path":"/v1/session"},
  signOut: {"method":"DELETE","path":"/v1/session"},
  listSessions: {"method":"GET","path":"/v1/sessions"},
  endSession: {"method":"DELETE","path":"/v1/sessions/{id}"},
  endSessions: {"method":"DELETE","path":"/v1/sessions"},
  getCaller: {"method":"GET","path":"/v1/me"},
  getServerInfo: {"method":"GET","path":"/v1/server"},
  healthz: {"method":"GET","path":"/healthz"},
  livez: {"method":"GET","path":"/livez"},
  readyz: {"method":"GET","path":"/readyz","query":["for"]},
  hello: {"method":"GET","path":"/hello"},
};
