import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { cursorCover } from "../../calls/cursor-cover.ts";
import { may } from "../../calls/principal.ts";
import type { Page } from "../../contract/paging.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { source, walk } from "../../kernel/walk.ts";
import { namesOfDevelopers } from "../developers/developer-names.store.ts";
import { coverageOfCaller, isSeenBy } from "../plans/coverage.ts";
import type { leakQuery, listedLeak } from "./leaks.contract.ts";
import {
  type LeakedKey,
  leakedKeys,
  type LeakedToken,
  leakedTokens,
  type LeakRead,
} from "./leaks.store.ts";
import type { LeakState } from "../../contract/leak.ts";

type Leak = z.output<typeof listedLeak>;

/** A report as it was read: of one of both. */
type Read = LeakedKey & { token_id?: never } | LeakedToken & { key_id?: never };

/**
 * A page of the reports of leaked keys that the caller sees, and of access tokens for whoever holds
 * `admin:read` and has no scope, the newest first. Walks one index for each; a state leaves out
 * rows. Throws `invalid_input` for a cursor of another list.
 */
export async function listLeaks(
  ctx: RequestContext,
  { state, object, ...page }: z.output<typeof leakQuery>,
): Promise<Page<Leak>> {
  const { storage: { reader }, principal } = ctx;
  const { org_id } = principal;
  const now = toTimestamp(ctx.clock.now());
  const coverage = await coverageOfCaller(reader, principal);
  const isSeen = (row: Read) =>
    !coverage || ("plans" in row && row.plans !== null && isSeenBy(coverage, { plans: row.plans }));
  const placed = (row: Read) => ({ sort: row.reported_at, id: row.key_id ?? row.token_id ?? "" });
  const keys = source<Read>(
    (place, limit) => leakedKeys(reader, { org_id, ...place }, limit),
    placed,
  );
  const tokens = source<Read>(
    (place, limit) => leakedTokens(reader, { org_id, ...place }, limit),
    placed,
  );
  const { rows, next_cursor } = await walk({
    order: "leaks",
    first: { sort: "~", id: "" },
    sources: [
      ...object === "access_token" ? [] : [keys],
      ...object === "key" || coverage || !may(principal, "admin:read") ? [] : [tokens],
    ],
    wanted: (row) => (state === undefined || settled(row, now).state === state) && isSeen(row),
    cover: cursorCover(ctx),
  }, page);
  const owners = [
    ...new Set(
      rows.flatMap(({ key_id, ...row }) =>
        key_id !== undefined && "developer_id" in row && row.developer_id ? [row.developer_id] : []
      ),
    ),
  ];
  const names = await namesOfDevelopers(reader, org_id, owners);
  return { data: rows.map((row) => show(row, now, names)), next_cursor };
}

type Names = Awaited<ReturnType<typeof namesOfDevelopers>>;

function show(row: Read, now: string, names: Names): Leak {
  const { reported_at, reported_by, url } = row;
  const { state, at } = settled(row, now);
  return {
    ...row.token_id === undefined ? ofKey(row, names) : ofToken(row),
    name: row.name ?? "",
    state,
    reported_at,
    reported_by: reported_by === "" ? "anybody" : `partner ${reported_by}`,
    url: url || null,
    settled_at: at,
    settled_after_seconds: secondsUntil(reported_at, at),
  };
}

const NO_KEY = { key_id: "", mask: "", developer_id: "", developer_email: "", developer_name: "" };
const NO_TOKEN = { token_id: "", person_id: "", person_name: "" };

function ofKey({ key_id, mask, developer_id, developer_email }: LeakedKey, names: Names) {
  return {
    object: "key" as const,
    ...NO_TOKEN,
    key_id,
    mask: mask ?? "",
    developer_id: developer_id ?? "",
    developer_email: developer_email ?? "",
    developer_name: names.get(developer_id ?? "")?.developer?.trim() ?? "",
  };
}

function ofToken({ token_id, person_id, person_name }: LeakedToken) {
  return {
    object: "access_token" as const,
    ...NO_KEY,
    token_id,
    person_id: person_id ?? "",
    person_name: person_name ?? "",
  };
}

/**
 * How a report stands at `now`, and since when it is settled; null: it is not, or nobody knows.
 *
 * A report of a leaked key or access token and what became of it:
 *
 *     open ──rotated──► rotated          A report that comes again after "not so" is a new one.
 *       ├────revoked──► revoked
 *       ├──its end────► ended
 *       └──"not so"───► not_so
 *
 * A suspended key is open, and so is the access token of a suspended person: both can be resumed.
 */
function settled(row: LeakRead, now: string): { state: LeakState; at: string | null } {
  if (row.dismissed_at !== null) return { state: "not_so", at: row.dismissed_at };
  if (row.replaced_at !== null) return { state: "rotated", at: row.replaced_at };
  if (row.state === "revoked") return { state: "revoked", at: row.state_changed_at };
  if (row.state === null) return { state: "ended", at: null };
  const hasEnded = row.expires_at !== null && row.expires_at <= now;
  return hasEnded ? { state: "ended", at: row.expires_at } : { state: "open", at: null };
}

/** Whole seconds from the report until it was settled; what was settled before took none. */
function secondsUntil(reported_at: string, at: string | null): number | null {
  if (at === null) return null;
  return Math.max(0, Math.floor((Date.parse(at) - Date.parse(reported_at)) / 1000));
}
