import { toTimestamp } from "../../kernel/clock.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { findMute } from "../../changes/alert-mutes.store.ts";
import { muteLocked, unmuteLocked } from "../notifications/alerts/alerts.transactions.ts";
import { changeLockedCare } from "../certificates/certificate-care.transactions.ts";
import { fingerprintOf } from "../certificates/certificate.ts";
import { lockCertificate } from "../certificates/certificates.store.ts";
import { toCare } from "../certificates/stored-certificate.ts";
import { coverageOfActor } from "../plans/coverage.ts";
import { isOfMutes, revisionFor } from "./certificate-revision.ts";
import { actsAs, type JobRow, termsOf, type WhatItWas } from "./job.ts";
import { actorOfJob } from "./jobs.transactions.ts";
import type { Minted, RowDone, Turned } from "./row-done.ts";

/** Why a mute that was lifted is set again, where no one said. */
const UNDONE = "taken back";

/**
 * Changes a certificate of a job, as it was selected. A caller with a scope finds none. Throws
 * `certificate_not_found`, `precondition_failed` where it has changed since, and `invalid_input`
 * where its mute would have ended already.
 */
export async function turnOfCertificate(
  tx: Tx,
  job: JobRow,
  { request_id: object_id, revision, was }: Turned,
  { now }: Minted,
): Promise<Partial<RowDone>> {
  const actor = actorOfJob(job, now);
  const { org_id } = actor;
  if (await coverageOfActor(tx, actor)) throw new Failure("certificate_not_found");
  const fingerprint = fingerprintOf(org_id, object_id);
  const locked = fingerprint && await lockCertificate(tx, { org_id, fingerprint });
  if (!locked) throw new Failure("certificate_not_found");
  const kind = actsAs(job);
  const muteNow = () =>
    findMute(tx, { org_id, object: "certificate", object_id, now: toTimestamp(now) });
  const mute = await muteNow();
  // No one saw it as it was selected: it came behind that.
  if (revision === "") throw new Failure("precondition_failed");
  requireRevision([revision], revisionFor(kind, locked, mute));
  const { owner: before, tags } = toCare(locked);
  // as: the job that is taken back wrote it.
  const earlier = job.kind === "undo" ? JSON.parse(was ?? "{}") as WhatItWas : undefined;
  const kept = (more: Omit<WhatItWas, "revision">, after: string): Partial<RowDone> =>
    earlier ? {} : { was: JSON.stringify({ ...more, revision: after } satisfies WhatItWas) };
  if (!isOfMutes(kind)) {
    const ownerInAnswer = kind === "set_certificate_owner" ? termsOf(job).owner ?? "" : "";
    const owner = earlier ? earlier.owner ?? "" : ownerInAnswer;
    if (owner === before) return {};
    await changeLockedCare(tx, actor, { ...locked, fingerprint }, { owner, tags });
    const care = { owner, tags: tags.length === 0 ? null : JSON.stringify(tags) };
    return kept({ owner: before }, revisionFor(kind, care, mute));
  }
  const { until, reason } = earlier
    ? { until: earlier.mute?.until, reason: earlier.mute?.reason ?? UNDONE }
    : kind === "mute_certificates"
    ? { until: termsOf(job).until, reason: job.reason ?? "" }
    : { until: undefined, reason: "" };
  const object = { actor, object: "certificate", object_id } as const;
  const isOver = until !== undefined && Date.parse(until) <= now;
  if (isOver && !earlier) throw new Failure("invalid_input");
  if (until === undefined || isOver) {
    if (!mute) return {};
    await unmuteLocked(tx, object);
  } else await muteLocked(tx, { ...object, until, reason });
  return kept(
    { mute: mute ? { until: mute.expires_at, reason: mute.reason } : null },
    revisionFor(kind, locked, await muteNow()),
  );
}
