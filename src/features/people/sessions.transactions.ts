import { type ActingCall, type Actor, recordAudit } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { isInForce, signInHash } from "./access-token.ts";
import { findAccessToken, findTokenByHash, insertToken } from "./access-tokens.store.ts";
import type { ProvedPasskey } from "./passkey.ts";
import { endOne } from "./end-session.transactions.ts";
import { takePasskey } from "./passkeys.transactions.ts";
import { findPerson } from "./people.store.ts";
import { burnInvitation, findInvitationByHash } from "./person-invitations.store.ts";
import { CODE_MS, isOpen, MOST_SESSIONS, spansOf } from "./session.ts";
import type { SessionOpener } from "../../contract/session-openers.ts";
import { type SecondFactor, takeSecondFactor } from "./second-factor.ts";
import { notePlace } from "./sign-in-places.transactions.ts";
import { ensureSignInRow } from "./sign-in-row.ts";
import { findSecondFactorRule } from "./sign-in-rules.store.ts";
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

/** The presented credential: its hash, or the proof. */
export type Presented =
  | { credential: string } & WithCode
  | { code: string }
  | { invitation: string; issue: IssuedWith | null } & WithCode
  | { passkey: ProvedPasskey };

/** A single factor comes with a one-time code of a person who has them; null: none was given. */
interface WithCode {
  one_time_code: string | null;
}

/** An access token that is made with a sign-in; it was made before the transaction. */
interface IssuedWith {
  credential: string;
  /** How long it lives, in milliseconds; null: for ever. */
  lifeMs: number | null;
}

/** The input of a sign-in besides the session. */
export interface SignInInput {
  presented: Presented;
  session: { id: string; hash: string; browser: string };
  /** The network that it comes from, as it is counted; "": in process. */
  network: string;
  /** The hash of what the browser had as its session until now, which ends; null: none. */
  replaces: string | null;
  /** After what time without use sessions end by the setting; 0: never. */
  idleMs: number;
  now: number;
  /** The call that signs in. */
  call?: ActingCall | undefined;
}

/** A session that has begun. */
export interface SignedIn {
  org_id: string;
  user_id: string;
  token_id: string;
  expires_at: string;
}

/**
 * Makes a session for the holder of the access token, the invitation, the passkey, or the code. A
 * one-time credential is used up by it: of two who present the same at the same moment one gets in.
 * If a person has more sessions than allowed, the oldest ends. Throws `not_authorised`,
 * `one_time_code_required`, `one_time_code_refused`, `second_factor_required`.
 */
export const signIn = defineTransaction(
  "access.sign-in",
  async (tx, input: SignInInput): Promise<SignedIn> => {
    const { presented, now } = input;
    const hash = await hashPresented(tx, presented, now);
    const opener = openerOfPresented(presented);
    const second = await secondFactorOf(tx, presented, hash, now);
    const detail = "passkey" in presented
      ? { passkey_id: presented.passkey.id }
      : second
      ? { second_factor: second.by }
      : {};
    const { actor, ...signedIn } = await openSession(tx, input, { hash, opener, detail });
    if ("invitation" in presented && presented.issue) await issue(tx, actor, presented.issue);
    return signedIn;
  },
  { withoutRoom: true },
);

/**
 * The second factor of a sign-in by what is one factor alone, taken; undefined: there is none, and
 * need not be. An invitation lets in who has none, to set one up. Throws what takeSecondFactor
 * throws, and `second_factor_required`.
 */
async function secondFactorOf(
  tx: Tx,
  presented: Presented,
  hash: string | undefined,
  now: number,
): Promise<SecondFactor | undefined> {
  if (!("one_time_code" in presented) || hash === undefined) return undefined;
  const token = await findTokenByHash(tx, { hash });
  if (!token) return undefined;
  const { org_id, user_id } = token;
  await lockSessionsOf(tx, { org_id, id: user_id });
  const given = { code: presented.one_time_code, now };
  const second = await takeSecondFactor(tx, { org_id, user_id }, given);
  if (second || "invitation" in presented) return second;
  if (await findSecondFactorRule(tx, { org_id }) === 1) throw new Failure("second_factor_required");
  return undefined;
}

/** The basis of a session, and the audit log's data of how it began. */
interface Opening {
  /** The hash of the row; undefined: no one's. */
  hash: string | undefined;
  opener: SessionOpener;
  detail: Readonly<Record<string, unknown>>;
  /** Of a sign-in by a provider: the account there, its session, and when it saw its person. */
  provider?: { identity_id: string; provider_session: string | null; proved_at: string };
  /** How long it lasts at the most, in milliseconds; absent: as long as any that begins so. */
  boundMs?: number;
}

/**
 * Makes a session of what was proved. Of more sessions than a person may have the oldest ends.
 * Throws `not_authorised` where what it is on opens nothing.
 */
