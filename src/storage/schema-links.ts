/** Links that hand a credential over or confirm an address, and which addresses were confirmed. */
export interface LinkTables {
  claims: {
    org_id: string;
    id: string;
    /** Lower-case hex SHA-256 of the token. */
    hash: string;
    state: "open" | "opened" | "withdrawn";
    /** Sealed with the token; null once it is closed or over. */
    secret: string | null;
    key_id: string;
    request_id: string;
    /** What it hands over where that is no key; else "". */
    access_token_id: string;
    created_by: string;
    created_at: string;
    expires_at: string;
    closed_at: string | null;
    /** Where alone its link is mailed; "": nowhere; null: it is closed or over, or older code made it. */
    email: string | null;
  };
  /** Absent for a developer who has the address that they always had. */
  developer_emails: {
    org_id: string;
    /** The developer's. */
    id: string;
    state: "proved" | "unproved" | "reached" | "agreed";
    cause: "changed" | "first" | "anew";
    /** The address that this says something of, as addressKey has it. */
    address: string;
    /** The address that was proved before, while this one is not; else "". */
    previous: string;
    changed_at: string;
    changed_by: string;
    /** When it was last asked for by mail. */
    asked_at: string;
  };
  email_links: {
    org_id: string;
    id: string;
    developer_id: string;
    /** To which address it goes. */
    side: "new" | "old";
    /** Lower-case hex SHA-256 of the token. */
    hash: string;
    /** The token, sealed, until it was mailed. */
    link: string | null;
    expires_at: string;
  };
}
