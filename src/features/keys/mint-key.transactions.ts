import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { isDamaged } from "../../changes/checksum-demand.store.ts";
import { together } from "../../changes/event-names.ts";
import { personalReason } from "../../changes/personal.ts";
import { hasGateways } from "../../changes/provisioning.store.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { planTermsOf } from "../plans/catalogue/plan-terms.transactions.ts";
import type { NewOneTimeLink } from "./one-time-links/one-time-link.ts";
import { issueOneTimeLink } from "./one-time-links/issue-one-time-link.transactions.ts";
import { type LockedKeyRow, markReplaced } from "./key-life.store.ts";
import { type Attempt, type KeyKind, kindFor, kindOf } from "./key-kinds.ts";
import { existingOf } from "./keys.store.ts";
import { isKeptApart } from "./former-keys.transactions.ts";
import {
  addKey,
  lockOwner,
  quotaCountOf,
  recordIssued,
  refuseDirect,
  type Reveal,
} from "./issue-key.transactions.ts";
import { readConditions } from "./key-conditions.ts";
import { columnsOf, type SomeKeyLabels } from "./key-labels.ts";
import { namesInText, namesOfDeveloper } from "../developers/developer-names.ts";
import {
  type Developer,
  emptyDeveloper,
  oauthClientOf,
  withIssuedKey,
  withoutKey,
} from "../developers/developer.ts";
import { attachKey, lockStoredDeveloper, updateDeveloper } from "../developers/developers.store.ts";
import { commonAuthType, type References } from "../plans/plan.ts";
import { chooseEnd, endInstead, grantEnd } from "./granted-end.transactions.ts";
import { type LockedKey, lockSeenKey, requireStillSeen } from "./lock-key.transactions.ts";
import { endToCome, requireMove } from "./key.ts";
import { recordKey } from "./record-key.transactions.ts";

/** The common input of all that mints. */
export interface MintCall {
  actor: Actor;
  /** Minted by the caller, so that a repeated transaction mints nothing new. */
  attempt: Attempt;
  /** The one-time link that the key is kept for, instead of standing in the answer. */
  oneTimeLink: NewOneTimeLink | null;
  idempotency: IdempotentCall | null;
}

/** The terms of an OAuth client, if one is requested whatever the plans say. */
export interface ClientTerms {
  redirect_uri: string;
  app_description: string;
  use_case: string;
}

const NO_TERMS: ClientTerms = { redirect_uri: "", app_description: "", use_case: "" };

/** A key that took the place of others, shown once. */
export interface Replacement extends Reveal {
  key_id: string;
  expires_at: string | null;
  /** The keys that it replaces, and when each of them ends. */
  replaces: { key_id: string; expires_at: string }[];
  /**
   * The one-time link that it is kept for; then the members of the key itself are empty. Absent in
   * answers of older code.
   */
  handed?: NewOneTimeLink | null;
}

/**
 * Mints a key that takes over; the old one lives on for `overlap_ms`, or until its own end where
 * that is sooner. Throws `not_found` and what requireMove throws.
 */
export const rotateKey = defineTransaction(
  "keys.rotate",
  (
    tx,
    input: MintCall & {
      key_id: string;
      overlap_ms: number;
      /** The developer whose key it must be; absent or null: anybody's. */
      owner?: string | null;
      /** When the fresh one ends, as a person chose; absent or null: see endInstead. */
      expires_at?: string | null;
    },
  ): Promise<Replacement> =>
    once(tx, input.idempotency, async () => {
      const locked = await lockSeenKey(tx, input.actor, input.key_id, input.owner ?? null);
      if (!locked) throw new Failure("not_found");
      return await rotateLockedKey(tx, input, locked);
    }, ({ key_id }) => requireStillSeen(tx, input.actor, input.key_id, key_id)),
);

