import { Failure } from "../../kernel/failure.ts";
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

/** Decides or assigns a key request of a job. Throws what the single decision throws. */
export async function turnOfRequest(
  tx: Tx,
  job: JobRow,
  { request_id: id, revision }: Turned,
  { attempt, claim, now }: Minted,
): Promise<Partial<RowDone>> {
  const actor = actorOfJob(job, now);
  const decision = { actor, id, ifMatch: revision === "" ? null : [revision] };
  const { reason } = job;
  switch (actsAs(job)) {
    case "decline":
      await declineSeen(tx, { ...decision, reason });
      return {};
    case "reopen":
      await reopenSeen(tx, decision);
      return {};
    case "assign":
      await assignSeen(tx, { actor, id, assignee: job.assignee });
      return {};
    case "approve": {
      const request = await findV1(tx, { org_id: job.org_id, id });
      if (request) {
        await requireWithin(tx, actor, request);
        await requireSeenEmail(tx, job, request.by_user);
      }
      const { message, key_expires_at: expires_at } = job;
      const granted = grantedIn(job.conditions);
      const approval = { attempt, claim, reason, message, granted, expires_at };
      const approved = await approveSeen(tx, { ...decision, ...approval });
      if (isStep(approved)) return { code: STEP };
      const { key_id, handed } = approved;
      return { key_id, handed: handed ?? null, approved: true };
    }
    default:
      throw new Failure("internal");
  }
}
