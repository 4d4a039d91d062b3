import { type ActingCall, type Actor, recordAudit } from "../../changes/audit.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { isInForce } from "./access-token.ts";
import { findAccessToken, findTokenByHash } from "./access-tokens.store.ts";
import { CODE_MS, isOpen, MOST_SESSIONS, SESSION_MS } from "./session.ts";
import {
  burnCode,
  findStoredSession,
  findTokenOfCode,
  insertCode,
  insertSession,
  lockSessionsOf,
  noteUse,
  removeSession,
  sessionsOf,
} from "./sessions.store.ts";

/** What was presented to sign in, as its hash. */
export type Presented = { credential: string } | { code: string };

/** What a sign-in does besides making a session. */
export interface SignInInput {
  presented: Presented;
  session: { id: string; hash: string; browser: string };
  /** The hash of what the browser had as its session until now, which ends; null: none. */
  replaces: string | null;
  /** After what time without use sessions end; 0: never. */
  idleMs: number;
  now: number;
  /** The call that signs in. */
  call?: ActingCall | undefined;
}

/**
 * Makes a session for whoever holds the access token, or the code, which is burnt by that: of two
 * who present the same code at the same moment one gets in. Of more sessions than a person may have
 * the oldest ends. Throws `not_authorised`. Gives when it ends.
 */
export const signIn = defineTransaction(
  "access.sign-in",
  async (tx, input: SignInInput) => {
    const { presented, session, now } = input;
    const created_at = toTimestamp(now);
    let hash: string | undefined;
    if ("code" in presented) {
      hash = await findTokenOfCode(tx, { hash: presented.code, now: created_at });
      if (!await burnCode(tx, { hash: presented.code, now: created_at })) {
        throw new Failure("not_authorised");
      }
    } else {
      hash = presented.credential;
    }
    const token = hash === undefined ? undefined : await findTokenByHash(tx, { hash });
    if (!token || !isInForce(token, now)) throw new Failure("not_authorised");
    const { org_id, id: token_id, user_id } = token;
    const call = input.call && { ...input.call, session: session.id };
    const actor = { org_id, user_id, token_id, now, call };
    await lockSessionsOf(tx, { org_id, id: user_id });
    if (input.replaces !== null) await endReplaced(tx, input.replaces, actor);
    await makeRoom(tx, actor, input.idleMs);
    const end = Math.min(now + SESSION_MS, Date.parse(token.expires_at ?? "9999-12-31T00:00:00Z"));
    const expires_at = toTimestamp(end);
    await insertSession(tx, { org_id, ...session, token_id, user_id, created_at, expires_at });
    await recordAudit(tx, actor, {
      action: "session.created",
      object: "session",
      object_id: session.id,
      detail: { access_token_id: token_id, by: "code" in presented ? "code" : "credential" },
    });
    return { expires_at };
  },
  { withoutRoom: true },
);

/** Whoever signs in where a session stands already holds its secret, and so may end it. */
async function endReplaced(tx: Tx, hash: string, { now, call }: Actor): Promise<void> {
  const row = await findStoredSession(tx, { hash });
  if (row) await end(tx, { ...row, now, call }, row.id, { reason: "signed in again" });
}

/** Leaves room for one more session of a person whose sessions this transaction holds. */
async function makeRoom(tx: Tx, actor: Actor, idleMs: number): Promise<void> {
  const { org_id, user_id, now } = actor;
  const rows = await sessionsOf(tx, { org_id, user_id });
  for (const row of rows) {
    if (!isOpen(row, now, idleMs)) await removeSession(tx, { org_id, id: row.id });
  }
  const open = rows.filter((row) => isOpen(row, now, idleMs));
  for (const { id } of open.slice(MOST_SESSIONS - 1)) {
    await end(tx, actor, id, { reason: `more than ${MOST_SESSIONS}` });
  }
}

async function end(
  tx: Tx,
  actor: Actor,
  id: string,
  detail?: Record<string, unknown>,
): Promise<boolean> {
  if (!await removeSession(tx, { org_id: actor.org_id, id })) return false;
  await recordAudit(tx, actor, {
    action: "session.ended",
    object: "session",
    object_id: id,
    detail,
  });
  return true;
}

/** Ends the caller's session; ending it twice is no mistake. */
export const signOut = defineTransaction(
  "access.sign-out",
  async (tx, input: { actor: Actor; id: string }) => {
    await end(tx, input.actor, input.id);
  },
  { withoutRoom: true },
);

/** Ends one of the caller's open sessions. Throws `not_found` for what is none of theirs. */
export const endSession = defineTransaction(
  "access.end-session",
  async (tx, input: { actor: Actor; id: string; idleMs: number }) => {
    const { actor, id, idleMs } = input;
    const rows = await sessionsOf(tx, { org_id: actor.org_id, user_id: actor.user_id });
    const row = rows.find((one) => one.id === id);
    if (!row || !isOpen(row, actor.now, idleMs) || !await end(tx, actor, id)) {
      throw new Failure("not_found");
    }
  },
  { withoutRoom: true },
);

/** Ends all sessions of the caller. Tells how many were open. */
export const endSessions = defineTransaction(
  "access.end-sessions",
  async (tx, input: { actor: Actor; idleMs: number }): Promise<number> => {
    const { actor, idleMs } = input;
    const { org_id, user_id, now } = actor;
    // None begins meanwhile that would be left over.
    await lockSessionsOf(tx, { org_id, id: user_id });
    let ended = 0;
    for (const row of await sessionsOf(tx, { org_id, user_id })) {
      const wasOpen = isOpen(row, now, idleMs);
      if (wasOpen && await end(tx, actor, row.id)) ended++;
      if (!wasOpen) await removeSession(tx, { org_id, id: row.id });
    }
    return ended;
  },
  { withoutRoom: true },
);

/** Keeps when a session was used. No audit row: nobody decided anything. */
export const noteSessionUse = defineTransaction(
  "access.note-session-use",
  async (tx, input: { org_id: string; id: string; last_used_at: string }) => {
    await noteUse(tx, input);
  },
);

/** Keeps the hash of a code that signs in once, within ten minutes, as an access token's holder. */
export const addSignInCode = defineTransaction(
  "access.add-sign-in-code",
  async (tx, input: { actor: Actor; token_id: string; hash: string }) => {
    const { actor: { org_id, now }, token_id, hash } = input;
    const token = await findAccessToken(tx, { org_id, id: token_id });
    if (!token || !isInForce(token, now)) {
      throw new Failure("not_found", { message: "There is no such access token in force." });
    }
    const created_at = toTimestamp(now);
    const expires_at = toTimestamp(now + CODE_MS);
    await insertCode(tx, { org_id, hash, token_id, created_at, expires_at });
    await recordAudit(tx, input.actor, {
      action: "sign_in_code.created",
      object: "access_token",
      object_id: token_id,
    });
    return { expires_at };
  },
);
