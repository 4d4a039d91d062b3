import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { type CatalogueEntry, statedAuthTypes } from "../plans/catalogue/catalogue-entry.ts";
import { type PlanTerms, planTermsOf } from "../plans/catalogue/plan-terms.transactions.ts";
import { type LockedDeveloper, lockStoredDeveloper } from "../developers/developers.store.ts";
import { type Coverage, coverageOfActor, coverageOfStored } from "../plans/coverage.ts";
import type { AuthType } from "../plans/plan.ts";
import type { ApproveInput } from "./approve-input.ts";
import { type AskedPolicy, askedPolicyIn, standing } from "./asked-policy.ts";
import { conditionsOf } from "./granted-terms.ts";
import { type LockedRequest, lockWholeRequest } from "./lock-request.store.ts";
import type { KeyRequestTerms } from "./key-request.ts";
import { findSentEntries } from "./key-requests.store.ts";
import { lockedRevision } from "./locked-revision.transactions.ts";
import { needsNoApprover } from "./needs-nobody.transactions.ts";
import { type Decider, isOwn } from "./own-request.ts";
import { type Giver, requireMayGive } from "./steps.transactions.ts";
import { sentCatalogues, termsOf } from "./stored-request.ts";
import { lockForDecision } from "./v1.store.ts";

/**
 * All that an approval is judged by, as this transaction holds it. A value that could not be read
 * is its own refusal, which counts in its turn.
 */
export interface Facts {
  input: ApproveInput;
  row: LockedRequest;
  decider: Decider | undefined;
  /** Of what alone the actor decides; undefined: everything. */
  coverage: Coverage | undefined;
  /** Whether the developer is anyone who decides, by their address. */
  isOwn: boolean;
  /** Whether it is approved without a decision, where that matters and nothing was chosen. */
  needsNone: boolean;
  /** As asked, with the plans that are granted. */
  terms: KeyRequestTerms;
  asked: AskedPolicy | null;
  /** The policy's steps as they are; null: it has none. */
  steps: AskedPolicy | null;
  /** As what the actor gives the present step; null: they give none. */
  giver: Giver | Failure | null;
  /** Whether each node that serves the store knows conditions of keys; null: no one asks. */
  conditions: Failure | null;
  /** As the caller may have seen it; null: they name none. */
  revision: string | null;
  plans: PlanTerms[] | Failure;
  /** Undefined: not registered. */
  developer: LockedDeveloper | undefined;
}

/**
 * Reads what an approval is judged by, and holds the request and its developer until the
 * transaction ends. "known": a plan must exist. Throws `not_found` where there is no such request.
 */
export async function approvalFacts(
  tx: Tx,
  input: ApproveInput,
  references: "open" | "known",
): Promise<Facts> {
  const { actor, id, by, granted = null } = input;
  const { org_id } = actor;
  const place = { org_id, id, user_id: actor.user_id };
  const { row, decider, developer: locked } = await lockWholeRequest(tx, place);
  if (!row) throw new Failure("not_found");
  const coverage =
    await (decider ? coverageOfStored(tx, org_id, decider.covers) : coverageOfActor(tx, actor));
  const asked = askedPolicyIn(row.policy);
  const own = decider !== undefined && isOwn(decider);
  const isInDoubt = by.kind === "automatic" ||
    (by.kind === "approver" && (own || asked?.not_by_filer || decider?.signatures === 1));
  // A choice beyond the request has to be decided by them.
  const isChosen = (granted ?? input.expires_at ?? input.labels ?? null) !== null;
  const needsNone = isInDoubt && !isChosen && await needsNoApprover(tx, actor, row);
  const terms = termsOf(row);
  if (granted?.plans) terms.plans = granted.plans;
  const conditions = conditionsOf(granted) === null
    ? null
    : await orRefusal(() => requireNoOlderNode(tx, actor.now)) ?? null;
  const revision = input.ifMatch === null ? null : await revisionOf(tx, org_id, id);
  const steps = asked?.outcome === "steps" ? standing(asked, actor.now) : null;
  const giver = steps && by.kind === "approver"
    ? await orRefusal(() =>
      requireMayGive(tx, actor, { id, row, asked: steps, plans: terms.plans })
    )
    : null;
  // Read only where no live plan or entry says it already.
  let sent: Promise<Map<string, AuthType>> | undefined;
  const stated = async (plan: string) =>
    (await (sent ??= statedByRequest(tx, org_id, id))).get(plan);
  const plans = await orRefusal(() => planTermsOf(tx, org_id, terms.plans, stated, references));
  const developer = locked ?? await lockStoredDeveloper(tx, org_id, terms.by_user);
  const read = { conditions, revision, giver, plans, developer };
  return { input, row, decider, coverage, isOwn: own, needsNone, terms, asked, steps, ...read };
}

/** The result of `read`, or the failure that it throws. */
async function orRefusal<T>(read: () => Promise<T>): Promise<T | Failure> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

async function revisionOf(tx: Tx, org_id: string, id: string): Promise<string> {
  const seen = await lockForDecision(tx, { org_id, id });
  return seen ? await lockedRevision(tx, org_id, seen) : "";
}

/** The auth types that a stored request's embedded entries state. */
async function statedByRequest(
  tx: Tx,
  org_id: string,
  id: string,
): Promise<Map<string, AuthType>> {
  const row = await findSentEntries(tx, { org_id, id });
  if (!row) return new Map();
  // as: draft wrote exactly this.
  const parse = (text: string) => JSON.parse(text) as CatalogueEntry;
  const own = row.sent_entry === null ? null : parse(row.sent_entry);
  const others = sentCatalogues(row).map(({ text }) => parse(text));
  return statedAuthTypes(own, others, row.for_plan);
}
