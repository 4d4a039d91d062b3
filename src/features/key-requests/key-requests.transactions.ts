import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { recordChange } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { planTermsOf } from "../plans/catalogue/plan-terms.transactions.ts";
import { type Developer, ssoKeyHash } from "../developers/developer.ts";
import {
  developerExists,
  insertDeveloper,
  lockDeveloperRow,
} from "../developers/developers.store.ts";
import { hiddenInEmail, problemOfEmail } from "../developers/email-address.ts";
import type { NewEmailLinks } from "../developers/email-proof.ts";
import { findSsoKeyOwner } from "../developers/sso-keys.store.ts";
import { keepFormerKeysApart } from "../keys/former-keys.transactions.ts";
import { everyIdOf, planIdsOf } from "../plans/plan-ids.store.ts";
import { commonAuthType, type References } from "../plans/plan.ts";
import { developerToRegister, type KeyRequestDraft } from "./draft-key-request.ts";
import { refuseChangedTerms, requireState, samePlans } from "./key-request.ts";
import {
  insertRequest,
  type KeyRequestRow,
  lockRequest,
  removeRequest,
  replaceRequest,
} from "./key-requests.store.ts";
import { findPending } from "./pending-requests.store.ts";
import { fromTheStart } from "./asked-policy.ts";
import { policyToKeep } from "./asked-policy.store.ts";
import { endsFrom, NO_ENDS } from "./expiry.ts";
import { type PendingLimits, whyNoMore } from "./request-limits.ts";
import { namesOfDraft, namesOfRequest } from "./request-names.store.ts";
import { keptOf, patchTail, termsOf } from "./stored-request.ts";

/** The request that a person asked for. */
export interface Created {
  org_id: string;
  id: string;
  /** There where it waited already. */
  waited?: true;
}

/** The input of a new request. */
export interface CreateInput {
  actor: Actor;
  references: References;
  draft: KeyRequestDraft;
  /** Absent: any number may wait. */
  limits?: PendingLimits & { careful: boolean };
  /** Absent: no one is asked anything. */
  emailLinks?: NewEmailLinks;
  idempotency?: IdempotentCall | null;
  /** Until when the key that the draft names shall live; absent: no later end is asked for. */
  asked_end?: string;
}

/**
 * Specification 4.4: the request, its developer if new, audit and outbox, or nothing. With strict
 * references, a developer's request that waits already is given instead of a second one.
 */
export const createTransaction = defineTransaction(
  "key-requests.create",
  async (tx, input: CreateInput) =>
    await once(tx, input.idempotency ?? null, () => addRequest(tx, input)),
);

/** Adds a request inside a transaction that goes on with it. */
export async function addRequest(tx: Tx, input: CreateInput): Promise<Created> {
  const { actor, draft, limits } = input;
  const { org_id, id } = draft.columns;
  const [known, plans, policy, tooMany] = await Promise.all([
    developerExists(tx, { org_id, id: draft.columns.by_user }),
    checkPlans(tx, draft, input.references),
    policyToKeep(tx, org_id, decidedPlans(draft), actor.user_id),
    limits && whyNoMore(tx, draft.columns, limits, limits.careful),
  ]);
  if (!known) await registerDeveloper(tx, input);
  if (input.references === "strict") {
    const waiting = await findWaiting(tx, draft, input.asked_end !== undefined);
    if (waiting !== undefined) return { org_id, id: waiting, waited: true };
  }
  if (tooMany) throw tooMany;
  const { asked_end } = input;
  await insertRequest(
    tx,
    toRow(tx.sealer, draft, "pending", { asked_end, policy, now: actor.now }),
  );
  const detail = { by_user: draft.columns.by_user, ...asked_end && { asked_end } };
  const names = namesOfDraft(draft, plans);
  await recordChange(tx, actor, {
    action: "key_request.created",
    object_id: id,
    detail,
    names,
  });
  return { org_id, id };
}

/**
 * Specification 4.5: replaces everything but id, organisation and state. The draft comes in two
 * editions, since only the transaction knows the date and version that an absent member keeps.
 */
