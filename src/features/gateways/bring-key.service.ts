import {
  checksWithKeydesk,
  CLOSING,
  GONE_THERE,
  isOpenThere,
  OPENS_MORE,
} from "../../contract/gateway-states.ts";
import { broughtIn, closingOf, closingText, lastLookMs, missingText, opensFor } from "./closing.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { AGAIN_MS, type GatewayRow, type ProvisionedRow, SOON_MS, stateTextOf } from "./gateway.ts";
import { findGateway } from "./gateways.store.ts";
import { mapOf } from "./hashes/map-settings.ts";
import { readLate } from "./hashes/read-late.service.ts";
import { type Brought, type Kind, Stuck, Undone } from "./kind.ts";
import { type Plans, type Present, presentKey } from "./present-key.service.ts";
import { findProvisioned, keysWithReason } from "./provisioned-keys.store.ts";
import { type Settled, settleKey } from "./settle-key.transactions.ts";

/** A key that shows another state than it was brought to is brought there again so soon. */
const UNDONE_MS = 500;
/** After this many tries a person is notified that a key is not valid there; the tries go on. */
const TRIES = 5;
/** A stuck key may have been fixed at the gateway meanwhile. */
const STUCK_MS = 60_000;
/**
 * A key that is valid for more at the gateway is corrected after this, so that the number of such
 * keys is seen.
 */
const MORE_MS = 15_000;
/** Of more keys than this at once a person says whether they lose something. */
const AT_ONCE = 5;

/** Reasons that only a change in Keydesk can fix: they are not tried again automatically. */
const FINAL = ["secret_gone", "conditions", "damaged", "hashed_otherwise"];

/** The result of a turn, for the row. */
type What =
  & Pick<Settled, "state" | "reason" | "againMs" | "held">
  & Partial<Pick<Settled, "failed" | "isUrgent" | "isAnew">>
  & { readonly remote_id?: string };

/** A key, what is to stand at the gateway, and what was last brought there. */
interface Turn extends Present {
  readonly gateway: GatewayRow;
  readonly row: ProvisionedRow;
  /** How long ago the row came into its state. */
  readonly sinceMs: number;
}

/** A turn of a key at a gateway: brings it to what is wanted by now, or looks whether it is so. */
export async function bringKey(
  ctx: GatewayContext,
  gateway: GatewayRow,
  kind: Kind,
  row: ProvisionedRow,
  plans: Plans,
): Promise<void> {
  const { storage, clock } = ctx;
  const { org_id, gateway_id, key_id, wanted: seen } = row;
  if (row.object === "certificate") return await leaveCertificate(ctx, row);
  const present = await presentKey(ctx, gateway, row, plans);
  const { key, wanted } = present;
  // A key that got its own hash meanwhile has this row under that: it is not gone.
  if (wanted.is === "absent" && !await findProvisioned(storage.reader, row)) return;
  const remote_id = await kind.nameOf(key);
  const sinceMs = clock.now() - Date.parse(row.since);
  const what = await became(ctx, kind, { ...present, gateway, row, sinceMs });
  await storage.commit(settleKey, {
    org_id,
    gateway_id,
    key_id,
    seen,
    remote_id,
    failed: false,
    isUrgent: false,
    ...what,
    isClosed: wanted.is === "closed",
    now: clock.now(),
  });
}

/** A node of earlier code has it brought there: nothing is, and what is there stays. */
async function leaveCertificate(ctx: GatewayContext, row: ProvisionedRow): Promise<void> {
  const { org_id, gateway_id, key_id, wanted: seen, remote_id } = row;
  const gone = { state: "gone", reason: "", againMs: null, held: "" } as const;
  const quietly = { failed: false, isUrgent: false, isClosed: false };
  const what = { org_id, gateway_id, key_id, seen, remote_id, ...gone, ...quietly };
  await ctx.storage.commit(settleKey, { ...what, now: ctx.clock.now() });
}

