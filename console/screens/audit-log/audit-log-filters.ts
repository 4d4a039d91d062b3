import { spanOf } from "../../parts/time-filter.tsx";
import { say } from "../../said.ts";

/** The filters of the audit log. The address has them under these names. */
export const filterNames = [
  "q",
  "kind",
  "actor",
  "object",
  "action",
  "object_id",
  "token_id",
  "session",
  "temporary_access",
  "request_id",
  "client_address",
  "time",
  "from",
  "to",
] as const;

/** All of them; "" where nothing narrows. */
export type Filters = Readonly<Record<typeof filterNames[number], string>>;

/** Nothing narrows. */
// as: each name is one of them.
export const noFilters = Object.fromEntries(filterNames.map((name) => [name, ""])) as Filters;

/** Filters to one thing, and their words. */
export const single = {
  object_id: "One thing alone",
  token_id: "One access token",
  session: "One session",
  temporary_access: "One temporary access",
  request_id: "One call",
  client_address: "One address",
} as const;

/**
 * The query that the server understands. Days are those of whoever looks, the last one included.
 */
export function queryOf(filters: Filters, now: number): Record<string, string> {
  const { time: _, from: __, to: ___, ...others } = filters;
  const query = { ...others, ...spanOf(filters, now) };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}

/** One of the last seven days, and what it is called. */
export interface DayChoice {
  readonly day: string;
  readonly name: string;
  /** The words for narrow screens. */
  readonly short: string;
}

/** The last seven days of whoever looks, today first; one click each. */
export function lastDays(now: number): DayChoice[] {
  const today = new Date(now);
  return Array.from({ length: 7 }, (_, back) => {
    const at = new Date(today.getFullYear(), today.getMonth(), today.getDate() - back);
    const name = DAYS[at.getDay()] ?? "";
    const month = String(at.getMonth() + 1).padStart(2, "0");
    const day = `${at.getFullYear()}-${month}-${String(at.getDate()).padStart(2, "0")}`;
    if (back === 0) return { day, name: "Today", short: "Today" };
    return { day, name: back === 1 ? "Yesterday" : say`Last ${name}`, short: name.slice(0, 3) };
  });
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** True when anything narrows. */
export function isNarrowed(filters: Filters): boolean {
  return Object.keys(queryOf(filters, 0)).length > 0;
}
