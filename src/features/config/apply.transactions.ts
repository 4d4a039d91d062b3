import type { Actor } from "../../changes/audit.ts";
import {
  countConfigChange,
  findConfigState,
  setChangesRule,
} from "../../changes/config-changes.store.ts";
import { recordChange } from "../../changes/record-change.ts";
import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Transaction, type Tx } from "../../storage/storage.ts";
import { replaceBranding } from "../branding/branding.transactions.ts";
import {
  changeGateway,
  createGateway,
  endGateway,
  removeGateway,
} from "../gateways/gateways.transactions.ts";
import { setRule } from "../hygiene/unused/keep.transactions.ts";
import { endPolicy, setPolicy } from "../key-requests/policies.transactions.ts";
import { changeRules } from "../notifications/alerts/alerts.transactions.ts";
import {
  createChannel,
  removeChannel,
  replaceChannel,
} from "../notifications/channels.transactions.ts";
import { limitAccessToken, revokeAccessToken } from "../people/access-tokens.transactions.ts";
import {
  addProvider,
  changeProvider,
  takeAwayProvider,
} from "../people/identity-providers/identity-providers.transactions.ts";
import { addApi, changeApi, removeApi } from "../plans/catalogue/apis.transactions.ts";
import { changeApproval } from "../plans/catalogue/approval.transactions.ts";
import { addDocument, changeDocument } from "../plans/catalogue/documents.transactions.ts";
import { changeQuestions } from "../plans/catalogue/portal.transactions.ts";
import { createPlan, removePlan, updatePlan } from "../plans/plans.transactions.ts";
import { replaceDeveloperPages } from "../portal/access/developer-pages.transactions.ts";
import { addRole, changeRole, takeAwayRole } from "../sign-in/roles/roles.transactions.ts";
import { replaceSignInRules } from "../sign-in/sign-in-rules.transactions.ts";
import {
  addTemporaryAccessRule,
  changeTemporaryAccessRule,
  dropTemporaryAccessRule,
} from "../sign-in/temporary-access/temporary-access-rules.transactions.ts";
import {
  changeCheckingGateway,
  createCheckingGateway,
  deleteCheckingGateway,
} from "../verification/gateways/checking-gateways.transactions.ts";
import {
  findReview,
  forgetReviews,
  type ManagedRow,
  putManaged,
  putReview,
  removeManaged,
  removeReview,
  type ReviewRow,
} from "./config-objects.store.ts";
import { REVIEW_MS } from "./config-state.ts";

/** A transaction as the table of steps has it. */
type AnyTransaction = Pick<Transaction<never, unknown>, "id" | "run">;

/** The transactions of which a declaration is applied. */
const STEPS: readonly AnyTransaction[] = [
  replaceBranding,
  replaceDeveloperPages,
  changeQuestions,
  changeRules,
  replaceSignInRules,
  addRole,
  changeRole,
  takeAwayRole,
  createPlan,
  updatePlan,
  removePlan,
  addDocument,
  changeDocument,
  addApi,
  changeApi,
  removeApi,
  changeApproval,
  setPolicy,
  endPolicy,
  setRule,
  createChannel,
  replaceChannel,
  removeChannel,
  createGateway,
  changeGateway,
  endGateway,
  removeGateway,
  createCheckingGateway,
  changeCheckingGateway,
  deleteCheckingGateway,
  addProvider,
  changeProvider,
  takeAwayProvider,
  addTemporaryAccessRule,
  changeTemporaryAccessRule,
  dropTemporaryAccessRule,
  limitAccessToken,
  revokeAccessToken,
];

const byId = new Map(STEPS.map((one) => [one.id, one]));

/** Something that a file manages from now on. `object_id` null: the thing that the step made. */
export type Managing =
  & Omit<ManagedRow, "org_id" | "object_id" | "applied_at" | "drifted_at" | "source" | "revision">
  & { object_id: string | null };

/** One step of applying a declaration. */
export interface ApplyStep {
  transaction: string;
  input: Readonly<Record<string, unknown>>;
  /** Its thing, for a refusal: `plans "Gold"`. */
  about: string;
  /** The note on its thing; absent: another step has it. */
  managing?: Managing | undefined;
}

/** A declaration that is applied whole or not at all. */
interface ApplyInput {
  actor: Actor;
  source: string;
  revision: string;
  digest: string;
  /** The count of changes at which the organisation was compared. */
  seen: number;
  steps: ApplyStep[];
  /** Things that the file manages without a change, and those that it manages no longer. */
  managing: (Managing & { object_id: string })[];
  left: { kind: string; object_id: string }[];
  /** How many are created, updated and deleted. */
  counts: { created: number; updated: number; deleted: number };
  /** True: a person has confirmed this digest, and the confirmation is used up. */
  isConfirmed: boolean;
}

/**
 * Applies a declaration. Throws `config_changed` where the organisation is no longer as it was when
 * it was compared, `config_unconfirmed` where a confirmation was used or withdrawn meanwhile, and
 * what the steps throw, with what it is about; nothing is done then.
 */
