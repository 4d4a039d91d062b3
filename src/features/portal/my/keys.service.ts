import type { z } from "zod";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { walk } from "../../../kernel/walk.ts";
import { LATE_MS } from "../../../contract/gateway-states.ts";
import { KeyData } from "../../verification/key-data/key-data.service.ts";
import { parseHead } from "../../key-requests/stored-request.ts";
import { type AtGateways, keysAtGateways } from "../../keys/at-gateways.ts";
import { conditionsIn } from "../../keys/key-conditions.ts";
import { endingPlans, endInstead } from "../../keys/granted-end.transactions.ts";
import { labelsOf } from "../../keys/key-labels.ts";
import {
  anyState,
  findKey,
  type KeyRow,
  keySources,
  type ListedKey,
} from "../../keys/key-list.store.ts";
import { stateOf } from "../../keys/key.ts";
import { ownSuspensionsOf } from "../../keys/own-suspensions.store.ts";
import { deniedKeys, plansOf } from "../../keys/show-key.ts";
import { ownWarning } from "../../hygiene/unused/own-warning.ts";
import { DAY_HOURS, dayOf, HOUR_MS } from "../../verification/usage/usage.ts";
import { callsOfKeys } from "../../verification/usage/key-calls.store.ts";
import type { listMyKeysQuery, myKey, myKeyDetail, myKeyList } from "./keys.contract.ts";
import { type MyContext, ownerOf, theirsOf } from "./own.ts";
import { keysReplacedBy, laterEndsAsked, waitingKeys } from "./own-standing.store.ts";
import { lapsedOneTimeLinksOfKey } from "./open-one-time-links.store.ts";
import { planNamer } from "./plan-names.ts";
import { usage } from "../../verification/usage/usage.service.ts";
import { list as listDeniedCalls } from "../../verification/denied-calls/denied-calls.service.ts";

/** A key as its holder reads it. */
export type MyKey = z.output<typeof myKey>;
type Quota = NonNullable<MyKey["quota"]>;
type Query = z.output<NonNullable<typeof listMyKeysQuery>>;

/** How many days of calls are listed. */
const DAYS = 30;
const DAY_MS = DAY_HOURS * HOUR_MS;
/** Days by which the pace goes. */
const PACE_DAYS = 7;

/** A page of the caller's keys, newest first. Throws `invalid_input` for a foreign cursor. */
export async function list(
  ctx: MyContext,
  query: Query,
): Promise<z.output<typeof myKeyList>> {
  const { storage: { reader }, clock } = ctx;
  const { org_id, developer_id } = ownerOf(ctx);
  const theirs = await theirsOf(ctx);
  const now = toTimestamp(clock.now());
  const { rows, next_cursor } = await walk<ListedKey>({
    order: "my keys",
    first: { sort: "~", id: "" },
    sources: keySources(reader, org_id, {
      by: "developer",
      developer_id,
      states: statesFor(query.state),
    }),
    wanted: (row) => theirs.isKey(row.key_id) && isIn(row, query.state, now),
  }, query);
  return { data: await serializeAll(ctx, rows), next_cursor };
}

/**
 * One of the caller's keys, with its use. The first use is visible at once, later ones within
 * seconds. Throws `not_found`, for another's too.
 */
export async function get(ctx: MyContext, id: string): Promise<z.output<typeof myKeyDetail>> {
  const known = await own(ctx, id);
  // A developer who waits for the first call looks again and again.
  if (known.last_used_at === null) await ctx.verifier.writeUses();
  const row = known.last_used_at === null ? await own(ctx, id) : known;
  const key = await serialize(ctx, row);
  const owner = ownerOf(ctx);
  const use = await useOf(ctx, id, DAYS);
  const replaced = await keysReplacedBy(ctx.storage.reader, { ...owner, replaced_by: id });
  const now = toTimestamp(ctx.clock.now());
  const denied = await deniedKeys(ctx, replaced, now);
  return {
    ...key,
    quota: key.quota && {
      ...key.quota,
      ...paceOf(key.quota, row, use, ctx.clock.now()),
      used_up_at: key.quota.left > 0 ? null : await new KeyData(ctx).quotaUsedUpAt(row),
    },
    expires_at_if_rotated: await endIfRotated(ctx, row),
    replaces: replaced.filter((old) => stateOf(old, now) === "active" && denied(old) === null)
      .map(({ key_id, mask, expires_at, last_used_at }) => ({
        id: key_id,
        mask,
        expires_at: expires_at,
        last_used_at,
      })),
    waited_until: await waitedUntil(ctx, key),
    later_end: await laterEndOf(ctx, id),
    unused_warning: await ownWarning(
      ctx.storage.reader,
      { org_id: owner.org_id, key_id: id },
      ctx.clock.now(),
    ),
    use,
    denied_calls: await ownDeniedCalls(ctx, id),
  };
}

