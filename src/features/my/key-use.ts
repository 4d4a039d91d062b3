import type { z } from "zod";
import { toTimestamp } from "../../kernel/clock.ts";
import { usage } from "../usage/usage.service.ts";
import { DAY_HOURS, dayOf, HOUR_MS } from "../usage/usage.ts";
import type { myKeyDetail } from "./keys.contract.ts";
import type { MyContext } from "./own.ts";

/** How often a key was used. */
export type KeyUse = z.output<typeof myKeyDetail>["use"];

/** How often a key was used on each of the last `days`, or of as many as counts are kept for. */
export async function useOf(ctx: MyContext, key: string, days: number): Promise<KeyUse> {
  const today = dayOf(Math.floor(ctx.clock.now() / HOUR_MS));
  const told = Math.min(days, ctx.settings.usageLife.day);
  const from = toTimestamp((today - (told - 1) * DAY_HOURS) * HOUR_MS).slice(0, 10);
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
