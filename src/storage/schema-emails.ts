/** Whether developers' addresses were confirmed since they changed. */
export interface EmailTables {
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
