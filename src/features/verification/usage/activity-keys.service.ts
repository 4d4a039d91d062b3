import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import type { keyActivities, keyActivity, resolutions } from "./activity-keys.contract.ts";
import { seenAmong } from "../../keys/within-scope.service.ts";
import { hourOfDay, spanOf, wrong } from "./usage-span.ts";
import { summedSlots } from "./summed-slots.ts";
import type { UsageSlot } from "./usage.store.ts";
import { HOUR_MS, totals } from "./usage.ts";

/** Days as they are in a path, which may be anything. */
interface PathDays {
  readonly from_day: string;
  readonly from_month: string;
  readonly from_year: string;
  readonly to_day: string;
  readonly to_month: string;
  readonly to_year: string;
}

type Query = { res: typeof resolutions[number]; p?: number | undefined };
type Activity = z.output<typeof keyActivities>;

/** Keys of one call. */
const MOST_KEYS = 1000;

/**
 * The calls of these keys together, each named by its id, or by the key itself, which goes no
 * further than its hash. A key that no one knows, one outside of the caller's scope, and another
 * organisation's, was never used. Throws `invalid_input` for more than 1,000 keys, for days that
 * there are not, and for more of them than counts are kept.
 */
export async function keysActivity(
  ctx: RequestContext,
  named: readonly string[],
  days: PathDays,
  query: Query,
): Promise<Activity> {
  const all = [...new Set(named.filter((one) => one !== "").map(keyIdOf))];
  if (all.length > MOST_KEYS) throw wrong(`expected ${MOST_KEYS} keys at most`);
  const from = hourOfDay(days.from_year, days.from_month, days.from_day);
  const to = hourOfDay(days.to_year, days.to_month, days.to_day);
  if (from === undefined || to === undefined) throw wrong("expected days such as 31/1/2026");
  const by = query.res === "hour" ? "hour" : "day";
  const span = spanOf(from, to, by, ctx.settings.usageLife);
  const ids = await seenAmong(ctx, all);
  const slots = await summedSlots(
    ctx.storage.reader,
    {
      table: by === "hour" ? "usage_hours" : "usage_days",
      org_id: ctx.principal.org_id,
      kind: "key",
      plan_id: "",
      api_id: "",
      ...span,
    },
    ids,
    (slot) => nameOf(slot, query.res),
  );
  return paged(slots, query, ctx.settings);
}

/** Slots of equal names are one row. */
function nameOf({ begins }: UsageSlot, res: Query["res"]): string {
  return res === "month" ? new Date(begins * HOUR_MS).toISOString().slice(0, 7) : String(begins);
}

function paged(
  slots: readonly UsageSlot[],
  { res, p = 0 }: Query,
  { pageSize }: RequestContext["settings"],
): Activity {
  const isAll = p < 1;
  const view = isAll ? slots : slots.slice((p - 1) * pageSize, p * pageSize);
  const pages = isAll ? Math.min(slots.length, 1) : Math.ceil(slots.length / pageSize);
  return { data: view.map((slot) => serialize(slot, res)), pages };
}

function serialize(slot: UsageSlot, res: Query["res"]): z.output<typeof keyActivity> {
  const at = new Date(slot.begins * HOUR_MS);
  return {
    id: {
      day: res === "month" ? 0 : at.getUTCDate(),
      month: at.getUTCMonth() + 1,
      year: at.getUTCFullYear(),
      hour: res === "hour" ? at.getUTCHours() : 0,
      code: codeOf(slot),
    },
    ...totals(slot),
    last_hit: slot.last_hit,
  };
}

/** One row has one code: 200 where a call was let in, else what most calls were refused with. */
function codeOf(slot: UsageSlot): number {
  if (slot.success > 0) return 200;
  const codes = [401, 403, 429] as const;
  return codes.reduce((most, code) => slot[`error_${code}`] > slot[`error_${most}`] ? code : most);
}

/** A text in another form than a key id is a plain key. */
function keyIdOf(named: string): string {
  return /^[0-9a-f]{64}$/.test(named) ? named : sha256(named);
}