/** Rotates a key that this transaction holds. Throws what requireMove throws. */
export async function rotateLockedKey(
  tx: Tx,
  input: MintCall & { overlap_ms: number; expires_at?: string | null },
  locked: LockedKey,
): Promise<Replacement> {
  const { actor } = input;
  const { credential: key, developer } = locked;
  const { key_id } = key;
  const at = toTimestamp(actor.now);
  requireMove("rotate", key, at);
  const overlap = toTimestamp(actor.now + input.overlap_ms);
  const end = key.expires_at !== null && key.expires_at < overlap ? key.expires_at : overlap;
  const minted = await mintInstead(tx, input, key, developer, [key_id]);
  const change = { by: minted.key_id, at, expires_at: end };
  if (!await markReplaced(tx, key, change)) throw new Failure("key_rotated");
  const detail = { replaced_by: minted.key_id, expires_at: end };
  await recordKey(tx, actor, "credential.rotated", locked, detail);
  const replaced = { ...minted, replaces: [{ key_id, expires_at: end }] };
  return await handOver(tx, input, replaced, key);
}

/** The user name and password that a person chose for a basic key. */
interface ChosenUser {
  name: string;
  password: string;
  /**
   * The key ids that a key of this text has, or had where it came from: none of them may be taken.
   */
  ids: string[];
}

/**
 * Issues a key to a developer without a request. Throws `not_found` for a developer whom no one
 * knows, `unknown_plan` but where references are open, `keyless_plan`, `mixed_auth_types`,
 * `wrong_auth_type`, what refuseDirect throws, and `invalid_input` for an end that is over and a
 * user name that is taken.
 */
export const issueKey = defineTransaction(
  "keys.issue",
  (
    tx,
    input: MintCall & {
      developer_id: string;
      plans: string[];
      references: References | "known";
      labels?: SomeKeyLabels;
      client?: ClientTerms;
      /** Absent: whatever its plans call for. */
      kind?: KeyKind;
      user?: ChosenUser;
      /** The developer is registered with no e-mail where no one knows them. */
      registers?: boolean;
      /** When it ends, instead of when its plans say; absent: by its plans. */
      expires_at?: string | null;
      /** Why, as the audit log keeps it; null or absent: no one said. */
      reason?: string | null;
    },
  ): Promise<Replacement> =>
    once(tx, input.idempotency, async () => {
      const { actor, developer_id, plans, user } = input;
      const labels = columnsOf(input.labels ?? {});
      const { org_id, now } = actor;
      const developer = input.registers
        ? await lockOwner(tx, actor, developer_id)
        : await lockStoredDeveloper(tx, org_id, developer_id);
      if (!developer) throw new Failure("not_found");
      if (user && (await existingOf(tx, org_id, user.ids)).size > 0) throw userNameTaken();
      const unstated = () => Promise.resolve(undefined);
      const terms = await planTermsOf(tx, org_id, plans, unstated, input.references);
      await refuseDirect(tx, org_id, plans);
      const { client } = input;
      const types = terms.map(({ authType }) => authType);
      const kind = client ? kindOf(commonAuthType(types, true)) : kindFor(types, input.kind);
      const chosen = endToCome(input.expires_at, now);
      const grant = { org_id, developer_id, plans: terms, now };
      const expires_at = await grantEnd(tx, grant, { chosen, isDecided: true });
      const { key_id, mask, reveal, issued } = await addKey(tx, actor, {
        kind,
        attempt: attemptOf(input),
        developer_id,
        hasGateways: developer.hasGateways,
        plans,
        request_id: "",
        ...client ?? NO_TERMS,
        expires_at,
        labels,
        end_chosen_at: input.expires_at ? toTimestamp(now) : null,
      });
      await attachKey(tx, org_id, developer, issued);
      const detail = { developer_id, plans, ...input.expires_at ? { expires_at } : {} };
      const names = {
        plan: together(terms.map(({ name }) => name)),
        ...namesInText(developer.document),
      };
      const personal = personalReason(input.reason ?? null);
      await recordIssued(tx, actor, { key_id, mask, name: labels.name, detail, personal, names });
      return await handOver(tx, input, { ...reveal, key_id, expires_at, replaces: [] }, {
        request_id: "",
        developer_id,
      });
    }),
);

