import type { RequestContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { coverageOfCaller, isSeenBy } from "../plans/coverage.ts";
import { findKey, findKeys, type KeyRow } from "./key-list.store.ts";
import { listKeys, type ListQuery } from "./list-keys.service.ts";
import type { Key } from "./show-key.ts";

/** Keys that are walked for people with a scope where others have a counter. */
const MOST_WITHIN = 1000;
/** Pages that such a walk reads at the most: each looks at about a thousand keys. */
const MOST_PAGES = 20;

/** A key that the caller sees: one outside of their scope is none. Throws `not_found`. */
export async function seenKey(ctx: RequestContext, key_id: string): Promise<KeyRow> {
  const row = await findKey(ctx.storage.reader, { org_id: ctx.principal.org_id, key_id });
  if (!row || !await isSeen(ctx, row)) throw new Failure("not_found");
  return row;
}

/** Whether the caller sees a key: all of its plans are within their scope. */
export async function isSeen(
  { storage: { reader }, principal }: RequestContext,
  row: Pick<KeyRow, "plans">,
): Promise<boolean> {
  return isSeenBy(await coverageOfCaller(reader, principal), row);
}

/** Those of these key ids whose keys the caller sees; with no scope all of them. */
export async function seenAmong(
  { storage: { reader }, principal }: RequestContext,
  key_ids: readonly string[],
): Promise<readonly string[]> {
  const coverage = await coverageOfCaller(reader, principal);
  if (!coverage) return key_ids;
  const rows = await findKeys(reader, principal.org_id, [...new Set(key_ids)]);
  return key_ids.filter((key_id) => {
    const row = rows.get(key_id);
    return row !== undefined && isSeenBy(coverage, row);
  });
}

/** The newest keys that a person with a scope sees, up to MOST_WITHIN; `more`: not all of them. */
export async function keysWithin(
  ctx: RequestContext,
  query: Pick<ListQuery, "state" | "leaked">,
): Promise<{ keys: Key[]; more: boolean }> {
  const keys: Key[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; pages < MOST_PAGES && keys.length < MOST_WITHIN; pages++) {
    const page = await listKeys(ctx, { ...query, limit: 100, ...cursor && { cursor } });
    keys.push(...page.data);
    cursor = page.next_cursor;
    if (cursor === null) return { keys, more: false };
  }
  return { keys: keys.slice(0, MOST_WITHIN), more: true };
}

/** How many labels of each kind are listed. */
const MOST_LABELS = 100;

/** The environments and tags of those keys. */
export async function labelsWithin(
  ctx: RequestContext,
): Promise<{ environments: string[]; tags: string[] }> {
  const { keys } = await keysWithin(ctx, {});
  const first = (all: string[]) =>
    [...new Set(all)].filter((one) => one !== "").sort().slice(0, MOST_LABELS);
  return {
    environments: first(keys.map(({ environment }) => environment)),
    tags: first(keys.flatMap(({ tags }) => tags)),
  };
}