export const updateTransaction = defineTransaction(
  "key-requests.update",
  async (
    tx,
    input: {
      actor: Actor;
      references: References;
      draft: KeyRequestDraft;
      limits: PendingLimits & { careful: boolean };
      emailLinks: NewEmailLinks;
      absent: { date_created: boolean; version: boolean };
    },
  ) => {
    const { actor, draft } = input;
    const { org_id, id } = draft.columns;
    const before = await lockRequest(tx, { org_id, id });
    if (!before) throw new Failure("not_found");
    requireState("update", before.state);
    // The plans of an issued request stay, whatever became of them.
    if (before.state === "issued") {
      const { columns: { by_user }, plans, key } = draft;
      refuseChangedTerms(termsOf(before), { by_user, plans, key });
    }
    await refuseAnother(tx, draft, before, input.limits);
    const [known] = await Promise.all([
      developerExists(tx, { org_id, id: draft.columns.by_user }),
      before.state === "issued" ? undefined : checkPlans(tx, draft, input.references),
    ]);
    if (!known) await registerDeveloper(tx, input);
    // A request for other terms of the key is no longer one for a later expiry.
    const asked_end = asksTheSame(before, draft) ? before.asked_end : null;
    const policy = await policyAfter(tx, before, draft, actor.user_id);
    const row = toRow(tx.sealer, draft, before.state, { asked_end, policy, now: actor.now });
    await replaceRequest(tx, keepAbsent(row, before, input.absent), before);
    const names = await namesOfRequest(tx, org_id, row);
    await recordChange(tx, actor, { action: "key_request.updated", object_id: id, names });
  },
);

/**
 * Specification 4.6. A credential that was issued lives on. `askedBy`: the developer who withdraws
 * it; another's is not there for them, and one that was decided is `already_decided`.
 */
export const removeTransaction = defineTransaction(
  "key-requests.remove",
  async (tx, input: { actor: Actor; id: string; askedBy?: string }) => {
    const { actor, id, askedBy } = input;
    const before = await lockRequest(tx, { org_id: actor.org_id, id });
    if (askedBy !== undefined && before) {
      if (termsOf(before).by_user !== askedBy) throw new Failure("not_found_for_deletion");
      if (before.state !== "pending") throw new Failure("already_decided");
    }
    if (!before || !await removeRequest(tx, actor.org_id, id)) {
      throw new Failure("not_found_for_deletion");
    }
    const names = await namesOfRequest(tx, actor.org_id, before);
    await recordChange(tx, actor, { action: "key_request.deleted", object_id: id, names });
  },
);

/** A waiting request that moves to a developer is one more of theirs. Throws `too_many_pending`. */
async function refuseAnother(
  tx: Tx,
  { columns }: KeyRequestDraft,
  before: { state: KeyRequestRow["state"]; head: string; tail: string },
  { developer, careful }: PendingLimits & { careful: boolean },
): Promise<void> {
  if (before.state !== "pending" || termsOf(before).by_user === columns.by_user) return;
  const tooMany = await whyNoMore(tx, columns, { developer, organisation: 0 }, careful);
  if (tooMany) throw tooMany;
}

/** Gives what the live plans are called. */
async function checkPlans(
  tx: Tx,
  draft: KeyRequestDraft,
  references: References,
): Promise<(string | undefined)[]> {
  const { org_id } = draft.columns;
  const byPlan = new Map(draft.statedAuthTypes);
  const stated = (plan: string) => Promise.resolve(byPlan.get(plan));
  const terms = await planTermsOf(tx, org_id, draft.plans, stated, references);
  commonAuthType(terms.map(({ authType }) => authType), false);
  return terms.map(({ name }) => name);
}

/**
 * Registers the embedded developer, whose id is new; what another call has just registered is not
 * overwritten.
 */
async function registerDeveloper(
  tx: Tx,
  { actor, draft, references, emailLinks: links }: {
    actor: Actor;
    draft: KeyRequestDraft;
    references: References;
    emailLinks?: NewEmailLinks;
  },
): Promise<void> {
  const { org_id, by_user } = draft.columns;
  const developer = developerToRegister(draft);
  if (developer) {
    const hidden = hiddenInEmail(developer.email);
    if (hidden !== undefined) throw refusedEmail(hidden);
    const problem = developer.email.trim() === "" ? undefined : problemOfEmail(developer.email);
    // Kept with the request, as one whose address another has, and not registered.
    if (problem !== undefined && references === "strict") throw refusedEmail(problem);
    if (problem !== undefined) return;
    if (await insertDeveloper(tx, org_id, developer)) {
      return await keepFormerKeysApart(tx, actor, developer, links);
    }
    if (await developerExists(tx, { org_id, id: by_user })) return;
    if (references === "strict") throw await whyNotRegistered(tx, org_id, developer);
  } else if (references === "strict") {
    throw new Failure("unknown_developer");
  }
}

