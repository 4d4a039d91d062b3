import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { recordExport } from "../../calls/record-export.ts";
import type { EventNames } from "../../changes/event-names.ts";
import { actorTypeOf } from "../../contract/actor-types.ts";
import type { Page } from "../../contract/paging.ts";
import { Answer, fileHeaders, type Pieces } from "../../kernel/answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import { type Source, walk } from "../../kernel/walk.ts";
import { planIdsOf } from "../plans/plan-ids.store.ts";
import type { activityEvent, activityFilters, activityQuery } from "./activity.contract.ts";
import { liveNames } from "./live-names.ts";
import { eventDetailOf } from "./event-detail.ts";
import { type EventFilter, type EventRow, eventsBelow, LOOKED_AT } from "./activity.store.ts";

type Event = z.output<typeof activityEvent>;
type Filters = z.output<typeof activityFilters>;

/** Above every id. */
const NEWEST = "~";
/** Events that a page looks at, at the most: four statements that look at all that one may. */
const MOST_LOOKED = 4 * LOOKED_AT;

/** A page of the trail. Throws `invalid_input` for a cursor of another list. */
export async function list(
  ctx: RequestContext,
  { limit, cursor, ...filters }: z.output<typeof activityQuery>,
): Promise<Page<Event>> {
  const filter = await filterOf(ctx, filters);
  const placeOf = (id: string) => ({ sort: "", id });
  const events: Source<EventRow> = async ({ id: below }) => {
    const { rows, next, looked } = await eventsBelow(ctx.storage.reader, filter, below);
    const placed = rows.map((row) => ({ place: placeOf(row.id), row }));
    return { rows: placed, next: next === null ? null : placeOf(next), looked };
  };
  const { rows, next_cursor } = await walk({
    order: "activity",
    first: placeOf(filter.highest),
    sources: [events],
    mostLooked: MOST_LOOKED,
  }, { limit, cursor });
  const live = await liveNames(ctx.storage.reader, ctx.principal.org_id, rows);
  return { data: rows.map((row) => show(row, live(row))), next_cursor };
}

/** The whole trail, one event a line; each piece is read when the client has taken the last. */
export async function exportEvents(
  ctx: RequestContext,
  filters: Filters,
): Promise<Answer<Pieces>> {
  const { after, before, ...typed } = filters;
  const filter = await filterOf(ctx, filters);
  await recordExport(ctx, "activity", { told: { after, before }, typed });
  return new Answer(
    lines(ctx, filter),
    fileHeaders("application/jsonl", "activity.jsonl"),
  );
}

async function* lines(ctx: RequestContext, filter: EventFilter) {
  const { storage: { reader } } = ctx;
  for (let place: string | null = filter.highest; place !== null;) {
    const { rows, next } = await eventsBelow(reader, filter, place);
    const live = await liveNames(reader, filter.org_id, rows);
    if (rows.length > 0) {
      yield rows.map((row) => `${JSON.stringify(show(row, live(row)))}\n`).join("");
    }
    place = next;
  }
}

/** The event as people read it; `live` names what it kept no name of. */
function show(row: EventRow, live: EventNames = {}): Event {
  const { id, at, actor, actor_name, action, object, object_id } = row;
  const { token_id, token_name, session, request_id, caller_request_id, client_address } = row;
  const { detail, names: kept } = eventDetailOf(row);
  // What was erased must not come back.
  const names = row.erased === "{}" ? { ...live, ...kept } : kept;
  return {
    id,
    at,
    actor,
    actor_type: actorTypeOf(actor),
    actor_name: actor_name ?? actor,
    action,
    object,
    object_id,
    object_name: names.object ?? "",
    developer_name: names.developer ?? names.email ?? "",
    plan_name: names.plan ?? "",
    detail,
    token_id,
    token_name: token_name ?? "",
    session,
    request_id,
    caller_request_id,
    client_address,
  };
}

async function filterOf(ctx: RequestContext, filters: Filters): Promise<EventFilter> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const { object_id = "" } = filters;
  // The trail calls a plan by its `id`.
  const plan = object_id === "" ? undefined : await planIdsOf(reader, org_id, [object_id]);
  const after = filters.after === undefined ? 0 : wholeMs(filters.after);
  const q = (filters.q ?? "").trim();
  return {
    org_id,
    q: q.toLowerCase(),
    typed: q,
    id_text: /\d/.test(q) ? q : "",
    kind: filters.kind ?? "",
    actor: filters.actor ?? "",
    object: filters.object ?? "",
    object_id: plan?.get(object_id)?.id ?? object_id,
    action: filters.action ?? "",
    token_id: filters.token_id ?? "",
    session: filters.session ?? "",
    request_id: filters.request_id ?? "",
    client_address: filters.client_address ?? "",
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
