import { type Actor, recordAudit } from "../audit/audit.ts";
import {
  authTypeOf,
  type CatalogueEntry,
  needsApproval,
  statedAuthTypes,
} from "../catalogue/catalogue-entry.ts";
import { findConfiguration, findEntryOfPlan } from "../catalogue/catalogue.store.ts";
import { type Attempt, type CredentialKind, mint } from "../credentials/credential.ts";
import {
  insertCredential,
  lockActiveCredential,
  setCredentialPlans,
} from "../credentials/credentials.store.ts";
import {
  type Developer,
  emptyDeveloper,
  withIssuedKey,
  withKeyPlans,
} from "../developers/developer.ts";
import {
  developerExists,
  insertDeveloper,
  lockDeveloper,
  updateDeveloper,
} from "../developers/developers.store.ts";
import { type IdempotentCall, once } from "../idempotency/idempotent-answers.ts";
import { toTimestamp } from "../lib/clock.ts";
import { Failure } from "../lib/failure.ts";
import { addToOutbox } from "../outbox/outbox.ts";
import { type AuthType, toAuthType } from "../plans/plan.ts";
import { findPlan } from "../plans/plans.store.ts";
import type { Sealer } from "../sealing/sealer.ts";
import { defineTransaction, type Tx } from "../storage/storage.ts";
import {
  commonAuthType,
  type Kept,
  keptOf,
  type KeyRequestDraft,
  type KeyRequestTerms,
  termsOf,
} from "./key-request.ts";
import {
  findSentEntries,
  insertRequest,
  type KeyRequestRow,
  lockRequest,
  markIssued,
  removeRequest,
  replaceRequest,
} from "./key-requests.store.ts";

/** Setting: `open` takes any developer and plan id, `strict` refuses those that nobody knows. */
export type References = "open" | "strict";

/** Specification 4.4: the request, its developer where they are new, audit and outbox, or nothing. */
export const createTransaction = defineTransaction(
  "key-requests.create",
  async (tx, input: { actor: Actor; references: References; draft: KeyRequestDraft }) => {
    const { actor, draft } = input;
    const { org_id, id } = draft.columns;
    await checkPlans(tx, draft, input.references);
    await registerDeveloper(tx, draft, input.references);
    await insertRequest(tx, toRow(tx.sealer, draft, "pending"));
    await record(tx, actor, "key_request.created", id, { by_user: draft.columns.by_user });
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
    if (before.state === "issued") refuseChangedTerms(termsOf(before), draft);
    await checkPlans(tx, draft, input.references);
    await registerDeveloper(tx, draft, input.references);
    const row = toRow(tx.sealer, draft, before.state);
    await replaceRequest(tx, keepAbsent(row, before, input.absent), before);
    await record(tx, actor, "key_request.updated", id);
  },
);

/** Specification 4.6. A credential that was issued lives on. */
export const removeTransaction = defineTransaction(
  "key-requests.remove",
  async (tx, input: { actor: Actor; id: string }) => {
    if (!await removeRequest(tx, input.actor.org_id, input.id)) {
      throw new Failure("not_found_for_deletion");
    }
    await record(tx, input.actor, "key_request.deleted", input.id);
  },
);

/** Specification 2.9; the members after Password are there for OAuth only. */
export interface Approval {
  RawKey: string;
  Password: string;
  client_id?: string;
  secret?: string;
  policy_id?: string;
  redirect_uri?: string;
}

/** What approve is called with. */
export interface ApproveInput {
  actor: Actor;
  id: string;
  /** Minted by the caller, so that a repeated transaction mints nothing new. */
  attempt: Attempt;
  /** False: only where every plan is approved automatically. */
  mayApprove: boolean;
  idempotency: IdempotentCall | null;
}

/**
 * Specification 4.7: issues the credential, exactly once for each request. State, credential, the developer's
 * maps, audit and outbox are one transaction; the answer is the only place where the plain key ever stands.
 */
export const approveTransaction = defineTransaction(
  "key-requests.approve",
  (tx, input: ApproveInput): Promise<Approval> =>
    once(tx, input.idempotency, () => approve(tx, input)),
);

