import { integer, key, sealed, type Tables, text, textOrNull, word } from "./columns.ts";

/** The credentials of developers, and the settings of their pages. */
export const signInTables = {
  developer_pages: {
    org_id: key,
    /** The only host of this organisation's pages; null: it has no name of its own. */
    host: textOrNull,
    /** JSON text of the settings. */
    document: text,
  },
  developer_sessions: {
    org_id: key,
    id: key,
    /** Lower-case hex SHA-256 of what the cookie holds. */
    hash: text,
    developer_id: text,
    opened_by: word<"code" | "password" | "link" | "nonce" | "view" | "provider">(),
    /**
     * `look`: reads, asks and withdraws, and nothing else until a mailed code was entered; `read`:
     * reads.
     */
    opens: word<"all" | "look" | "read">(),
    /** The access token that made the link or the nonce; "": no one else's. */
    token_id: text,
    /** When a code was last entered that was mailed to the developer's address; null: never. */
    proved_at: textOrNull,
    /** Such as "Firefox on Linux"; null: not known. */
    browser: textOrNull,
    created_at: text,
    last_used_at: textOrNull,
    expires_at: text,
    /** The person who sees what the developer does; null: it is the developer's. */
    viewer: textOrNull,
    /** The account at a provider that it began with; null: with none. */
    identity_id: textOrNull,
    /** SHA-256 of the provider and what it calls its own session; null: it calls it nothing. */
    provider_session: textOrNull,
    /**
     * When the provider saw its person, where that counts as fresh, else long ago; null: it began
     * otherwise.
     */
    seen_at: textOrNull,
  },
  /** The accounts of developers at a provider. */
  developer_identities: {
    org_id: key,
    id: key,
    developer_id: text,
    provider_id: text,
    /** Lower-case hex SHA-256 of provider and subject. */
    handle: text,
    /** JSON text of whose it is and what it represents, sealed; null: its key is lost. */
    link: sealed(textOrNull),
    created_at: text,
    last_used_at: textOrNull,
  },
  developer_codes: {
    org_id: key,
    id: key,
    /** Lower-case hex SHA-256 of the ticket, which anyone who asked for the code was given. */
    ticket: text,
    /** The hash of ticket and code together, so that neither is found without the other. */
    hash: text,
    /** `nobody`: it was asked for with an address that may not sign in, and is mailed to no one. */
    purpose: word<"sign_in" | "sign_up" | "prove" | "change" | "nobody">(),
    /** As it was typed, of `change` the one that is to be theirs; "": the developer's own. */
    email: text,
    email_key: text,
    /** SHA-256 of the network or the session from which it was asked for; "": in process. */
    asked_from: text,
    /** "": anyone who signs up is no developer yet. */
    developer_id: text,
    /** The session that is to be proved; else "". */
    session_id: text,
    /** The code, sealed, until it was mailed. */
    code: sealed(textOrNull),
    /** Wrong codes that were entered. */
    tries: integer,
    /** The language of the caller; "": not known. */
    language: text,
    created_at: text,
    expires_at: text,
  },
  developer_links: {
    org_id: key,
    /** Lower-case hex SHA-256 of the link's token. */
    hash: key,
    id: text,
    developer_id: text,
    /** The access token that made it. */
    token_id: text,
    created_at: text,
    expires_at: text,
    /** The person who wants to see, and no more; null: it signs the developer in. */
    viewer: textOrNull,
  },
  developer_tokens: {
    org_id: key,
    id: key,
    /** Lower-case hex SHA-256 of the token. */
    hash: text,
    developer_id: text,
    name: text,
    scope: word<"look" | "keys">(),
    created_at: text,
    last_used_at: textOrNull,
    expires_at: text,
  },
  sso_nonces: {
    org_id: key,
    /** Lower-case hex SHA-256 of the nonce. */
    hash: key,
    id: text,
    /** The address that an identity provider gave, as emailKey has it. */
    email_key: text,
    created_at: text,
    expires_at: text,
    /** The access token that made it; null: older code made it. */
    token_id: textOrNull,
  },
  /** Which address of a developer is known to reach them: what was mailed to it came back. */
  verified_emails: {
    org_id: key,
    /** The developer's. */
    id: key,
    email_key: text,
    /** As addressKey has it. */
    address: text,
    verified_at: text,
  },
  developer_invitations: {
    org_id: key,
    id: key,
    email: text,
    email_key: text,
    /** The person who invited. */
    invited_by: text,
    created_at: text,
    expires_at: text,
    /** `used` or `withdrawn`; null: it counts, until it is over. */
    ended_as: textOrNull,
    ended_at: textOrNull,
  },
  /** The choices of developers about their mails; a developer without a choice has no row. */
  developer_choices: {
    org_id: key,
    /** The developer's. */
    id: key,
    /** In which mails are written; "": as the channel says. */
    language: text,
    /** 1: mails say that a quota is nearly used, or used up. */
    quota_mails: integer,
    /** 1: mails say that a key ends, or has ended. */
    end_mails: integer,
  },
} satisfies Tables;
