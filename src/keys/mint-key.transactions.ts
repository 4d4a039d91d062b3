import type { Actor } from "../audit/audit.ts";
import { type Attempt, kindOf } from "../credentials/credential.ts";
import {
  findKeysOfRequest,
  type HeldCredential,
  lockCredential,
  markReplaced,
  markState,
} from "../credentials/credential-life.store.ts";
import { issueCredential, type Reveal } from "../credentials/issue-credential.transactions.ts";
import {
  type Developer,
  emptyDeveloper,
  oauthClientOf,
  withIssuedKey,
  withoutKey,
} from "../developers/developer.ts";
import {
  attachKey,
  lockDeveloper,
  lockStoredDeveloper,
  updateDeveloper,
} from "../developers/developers.store.ts";
import { type IdempotentCall, once } from "../idempotency/idempotent-answers.ts";
import { invalidate } from "../invalidation/invalidation.ts";
import { planTermsOf } from "../key-requests/auth-types.transactions.ts";
import { commonAuthType, type References, termsOf } from "../key-requests/key-request.ts";
import { lockRequest } from "../key-requests/key-requests.store.ts";
import { toTimestamp } from "../lib/clock.ts";
import { Failure } from "../lib/failure.ts";
import { recordChange } from "../outbox/record-change.ts";
import { expiryOf } from "../plans/plan.ts";
import { defineTransaction, type Tx } from "../storage/storage.ts";
import { holdKey } from "./hold-key.transactions.ts";
import { refuseUnlessAlive } from "./key.ts";

/** What everything that mints is called with. */
interface MintCall {
  actor: Actor;
  /** Minted by the caller, so that a repeated transaction mints nothing new. */
  attempt: Attempt;
  idempotency: IdempotentCall | null;
}

/** A key that took the place of others, shown once. */
export interface Replacement extends Reveal {
  key_id: string;
  expires_at: string | null;
  /** The keys that it replaces, and when each of them ends. */
  replaces: { key_id: string; expires_at: string }[];
}

/**
 * Mints a key that takes over; the old one lives on for `overlap_ms`, or until its own end where that is sooner.
 * Throws `not_found` and what refuseUnlessAlive throws.
 */
export const rotateKey = defineTransaction(
  "keys.rotate",
  (tx, input: MintCall & { key_id: string; overlap_ms: number }): Promise<Replacement> =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id } = input;
      const { org_id, now } = actor;
      const held = await holdKey(tx, org_id, key_id);
      if (!held) throw new Failure("not_found");
      const { credential, developer } = held;
      refuseUnlessAlive(credential, toTimestamp(now));
      const overlap = toTimestamp(now + input.overlap_ms);
      const end = credential.expires_at !== null && credential.expires_at < overlap
        ? credential.expires_at
        : overlap;
      const minted = await mintInstead(tx, input, credential, developer, [key_id]);
      const change = { by: minted.key_id, at: toTimestamp(now), expires_at: end };
      if (!await markReplaced(tx, credential, change)) throw new Failure("key_rotated");
      const detail = { replaced_by: minted.key_id, expires_at: end };
      await recordKey(tx, actor, "credential.rotated", key_id, detail);
      return { ...minted, replaces: [{ key_id, expires_at: end }] };
    }),
);

/**
 * Mints a key for a request whose first answer was lost, with the same developer and plans; the old one is
 * revoked at once. Throws `not_found`, `not_issued`, and what refuseUnlessAlive throws.
 */
export const reissueKey = defineTransaction(
  "keys.reissue",
  (tx, input: MintCall & { request_id: string }): Promise<Replacement> =>
    once(tx, input.idempotency, async () => {
      const { actor, request_id } = input;
      const at = toTimestamp(actor.now);
      const { live, current, developer } = await holdKeysOfRequest(tx, actor, request_id);
      const ids = live.map((credential) => credential.key_id);
      const minted = await mintInstead(tx, input, current, developer, ids);
      for (const credential of live) {
        const change = { state: "revoked", at, reason: "re-issued", replaced_by: minted.key_id };
        if (!await markState(tx, credential, { ...change, state: "revoked" })) {
          throw new Failure("unavailable");
        }
        const detail = { reason: change.reason, replaced_by: minted.key_id };
        await recordKey(tx, actor, "credential.revoked", credential.key_id, detail);
      }
      await recordChange(tx, actor, {
        action: "key_request.reissued",
        object: "key_request",
        object_id: request_id,
        detail: { key_id: minted.key_id },
      });
      return { ...minted, replaces: ids.map((key_id) => ({ key_id, expires_at: at })) };
    }),
);

