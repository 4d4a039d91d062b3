import { type ActingCall, type Actor, recordAudit } from "../../../changes/audit.ts";
import { developerActor } from "../../../calls/principal.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Tx } from "../../../storage/storage.ts";
import { updateDeveloper } from "../../developers/developers.store.ts";
import type { Developer } from "../../developers/developer.ts";
import { endSessionOf } from "../../developers/end-session.transactions.ts";
import {
  type DeveloperSessionRow,
  isOpenSession,
  lifeOf,
  MOST_DEVELOPER_SESSIONS,
} from "./developer-session.ts";
import {
  developerSessionsOf,
  findDeveloperSession,
  insertDeveloperSession,
} from "./developer-sessions.store.ts";

/** A session about to begin, minted before its transaction. */
export interface NewDeveloperSession {
  readonly id: string;
  readonly hash: string;
  readonly browser: string;
  /** The hash of what the browser had as its session until now, which ends; null: none. */
  readonly replaces: string | null;
  readonly now: number;
  readonly call?: ActingCall | undefined;
}

/** The values of a session from a provider. */
type FromProvider =
  & Pick<DeveloperSessionRow, "provider_session" | "seen_at">
  & { readonly identity_id: string };

/** The first values of a session; `viewer`: the person who views with it. */
type Opening =
  & Pick<DeveloperSessionRow, "opened_by" | "opens" | "token_id" | "proved_at">
  & {
    readonly viewer?: string | null;
    readonly provider?: FromProvider;
    /** How long it lasts at the most, in milliseconds; absent: as long as any that opens so. */
    readonly boundMs?: number;
  };

/** The opened session. */
export interface OpenedSession {
  readonly developer_id: string;
  readonly expires_at: string;
}

/**
 * Begins a session of a developer whom this transaction holds; their last sign-in is now. Of more
 * sessions than a developer may have the oldest ends, and so does the one that the browser had. A
 * person who only sees neither signs them in nor ends anything else of theirs. Throws
 * `not_authorised` for who is inactive.
 */
export async function openSession(
  tx: Tx,
  org_id: string,
  developer: Developer,
  opening: Opening,
  { id, hash, browser, replaces, now, call }: NewDeveloperSession,
): Promise<OpenedSession> {
  if (developer.inactive) throw new Failure("not_authorised");
  const developer_id = developer.id;
  const { opened_by, opens, token_id, proved_at, viewer = null, provider } = opening;
  const { boundMs = Infinity } = opening;
  const actor: Actor = {
    org_id,
    user_id: viewer ?? developerActor(developer_id),
    token_id,
    now,
    call: call && { ...call, session: id },
  };
  if (replaces !== null) await endReplaced(tx, actor, replaces);
  if (viewer === null) await makeRoom(tx, actor, developer_id);
  const expires_at = toTimestamp(now + Math.min(lifeOf(opens), boundMs));
  await insertDeveloperSession(tx, {
    org_id,
    id,
    hash,
    developer_id,
    expires_at,
    browser,
    opened_by,
    opens,
    token_id,
    proved_at,
    viewer,
    identity_id: provider?.identity_id ?? null,
    provider_session: provider?.provider_session ?? null,
    seen_at: provider?.seen_at ?? null,
    created_at: toTimestamp(now),
    last_used_at: null,
  });
  if (viewer === null) {
    await updateDeveloper(tx, org_id, { ...developer, last_login_date: toTimestamp(now) });
  }
  await recordAudit(tx, actor, {
    action: "developer_session.created",
    object: "developer_session",
    object_id: id,
    detail: {
      developer_id,
      by: opened_by,
      opens,
      ...token_id === "" ? {} : { access_token_id: token_id },
      ...provider === undefined ? {} : { identity_id: provider.identity_id },
    },
  });
  return { developer_id, expires_at };
}

/** Ends the replaced session: the caller has its secret, and so may end it. */
async function endReplaced(tx: Tx, actor: Actor, hash: string): Promise<void> {
  const row = await findDeveloperSession(tx, { hash });
  if (row?.org_id !== actor.org_id) return;
  await endSessionOf(tx, actor, row.developer_id, row.id, "signed in again");
}

async function makeRoom(tx: Tx, actor: Actor, developer_id: string): Promise<void> {
  const { org_id, now } = actor;
  const rows = await developerSessionsOf(tx, { org_id, developer_id });
  const own = rows.filter(({ opened_by }) => opened_by !== "view");
  const open = own.filter((row) => isOpenSession(row, now));
  for (const { id } of own) {
    const place = open.findIndex((one) => one.id === id);
    if (place >= 0 && place < MOST_DEVELOPER_SESSIONS - 1) continue;
    await endSessionOf(tx, actor, developer_id, id);
  }
}
