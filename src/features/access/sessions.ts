import { effectivePermissions, type Principal } from "../../calls/principal.ts";
import type { Clock } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { Connection } from "../../storage/storage.ts";
import { isInForce } from "./access-token.ts";
import { addressesOf } from "./address-list.ts";
import { csrfTokenOf } from "./session.ts";
import { findSessionByHash } from "./sessions.store.ts";

/** Longer cookies are none of ours and are not hashed. */
const LONGEST_SECRET = 128;

/**
 * Finds out whose session a browser presents. Nothing is kept in memory: a page makes few calls, and so a session
 * ends at once with its access token, its person, or its signing out.
 */
export class Sessions {
  readonly #db: Connection;
  readonly #clock: Clock;

  constructor(db: Connection, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** The principal behind a session's secret; undefined: nobody. */
  async authenticate(secret: string | undefined): Promise<Principal | undefined> {
    if (!secret || secret.length > LONGEST_SECRET) return undefined;
    // By the SHA-256 of a long random value: the look-up's timing tells nothing that helps to guess one.
    const row = await findSessionByHash(this.#db, sha256(secret));
    const now = this.#clock.now();
    if (!row || !isInForce(row, now) || Date.parse(row.session_expires_at) <= now) return undefined;
    return {
      org_id: row.org_id,
      user_id: row.user_id,
      token_id: row.token_id,
      permissions: effectivePermissions(row.permissions, row.scope),
      ...addressesOf(row),
      session: {
        id: row.id,
        csrf_token: csrfTokenOf(secret),
        expires_at: row.session_expires_at,
      },
    };
  }
}
