import type { z } from "zod";
import type { getKeyActivity } from "../../src/features/verification/usage/activity-keys.operations.ts";
import type { getUsage } from "../../src/features/verification/usage/v1.operations.ts";
import { statement } from "../../src/storage/statement.ts";
import type { TestDesk } from "./desk.ts";
import { call } from "./keys.ts";
import type { Asked } from "./verification.ts";

/** What `/v1` tells of use. */
export type Usage = z.output<typeof getUsage.response>;
/** What the older one tells. */
export type Activity = z.output<typeof getKeyActivity.response>;

/** Writes what an application has counted, as it does by itself after some seconds. */
export async function written({ app }: Asked): Promise<void> {
  await app.ctx.verifier.writeUsage();
}

/** Use as `/v1` tells it; `query` without its question mark. */
export function usageOf(desk: TestDesk, query = "", credential?: string): Promise<Usage> {
  return call(desk, "GET", `/v1/usage?${query}`, undefined, credential ? { credential } : {});
}

/** Calls, those let in and those refused, of a query. */
export async function countsOf(desk: TestDesk, query = ""): Promise<[number, number, number]> {
  const { total } = await usageOf(desk, query);
  return [total.hits, total.success, total.error];
}

/** Use as the older interface tells it; `path` below `/api/activity/keys/`. */
export function activityOf(desk: TestDesk, path: string, credential?: string): Promise<Activity> {
  const init = credential ? { credential } : {};
  return call(desk, "GET", `/api/activity/keys/${path}`, undefined, init);
}

const hoursSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("usage_hours").selectAll().orderBy("kind").orderBy("object_id").orderBy("begins")
);
const daysSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("usage_days").selectAll().orderBy("kind").orderBy("object_id").orderBy("begins")
);

/** Every row of counts by hour and by day. */
export async function storedUsage({ app }: Asked) {
  const { reader } = app.ctx.storage;
  return { hours: await reader.rows(hoursSql, {}), days: await reader.rows(daysSql, {}) };
}
