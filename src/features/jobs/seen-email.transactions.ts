import { Failure } from "../../kernel/failure.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import type { Tx } from "../../storage/storage.ts";
import { findDeveloperEmail } from "../developers/developer-email.store.ts";
import { isProved } from "../developers/email-proof.ts";
import { type JobRow, selectionOf } from "./job.ts";

/**
 * Throws `email_unproved` where the link would be mailed to an address that no one confirmed, and
 * `precondition_failed` where that became the developer's behind the moment of the selection: it is
 * not what a person looked at.
 */
export async function requireSeenEmail(tx: Tx, job: JobRow, developer_id: string): Promise<void> {
  const known = await findDeveloperEmail(tx, job.org_id, developer_id);
  if (!known || isProved(known.proof)) return;
  if (job.deliver === "mail") throw new Failure("email_unproved");
  const selection = selectionOf(job);
  const moment = "filter" in selection
    ? parseTimestamp(selection.filter.created_before)?.instant
    : undefined;
  const changed = parseTimestamp(known.proof.changed_at ?? "")?.instant;
  if (moment !== undefined && changed !== undefined && changed >= moment) {
    throw new Failure("precondition_failed");
  }
}
