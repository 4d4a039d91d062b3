import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { recordExport } from "../../calls/record-export.ts";
import { actorTypeOf } from "../../contract/actor-types.ts";
import {
  presentAction,
  presentObject,
  storedActions,
  storedObjects,
} from "../../contract/former-names.ts";
import type { Page } from "../../contract/paging.ts";
import { Answer, fileHeaders, type Pieces } from "../../kernel/answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { type Columns, csvFile } from "../../kernel/csv.ts";
import { type Place, wrongCursor } from "../../kernel/cursor.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import { type Source, walk } from "../../kernel/walk.ts";
import type { Connection } from "../../storage/storage.ts";
import { planIdsOf } from "../plans/plan-ids.store.ts";
import type {
  auditEvent,
  auditLogFilters,
  auditLogQuery,
  exportQuery,
} from "./audit-log.contract.ts";
import { type LiveNames, liveNames } from "./live-names.ts";
import { eventDetailOf } from "./event-detail.ts";
import {
  type AuditLogPosition,
  type EventFilter,
  type EventPart,
  type EventRow,
  eventsBehind,
  logSize,
  type LogSpan,
  logSpan,
  LOOKED_AT,
} from "./audit-log.store.ts";

type Event = z.output<typeof auditEvent>;
type Filters = z.output<typeof auditLogFilters>;

/** Events that a page looks at, at the most: four statements that look at all that one may. */
const MOST_LOOKED = 4 * LOOKED_AT;

/**
 * A page of the audit log, in the order of its log; what waits for the log is above by time. Throws
 * `invalid_input` for a cursor of another list.
 */
export async function list(
  ctx: RequestContext,
  { limit, cursor, ...filters }: z.output<typeof auditLogQuery>,
): Promise<Page<Event>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const filter = await filterOf(ctx, filters);
  const span = await spanOf(ctx, filters);
  const events: Source<EventRow> = async (place) => {
    const behind = readPlace(place) ?? await beginning(reader, org_id);
    const { rows, next, looked } = await eventsBehind(reader, filter, behind, span);
    return {
      rows: rows.map(({ row, place }) => ({ place: placeOf(place), row })),
      next: next === null ? null : placeOf(next),
      looked,
    };
  };
  const { rows, next_cursor } = await walk({
    order: "activity by log",
    first: BEGINNING,
    sources: [events],
    mostLooked: MOST_LOOKED,
  }, { limit, cursor });
  const live = await liveNames(reader, org_id, rows);
  return { data: rows.map((row) => serialize(row, live(row))), next_cursor };
}

/** Before every event. */
const BEGINNING: Place = { sort: "", id: "" };

/** The place before everything that is there now. */
async function beginning(db: Connection, org_id: string): Promise<AuditLogPosition> {
  return { in: "waiting", size: await logSize(db, org_id), at: "~", id: "" };
}

/** As cursors hold it: no one merges lists of it. */
function placeOf(place: AuditLogPosition): Place {
  return place.in === "log"
    ? { sort: String(place.below), id: "" }
    : { sort: `${place.size} ${place.at}`, id: place.id };
}

/** Undefined at the beginning. Throws `invalid_input` for what no page can have ended with. */
function readPlace({ sort, id }: Place): AuditLogPosition | undefined {
  if (sort === "" && id === "") return undefined;
  const [, number = "", at] = /^(\d{1,15})(?: (\S{1,40}))?$/.exec(sort) ?? [];
  if (number === "") throw wrongCursor();
  const size = Number(number);
  return at === undefined ? { in: "log", below: size } : { in: "waiting", size, at, id };
}

/**
 * The whole audit log that matches: one event a line, or as CSV; each piece is read when the client
 * has taken the one before.
 */
