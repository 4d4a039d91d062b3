import type { z } from "zod";
import type { RequestContext } from "../context.ts";
import { PAGE_LIMIT } from "../contract/native.ts";
import type { Page } from "../contract/paging.ts";
import { toTimestamp } from "../lib/clock.ts";
import { readCursor, writeCursor } from "../lib/cursor.ts";
import { TextStream } from "../lib/json-text.ts";
import { parseTimestamp } from "../lib/timestamps.ts";
import type { activityEvent, activityFilters, activityQuery } from "./activity.contract.ts";
import { type EventFilter, type EventRow, eventsBelow } from "./activity.store.ts";

type Event = z.output<typeof activityEvent>;
type Filters = z.output<typeof activityFilters>;

/** Names the list in its cursors. */
const ORDER = "activity";
/** Above every id. */
const NEWEST = "~";
/** Statements that a page may cost; each looks at a bounded number of events. */
const STEPS = 4;

/** A page of the trail. Throws `invalid_input` for a cursor of another list. */
export async function list(
  ctx: RequestContext,
  query: z.output<typeof activityQuery>,
): Promise<Page<Event>> {
  const { limit = PAGE_LIMIT, cursor, ...filters } = query;
  const filter = filterOf(ctx, filters);
  let place: string | null = cursor === undefined ? filter.highest : readCursor(cursor, ORDER).id;
  const data: Event[] = [];
  for (let step = 0; step < STEPS && place !== null; step++) {
    const { rows, next } = await eventsBelow(ctx.storage.reader, filter, place);
    data.push(...rows.map(show));
    place = next;
    if (data.length > limit) {
      data.length = limit;
      place = data.at(-1)?.id ?? null;
      break;
    }
  }
  return { data, next_cursor: place === null ? null : writeCursor(ORDER, { sort: "", id: place }) };
}

/** The whole trail, one event a line; each piece is read when the client has taken the one before. */
export function exportEvents(ctx: RequestContext, filters: Filters): TextStream {
  return new TextStream(lines(ctx, filterOf(ctx, filters)), "application/jsonl", "activity.jsonl");
}

async function* lines(ctx: RequestContext, filter: EventFilter) {
  for (let place: string | null = filter.highest; place !== null;) {
    const { rows, next } = await eventsBelow(ctx.storage.reader, filter, place);
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(show(row))}\n`).join("");
    place = next;
  }
}

function show({ detail, actor_name, ...row }: EventRow): Event {
  const { id, at, actor, ...rest } = row;
  // as: recordAudit wrote an object.
  const parsed = JSON.parse(detail) as Record<string, unknown>;
  return { id, at, actor, actor_name: actor_name ?? actor, ...rest, detail: parsed };
}

function filterOf({ principal }: RequestContext, filters: Filters): EventFilter {
  const after = filters.after === undefined ? 0 : wholeMs(filters.after);
  return {
    org_id: principal.org_id,
    actor: filters.actor ?? "",
    object: filters.object ?? "",
    object_id: filters.object_id ?? "",
    action: filters.action ?? "",
    after: filters.after === undefined ? "" : toTimestamp(after),
    before: filters.before === undefined ? "~" : toTimestamp(wholeMs(filters.before)),
    lowest: hexSecond(after),
    highest: filters.before === undefined ? NEWEST : hexSecond(wholeMs(filters.before) + 1000),
  };
}

/** The first whole millisecond that is not before a time. */
function wholeMs(time: string): number {
  const { instant = "" } = parseTimestamp(time) ?? {};
  const ms = Date.parse(`${instant.slice(0, 23)}Z`);
  return instant.slice(23) === "000000Z" ? ms : ms + 1;
}

/** The first characters of an id that was made in the second of `ms`. */
function hexSecond(ms: number): string {
  const second = Math.min(Math.max(Math.floor(ms / 1000), 0), 0xffffffff);
  return second.toString(16).padStart(8, "0");
}
