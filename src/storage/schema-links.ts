import { type Tables, text, textOrNull, word } from "./columns.ts";
/** Links that hand a credential over or confirm an address, and which addresses were confirmed. */
export const linkTables = {
  claims: {
    org_id: text,
    id: text,
    /** Lower-case hex SHA-256 of the token. */
    hash: text,
    state: word<"open" | "opened" | "withdrawn">(),
    /** Sealed with the token; null once it is closed or over. */
    secret: textOrNull,
    key_id: text,
    request_id: text,
    /** What it hands over where that is no key; else "". */
    access_token_id: text,
    created_by: text,
    created_at: text,
    expires_at: text,
    closed_at: textOrNull,
    /** Where alone its link is mailed; "": nowhere; null: it is closed, over, or older code's. */
    email: textOrNull,
  },
  /** Absent for a developer who has the address that they always had. */
  developer_emails: {
    org_id: text,
    /** The developer's. */
    id: text,
    state: word<"proved" | "unproved" | "reached" | "agreed">(),
    cause: word<"changed" | "first" | "anew" | "successor">(),
    /** The address that this says something of, as addressKey has it. */
    address: text,
    /** The address that was proved before, while this one is not; else "". */
    previous: text,
    changed_at: text,
    changed_by: text,
    /** When it was last asked for by mail. */
    asked_at: text,
  },
  email_links: {
    org_id: text,
    id: text,
    developer_id: text,
    /** To which address it goes. */
    side: word<"new" | "old">(),
    /** Lower-case hex SHA-256 of the token. */
    hash: text,
    /** The token, sealed, until it was mailed. */
    link: textOrNull,
    expires_at: text,
  },
} satisfies Tables;