async function became(ctx: GatewayContext, kind: Kind, turn: Turn): Promise<What> {
  const { row, key, wanted } = turn;
  const stateText = broughtIn(row.held);
  const isLook = row.done === row.wanted && stateText === stateTextOf(wanted);
  try {
    const differs = isLook ? await kind.compare(key, wanted) : "";
    if (isLook && differs === "") {
      return await readByProxies(ctx, turn, asItIs(turn), { isNew: false });
    }
    if (isLook && wanted.is === "open" && !await isPutRight(ctx, turn, differs)) {
      return differently(turn, differs);
    }
    const what = brought(turn, await kind.bring(key, wanted), isLook);
    return await readByProxies(ctx, turn, what, { isNew: true });
  } catch (error) {
    if (error instanceof Stuck) return stuck(turn, error);
    if (error instanceof Undone) return undone(turn, error);
    throw error;
  }
}

/**
 * Handles a key that was removed from a map: until the proxies have read the map without it they
 * may accept it. A proxy that checks with Keydesk does not go by a map.
 */
async function readByProxies(
  ctx: GatewayContext,
  turn: Turn,
  what: What,
  { isNew }: { isNew: boolean },
): Promise<What> {
  const { gateway, row, wanted, unfit, sinceMs } = turn;
  const map = mapOf(gateway);
  if (!map || wanted.is === "open" || checksWithKeydesk(gateway.kind, unfit)) return what;
  const [, , known] = CLOSING.exec(row.held) ?? [];
  const isLate = !isNew && known !== undefined && row.state === what.state;
  const { org_id, id } = gateway;
  const edition = isLate
    ? Number(known)
    : Number((await findGateway(ctx.storage.reader, { org_id, id }))?.edition ?? 0);
  const late = await readLate(ctx, gateway, map, {
    edition,
    stood: CLOSING.test(row.held) || row.held.startsWith('{"is":"open"'),
    endedMs: isLate ? sinceMs : 0,
  });
  if (!late) return what;
  const stateText = closingText(late.seconds, stateTextOf(wanted), edition);
  return {
    ...what,
    reason: unfit || late.reason,
    againMs: late.againMs ?? what.againMs,
    held: stateText,
  };
}

/** It was read as wanted. A revoked key is read until no memory there has it any more. */
function asItIs({ gateway, row, wanted, unfit, sinceMs }: Turn): What {
  const state = unfit !== "" ? "stuck" : wanted.is === "absent" ? "gone" : "delivered";
  const stateText = broughtIn(row.held);
  const outcome = { state, reason: unfit } as const;
  if (wanted.is === "open" || stateText === row.held || gateway.map) {
    return { ...outcome, againMs: null, held: stateText };
  }
  const endedMs = row.state === state ? sinceMs : 0;
  const restMs = lookMs(gateway, row) - endedMs;
  if (restMs <= 0) return { ...outcome, againMs: null, held: stateText };
  const nextMs = endedMs < AGAIN_MS ? Math.min(restMs, AGAIN_MS - endedMs) : restMs;
  return { ...outcome, againMs: nextMs, held: row.held };
}

/** A person changed it there: people decide what becomes of it. */
function differently(turn: Turn, differs: string): What {
  const { row } = turn;
  const diverged = { state: "diverged", reason: differs } as const;
  if (differs === GONE_THERE) return { ...diverged, ...lacking(turn, "diverged") };
  const isNew = row.state !== "diverged" || !row.reason.startsWith(OPENS_MORE);
  const againMs = differs.startsWith(OPENS_MORE) && isNew && isOurs(turn) ? MORE_MS : null;
  return { ...diverged, againMs, held: broughtIn(row.held) };
}

/**
 * Whether a key that opens more there than here is brought back to what it is here. One that was
 * only learned or imported goes by its gateway, until something of it is changed here.
 */
async function isPutRight(ctx: GatewayContext, turn: Turn, differs: string): Promise<boolean> {
  const { row: { org_id, gateway_id, state, reason } } = turn;
  if (!differs.startsWith(OPENS_MORE) || !isOurs(turn)) return false;
  if (state !== "diverged" || !reason.startsWith(OPENS_MORE)) return false;
  const place = { org_id, gateway_id, reason: OPENS_MORE };
  return (await keysWithReason(ctx.storage.reader, place, AT_ONCE + 1)).length <= AT_ONCE;
}