function refusedEmail(problem: string): Failure {
  const message = `portal_developer.email: ${problem}`;
  return new Failure("invalid_input", { message, details: [message] });
}

/** Which of the embedded developer's names another has. */
async function whyNotRegistered(tx: Tx, org_id: string, { sso_key }: Developer): Promise<Failure> {
  const holder = sso_key !== "" &&
    await findSsoKeyOwner(tx, { org_id, hash: ssoKeyHash(sso_key) });
  return new Failure(holder ? "sso_key_taken" : "email_taken");
}

/** Whether a draft asks the same developer's key for the same plans as the request before. */
function asksTheSame(before: { head: string; tail: string }, draft: KeyRequestDraft): boolean {
  const { by_user, key, plans } = termsOf(before);
  return by_user === draft.columns.by_user && key === draft.key && samePlans(plans, draft.plans);
}

/** The plans that a draft is decided for: those that its key is to lose among them. */
function decidedPlans({ plans, removePlans, key }: KeyRequestDraft): string[] {
  return key === "" ? plans : [...new Set([...plans, ...removePlans])];
}

/**
 * The policy of a request after a change. One that asks for the same keeps it and starts anew; for
 * anything else it is as if a person asked now.
 */
async function policyAfter(
  tx: Tx,
  before: { state: KeyRequestRow["state"]; policy: string | null; head: string; tail: string },
  draft: KeyRequestDraft,
  editor: string,
): Promise<string | null> {
  if (before.state !== "pending") return before.policy;
  const lost = [...termsOf(before).remove_policies].sort().join("\n");
  if (
    asksTheSame(before, draft) &&
    lost === [...draft.removePlans].sort().join("\n")
  ) {
    return fromTheStart(before.policy, editor);
  }
  return await policyToKeep(tx, draft.columns.org_id, decidedPlans(draft), editor);
}

function toRow(
  sealer: Sealer,
  draft: KeyRequestDraft,
  state: KeyRequestRow["state"],
  { asked_end = null, policy, now }: {
    asked_end?: string | null | undefined;
    policy: string | null;
    now: number;
  },
): KeyRequestRow {
  const { org_id, id } = draft.columns;
  return {
    ...draft.columns,
    state,
    approved: state === "issued" ? 1 : draft.columns.approved,
    asked_end,
    policy,
    // A changed request starts its waiting time anew.
    ...state === "pending" ? endsFrom(policy, now) : NO_ENDS,
    secrets: draft.secrets && sealer.seal(
      { table: "key_requests", org_id, id, column: "secrets" },
      JSON.stringify(draft.secrets),
    ),
  };
}

/** A row with the date and version of the one that it replaces, where a client sent none. */
function keepAbsent(
  row: KeyRequestRow,
  before: { tail: string; instant: string },
  absent: { date_created: boolean; version: boolean },
): KeyRequestRow {
  if (!absent.date_created && !absent.version) return row;
  const kept = keptOf(before);
  const changed = {
    ...absent.date_created ? { date_created: kept.date_created } : {},
    ...absent.version ? { version: kept.version } : {},
  };
  return {
    ...row,
    tail: patchTail(row, changed),
    instant: absent.date_created ? before.instant : row.instant,
  };
}

/**
 * The id of the request for the same plans (and the same `key`, or a later end of it) by the same
 * developer that no one has decided yet; or undefined. The developer is held from here on, so that
 * of two equal requests one is made. Throws `unknown_developer` where the developer is gone by now.
 */
async function findWaiting(
  tx: Tx,
  draft: KeyRequestDraft,
  asksEnd: boolean,
): Promise<string | undefined> {
  const { org_id, by_user, for_plan } = draft.columns;
  if (!await lockDeveloperRow(tx, { org_id, id: by_user })) throw new Failure("unknown_developer");
  const plans = await eachPlan(tx, org_id, draft.plans);
  for (const id of await everyIdOf(tx, org_id, [for_plan])) {
    for (const row of await findPending(tx, { org_id, by_user, for_plan: id })) {
      const terms = termsOf(row);
      if (terms.key !== draft.key || (row.asked_end !== null) !== asksEnd) continue;
      if (await eachPlan(tx, org_id, terms.plans) === plans) return row.id;
    }
  }
  return undefined;
}

/** The plans by their `_id`, each once, as a text that is the same for the same plans. */
async function eachPlan(tx: Tx, org_id: string, plans: readonly string[]): Promise<string> {
  const known = await planIdsOf(tx, org_id, plans);
  return [...new Set(plans.map((plan) => known.get(plan)?._id ?? plan))].sort().join("\n");
}