function attemptOf({ attempt, user }: { attempt: Attempt; user?: ChosenUser }): Attempt {
  return user ? { ...attempt, username: user.name, password: user.password } : attempt;
}

function userNameTaken(): Failure {
  const message = "user: a key has this name, or had it; a name is given once";
  return new Failure("invalid_input", { message, details: [message] });
}

/**
 * The answer as it is given: with a one-time link the key is sealed for that, and does not stand in
 * it.
 */
export async function handOver(
  tx: Tx,
  { actor, oneTimeLink }: MintCall,
  minted: Replacement,
  { request_id, developer_id }: { request_id: string; developer_id: string },
): Promise<Replacement> {
  if (!oneTimeLink) return { ...minted, handed: null };
  const { key_id, expires_at, replaces, handed: _, ...reveal } = minted;
  await issueOneTimeLink(tx, actor, { oneTimeLink, reveal, key_id, request_id, developer_id });
  return { RawKey: "", Password: "", key_id, expires_at, replaces, handed: oneTimeLink };
}

/**
 * Mints a key like `model` for its developer, whose maps lose the keys that it replaces. It
 * ends at `expires_at` where a person chose that, else as endInstead says; its quotas go on from
 * where those of `model` are, in one count for both. Throws `invalid_input` for an end that is
 * over.
 */
export async function mintInstead(
  tx: Tx,
  { actor, attempt, expires_at: wanted }: MintCall & { expires_at?: string | null },
  model: LockedKeyRow,
  developer: Developer | undefined,
  replaced: readonly string[],
): Promise<Omit<Replacement, "replaces">> {
  const { org_id, now } = actor;
  // No one knows that it had these plans.
  if (
    await isDamaged(tx, tx.sealer, "credentials", model.stored) ||
    readConditions(model.stored) === undefined
  ) throw new Failure("key_damaged");
  const { kind, plans, request_id } = model;
  const full = developer ?? emptyDeveloper(model.developer_id);
  const unstated = () => Promise.resolve(undefined);
  const terms = await planTermsOf(tx, org_id, plans, unstated, "open");
  const chosen = endToCome(wanted, now);
  const grant = { org_id, developer_id: full.id, plans: terms, now };
  if (chosen !== undefined) await chooseEnd(tx, grant, chosen);
  const expires_at = chosen ?? await endInstead(tx, grant, model);
  const client = oauthClientOf(full, model.key_id);
  const { key_id, mask, reveal, issued } = await addKey(tx, actor, {
    kind,
    attempt,
    plans,
    request_id,
    expires_at,
    developer_id: full.id,
    hasGateways: await hasGateways(tx, { org_id }),
    redirect_uri: client?.redirect_uri ?? "",
    app_description: client?.app_description ?? "",
    use_case: client?.use_case ?? "",
    labels: model,
    conditions: model.conditions,
    end_chosen_at: chosen === undefined ? model.end_chosen_at : toTimestamp(now),
    quota: quotaCountOf({ ...model, issued_at: model.stored.issued_at }),
  });
  if (!await isKeptApart(tx, org_id, full, model.key_id)) {
    await updateDeveloper(tx, org_id, withIssuedKey(replaced.reduce(withoutKey, full), issued));
  }
  const detail = {
    developer_id: model.developer_id,
    plans,
    replaces: replaced,
    ...chosen === undefined ? {} : { expires_at: chosen },
  };
  const names = {
    plan: together(terms.map(({ name }) => name)),
    ...namesOfDeveloper(developer),
  };
  await recordIssued(tx, actor, { key_id, mask, name: model.name, detail, names });
  return { ...reveal, key_id, expires_at };
}