/** Whether a key was issued here, or was brought there since it was learned or imported. */
function isOurs({ isImported, row }: Turn): boolean {
  return !isImported || Number(row.done) > 1;
}

/** `isLook`: it had been so, and was undone. */
function brought({ gateway, wanted, unfit }: Turn, seen: Brought, isLook: boolean): What {
  const state = unfit !== "" ? "stuck" : wanted.is === "absent" ? "gone" : "delivered";
  const outcome = { state, reason: unfit, ...seen.name ? { remote_id: seen.name } : {} } as const;
  const stateText = stateTextOf(wanted);
  if (wanted.is === "open") return { ...outcome, againMs: null, held: stateText };
  if (gateway.kind !== "tyk") {
    return { ...outcome, againMs: AGAIN_MS, held: stateText, isAnew: isLook };
  }
  const { hasQuota = false } = seen;
  const terms = { hasQuota, isDeleted: wanted.is === "absent" };
  const seconds = opensFor(closingOf(gateway), terms);
  return { ...outcome, againMs: SOON_MS, held: closingText(seconds, stateText), isAnew: isLook };
}

function stuck(turn: Turn, error: Stuck): What {
  const { row, wanted } = turn;
  const isNothing = error.message === "unknown_there" && wanted.is === "absent" && row.done === 0;
  if (isNothing) return { state: "gone", reason: "", againMs: null, held: "" };
  const isFinal = FINAL.includes(error.message);
  const againMs = isFinal ? null : stuckMs(error.message, row.tries);
  const outcome = { state: "stuck", reason: error.message, failed: true } as const;
  if (!error.isMissing || row.held === "") return { ...outcome, againMs, held: row.held };
  const lack = lacking(turn, "stuck");
  return { ...outcome, againMs: lack.againMs ?? againMs, held: lack.held };
}

function undone({ row, wanted }: Turn, error: Undone): What {
  const outcome = { reason: error.message, failed: true } as const;
  if (wanted.is === "open") {
    const isStuck = row.tries + 1 >= TRIES;
    const againMs = isStuck ? STUCK_MS : UNDONE_MS;
    return { ...outcome, state: isStuck ? "stuck" : "waiting", againMs, held: row.held };
  }
  // It is there and opens, whatever was read before.
  const againMs = row.tries + 1 >= TRIES ? AGAIN_MS : UNDONE_MS;
  const stateText = row.held === "" ? "" : closingText(null, row.held);
  return { ...outcome, state: "waiting", againMs, held: stateText, isUrgent: true };
}

/**
 * Of a key that was to open there, and is not there: until no memory can have it any more it may
 * still open. `state`: what it comes into.
 */
function lacking(
  { gateway, row, sinceMs }: Turn,
  state: ProvisionedRow["state"],
): Pick<What, "againMs" | "held"> {
  const isOpen = isOpenThere(row);
  if (!isOpen || gateway.kind !== "tyk") {
    return { againMs: null, held: missingText(row.held) };
  }
  const facts = closingOf(gateway);
  const seconds = opensFor(facts, { hasQuota: true, isDeleted: true });
  const restMs = lastLookMs(facts, seconds) - (row.state === state ? sinceMs : 0);
  return restMs > 0
    ? { againMs: restMs, held: closingText(seconds, row.held) }
    : { againMs: null, held: missingText(row.held) };
}

/** So long after its end it is read for the last time. */
function lookMs(gateway: GatewayRow, { held: stateText }: ProvisionedRow): number {
  const [, seconds] = CLOSING.exec(stateText) ?? [];
  return lastLookMs(closingOf(gateway), seconds === "?" ? null : Number(seconds));
}

/** Without its Redis very many keys may be stuck: they are tried less and less often. */
function stuckMs(reason: string, tries: number): number {
  const isOfMany = /^(redis_|another_redis)/.test(reason);
  return isOfMany ? STUCK_MS * 2 ** Math.min(tries, 4) : STUCK_MS;
}
