import type { Actor } from "../../changes/audit.ts";
import { MOST_TAGS } from "../../kernel/input-limits.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { lockCredential } from "../keys/credential-life.store.ts";
import { holdSeenKey, type LockedKey } from "../keys/hold-key.transactions.ts";
import {
  changeEnd,
  changeLockedKey,
  followLives,
  type FormerEnd,
  replacePlans,
  restoreEnd,
} from "../keys/key-life.transactions.ts";
import { labelsOf } from "../keys/key-labels.ts";
import { endToCome, keyRevision } from "../keys/key.ts";
import { relabel } from "../keys/label-key.transactions.ts";
import { rotateLockedKey } from "../keys/mint-key.transactions.ts";
import { actsAs, type JobRow, termsOf, type WhatItWas } from "./job.ts";
import { actorOfJob } from "./jobs.transactions.ts";
import type { Minted, RowDone, Turned } from "./row-done.ts";
import { requireSeenEmail } from "./seen-email.transactions.ts";

/** Why a job's change was taken back, where nobody said. */
const UNDONE = "taken back";

/**
 * Changes a key of a job, as it was selected. One outside of the person's scope is none. Throws
 * `precondition_failed` where it has changed since, and what the single change throws.
 */
export async function turnOfKey(
  tx: Tx,
  job: JobRow,
  { request_id: key_id, revision, was }: Turned,
  minted: Minted,
): Promise<Partial<RowDone>> {
  const actor = actorOfJob(job, minted.now);
  const held = await holdSeenKey(tx, actor, key_id);
  if (!held) throw new Failure("not_found");
  // Nobody saw it as it was selected: it came, or into the scope, behind that.
  if (revision === "") throw new Failure("precondition_failed");
  const { credential, credential: { stored } } = held;
  requireRevision([revision], keyRevision({ ...credential, ...stored }));
  const kind = actsAs(job);
  if (job.kind === "undo") {
    // as: the job that is taken back wrote it.
    await takeBack(tx, actor, held, job, JSON.parse(was ?? "{}") as WhatItWas, minted);
    return {};
  }
  const { reason, deliver, key_expires_at } = job;
  const why = reason ?? "";
  const { plans = [], tags = [], overlap_seconds = 0 } = termsOf(job);
  const own = labelsOf(credential).tags;
  const { expires_at, end_chosen_at } = credential;
  const end = { expires_at, end_chosen_at };
  switch (kind) {
    case "suspend_keys":
      await changeLockedKey(tx, actor, held, "suspend", why);
      return { was: await wasOf(tx, held, {}) };
    case "resume_keys":
      await changeLockedKey(tx, actor, held, "resume", why);
      return { was: await wasOf(tx, held, {}) };
    case "revoke_keys":
      await changeLockedKey(tx, actor, held, "revoke", why);
      return {};
    case "rotate_keys": {
      // The mail is about the key request.
      if (deliver === "mail" && credential.request_id === "") throw new Failure("links_not_mailed");
      await requireSeenEmail(tx, job, credential.developer_id);
      const overlap_ms = overlap_seconds * 1000;
      const { attempt, claim } = minted;
      const order = { actor, attempt, claim, idempotency: null, overlap_ms };
      const { key_id, handed = null } = await rotateLockedKey(tx, order, held);
      return { key_id, handed };
    }
    case "set_key_plans":
      await replacePlans(tx, actor, held, plans, minted.references);
      return { was: await wasOf(tx, held, { plans: credential.plans, ...end }) };
    case "add_key_plans": {
      const all = [...new Set([...credential.plans, ...plans])];
      if (all.length > MOST_PLANS) throw new Failure("invalid_input");
      if (all.length > credential.plans.length) {
        await replacePlans(tx, actor, held, all, minted.references);
      }
      return { was: await wasOf(tx, held, { plans: credential.plans, ...end }) };
    }
    case "set_key_end":
      await changeEnd(tx, actor, held, endToCome(key_expires_at, actor.now) ?? null);
      return { was: await wasOf(tx, held, end) };
    case "clear_key_end":
      await changeEnd(tx, actor, held, null);
      return { was: await wasOf(tx, held, end) };
    case "follow_plan_life":
      await followLives(tx, actor, held);
      return { was: await wasOf(tx, held, end) };
    case "tag_keys": {
      const all = [...new Set([...own, ...tags])];
      if (all.length > MOST_TAGS) throw new Failure("invalid_input");
      return await retag(tx, actor, held, all);
    }
    case "untag_keys":
      return await retag(tx, actor, held, own.filter((tag) => !tags.includes(tag)));
    default:
      throw new Failure("internal");
  }
}

/** Plans of one key, at the most. */
const MOST_PLANS = 100;

async function retag(
  tx: Tx,
  actor: Actor,
  held: LockedKey,
  tags: string[],
): Promise<Partial<RowDone>> {
  const { credential, developer } = held;
  const { tags: before } = labelsOf(credential);
  await relabel(tx, actor, { key_id: credential.key_id, developer }, { tags });
  return { was: await wasOf(tx, held, { tags: before }) };
}

/** The end that a key had; a job of earlier code kept no more than when that was, or nothing. */
function formerEnd(
  { credential }: LockedKey,
  { expires_at = credential.expires_at, end_chosen_at = credential.end_chosen_at }: WhatItWas,
): FormerEnd {
  return { expires_at, end_chosen_at };
}

/** What a key was that this transaction has changed, with its revision since. */
async function wasOf(
  tx: Tx,
  { credential: { org_id, key_id } }: LockedKey,
  was: Omit<WhatItWas, "revision">,
): Promise<string> {
  const now = await lockCredential(tx, org_id, key_id);
  if (!now) throw new Failure("unavailable");
  const kept: WhatItWas = { ...was, revision: keyRevision({ ...now, ...now.stored }) };
  return JSON.stringify(kept);
}

/** Gives a key what it had before the job that is taken back. */
async function takeBack(
  tx: Tx,
  actor: Actor,
  held: LockedKey,
  job: JobRow,
  was: WhatItWas,
  { references }: Minted,
): Promise<void> {
  const why = job.reason ?? UNDONE;
  const { credential: { key_id }, developer } = held;
  switch (actsAs(job)) {
    case "suspend_keys":
      return await changeLockedKey(tx, actor, held, "resume", why);
    case "resume_keys":
      return await changeLockedKey(tx, actor, held, "suspend", why);
    case "set_key_plans":
    case "add_key_plans":
      return await replacePlans(tx, actor, held, was.plans ?? [], references, formerEnd(held, was));
    case "set_key_end":
    case "clear_key_end":
    case "follow_plan_life":
      endToCome(was.expires_at, actor.now);
      return await restoreEnd(tx, actor, held, formerEnd(held, was));
    case "tag_keys":
    case "untag_keys":
      return await relabel(tx, actor, { key_id, developer }, { tags: was.tags ?? [] });
    default:
      throw new Failure("internal");
  }
}
