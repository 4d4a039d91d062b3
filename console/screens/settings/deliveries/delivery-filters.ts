import type { z } from "zod";
import type { deliveryQuery } from "../../../../src/features/notifications/deliveries.contract.ts";
import { LATE_MS } from "../../../parts/delivery-words.tsx";
import { limitOf } from "../../../parts/use-list.ts";

/** The filters of the list, as they are in the address. */
export const filterNames = ["state", "channel", "topic", "object", "within"] as const;

/** Their values. */
export type Filters = Readonly<Record<typeof filterNames[number], string>>;

/** The tabs, in the order of the keys 1 to 5. */
export const tabs = [
  { value: "all", text: "All" },
  { value: "waiting", text: "Waiting" },
  { value: "late", text: "Late" },
  { value: "dead", text: "Failed deliveries" },
  { value: "delivered", text: "Delivered" },
] as const;

/** One of them. */
export type Tab = typeof tabs[number]["value"];

/** The tab of the address. */
export function tabOf({ state }: Filters): Tab {
  return tabs.find(({ value }) => value === state)?.value ?? "all";
}

/** Spans of time to choose from. */
export const spans: readonly { value: string; text: string; days?: number }[] = [
  { value: "", text: "Any time" },
  { value: "1d", text: "Last 24 hours", days: 1 },
  { value: "7d", text: "Last 7 days", days: 7 },
  { value: "30d", text: "Last 30 days", days: 30 },
];

const DAY_MS = 86_400_000;

type Query = { [Name in keyof z.input<typeof deliveryQuery>]?: string | number | undefined };

/** The query of one page, as it is `now`. */
export function queryOf(
  filters: Filters,
  cursor: string | undefined,
  now: number,
): Query {
  const { channel, topic, object, within } = filters;
  const tab = tabOf(filters);
  const days = spans.find(({ value }) => value === within)?.days;
  const late = now - LATE_MS;
  const after = Math.max(
    days === undefined ? 0 : now - days * DAY_MS,
    tab === "waiting" ? late : 0,
  );
  return {
    limit: limitOf(cursor),
    cursor,
    state: tab === "all" ? undefined : tab === "late" ? "waiting" : tab,
    channel_id: channel || undefined,
    topic: topic || undefined,
    object_id: object || undefined,
    after: after === 0 ? undefined : new Date(after).toISOString(),
    before: tab === "late" ? new Date(late).toISOString() : undefined,
  };
}

/** Whether anything but the tab narrows the list. */
export function isNarrowed({ channel, topic, object, within }: Filters): boolean {
  return channel + topic + object + within !== "";
}
