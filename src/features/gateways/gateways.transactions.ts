import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import {
  type AskedToReconcile,
  type GatewayRow,
  type GatewaySecrets,
  placeOfSecret,
  secretsOf,
  secretsText,
} from "./gateway.ts";
import { forgetAllCanaryRuns } from "./canary.store.ts";
import { forgetMapReaders } from "./hashes/map-readers.store.ts";
import { isOtherMap, type MapSettings, mapText, requireSameWay } from "./hashes/map-settings.ts";
import {
  deleteGateway,
  type GatewayChange,
  insertGateway,
  listGateways,
  lockGateway,
  lockGateways,
  lockKeyChanges,
  MOST_GATEWAYS,
  updateGateway,
} from "./gateways.store.ts";
import { forgetNewKeys } from "./new-keys.store.ts";
import {
  forgetProvisioned,
  forgetUnneededSecrets,
  hurryKey,
  hurryKeys,
  lookAtClosing,
  provisionedBehind,
  wantAllOf,
} from "./provisioned-keys.store.ts";
import { forgetUnknownUpTo, unknownKeysBehind } from "./unknown-keys.store.ts";
import { MOVES, moves, type SaidBy, secretNeeded, unconfirmedBy } from "./moved-gateway.ts";
import { askText } from "./reconciled.ts";

/** The settings of a gateway that a caller writes. */
interface GatewayInput {
  name: string;
  url: string;
  probe_url: string;
  /** "": nothing is made there that no one has any more. */
  redis_url: string;
  /** Of a gateway that goes by hashes of keys; null: of another kind. */
  map: MapSettings | null;
  /** Null: keys of all plans stand there. */
  plans: string[] | null;
  policies: GatewayRow["policies"];
  certificates: boolean;
  /** Null: as often as it answers. */
  calls_per_second: number | null;
}

/** The secrets of a gateway that a caller writes. */
type SecretsInput = { readonly [K in keyof GatewaySecrets]?: string | undefined };

/** Names a gateway of the caller's organisation. */
export interface OfGateway {
  actor: Actor;
  id: string;
}

/**
 * Adds a gateway, to which every key is brought from this transaction on, or from a person's yes.
 * Throws `too_many_gateways`.
 */
export const createGateway = defineTransaction(
  "gateways.create",
  async (
    tx,
    { actor, by: { isPerson }, gateway, secrets, idempotency }: {
      actor: Actor;
      by: Pick<SaidBy, "isPerson">;
      gateway: GatewayInput & { kind: GatewayRow["kind"] };
      secrets: SecretsInput;
      idempotency: IdempotentCall | null;
    },
  ): Promise<{ id: string }> => {
    await lockKeyChanges(tx);
    return await once(tx, idempotency, async () => {
      const { org_id, user_id, now } = actor;
      await lockGateways(tx, { org_id });
      await requireNoOlderNode(tx, now, { unknown: "gateways", then: "add one" });
      if ((await listGateways(tx, { org_id })).length >= MOST_GATEWAYS) {
        throw new Failure("too_many_gateways");
      }
      const id = newId(now);
      const { kind, name, url, probe_url, redis_url, plans, map, calls_per_second } = gateway;
      const { policies, certificates } = gateway;
      const { secret, redis_password = "" } = secrets;
      const place = placeOfSecret({ org_id, id });
      const sealed = secret === undefined ? null : secretsText({ secret, redis_password });
      await insertGateway(tx, {
        org_id,
        id,
        name,
        kind,
        url,
        probe_url,
        map: mapText(map),
        plans: plansText(plans),
        redis_url,
        secret: sealed === null ? null : tx.sealer.seal(place, sealed),
        state: "active",
        canary: "",
        filled_to: "",
        checked_at: null,
        findings: "[]",
        reconciled_at: null,
        reconciled: "",
        failing_since: null,
        failure: "",
        calls_per_second,
        policies,
        certificates: Number(certificates),
        created_at: toTimestamp(now),
        created_by: user_id,
        edition: 0,
        unconfirmed_since: isPerson ? null : toTimestamp(now),
      });
      const detail = { name, kind, url, ...isPerson ? {} : UNCONFIRMED };
      await recordChange(tx, actor, { action: "gateway.created", object_id: id, detail });
      return { id };
    });
  },
);

/** The audit log's detail of a gateway to which nothing is synced yet. */
const UNCONFIRMED = { waits_for: "a person's yes" };

/**
 * Replaces what a person writes of a gateway. Behind another URL everything is brought anew; other
 * plans, and another Redis, have all keys compared. Throws `not_found`; `access_denied` where it
 * moves and who says so may not approve; `invalid_input` for another URL without the secret.
 */
