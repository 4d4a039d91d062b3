import type { Actor } from "../../changes/audit.ts";
import { MOST_TAGS } from "../../kernel/input-limits.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { deactivateLocked, reactivateLocked } from "../accounts/deactivate.transactions.ts";
import { retag } from "../accounts/tag-developer.transactions.ts";
import type { Developer } from "../developers/developer.ts";
import { lockedRevision } from "../developers/locked-revision.transactions.ts";
import { lockDeveloper } from "../developers/developers.store.ts";
import { FOR_GOOD } from "../keys/ending.ts";
import { coverageOfActor } from "../plans/coverage.ts";
import { actsAs, type JobRow, termsOf, type WhatItWas } from "./job.ts";
import { actorOfJob } from "./jobs.transactions.ts";
import type { Minted, RowDone, Turned } from "./row-done.ts";

/**
 * Deactivates, reactivates or files a developer of a job, as they were selected. To anyone who has
 * a scope by now there are none. Throws `not_found`, `precondition_failed` where they have changed
 * since or are so already, and `invalid_input` where they would have too many tags.
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
  requireRevision([revision], await lockedRevision(tx, job.org_id, before));
  const kind = actsAs(job);
  if (kind === "tag_developers" || kind === "untag_developers") {
    return await turnOfTags(tx, actor, job, before, was);
  }
  const undoes = job.kind === "undo";
  const deactivates = (kind === "deactivate_developers") !== undoes;
  if (before.inactive === deactivates) throw new Failure("precondition_failed");
  // as: the job that is taken back wrote it.
  const { moved: only } = undoes ? JSON.parse(was ?? "{}") as WhatItWas : {};
  const { keys = "keep" } = termsOf(job);
  const some = only === undefined ? {} : { only };
  const follow = undoes || keys !== "keep";
  const moved = deactivates
    ? await deactivateLocked(tx, actor, before, {
      keys: follow ? "suspend" : "keep",
      ending: FOR_GOOD,
      ...some,
    })
    : await reactivateLocked(tx, actor, before, { keys: follow ? "resume" : "keep", ...some });
  if (undoes) return {};
  const after = await lockDeveloper(tx, job.org_id, id);
  if (!after) throw new Failure("unavailable");
  const kept: WhatItWas = { revision: await lockedRevision(tx, job.org_id, after), moved };
  return { was: JSON.stringify(kept) };
}

/** Files a developer whom the transaction holds under more tags or fewer, or as before the job. */
async function turnOfTags(
  tx: Tx,
  actor: Actor,
  job: JobRow,
  developer: Developer,
  was: string | null,
): Promise<Partial<RowDone>> {
  if (job.kind === "undo") {
    // as: the job that is taken back wrote it.
    const { tags = [] } = JSON.parse(was ?? "{}") as WhatItWas;
    await retag(tx, actor, developer, () => tags);
    return {};
  }
  const { tags: given = [] } = termsOf(job);
  const tags = await retag(tx, actor, developer, (own) => {
    if (job.kind === "untag_developers") return own.filter((tag) => !given.includes(tag));
    const all = [...new Set([...own, ...given])];
    if (all.length > MOST_TAGS) throw new Failure("invalid_input");
    return all;
  });
  const kept: WhatItWas = { revision: await lockedRevision(tx, job.org_id, developer), tags };
  return { was: JSON.stringify(kept) };
}