export async function openSession(
  tx: Tx,
  input: Omit<SignInInput, "presented">,
  { hash, opener, detail, provider, boundMs = Infinity }: Opening,
): Promise<SignedIn & { actor: Actor }> {
  const { session, now } = input;
  const created_at = toTimestamp(now);
  const token = hash === undefined ? undefined : await findTokenByHash(tx, { hash });
  if (!token || !isInForce(token, now)) throw new Failure("not_authorised");
  const { org_id, id: token_id, user_id } = token;
  const call = input.call && { ...input.call, session: session.id };
  const actor = { org_id, user_id, token_id, now, call };
  await lockSessionsOf(tx, { org_id, id: user_id });
  if (input.replaces !== null) await endReplaced(tx, input.replaces, actor);
  await makeRoom(tx, actor, input.idleMs);
  const { lifeMs } = spansOf(opener, input.idleMs);
  const end = Math.min(
    now + Math.min(lifeMs, boundMs),
    Date.parse(token.expires_at ?? "9999-12-31T00:00:00Z"),
  );
  const expires_at = toTimestamp(end);
  const address = call?.client_address ?? "";
  const place = { org_id, token_id, user_id, created_at, expires_at };
  const from = provider ?? { identity_id: null, provider_session: null, proved_at: null };
  await insertSession(tx, { ...session, ...place, opened_by: opener, address, ...from });
  await recordAudit(tx, actor, {
    action: "session.created",
    object: "session",
    object_id: session.id,
    detail: {
      access_token_id: token_id,
      by: opener === "token" ? "credential" : opener,
      ...detail,
    },
  });
  await notePlace(tx, actor, { browser: session.browser, network: input.network, address });
  return { org_id, user_id, token_id, expires_at, actor };
}

/** The way in which a session begins. */
export function openerOfPresented(presented: Presented): SessionOpener {
  if ("credential" in presented) return "token";
  if ("code" in presented) return "code";
  return "invitation" in presented ? "invitation" : "passkey";
}

/**
 * The hash of the row that the session is on; what opens once is used up. Undefined: no one's.
 * Throws `not_authorised` where it is used up already.
 */
async function hashPresented(
  tx: Tx,
  presented: Presented,
  nowMs: number,
): Promise<string | undefined> {
  const now = toTimestamp(nowMs);
  if ("credential" in presented) return presented.credential;
  if ("code" in presented) {
    const hash = await findTokenOfCode(tx, { hash: presented.code, now });
    if (!await burnCode(tx, { hash: presented.code, now })) throw new Failure("not_authorised");
    return hash;
  }
  if ("passkey" in presented) {
    await takePasskey(tx, presented.passkey, now);
    return signInHash(presented.passkey.user_id);
  }
  const hash = presented.invitation;
  const found = await findInvitationByHash(tx, { hash, now });
  if (!found || !await burnInvitation(tx, { hash, now })) throw new Failure("not_authorised");
  const { org_id, id: user_id } = found;
  await ensureSignInRow(tx, { org_id, user_id, now: nowMs });
  return signInHash(user_id);
}

/** The access token of a person who was invited and takes one. */
async function issue(tx: Tx, actor: Actor, { credential, lifeMs }: IssuedWith): Promise<void> {
  const { org_id, user_id, now } = actor;
  const id = newId(now);
  const name = INVITED_TOKEN;
  const expires_at = lifeMs === null ? null : toTimestamp(now + lifeMs);
  const date_created = toTimestamp(now);
  const row = { org_id, id, user_id, name, hash: sha256(credential), date_created, expires_at };
  await insertToken(tx, row);
  await recordChange(tx, actor, {
    action: "access_token.created",
    object_id: id,
    detail: { person_id: user_id, expires_at, issued_by: user_id, deliver: "answer" },
    personal: { "/name": name },
  });
}

const INVITED_TOKEN = "taken with the invitation";

/** Ends the replaced session: the caller has its secret, and so may end it. */
async function endReplaced(tx: Tx, hash: string, { now, call }: Actor): Promise<void> {
  const row = await findStoredSession(tx, { hash });
  if (row) await endOne(tx, { ...row, now, call }, row.id, { reason: "signed in again" });
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
    await endOne(tx, actor, id, { reason: `more than ${MOST_SESSIONS}` });
  }
}

/** Ends the caller's session; ending it twice is no mistake. */
export const signOut = defineTransaction(
  "access.sign-out",
  async (tx, input: { actor: Actor; id: string }) => {
    await endOne(tx, input.actor, input.id);
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
    if (!row || !isOpen(row, actor.now, idleMs) || !await endOne(tx, actor, id)) {
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
      if (wasOpen && await endOne(tx, actor, row.id)) ended++;
      if (!wasOpen) await removeSession(tx, { org_id, id: row.id });
    }
    return ended;
  },
  { withoutRoom: true },
);

/** Keeps when a session was used. No audit row: no one decided anything. */
export const noteSessionUse = defineTransaction(
  "access.note-session-use",
  async (tx, input: { org_id: string; id: string; last_used_at: string }) => {
    await noteUse(tx, input);
  },
);

/**
 * Keeps the hash of a code that signs in once, within ten minutes, as an access token's holder, or
 * as a person. Throws `not_found` where they can't sign in now.
 */
export const addSignInCode = defineTransaction(
  "access.add-sign-in-code",
  async (
    tx,
    input: { actor: Actor; hash: string } & ({ token_id: string } | { person_id: string }),
  ) => {
    const { actor: { org_id, now }, hash } = input;
    const token = "token_id" in input
      ? await findAccessToken(tx, { org_id, id: input.token_id })
      : await signInRowOf(tx, org_id, input.person_id, now);
    if (!token || !isInForce(token, now)) {
      throw new Failure("not_found", { message: "There is no such access token in force." });
    }
    const token_id = token.id;
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

/** The row on which the sessions of a person who signs in without an access token depend. */
async function signInRowOf(tx: Tx, org_id: string, user_id: string, now: number) {
  const person = await findPerson(tx, { org_id, id: user_id });
  if (!person || person.deactivated_at !== null) return undefined;
  await ensureSignInRow(tx, { org_id, user_id, now });
  return await findTokenByHash(tx, { hash: signInHash(user_id) });
}