export const changeGateway = defineTransaction(
  "gateways.change",
  (
    tx,
    { actor, by, id, gateway, secrets }: OfGateway & {
      by: SaidBy;
      gateway: GatewayInput;
      secrets: SecretsInput;
    },
  ) =>
    change(tx, { actor, id }, "gateway.updated", async (row) => {
      requireConnection(row.kind, gateway, secrets.redis_password);
      requireSameWay(row, gateway.map);
      const isMoved = moves(row, gateway);
      if (isMoved && !by.mayApprove) throw new Failure("access_denied", { message: MOVES });
      if (gateway.url !== row.url && secrets.secret === undefined) throw secretNeeded();
      const unconfirmed_since = unconfirmedBy(row, isMoved && !by.isPerson, actor.now);
      const waits = unconfirmed_since === null ? {} : UNCONFIRMED;
      const { name, url, probe_url, redis_url, calls_per_second, policies } = gateway;
      const certificates = Number(gateway.certificates);
      const plans = plansText(gateway.plans);
      const map = mapText(gateway.map);
      const sealed = sealedAnew(tx, row, redis_url, secrets);
      const isOther = url !== row.url || isOtherMap(row, gateway.map);
      if (isOther) {
        const { org_id, now } = actor;
        await wantAllOf(tx, { org_id, gateway_id: id, now: toTimestamp(now), is_lost: 1 });
      }
      if (map !== row.map && !isOther) {
        const { org_id, now } = actor;
        await lookAtClosing(tx, { org_id, gateway_id: id, now: toTimestamp(now) });
      }
      return {
        change: {
          name,
          url,
          probe_url,
          map,
          plans,
          calls_per_second,
          policies,
          certificates,
          redis_url,
          unconfirmed_since,
          ...sealed === undefined ? {} : { secret: sealed },
          ...isOther || redis_url !== row.redis_url || sealed !== undefined
            ? { checked_at: null }
            : {},
          // The name, which stays, distinguishes one map's file from another.
          ...url !== row.url ? { canary: "" } : {},
          ...isOther || plans !== row.plans || policies !== row.policies ||
              certificates !== row.certificates || redis_url !== row.redis_url
            ? { filled_to: "" }
            : {},
        },
        ...isMoved ? { action: "gateway.moved" } : {},
        detail: { name, url, secret: sealed === undefined ? "kept" : "replaced", ...waits },
      };
    }),
);

/**
 * A person's yes to a gateway as it was read: from now on it is called. Throws `not_found`,
 * `precondition_failed` where it changed since, or has had its yes.
 */
export const confirmGateway = defineTransaction(
  "gateways.confirm",
  (tx, { actor, id, unconfirmed_since }: OfGateway & { unconfirmed_since: string }) =>
    change(tx, { actor, id }, "gateway.confirmed", (row) => {
      if (row.unconfirmed_since !== unconfirmed_since) throw new Failure("precondition_failed");
      const { name, url } = row;
      return Promise.resolve({ change: { unconfirmed_since: null }, detail: { name, url } });
    }),
);

/**
 * The secrets of a gateway with what a person writes of them; undefined: they stay. A password goes
 * to no other Redis than that for which it was written.
 */
function sealedAnew(
  tx: Tx,
  row: GatewayRow,
  redis_url: string,
  written: SecretsInput,
): string | undefined {
  const before = secretsOf(tx.sealer, row);
  const secret = written.secret ?? before?.secret;
  if (secret === undefined) return undefined;
  const kept = redis_url !== "" && redis_url === row.redis_url ? before?.redis_password : undefined;
  const text = secretsText({ secret, redis_password: written.redis_password ?? kept ?? "" });
  if (before && text === secretsText(before)) return undefined;
  return tx.sealer.seal(placeOfSecret(row), text);
}

/** Throws `invalid_input` for what gateways of this connection have not, or lack. */
export function requireConnection(
  kind: GatewayRow["kind"],
  { url, map, redis_url }: GatewayInput,
  redis_password = "",
): void {
  const isHashes = kind === "hashes";
  const wrong = isHashes === (map === null)
    ? `map: ${isHashes ? "needed for" : "belongs to"} connection map`
    : isHashes === (url !== "")
    ? `url: ${isHashes ? "belongs to" : "needed for"} connection synced`
    : isHashes && redis_url !== ""
    ? "redis_url: belongs to connection synced"
    : redis_url === "" && redis_password !== ""
    ? "redis_password: needs redis_url"
    : undefined;
  if (wrong) throw new Failure("invalid_input", { message: wrong, details: [wrong] });
}

function plansText(plans: readonly string[] | null): string | null {
  return plans === null ? null : JSON.stringify(plans);
}

/**
 * Brings a gateway nothing until it is resumed, or goes on; one that was ending is kept then.
 * Throws `not_found`.
 */
export const pauseGateway = defineTransaction(
  "gateways.pause",
  (tx, { actor, id, paused }: OfGateway & { paused: boolean }) =>
    change(tx, { actor, id }, paused ? "gateway.paused" : "gateway.resumed", async (row) => {
      const state = paused ? "paused" : "active";
      if (row.state === state) return undefined;
      if (row.state !== "ending") return { change: { state } };
      const { org_id, now } = actor;
      await wantAllOf(tx, { org_id, gateway_id: id, now: toTimestamp(now), is_lost: 0 });
      return { change: { state, filled_to: "" } };
    }),
);

