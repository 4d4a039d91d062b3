import type { Actor } from "../../changes/audit.ts";
import type { EventNames } from "../../changes/event-names.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { wantNew } from "../../changes/provisioning.ts";
import type { Personal } from "../../changes/personal.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { policyTextsOf } from "../plans/plan-policies.store.ts";
import {
  type Developer,
  emptyDeveloper,
  type IssuedKey,
  withKeyPlans,
} from "../developers/developer.ts";
import {
  insertDeveloper,
  type LockedDeveloper,
  lockStoredDeveloper,
  updateDeveloper,
} from "../developers/developers.store.ts";
import { type Attempt, type KeyKind, mint } from "./key-kinds.ts";
import { keepFormerKeysApart } from "./former-keys.transactions.ts";
import { CONDITIONAL, storedHash } from "./key-conditions.ts";
import { calledKey, type LabelColumns } from "./key-labels.ts";
import { insertKey, setPlansOfKey } from "./keys.store.ts";

/**
 * Specification 2.9: a key as it is shown, once. The members after Password are there for
 * OAuth only.
 */
export interface Reveal {
  RawKey: string;
  Password: string;
  client_id?: string;
  secret?: string;
  policy_id?: string;
  redirect_uri?: string;
}

/** The order of a new key. */
interface IssueOrder {
  kind: KeyKind;
  /** Minted by the caller, so that a repeated transaction mints nothing new. */
  attempt: Attempt;
  developer_id: string;
  plans: readonly string[];
  /**
   * From this instant on it opens nothing; null: it does not expire. See expiryOf in
   * features/plans/plan.ts.
   */
  expires_at: string | null;
  /** The key request that it came from; empty where there was none. */
  request_id: string;
  /** Of an OAuth client; empty for others. */
  redirect_uri: string;
  app_description: string;
  use_case: string;
  labels: LabelColumns;
  /** As conditionsText gives them; absent or null: none. */
  conditions?: string | null;
  /** When people said when it ends; absent or null: its plans say. */
  end_chosen_at?: string | null;
  /** The count that its quotas go on with; absent or undefined: one of its own, from now on. */
  quota?: QuotaCount | undefined;
  /** Whether the organisation has gateways that are to have it too. */
  hasGateways: boolean;
}

/** The counting of quotas: under which key id, and from when on. */
export interface QuotaCount {
  quota_key: string;
  quota_from: string;
}

/** The count that a key's quotas are in: a key that takes its place goes on with it. */
export function quotaCountOf(
  { quota_key, key_id, quota_from, issued_at }: {
    quota_key: string | null;
    key_id: string;
    quota_from: string | null;
    issued_at: string;
  },
): QuotaCount {
  return { quota_key: quota_key ?? key_id, quota_from: quota_from ?? issued_at };
}

/**
 * Stores a fresh key (hashes only), and for gateways, sealed, what makes it there. The
 * caller holds the developer, attaches `issued` to it, and records the change.
 */
export async function addKey(
  tx: Tx,
  actor: Actor,
  order: IssueOrder,
): Promise<{ key_id: string; mask: string; reveal: Reveal; issued: IssuedKey }> {
  const { org_id } = actor;
  const { kind, plans, conditions = null } = order;
  const algorithm = conditions === null ? "sha256" : CONDITIONAL;
  const at = toTimestamp(actor.now);
  const { key_id, secret_hash, mask, reveal } = mint(kind, order.attempt, org_id);
  await insertKey(tx, {
    org_id,
    key_id,
    kind,
    secret_hash: secret_hash && storedHash(algorithm, secret_hash),
    state: "active",
    developer_id: order.developer_id,
    request_id: order.request_id,
    plans: JSON.stringify(plans),
    mask,
    attempt_id: order.attempt.id,
    issued_at: at,
    issued_by: actor.user_id,
    expires_at: order.expires_at,
    labels: order.labels,
    algorithm,
    conditions,
    end_chosen_at: order.end_chosen_at ?? null,
    ...order.quota,
  });
  if (order.hasGateways) {
    const { RawKey: key, Password: password } = reveal;
    const { redirect_uri } = order;
    await wantNew(tx, { org_id, key_id, now: actor.now }, { key, password, redirect_uri });
  }
  if (kind !== "oauth") return { key_id, mask, reveal, issued: { key_id, plans } };
  const { redirect_uri, app_description, use_case } = order;
  const client = { client_id: reveal.RawKey, secret: reveal.Password, redirect_uri };
  const oauth_client = { ...client, app_description, use_case, date_created: at };
  return {
    key_id,
    mask,
    issued: { key_id, plans, oauth_client },
    reveal: {
      ...reveal,
      client_id: client.client_id,
      secret: client.secret,
      policy_id: plans[0] ?? "",
      redirect_uri,
    },
  };
}

/**
 * Throws `filed_by_you` where the policy of one of these plans keeps anyone who files a request
 * from deciding it: anyone who issues directly does both.
 */
export async function refuseDirect(
  tx: Tx,
  org_id: string,
  plans: readonly string[],
): Promise<void> {
  const texts = await policyTextsOf(tx, org_id, plans);
  // as: the transactions of policies write PolicyTerms.
  const at = texts.findIndex((terms) =>
    terms !== undefined && (JSON.parse(terms) as { not_by_filer?: boolean }).not_by_filer === true
  );
  if (at < 0) return;
  const message = `By the policy of the plan ${plans[at]} another person must decide: ` +
    "file a key request.";
  throw new Failure("filed_by_you", { message });
}

/** Says of a key that it was issued, whichever way it was: audit and outbox. */
export async function recordIssued(
  tx: Tx,
  actor: Actor,
  { key_id, mask, name, detail, personal, names }: {
    key_id: string;
    mask: string;
    /** The name of the key; null: none. */
    name: string | null;
    detail: Readonly<Record<string, unknown>>;
    /** Why, where a person said so. */
    personal?: Personal | undefined;
    /** Of its plans and its developer. */
    names: EventNames;
  },
): Promise<void> {
  await recordChange(tx, actor, {
    action: "credential.issued",
    object_id: key_id,
    detail,
    personal,
    names: { ...names, object: calledKey({ name, mask }) },
  });
}

/**
 * Gives one of the developer's own keys these plans; verification hears of it. The caller
 * records the change.
 */
export async function changeKeyPlans(
  tx: Tx,
  actor: Actor,
  developer: Developer,
  key_id: string,
  plans: readonly string[],
): Promise<void> {
  const { org_id } = actor;
  await setPlansOfKey(tx, org_id, key_id, plans);
  await updateDeveloper(tx, org_id, withKeyPlans(developer, key_id, plans));
  await invalidate(tx, { org_id, kind: "key", object_id: key_id, now: actor.now });
}

/**
 * The developer, held until the transaction ends; one that is only an id so far is registered with
 * no e-mail. Keys that named the id before stay apart.
 */
export async function lockOwner(tx: Tx, actor: Actor, id: string): Promise<LockedDeveloper> {
  const { org_id } = actor;
  const known = await lockStoredDeveloper(tx, org_id, id);
  if (known) return known;
  const created = { ...emptyDeveloper(id), org_id, date_created: toTimestamp(actor.now) };
  // Another transaction may be registering the same id at this moment; then theirs is the one to
  // change.
  if (await insertDeveloper(tx, org_id, created)) await keepFormerKeysApart(tx, actor, created);
  return await lockStoredDeveloper(tx, org_id, id) ??
    { id, document: JSON.stringify(created), secrets: null, hasGateways: false };
}
