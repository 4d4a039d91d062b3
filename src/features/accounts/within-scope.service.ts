import type { RequestContext } from "../../calls/context.ts";
import type { Place } from "../../kernel/cursor.ts";
import { Failure } from "../../kernel/failure.ts";
import type { ListSource } from "../../kernel/paged-list.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import type { Source } from "../../kernel/walk.ts";
import { type Coverage, coverageOfCaller } from "../plans/coverage.ts";
import { type DeveloperRow, developersAfter } from "../developers/developer-accounts.store.ts";
import type { DeveloperCounts, ListedDeveloper } from "../developers/developer-list.store.ts";
import type { Developer } from "../developers/developer.ts";
import { withoutSecretFields } from "../developers/developer-text.ts";
import { findHeads, HEADS } from "../key-requests/v1.store.ts";
import { isWithin, keepWithin } from "../key-requests/within-scope.ts";

/** A developer's requests that are looked at, the newest first. */
const MOST_LOOKED = 1000;

/** The part of a developer that a caller with a scope sees. */
interface DeveloperWithin {
  /** Without what else they have. */
  developer: Developer;
  /** Of what is within; requests up to MOST_LOOKED. */
  counts: Pick<DeveloperCounts, "requests" | "keys">;
}

/**
 * The part of a developer within a scope; undefined: they neither have a key within it nor
 * requested one, and so are hidden.
 */
async function developerWithin(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  coverage: Coverage,
  document: string,
): Promise<DeveloperWithin | undefined> {
  // as: the developers' store writes exactly this.
  const developer = JSON.parse(document) as Developer;
  keepWithin(coverage, developer);
  const keys = Object.keys(developer.keys).length;
  let requests = 0;
  let place: Place | undefined = { sort: "~", id: "" };
  for (let looked = 0; place && looked < MOST_LOOKED;) {
    const rows: { id: string; instant: string; head: string }[] = await findHeads(reader, {
      org_id,
      by_user: developer.id,
      ...place,
    });
    requests += rows.filter((row) => isWithin(coverage, row)).length;
    looked += rows.length;
    const last = rows.at(-1);
    place = last && rows.length === HEADS ? { sort: last.instant, id: last.id } : undefined;
  }
  return keys + requests === 0 ? undefined : { developer, counts: { requests, keys } };
}

/**
 * The part of a developer that the caller sees, all of it for callers without a scope. Throws
 * `not_found` if the developer is hidden.
 */
export async function seenDeveloper(
  ctx: RequestContext,
  document: string,
): Promise<DeveloperWithin | undefined> {
  const coverage = await coverageOfCaller(ctx.storage.reader, ctx.principal);
  if (!coverage) return undefined;
  const within = await developerWithin(ctx, coverage, document);
  if (!within) throw new Failure("not_found");
  return within;
}

/** Developers that a page of the older list looks at, at the most; "everything" knows no bound. */
const LOOKED_AT = 10_000;
/** Developers that it reads at once. */
const AT_ONCE = 101;

/** The older interface's list for a person with a scope. */
export function listWithin(ctx: RequestContext, coverage: Coverage): ListSource<DeveloperRow> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  async function* seen(last: DeveloperRow | undefined, most: number) {
    const slices = new TimeSlices();
    for (let looked = 0; looked < most;) {
      const rows: DeveloperRow[] = await developersAfter(reader, org_id, last, AT_ONCE);
      for (const row of rows) {
        const within = await developerWithin(ctx, coverage, row.document);
        if (within) yield { ...row, document: JSON.stringify(within.developer), secrets: null };
      }
      if (rows.length < AT_ONCE) return;
      last = rows.at(-1);
      looked += rows.length;
      await slices.next();
    }
  }
  return {
    page: async (offset, limit) => {
      const rows: DeveloperRow[] = [];
      let total = 0;
      for await (const row of seen(undefined, LOOKED_AT)) {
        if (total >= offset && rows.length < limit) rows.push(row);
        total++;
      }
      return { rows, total };
    },
    after: async (last, limit) => {
      const rows: DeveloperRow[] = [];
      for await (const row of seen(last, Infinity)) {
        if (rows.push(row) === limit) break;
      }
      return rows;
    },
    serialize: ({ document }) => withoutSecretFields(document),
  };
}

/** A developer in a list for a person with a scope. */
export type ListedWithin<Row extends ListedDeveloper> = Row & Partial<DeveloperWithin>;

/** A list's source without developers whom the caller doesn't see, or what else others have. */
export function developersWithin<Row extends ListedDeveloper>(
  ctx: RequestContext,
  coverage: Coverage,
  all: Source<Row>,
): Source<ListedWithin<Row>> {
  return async (place, limit) => {
    const part = await all(place, limit);
    const rows = await Promise.all(part.rows.map(async ({ place, row }) => {
      const within = await developerWithin(ctx, coverage, row.document);
      return within ? [{ place, row: { ...row, ...within } }] : [];
    }));
    return { ...part, rows: rows.flat() };
  };
}