async function approve(tx: Tx, input: ApproveInput): Promise<Approval> {
  const { actor, id } = input;
  const row = await lockRequest(tx, actor.org_id, id);
  if (!row || row.state === "declined") throw new Failure("not_found");
  const terms = termsOf(row);
  if (!input.mayApprove) await refuseUnlessAutomatic(tx, actor.org_id, terms.plans);
  if (row.state === "issued") throw new Failure("already_processed");

  // Read only where no live plan or entry says it already.
  let sent: Promise<Map<string, AuthType>> | undefined;
  const stated = async (plan: string) =>
    (await (sent ??= statedByRequest(tx, actor.org_id, id))).get(plan);
  const types = await authTypesOf(tx, actor.org_id, terms.plans, stated, "open");
  const type = commonAuthType(types, terms.oauth);
  const at = toTimestamp(actor.now);
  // Held before the counters, as in every other change: locks that are taken in one order can't deadlock.
  const developer = await developerToChange(tx, actor.org_id, terms.by_user, at);
  const { approved, instant } = row;
  const request = { org_id: actor.org_id, id, approved, instant };
  if (!await markIssued(tx, request, { at, by: actor.user_id })) {
    throw new Failure("already_processed");
  }
  return terms.key === ""
    ? await issue(tx, input, terms, developer, kindOf(type))
    : await changeKey(tx, input, terms, developer);
}

/** Mints the credential and attaches it to its developer. */
async function issue(
  tx: Tx,
  { actor, id, attempt }: ApproveInput,
  terms: KeyRequestTerms,
  developer: Developer,
  kind: CredentialKind,
): Promise<Approval> {
  const { org_id } = actor;
  const at = toTimestamp(actor.now);
  const minted = mint(kind, attempt, org_id);
  await insertCredential(tx, {
    org_id,
    key_id: minted.key_id,
    kind,
    secret_hash: minted.secret_hash,
    state: "active",
    developer_id: terms.by_user,
    request_id: id,
    plans: JSON.stringify(terms.plans),
    mask: minted.mask,
    attempt_id: attempt.id,
    issued_at: at,
    issued_by: actor.user_id,
  });
  const { RawKey, Password } = minted.reveal;
  const oauth_client = kind !== "oauth" ? undefined : {
    client_id: RawKey,
    secret: Password,
    redirect_uri: terms.redirect_uri,
    app_description: terms.app_description,
    use_case: terms.use_case,
    date_created: at,
  };
  const issued = { key_id: minted.key_id, plans: terms.plans, oauth_client };
  await updateDeveloper(tx, org_id, withIssuedKey(developer, issued));
  await record(tx, actor, "key_request.approved", id, {
    key_id: minted.key_id,
    plans: terms.plans,
    by_user: terms.by_user,
  });
  if (!oauth_client) return { RawKey, Password };
  return {
    RawKey,
    Password,
    client_id: RawKey,
    secret: Password,
    policy_id: terms.plans[0] ?? "",
    redirect_uri: terms.redirect_uri,
  };
}

/** Changes the plans of the developer's own key that the request names, instead of minting. */
async function changeKey(
  tx: Tx,
  { actor, id }: ApproveInput,
  terms: KeyRequestTerms,
  developer: Developer,
): Promise<Approval> {
  const { org_id } = actor;
  const credential = await lockActiveCredential(tx, org_id, terms.key, terms.by_user);
  if (!credential) throw new Failure("unknown_key");
  const plans = [...new Set([...credential.plans, ...terms.plans])]
    .filter((plan) => !terms.remove_policies.includes(plan));
  await setCredentialPlans(tx, org_id, terms.key, plans);
  await updateDeveloper(tx, org_id, withKeyPlans(developer, terms.key, plans));
  await record(tx, actor, "key_request.approved", id, {
    key_id: terms.key,
    plans,
    by_user: terms.by_user,
  });
  return { RawKey: terms.key, Password: "" };
}