export const applyConfig = defineTransaction("config.apply", async (tx, input: ApplyInput) => {
  const { source, revision, digest, counts, steps } = input;
  const actor = { ...input.actor, file: source };
  const { org_id, now } = actor;
  await requireNoOlderNode(tx, now, { unknown: "declarations", then: "apply one" });
  // Counted first: from here on any other change waits.
  await countConfigChange(tx, { org_id });
  if (Number(await findConfigState(tx, { org_id }) ?? 0) !== input.seen + 1) {
    throw new Failure("config_changed");
  }
  if (input.isConfirmed) await useConfirmation(tx, org_id, digest);
  const applied_at = toTimestamp(now);
  const note = (one: Managing & { object_id: string }) =>
    putManaged(tx, { org_id, ...one, source, revision, applied_at, drifted_at: null });
  for (const { kind, object_id } of input.left) {
    await removeManaged(tx, { org_id, kind, object_id });
  }
  for (const step of steps) {
    const made = await done(tx, { ...step, input: { ...step.input, actor } });
    const { managing } = step;
    if (!managing) continue;
    // as: the answer of what has no id before it is made says its id.
    const object_id = managing.object_id ?? (made as { id: string }).id;
    await note({ ...managing, object_id });
  }
  for (const one of input.managing) await note(one);
  const detail = { source, revision, digest, ...counts };
  await recordChange(tx, actor, { action: "config.applied", object_id: org_id, detail });
});

async function useConfirmation(tx: Tx, org_id: string, digest: string): Promise<void> {
  const review = await findReview(tx, { org_id, digest });
  if (review?.confirmed_at == null) throw new Failure("config_unconfirmed");
  await removeReview(tx, { org_id, digest });
}

async function done(tx: Tx, { transaction, input, about }: ApplyStep): Promise<unknown> {
  const found = byId.get(transaction);
  if (!found) throw new Error(`${transaction} is no step of a declaration`);
  try {
    for (let more = {};;) {
      // as: the operation has made the input for this very transaction.
      const made = await found.run(tx, { ...input, ...more } as never);
      if (!isUnfinished(made)) return made;
      more = made;
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.code === "unavailable") throw error;
    const { code, message, details } = error;
    throw new Failure(code, {
      message: `${about}: ${message}`,
      details: details.map((one) => `${about}: ${one}`),
      cause: error,
    });
  }
}

/** Whether a removal has more to remove: it goes on from where it says. */
function isUnfinished(made: unknown): made is Record<string, unknown> {
  return typeof made === "object" && made !== null && "done" in made && made.done === false;
}

/** Asks people to confirm a change that needs one who has just signed in. */
export const askForReview = defineTransaction(
  "config.ask",
  async (
    tx,
    { actor, review }: {
      actor: Actor;
      review: Pick<ReviewRow, "digest" | "source" | "revision" | "changes">;
    },
  ) => {
    const { org_id, now, user_id: asked_by } = actor;
    const { digest, source, revision } = review;
    await forgetReviews(tx, { org_id, before: toTimestamp(now - REVIEW_MS) });
    if (await findReview(tx, { org_id, digest })) return;
    const asked = { asked_by, asked_at: toTimestamp(now) };
    const open = { confirmed_by: null, confirmed_at: null };
    await putReview(tx, { org_id, ...review, ...asked, ...open });
    const detail = { source, revision };
    await recordChange(tx, actor, { action: "config.review_asked", object_id: digest, detail });
  },
);

/** Confirms the changes of a digest. Throws `not_found`, also for one that is too old. */
export const confirmReview = defineTransaction(
  "config.confirm",
  async (tx, { actor, digest }: { actor: Actor; digest: string }): Promise<ReviewRow> => {
    const { org_id, now, user_id: confirmed_by } = actor;
    const review = await findReview(tx, { org_id, digest });
    if (!review || isOver(review, now)) throw new Failure("not_found");
    if (review.confirmed_at !== null) return review;
    const confirmed = { ...review, confirmed_by, confirmed_at: toTimestamp(now) };
    await putReview(tx, confirmed);
    const { source, revision } = review;
    await recordChange(tx, actor, {
      action: "config.confirmed",
      object_id: digest,
      detail: { source, revision },
    });
    return confirmed;
  },
);

/** Whether a review counts no longer. */
export function isOver({ asked_at, confirmed_at }: ReviewRow, now: number): boolean {
  return Date.parse(confirmed_at ?? asked_at) + REVIEW_MS <= now;
}

/** Sets what becomes of changes of managed things by anybody but their file. */
export const setConfigChanges = defineTransaction(
  "config.set-changes",
  async (tx, { actor, changes }: { actor: Actor; changes: "warn" | "refuse" }) => {
    const { org_id } = actor;
    await setChangesRule(tx, { org_id, changes });
    const detail = { changes };
    await recordChange(tx, actor, { action: "config.rule_changed", object_id: org_id, detail });
  },
);