async function endIfRotated(ctx: MyContext, row: KeyRow) {
  const { storage: { reader }, clock, principal: { org_id } } = ctx;
  const { developer_id } = row;
  const plans = await endingPlans(reader, org_id, plansOf(row));
  return await endInstead(reader, { org_id, developer_id, plans, now: clock.now() }, row);
}

async function waitedUntil(ctx: MyContext, { id: key_id, state, replaced_by }: MyKey) {
  if (state !== "active" || replaced_by !== null) return null;
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const now = toTimestamp(clock.now());
  return (await lapsedOneTimeLinksOfKey(reader, { org_id, key_id, now })).at(-1)?.expires_at ??
    null;
}

async function laterEndOf(ctx: MyContext, key_id: string) {
  const asked = await laterEndsAsked(ctx.storage.reader, { ...ownerOf(ctx) });
  const found = asked.find((row) => parseHead(row).key === key_id);
  return found?.asked_end ? { request_id: found.id, until: found.asked_end } : null;
}

/** The caller's key of this id. Throws `not_found`. */
export async function own(ctx: MyContext, key_id: string): Promise<KeyRow> {
  const { org_id, developer_id } = ownerOf(ctx);
  const row = await findKey(ctx.storage.reader, { org_id, key_id });
  if (row?.developer_id !== developer_id || !(await theirsOf(ctx)).isKey(key_id)) {
    throw new Failure("not_found");
  }
  return row;
}

function statesFor(state: Query["state"]) {
  switch (state) {
    case "active":
    case "suspended":
    case "revoked":
      return [state];
    case "expired":
      return ["active", "suspended"] as const;
    case "over":
    case undefined:
      return anyState;
  }
}

function isIn(row: KeyRow, wanted: Query["state"], now: string): boolean {
  const state = stateOf(row, now);
  if (wanted === "over") return state === "expired" || state === "revoked";
  return wanted === undefined || state === wanted;
}

/** A key as its holder reads it. */
export async function serialize(ctx: MyContext, row: KeyRow): Promise<MyKey> {
  const [view] = await serializeAll(ctx, [row]);
  if (!view) throw new Failure("not_found");
  return view;
}

async function serializeAll(ctx: MyContext, rows: readonly KeyRow[]): Promise<MyKey[]> {
  if (rows.length === 0) return [];
  const { storage: { reader }, clock } = ctx;
  const owner = ownerOf(ctx);
  const now = toTimestamp(clock.now());
  const namesOf = await planNamer(ctx, rows.map(plansOf));
  const waiting = await waitingKeys(reader, owner, now);
  const suspended = new Set(await ownSuspensionsOf(reader, { ...owner }));
  const quotas = await quotasOf(ctx, rows.filter((row) => isLive(row, now)));
  const today = dayOf(Math.floor(clock.now() / HOUR_MS));
  const from = today - (DAYS - 1) * DAY_HOURS;
  const calls = await callsOfKeys(reader, owner.org_id, rows.map(({ key_id }) => key_id), from);
  const active = rows.filter((row) => stateOf(row, now) === "active");
  const there = await keysAtGateways(ctx, owner.org_id, active);
  const denied = await deniedKeys(ctx, rows, now);
  return rows.map((row) => {
    const { name, environment } = labelsOf(row);
    return {
      id: row.key_id,
      mask: row.mask,
      name,
      environment,
      kind: row.kind,
      state: stateOf(row, now),
      denied: denied(row),
      plans: namesOf(plansOf(row)),
      request_id: row.request_id === "" ? null : row.request_id,
      date_created: row.issued_at,
      expires_at: row.expires_at,
      state_changed_at: row.state_changed_at,
      suspended_by: row.state !== "suspended"
        ? null
        : suspended.has(row.key_id)
        ? "me" as const
        : "others" as const,
      last_used_at: row.last_used_at,
      replaced_by: row.replaced_by,
      waits_until: waiting.get(row.key_id) ?? null,
      quota: quotas.get(row.key_id) ?? null,
      conditions: conditionsIn(row.conditions),
      on_its_way: onItsWay(there.get(row.key_id), clock.now()),
      calls_30_days: calls.get(row.key_id) ?? 0,
    };
  });
}