/** The developer, held until the transaction ends; one that is only an id so far is registered with no e-mail. */
async function developerToChange(tx: Tx, org_id: string, id: string, at: string) {
  const known = await lockDeveloper(tx, org_id, id);
  if (known) return known;
  const created = { ...emptyDeveloper(id), org_id, date_created: at };
  // Another approval may be registering the same id at this moment; then theirs is the one to change.
  await insertDeveloper(tx, org_id, created);
  return await lockDeveloper(tx, org_id, id) ?? created;
}

function kindOf(type: AuthType): CredentialKind {
  return type === "basic" || type === "oauth" ? type : "token";
}

/** The auth type of each plan: the live plan's, else the live entry's, else what the request stated. */
async function authTypesOf(
  tx: Tx,
  org_id: string,
  plans: readonly string[],
  stated: (plan: string) => Promise<AuthType | undefined>,
  references: References,
): Promise<AuthType[]> {
  const types: AuthType[] = [];
  for (const id of plans) {
    const plan = await findPlan(tx, org_id, id);
    if (!plan && references === "strict") throw new Failure("unknown_plan");
    const live = plan ? toAuthType(plan.auth_type) : await entryAuthType(tx, org_id, id);
    types.push(live ?? await stated(id) ?? "authToken");
  }
  return types;
}

async function entryAuthType(tx: Tx, org_id: string, plan: string): Promise<AuthType | undefined> {
  const entry = await findEntryOfPlan(tx, org_id, plan);
  // as: the catalogue's documents are written from the contract's own type.
  return entry === undefined ? undefined : authTypeOf(JSON.parse(entry) as CatalogueEntry);
}

async function checkPlans(tx: Tx, draft: KeyRequestDraft, references: References): Promise<void> {
  const { org_id } = draft.columns;
  const byPlan = new Map(draft.statedAuthTypes);
  const stated = (plan: string) => Promise.resolve(byPlan.get(plan));
  const types = await authTypesOf(tx, org_id, draft.plans, stated, references);
  commonAuthType(types, false);
}

/** Registers the embedded developer where the id is new; what is registered already is never overwritten. */
async function registerDeveloper(
  tx: Tx,
  draft: KeyRequestDraft,
  references: References,
): Promise<void> {
  const { org_id, by_user } = draft.columns;
  if (await developerExists(tx, org_id, by_user)) return;
  if (draft.developer) {
    if (await insertDeveloper(tx, org_id, draft.developer)) return;
    if (await developerExists(tx, org_id, by_user)) return;
    if (references === "strict") throw new Failure("email_taken");
  } else if (references === "strict") {
    throw new Failure("unknown_developer");
  }
}

async function refuseUnlessAutomatic(
  tx: Tx,
  org_id: string,
  plans: readonly string[],
): Promise<void> {
  const stored = await findConfiguration(tx, org_id);
  const configuration = stored === undefined ? undefined : JSON.parse(stored);
  for (const plan of plans) {
    const entry = await findEntryOfPlan(tx, org_id, plan);
    if (needsApproval(entry === undefined ? undefined : JSON.parse(entry), configuration)) {
      throw new Failure("access_denied");
    }
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

/** The auth types that a stored request's embedded entries state. */
async function statedByRequest(
  tx: Tx,
  org_id: string,
  id: string,
): Promise<Map<string, AuthType>> {
  const row = await findSentEntries(tx, org_id, id);
  if (!row) return new Map();
  const lines = row.sent_catalogues === "" ? [] : row.sent_catalogues.split("\n");
  // as: draft wrote exactly this.
  const parse = (text: string) => JSON.parse(text) as CatalogueEntry;
  const own = row.sent_entry === null ? null : parse(row.sent_entry);
  const others = lines.map((line) => parse(line.slice(line.indexOf("\t") + 1)));
  return statedAuthTypes(own, others, row.for_plan);
}

/** The audit row and the outbox row of one change. */
async function record(
  tx: Tx,
  actor: Actor,
  action: string,
  object_id: string,
  detail?: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordAudit(tx, actor, { action, object: "key_request", object_id, detail });
  await addToOutbox(tx, actor, { topic: action, object_id });
}
