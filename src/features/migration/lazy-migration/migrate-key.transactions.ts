import type { Actor } from "../../../changes/audit.ts";
import { invalidate } from "../../../changes/invalidation.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { findDeletions } from "../../accounts/deleted-developers.store.ts";
import { namesOfDeveloper } from "../../developers/developer-names.ts";
import { withIssuedKey } from "../../developers/developer.ts";
import { openStored, updateDeveloper } from "../../developers/developers.store.ts";
import { nobodysId } from "../../developers/nobodys-id.ts";
import { lockProvisioned, setProvisioned } from "../../gateways/provisioned-keys.store.ts";
import { insertAbsentKey, keyExists } from "../../keys/keys.store.ts";
import { lockOwner } from "../../keys/issue-key.transactions.ts";
import { calledKey, columnsOf, type SomeKeyLabels } from "../../keys/key-labels.ts";
import { stateOf } from "../../keys/key.ts";
import { findImportedAs } from "../../keys/murmur.store.ts";
import { planIdsOf } from "../../plans/plan-ids.store.ts";
import { type TakenQuota, takeQuota } from "../../verification/taken-quota.ts";
import { type Alarm, isOn } from "./lazy-migration.ts";
import {
  findMigratedAs,
  findNamedThere,
  findStanding,
  insertMigrated,
  lockLazyMigration,
  setImportedAs,
} from "./lazy-migration.store.ts";

/** A key that a gateway knows, and that is to be known here. */
interface MigratedKey {
  org_id: string;
  gateway_id: string;
  /** The SHA-256 of what was presented. */
  key_id: string;
  mask: string;
  /** True: its text is so short that it may be guessed. */
  isWeak: boolean;
  /** The gateway's name of it. */
  remote_id: string;
  /** "": no one's. */
  developer_id: string;
  plans: string[];
  issued_at: string;
  expires_at: string | null;
  /** The key for which Keydesk made the session; "": none. */
  made_for: string;
  /** The state there, as heldText gives it. */
  held: string;
  /** The used part of a quota there; null: none runs. */
  quota: TakenQuota | null;
  /** Its alias and tags. */
  labels: SomeKeyLabels;
  /** The gateway's answer about it, as SeenThere. */
  seen: string;
  now: number;
}

/**
 * The result. `known`: its hash is known meanwhile, so that the caller looks again; `off`: lazy
 * migration is over; `wait`: it was imported, and is to be adopted.
 */
export type MigrateResult =
  | { result: "learned" | "known" | "off" | "wait" }
  | { result: "alarm"; alarm: Alarm; key_id: string };

/**
 * Keeps a key that is valid at a gateway: the key, its developer's maps, the name by which it was
 * found, its place at the gateway, and the rows of audit log and outbox. Keeps nothing if lazy
 * migration is off, or if the name is another key's: then people are to be notified.
 */
export const migrateKey = defineTransaction(
  "learning.learn-key",
  async (tx, input: MigratedKey): Promise<MigrateResult> => {
    const { org_id, gateway_id, key_id, remote_id, now } = input;
    const at = toTimestamp(now);
    // Held to the end: learning that was stopped stores nothing afterwards, and of two texts with
    // one name the first alone is learned.
    if (!isOn(await lockLazyMigration(tx, { org_id, gateway_id }), at)) return { result: "off" };
    if (await keyExists(tx, { org_id, key_id })) return { result: "known" };
    const taken = await takenBy(tx, input, at);
    if (taken) return taken;
    const noOwner = nobodysId(org_id);
    const developer_id = input.developer_id || noOwner;
    // A developer who was deleted in Keydesk must not come back by a key.
    const [deletion] = await findDeletions(tx, org_id, developer_id);
    if (deletion) return { result: "alarm", alarm: "developer_gone", key_id };
    const actor: Actor = { org_id, user_id: "learning", token_id: "", now };
    const developer = openStored(tx.sealer, org_id, await lockOwner(tx, actor, developer_id));
    if (developer.inactive) return { result: "alarm", alarm: "developer_gone", key_id };
    // One that was imported has just got the hash.
    if (!await storeKey(tx, actor, { ...input, developer_id })) return { result: "known" };
    if (developer_id !== noOwner) {
      await updateDeveloper(tx, org_id, withIssuedKey(developer, { key_id, plans: input.plans }));
    }
    if (input.quota) {
      const known = await planIdsOf(tx, org_id, input.plans);
      const plan_ids = new Set([...known.values()].map(({ _id }) => _id));
      await takeQuota(tx, { org_id, key_id }, plan_ids, input.quota);
    }
    const row = { org_id, key_id, gateway_id, remote_id, learned_at: at, asked_at: at };
    await insertMigrated(tx, { ...row, seen: input.seen });
    await recordChange(tx, actor, {
      action: "credential.learned",
      object_id: key_id,
      detail: { gateway_id, remote_id, plans: input.plans },
      names: {
        object: calledKey({ name: input.labels.name ?? null, mask: input.mask }),
        ...namesOfDeveloper(developer),
      },
    });
    // Other nodes may remember it as unknown.
    await invalidate(tx, { org_id, kind: "key", object_id: key_id, now });
    await noteThere(tx, input, at);
    return { result: "learned" };
  },
);