/** Asks for a comparison of a gateway's keys, and for a check of it. Throws `not_found`. */
export const askToReconcile = defineTransaction(
  "gateways.ask-to-reconcile",
  (tx, { actor, id, asked }: OfGateway & { asked: AskedToReconcile["asked"] }) =>
    change(tx, { actor, id }, "gateway.reconciled", (row) =>
      Promise.resolve({
        change: { reconciled: askText(row.reconciled, asked), checked_at: null },
        detail: { ...asked },
      })),
);

/**
 * Has what waits, is stuck or diverged at a gateway tried now; or one key, whatever its state.
 * Gives how many. Throws `not_found`.
 */
export const hurryGateway = defineTransaction(
  "gateways.hurry",
  async (tx, { actor, id, key_id }: OfGateway & { key_id: string | null }): Promise<number> => {
    const { org_id } = actor;
    if (!await lockGateway(tx, { org_id, id })) throw new Failure("not_found");
    const place = { org_id, gateway_id: id, now: toTimestamp(actor.now) };
    const tried = key_id === null
      ? await hurryKeys(tx, place)
      : await hurryKey(tx, { ...place, key_id });
    if (key_id !== null && tried === 0) throw new Failure("not_found");
    const detail = { tried, ...key_id === null ? {} : { key_id } };
    await recordChange(tx, actor, { action: "gateway.hurried", object_id: id, detail });
    return tried;
  },
);

/**
 * Has every key of a gateway ended there; behind the last of them the gateway is removed.
 * Throws `not_found`.
 */
export const endGateway = defineTransaction(
  "gateways.end",
  (tx, { actor, id }: OfGateway) =>
    change(
      tx,
      { actor, id },
      "gateway.ending",
      ({ state }) =>
        Promise.resolve(
          state === "ending" ? undefined : { change: { state: "ending", filled_to: "" } },
        ),
    ),
);

/** Rows that are forgotten in one transaction. */
const FORGOTTEN = 1000;

/** ^Removes a gateway, a batch of its rows at a time: repeat it until it is done. */
export const removeGateway = defineTransaction(
  "gateways.remove",
  async (tx, { actor, id, left, isEnded = false }: RemovedGateway) => {
    const { org_id } = actor;
    const row = await lockGateway(tx, { org_id, id });
    if (!row) throw new Failure("not_found");
    // A person keeps it.
    if (isEnded && row.state !== "ending") return { done: true, left };
    const place = { org_id, gateway_id: id };
    const rows = await provisionedBehind(tx, { ...place, behind: "" }, FORGOTTEN);
    const last = rows.at(-1);
    const there = left + rows.filter(({ state, held }) => state !== "gone" && held !== "").length;
    if (last) await forgetProvisioned(tx, { ...place, up_to: last.key_id });
    const names = await unknownKeysBehind(tx, { ...place, behind: "" }, FORGOTTEN);
    const lastName = names.at(-1)?.name;
    if (lastName !== undefined) await forgetUnknownUpTo(tx, { ...place, up_to: lastName });
    if (rows.length === FORGOTTEN || names.length === FORGOTTEN) {
      await updateGateway(tx, row, { state: isEnded ? "ending" : "paused" });
      return { done: false, left: there };
    }
    await forgetAllCanaryRuns(tx, place);
    await forgetMapReaders(tx, place);
    await deleteGateway(tx, { org_id, id });
    await forgetUnneededSecrets(tx, { org_id });
    await forgetNewKeys(tx, { org_id });
    const detail = { name: row.name, left: there };
    await recordChange(tx, actor, { action: "gateway.deleted", object_id: id, detail });
    return { done: true, left: there };
  },
);

/**
 * The result of removing: the number of keys left there so far, and whether all were ended there.
 */
interface RemovedGateway extends OfGateway {
  left: number;
  isEnded?: boolean;
}

/** Changes a gateway and records it; undefined: there is nothing to change. */
async function change(
  tx: Tx,
  { actor, id }: OfGateway,
  action: string,
  of: (row: GatewayRow) => Promise<
    | {
      change: Partial<GatewayChange>;
      /** In the place of the usual one. */
      action?: string;
      detail?: Readonly<Record<string, unknown>>;
    }
    | undefined
  >,
): Promise<{ id: string }> {
  const row = await lockGateway(tx, { org_id: actor.org_id, id });
  if (!row) throw new Failure("not_found");
  const wanted = await of(row);
  if (!wanted) return { id };
  await updateGateway(tx, row, wanted.change);
  const { action: said = action, detail } = wanted;
  await recordChange(tx, actor, { action: said, object_id: id, detail });
  return { id };
}
