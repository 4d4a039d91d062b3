import { effectivePermissions } from "../../calls/principal.ts";
import { allows } from "../../contract/permissions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { FailureCode } from "../../kernel/failure-codes.ts";
import { Failure } from "../../kernel/failure.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { isInForce } from "../access/access-token.ts";
import { findAccessToken } from "../access/access-tokens.store.ts";
import { areLinksMailed } from "../deliveries/recipients.transactions.ts";
import { findDeveloperEmail } from "../developers/developer-email.store.ts";
import { isProved } from "../developers/email-proof.ts";
import { assignSeen } from "../key-requests/assign.transactions.ts";
import { approveSeen, declineSeen, reopenSeen } from "../key-requests/decisions.transactions.ts";
import { grantedIn } from "../key-requests/granted-terms.ts";
import { isStep } from "../key-requests/steps.transactions.ts";
import { findV1 } from "../key-requests/v1.store.ts";
import { requireWithin } from "../key-requests/within-scope.ts";
import type { NewClaim } from "../keys/claims/claim.ts";
import type { Attempt } from "../keys/credential.ts";
import { addLink } from "./job-links.store.ts";
import { endRow, lockRow, STEP } from "./job-rows.store.ts";
import { type BreakOff, type JobRow, outcomeOf, selectionOf } from "./job.ts";
import { lockJob } from "./jobs.store.ts";
import { actorOfJob } from "./jobs.transactions.ts";

/** One row of a job. */
export interface RowPlace {
  org_id: string;
  job_id: string;
  n: number;
}

/** What became of a row's turn. */
export interface RowTurn {
  /** Why the job can't go on; null where it can. */
  why: BreakOff | null;
  /** Whether its request was approved by it. */
  approved: boolean;
}

const NOTHING: RowTurn = { why: null, approved: false };

/**
 * Gives a row its turn: the decision, what became of it, and the link to fetch are one transaction.
 * Does nothing where the row had its turn or the job does not run any more; gives why the job ends
 * where it can't go on. Throws what the decision throws, and then nothing is kept: `noteFailure`
 * says so of the row.
 */
export const decideRow = defineTransaction(
  "jobs.decide-row",
  async (
    tx,
    input: RowPlace & { attempt: Attempt; claim: NewClaim; now: number },
  ): Promise<RowTurn> => {
    const { org_id, job_id, n, attempt, claim, now } = input;
    const place = { org_id, job_id, n };
    const job = await lockJob(tx, org_id, job_id, "share");
    if (job?.state !== "running") return NOTHING;
    const row = await lockRow(tx, place);
    if (!row) return NOTHING;
    if (!await mayDecide(tx, job, now)) return { ...NOTHING, why: "permission_ended" };
    if (job.deliver === "mail" && !await areLinksMailed(tx, org_id)) {
      return { ...NOTHING, why: "links_not_mailed" };
    }
    const { request_id: id, revision } = row;
    const ifMatch = revision === "" ? null : [revision];
    const decision = { actor: actorOfJob(job, now), id, ifMatch };
    const { reason } = job;
    const at = toTimestamp(now);
    const done = { outcome: "done", code: "", key_id: "", claim_ends: null, at } as const;
    switch (job.kind) {
      case "decline":
        await declineSeen(tx, { ...decision, reason });
        await endRow(tx, { ...place, ...done });
        return NOTHING;
      case "reopen":
        await reopenSeen(tx, decision);
        await endRow(tx, { ...place, ...done });
        return NOTHING;
      case "assign":
        await assignSeen(tx, { actor: decision.actor, id, assignee: job.assignee });
        await endRow(tx, { ...place, ...done });
        return NOTHING;
      case "approve": {
        await requireSeenEmail(tx, job, id, now);
        const { message, key_expires_at: expires_at } = job;
        const granted = grantedIn(job.conditions);
        const approval = { attempt, claim, reason, message, granted, expires_at };
        const approved = await approveSeen(tx, { ...decision, ...approval });
        if (isStep(approved)) {
          await endRow(tx, { ...place, ...done, code: STEP });
          return NOTHING;
        }
        const { key_id, handed } = approved;
        const claim_ends = handed?.expires_at ?? null;
        await endRow(tx, { ...place, ...done, key_id, claim_ends });
        if (handed && job.deliver === "links") await keepLink(tx, place, handed);
        return { ...NOTHING, approved: true };
      }
    }
  },
);

/**
 * Throws `email_unproved` where the link would be mailed to an address that nobody confirmed, and
 * `precondition_failed` where that became the developer's behind the moment of the selection: it is
 * not what somebody looked at.
 */
async function requireSeenEmail(
  tx: Tx,
  job: JobRow,
  request_id: string,
  now: number,
): Promise<void> {
  const { org_id, deliver } = job;
  const request = await findV1(tx, { org_id, id: request_id });
  if (request) await requireWithin(tx, actorOfJob(job, now), request);
  const known = request && await findDeveloperEmail(tx, org_id, request.by_user);
  if (!known || isProved(known.proof)) return;
  if (deliver === "mail") throw new Failure("email_unproved");
  const selection = selectionOf(job);
  const moment = "filter" in selection
    ? parseTimestamp(selection.filter.asked_before)?.instant
    : undefined;
  const changed = parseTimestamp(known.proof.changed_at ?? "")?.instant;
  if (moment !== undefined && changed !== undefined && changed >= moment) {
    throw new Failure("precondition_failed");
  }
}

/**
 * Whether whoever started the job may decide at this moment, by the access token that it was
 * started with.
 */
async function mayDecide(tx: Tx, job: JobRow, now: number): Promise<boolean> {
  const token = await findAccessToken(tx, { org_id: job.org_id, id: job.token_id });
  if (!token || !isInForce(token, now)) return false;
  return allows(effectivePermissions(token.permissions, token.scope), "approve");
}

async function keepLink(tx: Tx, place: RowPlace, claim: NewClaim): Promise<void> {
  const { org_id } = place;
  const { id, token, expires_at } = claim;
  const link = tx.sealer.seal(jobLinkPlace(org_id, id), token);
  await addLink(tx, { ...place, id, link, expires_at });
}

/** Where the token of a claim is sealed for, while it waits to be fetched. */
export function jobLinkPlace(org_id: string, id: string) {
  return { table: "job_links", org_id, id, column: "link" };
}

/** Says of a row why it was not decided; nothing where it had its turn. */
export const noteFailure = defineTransaction(
  "jobs.note-failure",
  async (tx, input: RowPlace & { code: FailureCode; now: number }): Promise<null> => {
    const { org_id, job_id, n, code, now } = input;
    const job = await lockJob(tx, org_id, job_id, "share");
    if (job?.state !== "running") return null;
    await endRow(tx, {
      org_id,
      job_id,
      n,
      outcome: outcomeOf(code),
      code,
      key_id: "",
      claim_ends: null,
      at: toTimestamp(now),
    });
    return null;
  },
);