/**
 * Issues a key to a developer without a request. Throws `not_found` for a developer whom nobody knows,
 * `unknown_plan` where references are strict, `keyless_plan` and `mixed_auth_types`.
 */
export const issueKey = defineTransaction(
  "keys.issue",
  (
    tx,
    input: MintCall & { developer_id: string; plans: string[]; references: References },
  ): Promise<Reveal> =>
    once(tx, input.idempotency, async () => {
      const { actor, attempt, developer_id, plans } = input;
      const { org_id, now } = actor;
      const developer = await lockStoredDeveloper(tx, org_id, developer_id);
      if (!developer) throw new Failure("not_found");
      const unstated = () => Promise.resolve(undefined);
      const terms = await planTermsOf(tx, org_id, plans, unstated, input.references);
      const type = commonAuthType(terms.map(({ authType }) => authType), false);
      const { key_id, reveal, issued } = await issueCredential(tx, actor, {
        ...{ kind: kindOf(type), attempt, developer_id, plans, request_id: "" },
        ...{ redirect_uri: "", app_description: "", use_case: "" },
        expires_at: expiryOf(terms.map(({ keyExpiresIn }) => keyExpiresIn), now),
      });
      await attachKey(tx, org_id, developer, issued);
      await recordIssued(tx, actor, key_id, { developer_id, plans });
      return reveal;
    }),
);

/** The credentials of a request that are not revoked, held, and the one of them that is to be replaced. */
async function holdKeysOfRequest(tx: Tx, actor: Actor, request_id: string) {
  const { org_id } = actor;
  const request = await lockRequest(tx, org_id, request_id);
  if (!request || request.state === "declined") throw new Failure("not_found");
  const { by_user } = termsOf(request);
  const developer = await lockDeveloper(tx, org_id, by_user);
  const ids = await findKeysOfRequest(tx, org_id, by_user, request_id);
  const held: HeldCredential[] = [];
  for (const key_id of ids.toSorted()) {
    const credential = await lockCredential(tx, org_id, key_id);
    if (credential) held.push(credential);
  }
  // Pending, or approved for a key that existed already.
  if (held.length === 0) throw new Failure("not_issued");
  const live = held.filter((credential) => credential.state !== "revoked");
  if (live.length === 0) throw new Failure("key_revoked");
  const suspended = live.find((credential) => credential.state === "suspended");
  const current = suspended ?? live.find((credential) => credential.replaced_by === null);
  if (!current) throw new Failure("key_rotated");
  refuseUnlessAlive(current, toTimestamp(actor.now));
  return { live, current, developer };
}

/** Mints a credential like `model` for its developer, whose maps lose the keys that it replaces. */
async function mintInstead(
  tx: Tx,
  { actor, attempt }: MintCall,
  model: HeldCredential,
  developer: Developer | undefined,
  replaced: readonly string[],
): Promise<Omit<Replacement, "replaces">> {
  const { org_id, now } = actor;
  const { kind, plans, request_id } = model;
  const full = developer ?? emptyDeveloper(model.developer_id);
  const unstated = () => Promise.resolve(undefined);
  const terms = await planTermsOf(tx, org_id, plans, unstated, "open");
  // An end that somebody set by hand is not lost by rotating.
  const expires_at = expiryOf(terms.map(({ keyExpiresIn }) => keyExpiresIn), now) ??
    model.expires_at;
  const client = oauthClientOf(full, model.key_id);
  const { key_id, reveal, issued } = await issueCredential(tx, actor, {
    ...{ kind, attempt, plans, request_id, expires_at },
    developer_id: full.id,
    redirect_uri: client?.redirect_uri ?? "",
    app_description: client?.app_description ?? "",
    use_case: client?.use_case ?? "",
  });
  await updateDeveloper(tx, org_id, withIssuedKey(replaced.reduce(withoutKey, full), issued));
  const detail = { developer_id: model.developer_id, plans, replaces: replaced };
  await recordIssued(tx, actor, key_id, detail);
  return { ...reveal, key_id, expires_at };
}

async function recordIssued(
  tx: Tx,
  actor: Actor,
  key_id: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  const action = "credential.issued";
  await recordChange(tx, actor, { action, object: "credential", object_id: key_id, detail });
}

/** The change of a key that others may remember. */
async function recordKey(
  tx: Tx,
  actor: Actor,
  action: string,
  key_id: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordChange(tx, actor, { action, object: "credential", object_id: key_id, detail });
  await invalidate(tx, { org_id: actor.org_id, kind: "key", object_id: key_id, now: actor.now });
}
