/**
 * Settings by which PostgreSQL is waited for longer than a busy machine stands still, and ends
 * nothing meanwhile.
 */
export const PATIENT_POSTGRES = {
  KEYDESK_DATABASE_CONNECT_MS: "60000",
  KEYDESK_DATABASE_STATEMENT_MS: "60000",
  KEYDESK_DATABASE_LOCK_MS: "60000",
  KEYDESK_DATABASE_IDLE_MS: "60000",
  KEYDESK_DATABASE_PATIENCE_MS: "60000",
};
