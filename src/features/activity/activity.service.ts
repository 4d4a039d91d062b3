import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { recordExport } from "../../calls/record-export.ts";
import { type Personal, withPersonal } from "../../changes/personal.ts";
import type { Page } from "../../contract/paging.ts";
import { Answer, fileHeaders, type Pieces } from "../../kernel/answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import { type Source, walk } from "../../kernel/walk.ts";
import { planIdsOf } from "../plans/plan-ids.store.ts";
import type { activityEvent, activityFilters, activityQuery } from "./activity.contract.ts";
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
  return { data: rows.map(show), next_cursor };
}

/** The whole trail, one event a line; each piece is read when the client has taken the one before. */
export async function exportEvents(
  ctx: RequestContext,
  filters: Filters,
): Promise<Answer<Pieces>> {
  const { after, before, ...typed } = filters;
  await recordExport(ctx, "activity", { told: { after, before }, typed });
  return new Answer(
    lines(ctx, await filterOf(ctx, filters)),
    fileHeaders("application/jsonl", "activity.jsonl"),
  );
}

async function* lines(ctx: RequestContext, filter: EventFilter) {
  for (let place: string | null = filter.highest; place !== null;) {
    const { rows, next } = await eventsBelow(ctx.storage.reader, filter, place);
    if (rows.length > 0) yield rows.map((row) => `${lineOf(row)}\n`).join("");
    place = next;
  }
}

/** The event as JSON text. Where nothing personal stands apart from its detail, that goes out as it is stored. */
function lineOf(row: EventRow): string {
  if (row.personal !== "{}") return JSON.stringify(show(row));
  const { id, at, actor, actor_name, action, object, object_id, detail } = row;
  const { token_id, session, request_id, client_address } = row;
  const acted = { id, at, actor, actor_name: actor_name ?? actor, action, object, object_id };
  const call = { token_id, session, request_id, client_address };
  const before = JSON.stringify(acted).slice(0, -1);
  return `${before},"detail":${detail},${JSON.stringify(call).slice(1)}`;
}

function show({ detail, personal, actor_name, ...row }: EventRow): Event {
  const { id, at, actor, action, object, object_id, ...call } = row;
  // as: recordAudit wrote both, each an object.
  const parsed = JSON.parse(detail) as Record<string, unknown>;
  const whole = withPersonal(parsed, JSON.parse(personal) as Personal);
  const what = { action, object, object_id, detail: whole };
  return { id, at, actor, actor_name: actor_name ?? actor, ...what, ...call };
}

async function filterOf(ctx: RequestContext, filters: Filters): Promise<EventFilter> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const { object_id = "" } = filters;
  // The trail calls a plan by its `id`.
  const plan = object_id === "" ? undefined : await planIdsOf(reader, org_id, [object_id]);
  const after = filters.after === undefined ? 0 : wholeMs(filters.after);
  return {
    org_id,
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
