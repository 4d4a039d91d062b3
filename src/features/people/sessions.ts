import type { ServiceContext } from "../../calls/context.ts";
import { effectivePermissions, type Principal, scopeOf } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { Storage } from "../../storage/storage.ts";
import { isInForce } from "./access-token.ts";
import { addressesOf } from "./address-list.ts";
import { isDamagedCaller } from "./authenticate.ts";
import { temporaryAccessOf } from "./temporary-access.ts";
import { TemporaryAccessTimes } from "./temporary-access-times.ts";
import { csrfTokenOf, isFresh, isOpen, lastUseOf, openerOf } from "./session.ts";
import { findSessionByHash } from "./sessions.store.ts";
import { noteSessionUse } from "./sessions.transactions.ts";

/** Longer cookies are none of ours and are not hashed. */
export const LONGEST_SECRET = 128;

type SessionContext = Pick<ServiceContext, "storage" | "clock" | "settings" | "damages" | "sealer">;

/** The caller of a session. Looking it up is no use of it. */
interface FoundSession {
  readonly principal: Principal;
  /** The session is used now, and so goes on. */
  noteUse(): void;
}

/**
 * Finds out whose session a browser presents. Nothing is kept in memory: a page makes few calls,
 * and so a session ends at once with its access token, its person, its signing out, or when it was
 * left alone, on every node.
 */
export class Sessions {
  readonly #ctx: SessionContext;
  readonly #uses: SessionUses;
  readonly #times: TemporaryAccessTimes;

  constructor(
    ctx: SessionContext,
    times: TemporaryAccessTimes = new TemporaryAccessTimes(ctx.storage),
  ) {
    this.#ctx = ctx;
    this.#uses = new SessionUses(ctx.storage, ctx.settings.sessionIdleMs);
    this.#times = times;
  }

  /** The session behind a secret; undefined: none that is open. */
  async find(secret: string | undefined): Promise<FoundSession | undefined> {
    if (!secret || secret.length > LONGEST_SECRET) return undefined;
    const { storage, clock, settings } = this.#ctx;
    // By the SHA-256 of a long random value: the look-up's timing tells nothing that helps to guess
    // one.
    const found = await findSessionByHash(storage.reader, { hash: sha256(secret) });
    const now = clock.now();
    if (!found || !isInForce(found, now)) return undefined;
    const caller = { ...found, id: found.token_id };
    if (await isDamagedCaller(this.#ctx.damages, caller)) return undefined;
    const row = { ...found, expires_at: found.session_expires_at };
    if (!isOpen(row, now, settings.sessionIdleMs)) return undefined;
    const permissions = effectivePermissions(row.permissions, row.scope);
    const { elevation_id } = row;
    const temporaryAccess = elevation_id === null ? undefined : await temporaryAccessOf(
      storage.reader,
      this.#ctx.sealer,
      { ...row, elevation_id },
      { own: permissions, timeOf: (one) => this.#times.at(one, now) },
    );
    const principal: Principal = {
      org_id: row.org_id,
      user_id: row.user_id,
      token_id: row.token_id,
      permissions,
      ...temporaryAccess ? { temporaryAccess } : {},
      ...scopeOf(row),
      ...addressesOf(row),
      session: {
        id: row.id,
        csrf_token: csrfTokenOf(secret),
        expires_at: row.expires_at,
        isFresh: isFresh(row, now),
        opened_by: openerOf(row.opened_by),
      },
    };
    return { principal, noteUse: () => this.#uses.note(row, lastUseOf(row), now) };
  }
}

/** A session's last use is written at most this often. */
const EVERY_MS = 60_000;
/**
 * The delay as a share of the idle time: unwritten uses end a session earlier by no more than this.
 */
const SHARE = 0.1;

/**
 * Writes when sessions were used, beside the calls that use them: a use that gets lost ends a
 * session early, never late.
 */
class SessionUses {
  readonly #storage: Storage;
  readonly #everyMs: number;
  /** The sessions whose use is being written. */
  readonly #writing = new Set<string>();

  /** `idleMs`: after what time without use sessions end; 0: never. */
  constructor(storage: Storage, idleMs: number) {
    this.#storage = storage;
    this.#everyMs = idleMs === 0 ? EVERY_MS : Math.min(EVERY_MS, idleMs * SHARE);
  }

  /** The session is used now; `lastUse` as the store has it, both in milliseconds. */
  note(session: { org_id: string; id: string }, lastUse: number, now: number): void {
    const { org_id, id } = session;
    if (now - lastUse < this.#everyMs || this.#writing.has(id)) return;
    this.#writing.add(id);
    this.#storage.commit(noteSessionUse, { org_id, id, last_used_at: toTimestamp(now) })
      .catch(() => {})
      .finally(() => this.#writing.delete(id));
  }
}
