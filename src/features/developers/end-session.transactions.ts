import { type Actor, recordAudit } from "../../changes/audit.ts";
import { recordAlone } from "../../changes/record-change.ts";
import type { Tx } from "../../storage/storage.ts";
import {
  removeDeveloperLinks,
  removeDeveloperToken,
  sessionIdsOf,
  tokenIdsOf,
} from "./developer-sign-ins.store.ts";
import { removeDeveloperGrantOf, removeDeveloperSession } from "./sessions-of-identities.store.ts";

/** Ends a session of a developer; `reason`: why, where they did not. False where there is none. */
export async function endSessionOf(
  tx: Tx,
  actor: Actor,
  developer_id: string,
  id: string,
  reason?: string,
): Promise<boolean> {
  if (!await removeDeveloperSession(tx, { org_id: actor.org_id, developer_id, id })) return false;
  await removeDeveloperGrantOf(tx, { org_id: actor.org_id, id });
  await recordAudit(tx, actor, {
    action: "developer_session.ended",
    object: "developer_session",
    object_id: id,
    detail: { developer_id, ...reason === undefined ? {} : { reason } },
  });
  return true;
}

/** Ends a token of a developer, likewise. */
export async function endTokenOf(
  tx: Tx,
  actor: Actor,
  developer_id: string,
  id: string,
  reason?: string,
): Promise<boolean> {
  if (!await removeDeveloperToken(tx, { org_id: actor.org_id, developer_id, id })) return false;
  await recordAlone(tx, actor, {
    action: "developer_token.ended",
    object_id: id,
    detail: { developer_id, ...reason === undefined ? {} : { reason } },
  });
  return true;
}

/** How many sessions and tokens of a developer ended. */
interface EndedAccess {
  sessions: number;
  tokens: number;
}

/**
 * Ends all sessions and tokens of a developer whom this transaction holds, so that none begins
 * meanwhile, and the links that would open a session. Their password and accounts stay.
 */
export async function endAccessOf(
  tx: Tx,
  actor: Actor,
  developer_id: string,
  reason: string,
): Promise<EndedAccess> {
  const of = { org_id: actor.org_id, developer_id };
  const ended = { sessions: 0, tokens: 0 };
  for (const id of await sessionIdsOf(tx, of)) {
    if (await endSessionOf(tx, actor, developer_id, id, reason)) ended.sessions++;
  }
  for (const id of await tokenIdsOf(tx, of)) {
    if (await endTokenOf(tx, actor, developer_id, id, reason)) ended.tokens++;
  }
  await removeDeveloperLinks(tx, of);
  return ended;
}
