import type { RequestContext } from "../../calls/context.ts";
import type { Place } from "../../kernel/cursor.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import type { Source } from "../../kernel/walk.ts";
import { positionOf } from "./search-position.ts";
import { findMatches, hasChangesOf } from "./search.store.ts";
import { indexChanges } from "./search.transactions.ts";
import { findV1Of, type V1Row } from "./v1.store.ts";

/** The filters of a search. */
interface SearchQuery {
  q?: string | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
}

/** Past every position. */
const LAST = Number.MAX_SAFE_INTEGER;
/** How far a row may stand behind its instant, where very many came at the same one: a day. */
const SLACK = 24 * 60 * 60 * 1000 * 16;

/**
 * Chunks of changes that a search takes into the index before it begins: the first ones always,
 * more while there is time.
 */
const CHUNKS = 16;
const FIRST_CHUNKS = 4;
const PATIENCE_MS = 300;

/**
 * Brings what waits into the search, so that it finds what was asked a moment ago. False where more
 * waits than one call may take: then the search lacks the newest.
 */
export async function catchUp(ctx: RequestContext): Promise<boolean> {
  const { storage, principal: { org_id } } = ctx;
  const started = performance.now();
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    if (!await hasChangesOf(storage.reader, { org_id })) return true;
    if (chunk >= FIRST_CHUNKS && performance.now() - started > PATIENCE_MS) return false;
    await storage.commit(indexChanges, { from: org_id });
  }
  return !await hasChangesOf(storage.reader, { org_id });
}

/**
 * The requests whose text holds what is searched, or one of these ids of plans, in the order of
 * their positions.
 */
export function searchRequests(
  ctx: RequestContext,
  query: SearchQuery,
  { newestFirst, plans }: { newestFirst: boolean; plans: ReadonlySet<string> },
): Source<V1Row> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const texts = [query.q ?? "", ...plans].map((text) => text.toLowerCase());
  const from = boundOf(query, newestFirst);
  return async (place, limit) => {
    const position = place.sort === "" ? from : Number(place.sort);
    const page = { newestFirst, position: Number.isSafeInteger(position) ? position : from, limit };
    const matches = await findMatches(reader, org_id, texts, page);
    const ids = matches.flatMap(({ id }) => id ?? []);
    const rows = new Map((await findV1Of(reader, org_id, ids)).map((row) => [row.id, row]));
    const last = matches.length < limit ? undefined : matches.at(-1);
    return {
      // Rows that are gone, or another organisation's, are left out.
      rows: matches.flatMap(({ position, id }) => {
        const row = id === null ? undefined : rows.get(id);
        return row ? [{ place: placeAt(position), row }] : [];
      }),
      next: last ? placeAt(last.position) : null,
      looked: matches.length,
    };
  };
}

function placeAt(position: number): Place {
  return { sort: String(position), id: "" };
}

function boundOf(query: SearchQuery, newestFirst: boolean): number {
  const time = newestFirst ? query.created_before : query.created_after;
  const parsed = time === undefined ? undefined : parseTimestamp(time);
  if (!parsed) return newestFirst ? LAST : -1;
  return newestFirst ? positionOf(parsed.instant) + SLACK : positionOf(parsed.instant) - 1;
}
