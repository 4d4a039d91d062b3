import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import type { Page } from "../../contract/paging.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { source, walk } from "../../kernel/walk.ts";
import { namesOfDevelopers } from "../developers/developer-names.store.ts";
import { secondsUntil, settled } from "./leaked-key.ts";
import type { leakQuery, listedLeak } from "./leaks.contract.ts";
import { type LeakedKey, leakedKeys } from "./leaks.store.ts";

type Leak = z.output<typeof listedLeak>;

/**
 * A page of the reports of leaked keys, the newest first. Walks one index; a state leaves out rows.
 * Throws `invalid_input` for a cursor of another list.
 */
export async function listLeaks(
  ctx: RequestContext,
  { state, ...page }: z.output<typeof leakQuery>,
): Promise<Page<Leak>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const now = toTimestamp(ctx.clock.now());
  const read = source(
    (place, limit) => leakedKeys(reader, { org_id, ...place }, limit),
    ({ reported_at, key_id }: LeakedKey) => ({ sort: reported_at, id: key_id }),
  );
  const { rows, next_cursor } = await walk({
    order: "leaks",
    first: { sort: "~", id: "" },
    sources: [read],
    wanted: (row) => state === undefined || settled(row, now).state === state,
  }, page);
  const owners = [...new Set(rows.flatMap(({ developer_id }) => developer_id ?? []))];
  const names = await namesOfDevelopers(reader, org_id, owners);
  return { data: rows.map((row) => show(row, now, names)), next_cursor };
}

function show(
  row: LeakedKey,
  now: string,
  names: Awaited<ReturnType<typeof namesOfDevelopers>>,
): Leak {
  const { key_id, reported_at, reported_by, url, developer_id } = row;
  const { state, at } = settled(row, now);
  return {
    key_id,
    mask: row.mask ?? "",
    name: row.name ?? "",
    developer_id: developer_id ?? "",
    developer_email: row.developer_email ?? "",
    developer_name: names.get(developer_id ?? "")?.developer?.trim() ?? "",
    state,
    reported_at,
    reported_by: reported_by === "" ? "anybody" : `partner ${reported_by}`,
    url: url || null,
    settled_at: at,
    settled_after_seconds: secondsUntil(reported_at, at),
  };
}
