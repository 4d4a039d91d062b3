import type { Actor } from "../audit/audit.ts";
import { developerExists, insertDeveloper } from "../developers/developers.store.ts";
import { Failure } from "../lib/failure.ts";
import { recordChange } from "../outbox/record-change.ts";
import type { Sealer } from "../sealing/sealer.ts";
import { defineTransaction, type Tx } from "../storage/storage.ts";
import { authTypesOf } from "./auth-types.transactions.ts";
import {
  commonAuthType,
  developerToRegister,
  type Kept,
  keptOf,
  type KeyRequestDraft,
  type KeyRequestTerms,
  type References,
  termsOf,
} from "./key-request.ts";
import { findWaiting } from "./waiting-request.transactions.ts";
import {
  insertRequest,
  type KeyRequestRow,
  lockRequest,
  removeRequest,
  replaceRequest,
} from "./key-requests.store.ts";

/**
 * Specification 4.4: the request, its developer where they are new, audit and outbox, or nothing. Where references
 * are strict, a developer's request that waits already is given instead of a second one.
 */
export const createTransaction = defineTransaction(
  "key-requests.create",
  async (tx, input: { actor: Actor; references: References; draft: KeyRequestDraft }) => {
    const { actor, draft } = input;
    const { org_id, id } = draft.columns;
    const [known] = await Promise.all([
      developerExists(tx, org_id, draft.columns.by_user),
      checkPlans(tx, draft, input.references),
    ]);
    if (!known) await registerDeveloper(tx, draft, input.references);
    if (input.references === "strict") {
      const waiting = await findWaiting(tx, draft);
      if (waiting !== undefined) return { org_id, id: waiting };
    }
    await insertRequest(tx, toRow(tx.sealer, draft, "pending"));
    await record(tx, actor, "created", id, { by_user: draft.columns.by_user });
    return { org_id, id };
  },
);

/**
 * Specification 4.5: replaces everything but id, organisation and state. The draft comes in two editions,
 * since only the transaction knows the date and version that an absent member keeps.
 */
export const updateTransaction = defineTransaction(
  "key-requests.update",
  async (
    tx,
    input: {
      actor: Actor;
      references: References;
      draft: KeyRequestDraft;
      absent: { date_created: boolean; version: boolean };
    },
  ) => {
    const { actor, draft } = input;
    const { org_id, id } = draft.columns;
    const before = await lockRequest(tx, org_id, id);
    if (!before || before.state === "declined") throw new Failure("not_found");
    // The plans of an issued request stay, whatever became of them.
    if (before.state === "issued") refuseChangedTerms(termsOf(before), draft);
    const [known] = await Promise.all([
      developerExists(tx, org_id, draft.columns.by_user),
      before.state === "issued" ? undefined : checkPlans(tx, draft, input.references),
    ]);
    if (!known) await registerDeveloper(tx, draft, input.references);
    const row = toRow(tx.sealer, draft, before.state);
    await replaceRequest(tx, keepAbsent(row, before, input.absent), before);
    await record(tx, actor, "updated", id);
  },
);

/** Specification 4.6. A credential that was issued lives on. */
export const removeTransaction = defineTransaction(
  "key-requests.remove",
  async (tx, input: { actor: Actor; id: string }) => {
    if (!await removeRequest(tx, input.actor.org_id, input.id)) {
      throw new Failure("not_found_for_deletion");
    }
    await record(tx, input.actor, "deleted", input.id);
  },
);

async function checkPlans(tx: Tx, draft: KeyRequestDraft, references: References): Promise<void> {
  const { org_id } = draft.columns;
  const byPlan = new Map(draft.statedAuthTypes);
  const stated = (plan: string) => Promise.resolve(byPlan.get(plan));
  const types = await authTypesOf(tx, org_id, draft.plans, stated, references);
  commonAuthType(types, false);
}

/** Registers the embedded developer, whose id is new; what another call has just registered is not overwritten. */
async function registerDeveloper(
  tx: Tx,
  draft: KeyRequestDraft,
  references: References,
): Promise<void> {
  const { org_id, by_user } = draft.columns;
  const developer = developerToRegister(draft);
  if (developer) {
    if (await insertDeveloper(tx, org_id, developer)) return;
    if (await developerExists(tx, org_id, by_user)) return;
    if (references === "strict") throw new Failure("email_taken");
  } else if (references === "strict") {
    throw new Failure("unknown_developer");
  }
}

/** After a credential was issued, what it was issued for can no longer change. */
function refuseChangedTerms(before: KeyRequestTerms, draft: KeyRequestDraft): void {
  const changed = [
    before.by_user !== draft.columns.by_user && "by_user",
    !samePlans(before.plans, draft.plans) && "for_plan and apply_policies",
    before.key !== draft.key && "key",
  ].filter((name) => name !== false);
  if (changed.length === 0) return;
  throw new Failure("already_issued", {
    details: changed.map((name) => `${name}: a credential was issued, so it can no longer change`),
  });
}

/** The same plans, and the same one first: that is for_plan. */
function samePlans(a: readonly string[], b: readonly string[]): boolean {
  return a[0] === b[0] && [...a].sort().join("\n") === [...b].sort().join("\n");
}

function toRow(
  sealer: Sealer,
  draft: KeyRequestDraft,
  state: KeyRequestRow["state"],
): KeyRequestRow {
  const { org_id, id } = draft.columns;
  return {
    ...draft.columns,
    state,
    approved: state === "issued" ? 1 : draft.columns.approved,
    secrets: draft.secrets && sealer.seal(
      { table: "key_requests", org_id, id, column: "secrets" },
      JSON.stringify(draft.secrets),
    ),
  };
}

/** The row with the date and version of the request that it replaces, where the client sent none. */
function keepAbsent(
  row: KeyRequestRow,
  before: { tail: string; instant: string },
  absent: { date_created: boolean; version: boolean },
): KeyRequestRow {
  if (!absent.date_created && !absent.version) return row;
  const kept: Kept = keptOf(before);
  const tail = JSON.parse(`{${row.tail.slice(1)}}`);
  if (absent.date_created) tail.date_created = kept.date_created;
  if (absent.version) tail.version = kept.version;
  return {
    ...row,
    tail: `,${JSON.stringify(tail).slice(1, -1)}`,
    instant: absent.date_created ? before.instant : row.instant,
  };
}

async function record(
  tx: Tx,
  actor: Actor,
  what: string,
  object_id: string,
  detail?: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordChange(tx, actor, {
    action: `key_request.${what}`,
    object: "key_request",
    object_id,
    detail,
  });
}
