/** The effect of an approval on a key: it is issued, gets other plans, or is extended. */
import type { EventNames } from "../../changes/event-names.ts";
import { personalWords } from "../../changes/personal.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import type { KeyKind } from "../keys/key-kinds.ts";
import { lockActiveKey } from "../keys/keys.store.ts";
import { findImportedAs } from "../keys/murmur.store.ts";
import {
  addKey,
  changeKeyPlans,
  type QuotaCount,
  recordIssued,
  type Reveal,
} from "../keys/issue-key.transactions.ts";
import { columnsOf } from "../keys/key-labels.ts";
import { isOfAnother } from "../developers/email-proof.ts";
import { findEmailProof } from "../developers/email-proof.store.ts";
import {
  attachKey,
  type LockedDeveloper,
  openStored,
  type StoredDeveloper,
} from "../developers/developers.store.ts";
import { isKeptApart } from "../keys/former-keys.transactions.ts";
import { lockKeyWithOwner } from "../keys/lock-key.transactions.ts";
import { lockKey } from "../keys/key-life.store.ts";
import { changeEnd, followPlans } from "../keys/key-life.transactions.ts";
import { endToCome } from "../keys/key.ts";
import { recordKey } from "../keys/record-key.transactions.ts";
import { relabel } from "../keys/label-key.transactions.ts";
import type { Coverage } from "../plans/coverage.ts";
import { everyIdOf } from "../plans/plan-ids.store.ts";
import { conditionsOf } from "./granted-terms.ts";
import type { KeyRequestTerms } from "./key-request.ts";
import type { ApproveInput } from "./approve-input.ts";

/** An approval as its key is made or changed by it. */
type Decided = ApproveInput & {
  /** Of what alone the approver decides; undefined: everything. */
  coverage: Coverage | undefined;
};

/** The answer to an approval, and the key that it issued, if it did. */
export interface Granted {
  answer: Reveal;
  issued?: { key_id: string; mask: string; expires_at: string | null };
}

/** Mints the credential and attaches it to its developer. */
export async function issue(
  tx: Tx,
  input: Decided,
  terms: KeyRequestTerms,
  developer: LockedDeveloper,
  { names, ...form }: {
    kind: KeyKind;
    expires_at: string | null;
    quota: QuotaCount | undefined;
    names: EventNames;
  },
): Promise<Granted> {
  const { actor, id, attempt, labels = {} } = input;
  const { plans, redirect_uri, app_description, use_case } = terms;
  const columns = columnsOf(labels);
  const { key_id, mask, reveal, issued } = await addKey(tx, actor, {
    ...form,
    attempt,
    developer_id: developer.id,
    hasGateways: developer.hasGateways,
    plans,
    request_id: id,
    redirect_uri,
    app_description,
    use_case,
    labels: columns,
    conditions: conditionsOf(input.granted ?? null),
    end_chosen_at: input.expires_at ? toTimestamp(actor.now) : null,
  });
  await attachKey(tx, actor.org_id, developer, issued);
  const detail = {
    developer_id: developer.id,
    plans,
    key_request_id: id,
    ...input.expires_at ? { expires_at: input.expires_at } : {},
  };
  await recordIssued(tx, actor, { key_id, mask, name: columns.name, detail, names });
  await recordApproval(tx, input, { key_id, plans, by_user: terms.by_user }, names);
  return { answer: reveal, issued: { key_id, mask, expires_at: form.expires_at } };
}

/**
 * Changes the plans of the developer's own key that the request names, instead of minting. Throws
 * `access_denied` where its end or its name is changed by the person who does not decide about all
 * of it.
 */
