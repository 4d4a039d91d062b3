import { type ActingCall, type Actor, recordAudit } from "../../changes/audit.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { isInForce } from "./access-token.ts";
import { findTokenByHash } from "./access.store.ts";
import { findAccessToken } from "./people.store.ts";
import { CODE_MS, SESSION_MS } from "./session.ts";
import {
  burnCode,
  findTokenOfCode,
  insertCode,
  insertSession,
  removeSession,
} from "./sessions.store.ts";

/** What was presented to sign in, as its hash. */
export type Presented = { credential: string } | { code: string };

/**
 * Makes a session for whoever holds the access token, or the code, which is burnt by that: of two who present the
 * same code at the same moment one gets in. Throws `not_authorised`.
 */
export const signIn = defineTransaction(
  "access.sign-in",
  async (
    tx,
    input: {
      presented: Presented;
      session: { id: string; hash: string };
      now: number;
      call?: ActingCall | undefined;
    },
  ) => {
    const { presented, session, now } = input;
    const created_at = toTimestamp(now);
    let hash: string | undefined;
    if ("code" in presented) {
      hash = await findTokenOfCode(tx, presented.code, created_at);
      if (!await burnCode(tx, presented.code, created_at)) throw new Failure("not_authorised");
    } else {
      hash = presented.credential;
    }
    const token = hash === undefined ? undefined : await findTokenByHash(tx, hash);
    if (!token || !isInForce(token, now)) throw new Failure("not_authorised");
    const { org_id, id: token_id, user_id } = token;
    const end = Math.min(now + SESSION_MS, Date.parse(token.expires_at ?? "9999-12-31T00:00:00Z"));
    const expires_at = toTimestamp(end);
    await insertSession(tx, { org_id, ...session, token_id, user_id, created_at, expires_at });
    const call = input.call && { ...input.call, session: session.id };
    await recordAudit(tx, { org_id, user_id, token_id, now, call }, {
      action: "session.created",
      object: "session",
      object_id: session.id,
      detail: { access_token_id: token_id, by: "code" in presented ? "code" : "credential" },
    });
    return { org_id };
  },
);

/** Ends the caller's session; ending it twice is no mistake. */
export const signOut = defineTransaction(
  "access.sign-out",
  async (tx, input: { actor: Actor; id: string }) => {
    const { actor, id } = input;
    if (!await removeSession(tx, actor.org_id, id)) return;
    await recordAudit(tx, actor, { action: "session.ended", object: "session", object_id: id });
  },
);

/** Keeps the hash of a code that signs in once, within ten minutes, as the holder of an access token. */
export const addSignInCode = defineTransaction(
  "access.add-sign-in-code",
  async (tx, input: { actor: Actor; token_id: string; hash: string }) => {
    const { actor: { org_id, now }, token_id, hash } = input;
    const token = await findAccessToken(tx, org_id, token_id);
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

/** What src/transactions.ts lists. */
export const sessionTransactions = [signIn, signOut, addSignInCode];
