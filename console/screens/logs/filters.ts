import { spanOf, type TimeChoice } from "../../parts/time-filter.tsx";
import { reasonTitles } from "../../parts/denied-calls/reason-titles.ts";
import { type Reason } from "../../parts/denied-calls/words.ts";

/** The filters of the list, as they are in the address. */
export const filterNames = [
  "reason",
  "key",
  "plan",
  "api",
  "developer",
  "gateway",
  "time",
  "from",
  "to",
] as const;

/** All of them; "" where nothing narrows. */
export type Filters = Readonly<Record<typeof filterNames[number], string>>;

/** Nothing narrows. */
// as: each name is one of them.
export const noFilters = Object.fromEntries(filterNames.map((name) => [name, ""])) as Filters;

/** The reasons of single denied calls, in the order of looking. */
export const reasons = Object.keys(reasonTitles)
  // as: the titles' names are the reasons, and one that is no verdict.
  .filter((one) => one !== "unsure") as Reason[];

/** The query that the list is asked with. */
export function queryOf(filters: Filters, now: number): Record<string, string> {
  const { time: _, from: __, to: ___, ...others } = filters;
  return known({ ...others, ...spanOf(filters, now) });
}

/** True when anything narrows. */
export function isNarrowed(filters: Filters): boolean {
  return Object.keys(queryOf(filters, 0)).length > 0;
}

/** The query of the bars, and the filters that they do not have. */
export interface Counted {
  readonly query: Record<string, string>;
  /** In words; empty: they count what the list shows, and what was let in. */
  readonly beyond: readonly string[];
}

/**
 * The query of usage: the list's filters as far as it has them, by hours or days. Without a time it
 * is the last 24 hours. `isScoped`: keys and plans alone.
 */
export function countedOf(filters: Filters, now: number, isScoped: boolean): Counted {
  const { key, plan, developer, api, gateway } = filters;
  const days = daysOf(filters, now);
  if (key) {
    return { query: known({ key, plan, api, ...days }), beyond: gateway ? ["gateways"] : [] };
  }
  if (isScoped && !plan) {
    const rest = known({ developers: developer, APIs: api, gateways: gateway });
    return { query: known(days), beyond: Object.keys(rest) };
  }
  const [query, rest] = developer && !isScoped
    ? [{ developer }, { plans: plan, APIs: api, gateways: gateway }]
    : plan
    ? [{ plan }, { developers: developer, APIs: api, gateways: gateway }]
    : api && !gateway
    ? [{ api }, {}]
    : [{ gateway: gateway || "all", api }, {}];
  return { query: known({ ...query, ...days }), beyond: Object.keys(known(rest)) };
}

function daysOf(choice: TimeChoice, now: number): Record<string, string> {
  const { time, from, to } = choice;
  if (time === "between") return { from, to, by: from !== "" && from === to ? "hour" : "day" };
  return { last: spanOf(choice, now).after === "" ? "day" : time };
}

function known(query: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}