export async function changeKey(
  tx: Tx,
  input: Decided,
  terms: KeyRequestTerms,
  stored: StoredDeveloper,
  names: EventNames,
): Promise<Granted> {
  const { actor } = input;
  const { org_id } = actor;
  const now = toTimestamp(actor.now);
  // The key is not theirs until a person says so.
  if (isOfAnother(await findEmailProof(tx, { org_id, id: stored.id }))) {
    throw new Failure("unknown_key");
  }
  const lock = (key_id: string) => lockActiveKey(tx, org_id, key_id, terms.by_user, now);
  const named = await lock(terms.key);
  // A request that moved in may name its key by a hash that the key's first use replaced.
  const key_id = named
    ? terms.key
    : await findImportedAs(tx, { org_id, imported_as: terms.key }) ?? terms.key;
  const credential = named ?? await lock(key_id);
  if (!credential) throw new Failure("unknown_key");
  refuseOutside(input, credential.plans);
  const removed = await everyIdOf(tx, org_id, terms.remove_policies);
  const plans = [...new Set([...credential.plans, ...terms.plans])]
    .filter((plan) => !removed.includes(plan));
  const developer = openStored(tx.sealer, org_id, stored);
  const before = await lockKey(tx, org_id, key_id);
  await changeKeyPlans(tx, actor, developer, key_id, plans);
  if (before && !input.expires_at) {
    const key = { credential: before, developer };
    const expires_at = await followPlans(tx, actor, key, plans, input.by.kind !== "automatic");
    if (expires_at !== undefined) {
      await recordKey(tx, actor, "credential.expiry_changed", key, { expires_at });
    }
  }
  if (input.expires_at) {
    const locked = await lockKeyWithOwner(tx, org_id, key_id);
    if (!locked) throw new Failure("unknown_key");
    await changeEnd(tx, actor, locked, input.expires_at);
  }
  if (input.labels) await relabel(tx, actor, { key_id, developer }, input.labels);
  await recordApproval(tx, input, { key_id, plans, by_user: terms.by_user }, names);
  return { answer: { RawKey: key_id, Password: "" } };
}

/**
 * Gives the developer's own key that the request names its later end, and leaves its plans: the end
 * that was chosen, else the one that was asked for unless it lives longer by now. One that has
 * ended since lives again. Throws `unknown_key` where another key has taken its place, or it has
 * plans of which those who decide this request were not asked.
 */
export async function liveOn(
  tx: Tx,
  input: Decided,
  { key, by_user, plans: asked }: KeyRequestTerms,
  asked_end: string,
  names: EventNames,
): Promise<Granted> {
  const { actor, expires_at } = input;
  const locked = await lockKeyWithOwner(tx, actor.org_id, key, by_user);
  if (!locked) throw new Failure("unknown_key");
  const { credential, developer } = locked;
  if (!developer || await isKeptApart(tx, actor.org_id, developer, key)) {
    throw new Failure("unknown_key");
  }
  const { plans, expires_at: present } = credential;
  if (credential.replaced_by !== null) {
    throw new Failure("unknown_key", { message: "key: another one has taken its place." });
  }
  refuseOutside({ coverage: input.coverage, expires_at: asked_end }, plans);
  const end = expires_at ??
    (present !== null && asked_end > present ? endToCome(asked_end, actor.now) : undefined);
  if (end !== undefined) {
    const known = await everyIdOf(tx, actor.org_id, asked);
    if (!plans.every((plan) => known.includes(plan))) {
      throw new Failure("unknown_key", {
        message: "key: it has other plans since this was asked.",
      });
    }
    await changeEnd(tx, actor, locked, end);
  }
  if (input.labels) await relabel(tx, actor, { key_id: key, developer }, input.labels);
  await recordApproval(tx, input, { key_id: key, plans, by_user }, names);
  return { answer: { RawKey: key, Password: "" } };
}

/** A key's end and its name are those of all its plans. */
function refuseOutside(
  { coverage, expires_at, labels }: Pick<Decided, "coverage" | "expires_at" | "labels">,
  plans: readonly string[],
): void {
  const concernsAll = Boolean(expires_at) || labels !== undefined;
  if (concernsAll && coverage && !coverage.holds(plans)) throw new Failure("access_denied");
}

async function recordApproval(
  tx: Tx,
  { actor, id, reason, expires_at, message, granted, by }: Decided,
  approved: { key_id: string; plans: readonly string[]; by_user: string },
  names: EventNames,
): Promise<void> {
  const action = "key_request.approved";
  const personal = personalWords({ reason, message: message ?? null });
  const detail = {
    ...approved,
    ...expires_at ? { expires_at } : {},
    ...granted ? { granted } : {},
    ...by.kind === "offer" ? { offered_by: by.offered_by, offer_id: by.offer_id } : {},
  };
  await recordChange(tx, actor, { action, object_id: id, detail, personal, names });
}
