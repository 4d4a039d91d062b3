import type { Actor } from "../../changes/audit.ts";
import type { KindOf } from "../../contract/job-kinds.ts";
import { MOST_TAGS } from "../../kernel/input-limits.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { lockKey } from "../keys/key-life.store.ts";
import { type LockedKey, lockSeenKey } from "../keys/lock-key.transactions.ts";
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
import { actsAs, type JobRow, type JobTerms, termsOf, type WhatItWas } from "./job.ts";
import { actorOfJob } from "./jobs.transactions.ts";
import type { Minted, RowDone, Turned } from "./row-done.ts";
import { requireSeenEmail } from "./seen-email.transactions.ts";

/** Why a job's change was taken back, where no one said. */
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
  const locked = await lockSeenKey(tx, actor, key_id);
  if (!locked) throw new Failure("not_found");
  // No one saw it as it was selected: it came, or into the scope, behind that.
  if (revision === "") throw new Failure("precondition_failed");
  const { credential, credential: { stored } } = locked;
  requireRevision([revision], keyRevision({ ...credential, ...stored }));
  // as: this is the turn of a kind over keys.
  const turn = turns[actsAs(job) as KindOf<"keys">];
  const key: KeyTurn = { actor, locked, job, terms: termsOf(job), minted };
  if (job.kind !== "undo") return await turn.change(tx, key);
  if (!turn.takeBack) throw new Failure("internal");
  // as: the job that is taken back wrote it.
  await turn.takeBack(tx, key, JSON.parse(was ?? "{}") as WhatItWas);
  return {};
}

/** A key that is next, and its job's input. */
interface KeyTurn {
  actor: Actor;
  locked: LockedKey;
  job: JobRow;
  terms: JobTerms;
  minted: Minted;
}

/** The action of a kind on one key, and how it is taken back; absent: it can't be. */
interface KeyKind {
  change: (tx: Tx, key: KeyTurn) => Promise<Partial<RowDone>>;
  takeBack?: (tx: Tx, key: KeyTurn, was: WhatItWas) => Promise<void>;
}

const turns: Readonly<Record<KindOf<"keys">, KeyKind>> = {
  suspend_keys: { change: move("suspend"), takeBack: moveBack("resume") },
  resume_keys: { change: move("resume"), takeBack: moveBack("suspend") },
  revoke_keys: {
    change: async (tx, { actor, locked, job }) => {
      await changeLockedKey(tx, actor, locked, "revoke", job.reason ?? "");
      return {};
    },
  },
  rotate_keys: { change: rotate },
  set_key_plans: {
    change: (tx, key) => changePlans(tx, key, key.terms.plans ?? []),
    takeBack: restorePlans,
  },
  add_key_plans: {
    change: (tx, key) => {
      const { plans } = key.locked.credential;
      const all = [...new Set([...plans, ...key.terms.plans ?? []])];
      if (all.length > MOST_PLANS) throw new Failure("invalid_input");
      return changePlans(tx, key, all.length > plans.length ? all : undefined);
    },
    takeBack: restorePlans,
  },
  set_key_end: {
    change: setEnd((tx, { actor, locked, job }) =>
      changeEnd(tx, actor, locked, endToCome(job.key_expires_at, actor.now) ?? null)
    ),
    takeBack: bringEndBack,
  },
  clear_key_end: {
    change: setEnd((tx, { actor, locked }) => changeEnd(tx, actor, locked, null)),
    takeBack: bringEndBack,
  },
  follow_plan_life: {
    change: setEnd((tx, { actor, locked }) => followLives(tx, actor, locked)),
    takeBack: bringEndBack,
  },
  tag_keys: {
    change: retag((own, tags) => {
      const all = [...new Set([...own, ...tags])];
      if (all.length > MOST_TAGS) throw new Failure("invalid_input");
      return all;
    }),
    takeBack: restoreTags,
  },
  untag_keys: {
    change: retag((own, tags) => own.filter((tag) => !tags.includes(tag))),
    takeBack: restoreTags,
  },
};

/** Plans of one key, at the most. */
const MOST_PLANS = 100;