/** The obstacle to migrating a name; undefined: it is free. */
async function takenBy(
  tx: Tx,
  { org_id, gateway_id, key_id, remote_id, made_for }: MigratedKey,
  at: string,
): Promise<MigrateResult | undefined> {
  const place = { org_id, gateway_id, remote_id };
  const under = [
    await findMigratedAs(tx, place),
    await findNamedThere(tx, place),
    await findImportedAs(tx, { org_id, imported_as: remote_id }),
    remote_id,
    made_for,
  ];
  for (const id of under) {
    if (id === undefined || id === "" || id === key_id) continue;
    const other = await findStanding(tx, { org_id, key_id: id });
    if (!other) continue;
    if (stateOf(other, at) !== "active") {
      return { result: "alarm", alarm: "ended_here", key_id: id };
    }
    // One that was imported by this name, and no one has used yet: its first use gives it the hash.
    const isUnused = id === remote_id &&
      (other.wrapped_by !== null || other.algorithm.startsWith("murmur"));
    return isUnused ? { result: "wait" } : { result: "alarm", alarm: "taken", key_id: id };
  }
  return undefined;
}

async function storeKey(tx: Tx, { org_id, user_id }: Actor, key: MigratedKey): Promise<boolean> {
  const { key_id, mask, developer_id, plans, issued_at, expires_at, isWeak, remote_id } = key;
  const labels = columnsOf(key.labels);
  const isNew = await insertAbsentKey(tx, {
    org_id,
    key_id,
    kind: "token",
    secret_hash: null,
    state: "active",
    developer_id,
    request_id: "",
    plans: JSON.stringify(plans),
    mask,
    attempt_id: "",
    issued_at,
    issued_by: user_id,
    expires_at,
    weak: isWeak ? "short" : null,
    labels,
  });
  if (isNew) await setImportedAs(tx, { org_id, key_id, remote_id });
  return isNew;
}

/** It is at the gateway already: nothing is to be brought there. */
async function noteThere(
  tx: Tx,
  { org_id, gateway_id, key_id, remote_id, held }: MigratedKey,
  at: string,
): Promise<void> {
  const place = { org_id, gateway_id, key_id };
  const row = await lockProvisioned(tx, place);
  if (!row) return;
  await setProvisioned(tx, {
    ...place,
    done: row.wanted,
    state: "delivered",
    reason: "",
    since: at,
    due_at: null,
    urgency: 1,
    tries: 0,
    remote_id,
    held,
    delivered_at: at,
  });
}

/** Tells people that a gateway knows a key by a name of which nothing is learned, and why. */
export const alarm = defineTransaction(
  "learning.alarm",
  async (tx, { org_id, gateway_id, remote_id, key_id, why, now }: {
    org_id: string;
    gateway_id: string;
    remote_id: string;
    /** The key that has the name; of a developer who is gone, the one that was presented. */
    key_id: string;
    why: Alarm;
    now: number;
  }): Promise<null> => {
    const actor = { org_id, user_id: "learning", token_id: "", now };
    const detail = { why, key_id, remote_id };
    const action = "gateway.key_not_learned";
    await recordChange(tx, actor, { action, object_id: gateway_id, detail });
    return null;
  },
);
