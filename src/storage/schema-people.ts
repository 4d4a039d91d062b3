import { integer, key, sealed, type Tables, text, textOrNull, word } from "./columns.ts";

/** People: what they sign in by beside access tokens, and what they keep of lists. */
export const peopleTables = {
  sessions: {
    org_id: key,
    id: key,
    /** Lower-case hex SHA-256 of what the cookie holds. */
    hash: text,
    token_id: text,
    user_id: text,
    created_at: text,
    expires_at: text,
    /** About when it was last used; null: not since it began. */
    last_used_at: textOrNull,
    /** Such as "Firefox on Linux"; null if it began before browsers were recorded. */
    browser: textOrNull,
    /** `token`, `code`, `invitation`, `passkey` or `provider`; null: older code began it. */
    opened_by: textOrNull,
    /** From where it began, as the audit log may keep it; null: not known. */
    address: textOrNull,
    /** The account at a provider that it began with; null: with none. */
    identity_id: textOrNull,
    /** SHA-256 of the provider and what it calls its own session; null: it calls it nothing. */
    provider_session: textOrNull,
    /** When the provider saw its person, where that counts as fresh; null: as it began. */
    proved_at: textOrNull,
    /** The temporary access that it was given last, over or not; null: never one. */
    elevation_id: textOrNull,
  },
  sign_in_codes: {
    org_id: key,
    /** Lower-case hex SHA-256 of the code. */
    hash: key,
    token_id: text,
    created_at: text,
    expires_at: text,
  },
  person_invitations: {
    org_id: key,
    /** The person's. */
    id: key,
    /** Lower-case hex SHA-256 of what the link holds. */
    hash: text,
    /** The text of the link, sealed, if it is mailed; null: it was shown once. */
    link: sealed(textOrNull),
    /** The person who invited, or the audit log's word for what acted. */
    invited_by: text,
    created_at: text,
    expires_at: text,
  },
  passkeys: {
    org_id: key,
    id: key,
    user_id: text,
    /** Lower-case hex SHA-256 of the credential id that the authenticator gave. */
    handle: text,
    /** The host for which it was made: it opens nothing at another. */
    rp_id: text,
    name: text,
    /** JSON text of the key and whose it is, sealed; null: its sealing key is lost. */
    public_key: sealed(textOrNull),
    /** The authenticator's counter at its last use; 0: it does not count. */
    counter: integer,
    created_at: text,
    last_used_at: textOrNull,
  },
  /** Challenges that were answered: none is answered twice. */
  passkey_challenges: {
    org_id: key,
    /** Lower-case hex SHA-256 of the challenge. */
    hash: key,
    expires_at: text,
  },
  /** The identity providers of an organisation's people: their company. */
  identity_providers: {
    org_id: key,
    id: key,
    /** JSON text of all that is set of it, its secret too, sealed; null: its key is lost. */
    terms: sealed(textOrNull),
    created_at: text,
    updated_at: text,
  },
  /** How identity providers fare; none: no one came by one yet. */
  provider_states: {
    org_id: key,
    /** The provider's. */
    id: key,
    refused_at: textOrNull,
    /** Why a sign-in was last refused, a sentence. */
    refused: textOrNull,
    problem_since: textOrNull,
    /** Its problem, a sentence; null: none. */
    problem: textOrNull,
    /** `yes` or `no`: whether the last sign-in gave a refresh token; null: there was none. */
    refreshes: textOrNull,
    /** The source of that refusal: `provider` or `browser`; null: its reason is over. */
    refused_by: textOrNull,
    /** When the problem was last seen; null: before this was kept. */
    problem_seen: textOrNull,
  },
  /** By what a session's provider is asked again whether its account is still good. */
  provider_grants: {
    org_id: key,
    /** The session's. */
    id: key,
    provider_id: text,
    /** The account's at it. */
    identity_id: text,
    /** The person's or the developer's. */
    owner_id: text,
    kind: word<"people" | "developers">(),
    /** The refresh token, sealed; null: its sealing key is lost. */
    token: sealed(textOrNull),
    /** When it is asked; while one node asks, when another may. */
    next_at: text,
    /** When the session ends. */
    expires_at: text,
  },
  /** Roles of an organisation's own. */
  roles: {
    org_id: key,
    id: key,
    /** JSON text of name and permissions, sealed; null: its sealing key is lost. */
    terms: sealed(textOrNull),
    created_at: text,
    updated_at: text,
  },
  /** The people who may have a role for a while. */
  elevation_rules: {
    org_id: key,
    id: key,
    /** JSON text of TemporaryAccessRuleTerms, sealed; null: its sealing key is lost. */
    terms: sealed(textOrNull),
    created_at: text,
    updated_at: text,
  },
  /** The people who have a role for a while, in one session. */
  elevations: {
    org_id: key,
    id: key,
    rule_id: text,
    person_id: text,
    session_id: text,
    /** `asked`, `open` or `ended`. */
    state: text,
    /**
     * JSON text of TemporaryAccessTerms, sealed; null: it has ended, or its sealing key is lost.
     */
    terms: sealed(textOrNull),
    asked_at: text,
    started_at: textOrNull,
    /** When it ends; while it is asked, when the question does. */
    expires_at: text,
    /** The latest time at which any node saw it. */
    seen_at: textOrNull,
    confirmed_by: textOrNull,
    ended_at: textOrNull,
    /** The person, or the audit log's word for what acted. */
    ended_by: textOrNull,
    end_reason: textOrNull,
    /** Rows of the audit log that were written in it. */
    deeds: integer,
  },
  /** The accounts of people at a provider. */
  person_identities: {
    org_id: key,
    id: key,
    user_id: text,
    provider_id: text,
    /** Lower-case hex SHA-256 of provider and subject. */
    handle: text,
    /** JSON text of whose it is and what it represents, sealed; null: its key is lost. */
    link: sealed(textOrNull),
    created_at: text,
    last_used_at: textOrNull,
  },
  sign_in_rules: {
    org_id: key,
    /** 1: people sign in to the console by their access tokens. */
    tokens: integer,
    /** 1: approvals were to be signed by a passkey, so that none goes through. */
    signatures: integer,
    /** 1: people sign in by a passkey, by a provider, or with a one-time code. */
    second_factor: integer,
  },
  /** By what the codes of people's authenticator apps are known. */
  one_time_secrets: {
    org_id: key,
    /** The person's. */
    id: key,
    /** In base32, sealed; null: its sealing key is lost. */
    secret: sealed(textOrNull),
    /** The last step of 30 seconds whose code was used: it and those before let no one in. */
    last_step: integer,
    created_at: text,
    last_used_at: textOrNull,
  },
  /** The one-time codes with which a person signs in without their app. */
  recovery_codes: {
    org_id: key,
    user_id: key,
    /** Lower-case hex SHA-256 of the code and whose it is. */
    hash: key,
  },
  /** The organisation of an address's domain. */
  sign_in_domains: {
    org_id: text,
    /** In lower case; one organisation's alone. */
    domain: key,
  },
  /** From where people have signed in. */
  sign_in_places: {
    org_id: key,
    user_id: key,
    /** SHA-256 of browser and network. */
    id: key,
    browser: text,
    /** As the audit log may keep it. */
    address: text,
    created_at: text,
    last_used_at: text,
    expires_at: text,
  },

  views: {
    org_id: key,
    id: key,
    /** Which list it is of; see contract/view-lists.ts. */
    list: text,
    name: text,
    /** The person who made it. */
    owner: text,
    /** 1: everybody of the organisation who may read the list has it. */
    shared: integer,
    /** A JSON object of texts: filters, search and order as the console's address says them. */
    query: text,
    /** Of earlier code, whose nodes may still write it: no code reads it. */
    columns: textOrNull,
    created_at: text,
    changed_at: text,
  },
  /** The columns of a list that a person sees: a JSON array. */
  list_columns: { org_id: key, user_id: key, list: key, columns: text },
} satisfies Tables;
