import type { Actor } from "../../changes/audit.ts";
import { invalidate } from "../../changes/invalidation.ts";
import {
  findOwner,
  type LockedKeyRow,
  lockKey,
  setExpiry,
} from "../../features/keys/key-life.store.ts";
import { insertAbsentKey, setPlansOfKey } from "../../features/keys/keys.store.ts";
import { columnsOf, labelsOf, type SomeKeyLabels } from "../../features/keys/key-labels.ts";
import { setLabels } from "../../features/keys/key-labels.store.ts";
import { lockOwner } from "../../features/keys/issue-key.transactions.ts";
import { findImportedAs } from "../../features/keys/murmur.store.ts";
import { type Developer, withKeyPlans } from "../../features/developers/developer.ts";
import { openStored, updateDeveloper } from "../../features/developers/developers.store.ts";
import type { ImportedKey } from "../../features/keys/import-line.ts";
import { planIdsOf } from "../../features/plans/plan-ids.store.ts";
import { takeQuota } from "../../features/verification/taken-quota.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Tx } from "../../storage/storage.ts";
import type { Finding } from "./findings.ts";
import type { KeyItem } from "./items.ts";
import { nobodysId } from "../../features/developers/nobodys-id.ts";

/**
 * Adds a key with what of its quota is used, or changes plans, end and labels of one that came
 * before. `theirs`: name and tags that were given here give way.
 */
export async function takeKey(
  tx: Tx,
  actor: Actor,
  item: KeyItem,
  { replaces, theirs }: { replaces: boolean; theirs: boolean },
  report: (finding: Finding) => void,
): Promise<boolean> {
  const { org_id, now } = actor;
  const { key, quota } = item;
  const known = await planIdsOf(tx, org_id, key.plans);
  for (const plan of key.plans) {
    if (!known.has(plan)) {
      report({ kind: item.kind, id: item.id, code: "unknown_plan", detail: plan });
    }
  }
  const isNobodys = key.developer_id === nobodysId(org_id);
  // The owner in Keydesk stays if the source has none.
  const owner = replaces && isNobodys ? await ownerHere(tx, org_id, item.id) : undefined;
  const stored = await lockOwner(tx, actor, owner ?? key.developer_id);
  const developer = openStored(tx.sealer, org_id, stored);
  if (replaces) return await change(tx, actor, item, { developer, theirs }, report);
  const added = await insertAbsentKey(tx, rowOf(actor, key));
  if (!added) {
    report({ kind: item.kind, id: item.id, code: "exists_here", detail: "" });
    return false;
  }
  // Keys that belong to no one stand in no map, which would hold all of them.
  const after = isNobodys ? withNobodys(developer, key) : withArrived(developer, key);
  if (after !== developer) await updateDeveloper(tx, org_id, after);
  await invalidate(tx, { org_id, kind: "key", object_id: key.key_id, now });
  if (quota === null) return true;
  const plan_ids = new Set([...known.values()].map(({ _id }) => _id));
  await takeQuota(tx, { org_id, key_id: key.key_id }, plan_ids, quota);
  return true;
}

async function change(
  tx: Tx,
  { org_id, now }: Actor,
  { kind, id, key, isOnlyNamed = false }: KeyItem,
  { developer, theirs }: { developer: Developer; theirs: boolean },
  report: (finding: Finding) => void,
): Promise<boolean> {
  const locked = await lockKey(tx, org_id, id) ?? await usedUnder(tx, org_id, id);
  if (!locked || locked.developer_id !== developer.id) {
    report({ kind, id, code: "key_owner_differs", detail: "" });
    return false;
  }
  const { key_id } = locked;
  // A key that was revoked in Keydesk stays revoked, whatever is requested.
  if (locked.state === "revoked") {
    report({ kind, id, code: "changed_here", detail: "revoked here, which is final" });
    return false;
  }
  if (JSON.stringify(locked.plans) !== JSON.stringify(key.plans)) {
    await setPlansOfKey(tx, org_id, key_id, key.plans);
    const moved = withKeyPlans(developer, key_id, key.plans);
    const isTheirs = developer.id !== nobodysId(org_id);
    const { oauth_clients } = moved;
    if (isTheirs) await updateDeveloper(tx, org_id, moved);
    else if (oauth_clients !== developer.oauth_clients) {
      await updateDeveloper(tx, org_id, { ...developer, oauth_clients });
    }
  }
  const again = await lockKey(tx, org_id, key_id);
  // A source without its session does not know when it ends; an earlier one may have known.
  if (again && again.expires_at !== key.expires_at && !isOnlyNamed) {
    await setExpiry(tx, again, { expires_at: key.expires_at, at: again.end_chosen_at });
  }
  if (!await label(tx, locked, key.labels, theirs)) {
    report({ kind, id, code: "changed_here", detail: "its name or tags" });
  }
  await invalidate(tx, { org_id, kind: "key", object_id: key_id, now });
  return true;
}

