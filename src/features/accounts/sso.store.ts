import { changed, lockOne, one, send } from "../../storage/statement-functions.ts";
import { inserts, removes } from "../../storage/table-statements.ts";

/** A nonce as it is kept. */
export interface SsoNonceRow {
  org_id: string;
  /** Lower-case hex SHA-256 of the nonce. */
  hash: string;
  id: string;
  /** As emailKey has it. */
  email_key: string;
  created_at: string;
  expires_at: string;
  /** The access token that made it; null: older code did. */
  token_id: string | null;
}

/** Keeps a fresh nonce. */
export const insertNonce = send(inserts("sso_nonces"));

type Place = { org_id: string; hash: string };

/** A nonce that still represents a person, held until the transaction ends. */
export const lockNonce = lockOne((db, p: Place & { now: string }) =>
  db.selectFrom("sso_nonces").select(["id", "email_key", "token_id"])
    .where("org_id", "=", p.org_id).where("hash", "=", p.hash).where("expires_at", ">", p.now)
);

/** Finds a nonce without locking it. */
export const findNonce = one((db, p: Place & { now: string }) =>
  db.selectFrom("sso_nonces").select("email_key")
    .where("org_id", "=", p.org_id).where("hash", "=", p.hash).where("expires_at", ">", p.now)
);

/** Uses a nonce up. False for anyone who comes second. */
export const burnNonce = changed(removes("sso_nonces"));