function move(name: "suspend" | "resume"): KeyKind["change"] {
  return async (tx, { actor, locked, job }) => {
    await changeLockedKey(tx, actor, locked, name, job.reason ?? "");
    return { was: await wasOf(tx, locked, {}) };
  };
}

function moveBack(name: "suspend" | "resume"): NonNullable<KeyKind["takeBack"]> {
  return async (tx, { actor, locked, job }) => {
    await changeLockedKey(tx, actor, locked, name, job.reason ?? UNDONE);
  };
}

async function rotate(
  tx: Tx,
  { actor, locked, job, terms: { overlap_seconds = 0 }, minted: { attempt, oneTimeLink } }: KeyTurn,
): Promise<Partial<RowDone>> {
  const { credential } = locked;
  // The mail is about the key request.
  if (job.deliver === "mail" && credential.request_id === "") throw new Failure("links_not_mailed");
  await requireSeenEmail(tx, job, credential.developer_id);
  const overlap_ms = overlap_seconds * 1000;
  const order = { actor, attempt, oneTimeLink, idempotency: null, overlap_ms };
  const { key_id, handed = null } = await rotateLockedKey(tx, order, locked);
  return { key_id, handed };
}

/** Gives a key these plans; undefined: it has them. */
async function changePlans(
  tx: Tx,
  { actor, locked, minted: { references } }: KeyTurn,
  plans: string[] | undefined,
): Promise<Partial<RowDone>> {
  const { plans: before, expires_at, end_chosen_at } = locked.credential;
  if (plans) await replacePlans(tx, actor, locked, plans, references);
  return { was: await wasOf(tx, locked, { plans: before, expires_at, end_chosen_at }) };
}

async function restorePlans(
  tx: Tx,
  { actor, locked, minted: { references } }: KeyTurn,
  was: WhatItWas,
): Promise<void> {
  await replacePlans(tx, actor, locked, was.plans ?? [], references, formerEnd(locked, was));
}

function setEnd(change: (tx: Tx, key: KeyTurn) => Promise<void>): KeyKind["change"] {
  return async (tx, key) => {
    const { expires_at, end_chosen_at } = key.locked.credential;
    await change(tx, key);
    return { was: await wasOf(tx, key.locked, { expires_at, end_chosen_at }) };
  };
}

async function bringEndBack(tx: Tx, { actor, locked }: KeyTurn, was: WhatItWas): Promise<void> {
  endToCome(was.expires_at, actor.now);
  await restoreEnd(tx, actor, locked, formerEnd(locked, was));
}

/** Replaces a key's tags by its own changed as the job says. */
function retag(others: (own: string[], given: string[]) => string[]): KeyKind["change"] {
  return async (tx, { actor, locked, terms: { tags: given = [] } }) => {
    const { credential: { key_id }, credential, developer } = locked;
    const { tags: own } = labelsOf(credential);
    await relabel(tx, actor, { key_id, developer }, { tags: others(own, given) });
    return { was: await wasOf(tx, locked, { tags: own }) };
  };
}

async function restoreTags(tx: Tx, { actor, locked }: KeyTurn, was: WhatItWas): Promise<void> {
  const { credential: { key_id }, developer } = locked;
  await relabel(tx, actor, { key_id, developer }, { tags: was.tags ?? [] });
}

/** The end that a key had; a job of earlier code kept no more than when that was, or nothing. */
function formerEnd(
  { credential }: LockedKey,
  { expires_at = credential.expires_at, end_chosen_at = credential.end_chosen_at }: WhatItWas,
): FormerEnd {
  return { expires_at, end_chosen_at };
}

/** The previous state of a key that this transaction has changed, with its revision since. */
async function wasOf(
  tx: Tx,
  { credential: { org_id, key_id } }: LockedKey,
  was: Omit<WhatItWas, "revision">,
): Promise<string> {
  const now = await lockKey(tx, org_id, key_id);
  if (!now) throw new Failure("unavailable");
  const kept: WhatItWas = { ...was, revision: keyRevision({ ...now, ...now.stored }) };
  return JSON.stringify(kept);
}