/** Gives a key the name and tags that it has there. False where it has others here, which stay. */
async function label(
  tx: Tx,
  locked: LockedKeyRow,
  { name = "", tags = [] }: SomeKeyLabels,
  theirs: boolean,
): Promise<boolean> {
  const here = labelsOf(locked);
  const isOther = (a: string | string[], b: string | string[]) =>
    a.length > 0 && b.length > 0 && String(a) !== String(b);
  if (!theirs && (isOther(here.name, name) || isOther(here.tags, tags))) return false;
  const after = columnsOf({
    ...here,
    name: name || here.name,
    tags: tags.length > 0 ? [...tags] : here.tags,
  });
  if (after.name !== locked.name || after.tags !== locked.tags) await setLabels(tx, locked, after);
  return true;
}

/** Whom a key belongs to here. */
async function ownerHere(tx: Tx, org_id: string, id: string): Promise<string | undefined> {
  const key_id = await findImportedAs(tx, { org_id, imported_as: id }) ?? id;
  return await findOwner(tx, { org_id, key_id });
}

/** A key that was known by its murmur hash, and has another id since it was used. */
async function usedUnder(tx: Tx, org_id: string, id: string): Promise<LockedKeyRow | undefined> {
  const key_id = await findImportedAs(tx, { org_id, imported_as: id });
  return key_id === undefined ? undefined : await lockKey(tx, org_id, key_id);
}

function rowOf({ org_id, user_id, now }: Actor, key: ImportedKey) {
  const { key_id, secret_hash, state, developer_id, mask, issued_at } = key;
  const { expires_at, algorithm, use_before, kind } = key;
  return {
    org_id,
    key_id,
    kind: kind ?? "token",
    secret_hash,
    state,
    developer_id,
    mask,
    issued_at,
    expires_at,
    algorithm,
    use_before,
    request_id: "",
    plans: JSON.stringify(key.plans),
    attempt_id: "",
    issued_by: user_id,
    labels: columnsOf(key.labels),
    state_reason: state === "active" ? null : `${state} when it was imported`,
    state_changed_at: state === "active" ? null : toTimestamp(now),
  };
}

/**
 * The developer with the key in the maps, where they don't name it yet: what they say of other keys
 * stays. An OAuth client is there with its secret, without which it could never leave.
 */
function withArrived(full: Developer, key: ImportedKey): Developer {
  const { key_id, plans } = key;
  const isNamed = Object.hasOwn(full.keys, key_id);
  const free = plans.filter((plan) => !Object.hasOwn(full.subscriptions, plan));
  const oauth_clients = withClient(full.oauth_clients, key);
  if (isNamed && free.length === 0 && oauth_clients === full.oauth_clients) return full;
  return {
    ...full,
    oauth_clients,
    keys: isNamed ? full.keys : { ...full.keys, [key_id]: [...plans] },
    subscriptions: {
      ...full.subscriptions,
      ...Object.fromEntries(free.map((plan) => [plan, key_id])),
    },
  };
}

/** OAuth clients of no one that could leave again; of those beyond no one has the secret. */
const MOST_WITHOUT_OWNER = 200;

/** The developer of all that belongs to no one: OAuth clients alone, since no key needs a place. */
function withNobodys(full: Developer, key: ImportedKey): Developer {
  const known = Object.values(full.oauth_clients).flat().map(({ client_id }) => client_id);
  if (new Set(known).size >= MOST_WITHOUT_OWNER) return full;
  const oauth_clients = withClient(full.oauth_clients, key);
  return oauth_clients === full.oauth_clients ? full : { ...full, oauth_clients };
}

function withClient(
  known: Developer["oauth_clients"],
  { client, plans, issued_at }: ImportedKey,
): Developer["oauth_clients"] {
  if (client === null) return known;
  const { client_id, secret, redirect_uri = "" } = client;
  const isIt = (one: { client_id: string }) => one.client_id === client_id;
  const all = Object.values(known).flat().filter(isIt);
  if (all.length > 0) {
    const filled = (one: typeof all[number]) => ({
      ...one,
      secret: one.secret || secret,
      redirect_uri: one.redirect_uri || redirect_uri,
    });
    const isWhole = (one: typeof all[number]) =>
      one.secret !== "" && filled(one).redirect_uri === one.redirect_uri;
    if (all.every(isWhole)) return known;
    return Object.fromEntries(
      Object.entries(known).map(([plan, list]) => [
        plan,
        list.map((one) => isIt(one) ? filled(one) : one),
      ]),
    );
  }
  const blank = { app_description: "", use_case: "" };
  const own = { client_id, secret, redirect_uri, ...blank, date_created: issued_at };
  const added = plans.map((plan) => [plan, [...known[plan] ?? [], own]]);
  return { ...known, ...Object.fromEntries(added) };
}