/**
 * At which gateways a key is not valid yet; null: it is valid everywhere, or this is not published.
 */
function onItsWay(at: AtGateways | undefined, now: number): MyKey["on_its_way"] {
  const missing = at?.problems.filter(({ valid }) => !valid) ?? [];
  if (!at || missing.length === 0) return null;
  const late = missing.some(({ since }) => now - Date.parse(since) > LATE_MS);
  return { valid_at: at.gateways - missing.length, of: at.gateways, late };
}

function isLive(row: KeyRow, now: string): boolean {
  const state = stateOf(row, now);
  return state === "active" || state === "suspended";
}

/** The remaining quotas of the keys; keys without one are left out. */
async function quotasOf(ctx: MyContext, rows: readonly KeyRow[]): Promise<Map<string, Quota>> {
  const quotas = new Map<string, Quota>();
  for await (const { key_id, data } of new KeyData(ctx).of(rows)) {
    const { quota_max, quota_remaining, quota_renews } = data;
    if (quota_max < 0) continue;
    quotas.set(key_id, {
      limit: quota_max,
      left: quota_remaining,
      renews_at: quota_renews === 0 ? null : toTimestamp(quota_renews * 1000),
    });
  }
  return quotas;
}

/** How fast the quota is used up, and whether what is left lasts at that pace. */
function paceOf(quota: Quota, row: KeyRow, { days }: KeyUse, now: number) {
  const since = toTimestamp(now - (PACE_DAYS - 1) * DAY_MS).slice(0, 10);
  const passed = days.filter(({ day }) => day >= since).reduce((sum, day) => sum + day.passed, 0);
  const age = Math.ceil((now - Date.parse(row.issued_at)) / DAY_MS);
  const per_day = Math.round(passed / Math.min(PACE_DAYS, Math.max(1, age)) * 10) / 10;
  const { limit, left, renews_at } = quota;
  const daysLeft = renews_at === null ? null : (Date.parse(renews_at) - now) / DAY_MS;
  return {
    used: limit - left,
    per_day,
    is_enough: daysLeft === null ? null : left >= per_day * daysLeft,
  };
}

/** How often a key was used. */
type KeyUse = z.output<typeof myKeyDetail>["use"];

/** How often a key was used on each of the last `days`, or of as many as counts are kept for. */
async function useOf(ctx: MyContext, key: string, days: number): Promise<KeyUse> {
  const today = dayOf(Math.floor(ctx.clock.now() / HOUR_MS));
  const longest = Math.min(days, ctx.settings.usageLife.day);
  const from = toTimestamp((today - (longest - 1) * DAY_HOURS) * HOUR_MS).slice(0, 10);
  const { data, total, to } = await usage(ctx, { key, by: "day", from });
  return {
    from,
    to,
    days: data.map((slot) => ({ day: slot.at.slice(0, 10), ...countsOf(slot) })),
    total: countsOf(total),
  };
}

function countsOf({ hits, success, refused }: Pick<Slot, "hits" | "success" | "refused">) {
  return {
    calls: hits,
    passed: success,
    refused_401: refused[401],
    refused_403: refused[403],
    refused_429: refused[429],
  };
}

type Slot = Awaited<ReturnType<typeof usage>>["data"][number];

/** Denied calls that a holder sees. */
const MOST = 10;

type DeniedCalls = z.output<typeof myKeyDetail>["denied_calls"];

/**
 * The newest calls of a key of the caller's that were refused, as its holder reads them: nothing of
 * gateways and addresses, nor of a time when the key was another's.
 */
async function ownDeniedCalls(ctx: MyContext, key: string): Promise<DeniedCalls> {
  const { developer_id: developer } = ownerOf(ctx);
  const { data } = await listDeniedCalls(ctx, { key, developer, limit: MOST });
  return data.flatMap((
    { at, reason, status, api_id, limit, per_seconds, retry_after, valid_for },
  ) =>
    // An unknown key belongs to no developer.
    reason === "unknown"
      ? []
      : [{ at, reason, status, api_id, limit, per_seconds, retry_after, valid_for }]
  );
}
