import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { cursorCover } from "../../../calls/cursor-cover.ts";
import type { Page } from "../../../contract/paging.ts";
import { denialStatus } from "../../../contract/denied-calls.ts";
import { Failure } from "../../../kernel/failure.ts";
import { type Source, source, walk } from "../../../kernel/walk.ts";
import { calledDeveloper } from "../../developers/developer-names.ts";
import { namesOfDevelopers } from "../../developers/developer-names.store.ts";
import { findKeys, type KeyRow } from "../../keys/key-list.store.ts";
import { seenAmong } from "../../keys/within-scope.service.ts";
import { findPlan } from "../../plans/plans.store.ts";
import type { DenialFacts } from "./denied-call.ts";
import type { deniedCall, deniedCallQuery } from "./denied-calls.contract.ts";
import {
  type DeniedCallFilter,
  deniedCallFilters,
  type DeniedCallRow,
  deniedCallsBehind,
  findDeniedCall,
} from "./denied-calls.store.ts";

/** A denied call as it is listed. */
type DeniedCall = z.output<typeof deniedCall>;

type Query = z.output<typeof deniedCallQuery>;

/**
 * A page of denied calls, the newest first, to the second. Walks the index of one filter; the
 * others leave out rows, and so does the caller's scope, by the key. An unknown thing, and one of
 * another organisation, has no denied calls. Throws `invalid_input` for a cursor of another list.
 */
export async function list(ctx: RequestContext, query: Query): Promise<Page<DeniedCall>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const wanted = await filtersOf(ctx, query);
  const by = deniedCallFilters.find((name) => wanted[name] !== undefined);
  const walked = by && { name: by, value: wanted[by] ?? "" };
  const { rows, next_cursor } = await walk<DeniedCallRow>({
    order: "denied-calls",
    first: { sort: "", id: query.before ? idAt(query.before) : "~" },
    sources: [seenOf(
      ctx,
      source(
        ({ id }, limit) => deniedCallsBehind(reader, org_id, walked ?? null, id, limit),
        ({ id }) => ({ sort: "", id }),
      ),
    )],
    cover: cursorCover(ctx),
    wanted: (row) =>
      deniedCallFilters.every((name) => wanted[name] === undefined || row[name] === wanted[name]),
    isPast: ({ id }) => query.after !== undefined && id < idAt(query.after),
  }, query);
  return { data: await withNames(ctx, rows), next_cursor };
}

/** A denied call by its id. Throws `not_found`, also where its key is outside of the scope. */
export async function get(ctx: RequestContext, id: string): Promise<DeniedCall> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const row = await findDeniedCall(reader, { org_id, id });
  const isSeen = row !== undefined && (await seenAmong(ctx, [row.key_id])).length > 0;
  const [call] = isSeen ? await withNames(ctx, [row]) : [];
  if (!call) throw new Failure("not_found");
  return call;
}

/** Each with the present names of its key and developer. */
async function withNames(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  rows: readonly DeniedCallRow[],
): Promise<DeniedCall[]> {
  const keyIds = [...new Set(rows.map(({ key_id }) => key_id).filter((id) => id !== ""))];
  const owners = [...new Set(rows.map((row) => row.developer_id).filter((id) => id !== ""))];
  const keys = await findKeys(reader, org_id, keyIds);
  const names = await namesOfDevelopers(reader, org_id, owners);
  const called = (id: string) => calledDeveloper(names.get(id));
  return rows.map((row) => serialize(row, keys.get(row.key_id), called(row.developer_id)));
}

/** Those of keys that the caller sees; with no scope all of them. */
function seenOf(ctx: RequestContext, all: Source<DeniedCallRow>): Source<DeniedCallRow> {
  if (!ctx.principal.covers) return all;
  return async (place, limit) => {
    const part = await all(place, limit);
    const seen = await seenAmong(ctx, part.rows.map(({ row }) => row.key_id));
    return { ...part, rows: part.rows.filter(({ row }) => seen.includes(row.key_id)) };
  };
}

/** By column; a plan is counted by its `_id`, whichever of its ids is sent. */
async function filtersOf(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  { reason, key, developer, plan, api, gateway }: Query,
): Promise<Partial<Record<DeniedCallFilter, string>>> {
  const all: Record<DeniedCallFilter, string | undefined> = {
    reason,
    key_id: key,
    developer_id: developer,
    plan_id: plan && ((await findPlan(reader, { org_id, id: plan }))?.id ?? plan),
    api_id: api,
    door: gateway,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** The least id of a second: ids begin with it. */
function idAt(time: string): string {
  return Math.max(0, Math.floor(Date.parse(time) / 1000)).toString(16).padStart(8, "0");
}

function serialize(
  row: DeniedCallRow,
  key: KeyRow | undefined,
  developer_name: string,
): DeniedCall {
  // as: the ring writes reasons of that list, and such facts.
  const reason = row.reason as DeniedCall["reason"];
  const facts = JSON.parse(row.facts) as DenialFacts;
  return {
    id: row.id,
    at: row.at,
    reason,
    status: denialStatus[reason] ?? 403,
    gateway: row.door,
    api_id: row.api_id || null,
    plan_id: row.plan_id || null,
    key_id: row.key_id || null,
    key_mask: key?.mask ?? null,
    key_name: key?.name ?? "",
    key_state: key?.state ?? null,
    developer_id: row.developer_id || null,
    developer_name,
    limit: facts.limit ?? null,
    per_seconds: facts.per_seconds ?? null,
    retry_after: facts.retry_after ?? null,
    ended_at: facts.ended_at ?? null,
    valid_for: facts.apis ?? [],
    hash_start: row.hash_start,
    network: row.network || null,
  };
}
