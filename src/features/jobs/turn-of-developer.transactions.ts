import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { deactivateHeld, reactivateHeld } from "../developer-accounts/deactivate.transactions.ts";
import { type Developer, developerRevision, splitSecrets } from "../developers/developer.ts";
import { lockDeveloper } from "../developers/developers.store.ts";
import { FOR_GOOD } from "../keys/ending.ts";
import { coverageOfActor } from "../plans/coverage.ts";
import { actsAs, type JobRow, termsOf, type WhatItWas } from "./job.ts";
import { actorOfJob } from "./jobs.transactions.ts";
import type { Minted, RowDone, Turned } from "./row-done.ts";

/**
 * Deactivates or reactivates a developer of a job, as they were selected. To whoever has a scope by
 * now there are none. Throws `not_found`, and `precondition_failed` where they have changed since,
 * or are so already.
 */
export async function turnOfDeveloper(
  tx: Tx,
  job: JobRow,
  { request_id: id, revision, was }: Turned,
  { now }: Minted,
): Promise<Partial<RowDone>> {
  const actor = actorOfJob(job, now);
  if (await coverageOfActor(tx, actor)) throw new Failure("not_found");
  const before = await lockDeveloper(tx, job.org_id, id);
  if (!before) throw new Failure("not_found");
  if (revision === "") throw new Failure("precondition_failed");
  requireRevision([revision], revisionOf(before));
  const undoes = job.kind === "undo";
  const deactivates = (actsAs(job) === "deactivate_developers") !== undoes;
  if (before.inactive === deactivates) throw new Failure("precondition_failed");
  // as: the job that is taken back wrote it.
  const { moved: only } = undoes ? JSON.parse(was ?? "{}") as WhatItWas : {};
  const { keys = "keep" } = termsOf(job);
  const some = only === undefined ? {} : { only };
  const follow = undoes || keys !== "keep";
  const moved = deactivates
    ? await deactivateHeld(tx, actor, before, {
      keys: follow ? "suspend" : "keep",
      ending: FOR_GOOD,
      ...some,
    })
    : await reactivateHeld(tx, actor, before, { keys: follow ? "resume" : "keep", ...some });
  if (undoes) return {};
  const after = await lockDeveloper(tx, job.org_id, id);
  if (!after) throw new Failure("unavailable");
  const kept: WhatItWas = { revision: revisionOf(after), moved };
  return { was: JSON.stringify(kept) };
}

/** As `/v1/developers` has it. */
function revisionOf(developer: Developer): string {
  return developerRevision(splitSecrets(developer).document);
}
