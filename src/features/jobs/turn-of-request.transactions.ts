import type { Actor } from "../../changes/audit.ts";
import type { KindOf } from "../../contract/job-kinds.ts";
import type { Tx } from "../../storage/storage.ts";
import { assignSeen } from "../key-requests/assign.transactions.ts";
import { approveSeen, declineSeen, reopenSeen } from "../key-requests/decisions.transactions.ts";
import { grantedIn } from "../key-requests/granted-terms.ts";
import { isStep } from "../key-requests/steps.transactions.ts";
import { findV1 } from "../key-requests/v1.store.ts";
import { requireWithin } from "../key-requests/within-scope.ts";
import { STEP } from "./job-rows.store.ts";
import { actsAs, type JobRow } from "./job.ts";
import { actorOfJob } from "./jobs.transactions.ts";
import type { Minted, RowDone, Turned } from "./row-done.ts";
import { requireSeenEmail } from "./seen-email.transactions.ts";

/** A key request that has its turn, and what it is decided with. */
interface RequestTurn {
  job: JobRow;
  decision: { actor: Actor; id: string; ifMatch: string[] | null };
  minted: Minted;
}

/** Decides or assigns a key request of a job. Throws what the single decision throws. */
export async function turnOfRequest(
  tx: Tx,
  job: JobRow,
  { request_id: id, revision }: Turned,
  minted: Minted,
): Promise<Partial<RowDone>> {
  const actor = actorOfJob(job, minted.now);
  const decision = { actor, id, ifMatch: revision === "" ? null : [revision] };
  // as: this is the turn of a kind over key requests.
  const turn = turns[actsAs(job) as KindOf<"key_requests">];
  return await turn(tx, { job, decision, minted }) ?? {};
}

type Turn = (tx: Tx, turn: RequestTurn) => Promise<Partial<RowDone> | void>;

/** The action of each kind on one request. */
const turns: Readonly<Record<KindOf<"key_requests">, Turn>> = {
  approve: approveOne,
  decline: async (tx, { job: { reason }, decision }) => {
    await declineSeen(tx, { ...decision, reason });
  },
  reopen: async (tx, { decision }) => {
    await reopenSeen(tx, decision);
  },
  assign: async (tx, { job: { assignee }, decision: { actor, id } }) => {
    await assignSeen(tx, { actor, id, assignee });
  },
};

async function approveOne(
  tx: Tx,
  { job, decision, minted: { attempt, oneTimeLink } }: RequestTurn,
): Promise<Partial<RowDone>> {
  const request = await findV1(tx, { org_id: job.org_id, id: decision.id });
  if (request) {
    await requireWithin(tx, decision.actor, request);
    await requireSeenEmail(tx, job, request.by_user);
  }
  const { reason, message, key_expires_at: expires_at } = job;
  const granted = grantedIn(job.conditions);
  const approval = { attempt, oneTimeLink, reason, message, granted, expires_at };
  const approved = await approveSeen(tx, { ...decision, ...approval });
  if (isStep(approved)) return { code: STEP };
  const { key_id, handed } = approved;
  return { key_id, handed: handed ?? null, approved: true };
}