export async function exportEvents(
  ctx: RequestContext,
  { format = "jsonl", ...filters }: Omit<z.output<typeof exportQuery>, "bom">,
): Promise<Answer<Pieces>> {
  const { after, before, ...typed } = filters;
  const parameters = { ...format === "csv" ? { format } : {}, after, before };
  if (format === "csv") {
    const page = (cursor?: string) => list(ctx, { ...filters, limit: 100, cursor });
    const file = await csvFile("audit-log.csv", columns, page);
    await recordExport(ctx, "activity", { detail: parameters, typed });
    return file;
  }
  const filter = await filterOf(ctx, filters);
  const span = await spanOf(ctx, filters);
  await recordExport(ctx, "activity", { detail: parameters, typed });
  return new Answer(
    lines(ctx, filter, span),
    fileHeaders("application/jsonl", "audit-log.jsonl"),
  );
}

async function* lines(ctx: RequestContext, filter: EventFilter, span: LogSpan) {
  const { storage: { reader } } = ctx;
  let place: AuditLogPosition | null = await beginning(reader, filter.org_id);
  while (place !== null) {
    const part: EventPart = await eventsBehind(reader, filter, place, span);
    const rows = part.rows.map(({ row }) => row);
    const live = await liveNames(reader, filter.org_id, rows);
    if (rows.length > 0) {
      yield rows.map((row) => `${JSON.stringify(serialize(row, live(row)))}\n`).join("");
    }
    place = part.next;
  }
}

const columns: Columns<Event> = {
  at: ({ at }) => at,
  actor: ({ actor }) => actor,
  actor_type: ({ actor_type }) => actor_type,
  actor_name: ({ actor_name }) => actor_name,
  action: ({ action }) => action,
  object: ({ object }) => object,
  object_id: ({ object_id }) => object_id,
  object_name: ({ object_name }) => object_name,
  developer_name: ({ developer_name }) => developer_name,
  plan_name: ({ plan_name }) => plan_name,
  detail: ({ detail }) => JSON.stringify(detail),
  token_id: ({ token_id }) => token_id,
  token_name: ({ token_name }) => token_name,
  session: ({ session }) => session,
  request_id: ({ request_id }) => request_id,
  caller_request_id: ({ caller_request_id }) => caller_request_id,
  client_address: ({ client_address }) => client_address,
  id: ({ id }) => id,
};

/** The event as people read it; `live` names what it kept no name of. */
function serialize(row: EventRow, live: LiveNames = {}): Event {
  const { id, at, actor, actor_name, action, object, object_id } = row;
  const { token_id, token_name, session, request_id, caller_request_id, client_address } = row;
  const { detail, names: kept } = eventDetailOf(row);
  // Erased names must not come back.
  const names = row.erased === "{}" ? { ...live, ...kept } : kept;
  return {
    id,
    at,
    actor,
    actor_type: actorTypeOf(actor),
    actor_name: actor_name ?? live.actor ?? actor,
    action: presentAction(action),
    object: presentObject(object),
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
  // The audit log calls a plan by its `id`.
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
    objects: JSON.stringify(filters.object === undefined ? [] : storedObjects(filters.object)),
    object_id: plan?.get(object_id)?.id ?? object_id,
    actions: JSON.stringify(filters.action === undefined ? [] : storedActions(filters.action)),
    token_id: filters.token_id ?? "",
    session: filters.session ?? "",
    temporaryAccess: filters.temporary_access ?? "",
    request_id: filters.request_id ?? "",
    client_address: filters.client_address ?? "",
    after: filters.after === undefined ? "" : toTimestamp(after),
    before: filters.before === undefined ? "~" : toTimestamp(wholeMs(filters.before)),
  };
}

/**
 * How long before it was committed, or by how much another clock, an event may have its time: the
 * log has it within as much of its neighbours by id.
 */
const SLACK_MS = 10 * 60_000;

/** The places of the log that hold events of the time that is asked for. */
async function spanOf(ctx: RequestContext, { after, before }: Filters): Promise<LogSpan> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  return await logSpan(reader, org_id, {
    above: after === undefined ? "" : hexSecond(wholeMs(after) - SLACK_MS),
    below: before === undefined ? "" : hexSecond(wholeMs(before) + SLACK_MS + 1000),
  });
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
