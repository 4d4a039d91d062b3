import { pageCount } from "../../contract/envelope.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { findRequestRow, type ListView, type RequestRow } from "./key-requests.store.ts";
import { revisions } from "./revision.ts";
import { tagged, toJson } from "./show-older.service.ts";
import { asDeclined } from "./stored-request.ts";
import { MOST_WITHIN } from "./v1-counts.service.ts";
import { findMatching, type Matching } from "./v1-list.service.ts";
import { isWithin, textWithin } from "./within-scope.ts";

/**
 * A request as the older interface shows it to a caller with a scope: nothing of it is kept for
 * others. Throws `not_found`.
 */
export async function getWithin(ctx: CatalogueContext, id: string): Promise<Answer<string>> {
  const { storage: { reader }, principal } = ctx;
  const row = await findRequestRow(reader, { org_id: principal.org_id, id });
  const coverage = await coverageOfCaller(reader, principal);
  const isDeclined = row?.state === "declined";
  const isSeen = row && coverage && isWithin(coverage, row) &&
    (!isDeclined || ctx.settings.includesDeclined);
  if (!isSeen) throw new Failure("not_found");
  const text = await toJson(ctx, isDeclined ? asDeclined(row) : row, { secrets: 0 });
  return tagged(textWithin(coverage, text), (await revisions())(row));
}

/**
 * A list for a caller with a scope, walked newest first: a page of its first 1,000, or all of them
 * as a stream.
 */
export async function listWithin(
  ctx: CatalogueContext,
  view: ListView,
  p: number,
): Promise<Answer<string | Pieces>> {
  if (p < 1) return new Answer(piecesWithin(ctx, view));
  const texts: string[] = [];
  for await (const some of textsWithin(ctx, view)) {
    texts.push(...some);
    if (texts.length >= MOST_WITHIN) break;
  }
  const { pageSize } = ctx.settings;
  const most = texts.slice(0, MOST_WITHIN);
  const page = most.slice((p - 1) * pageSize, p * pageSize);
  return new Answer(`{"Data":[${page.join(",")}],"Pages":${pageCount(most.length, pageSize)}}`);
}

async function* piecesWithin(ctx: CatalogueContext, view: ListView): Pieces {
  let before = `{"Data":[`;
  let pages = 0;
  for await (const texts of textsWithin(ctx, view)) {
    yield before + texts.join(",");
    before = ",";
    pages = 1;
  }
  yield `${pages === 0 ? before : ""}],"Pages":${pages}}`;
}

/** The texts of a list within the caller's scope, some at a time, none of them empty. */
async function* textsWithin(ctx: CatalogueContext, view: ListView): AsyncGenerator<string[]> {
  const coverage = await coverageOfCaller(ctx.storage.reader, ctx.principal);
  if (!coverage) throw new Error("the caller has a scope");
  let cursor: string | null | undefined;
  do {
    const found: Matching = await findMatching(ctx, { limit: 100, ...cursor && { cursor } });
    const texts: string[] = [];
    for (const row of found.rows.filter((one) => isInView(one, view))) {
      const visible = view === "declined" ? asDeclined(row) : row;
      texts.push(textWithin(coverage, await toJson(ctx, visible, { secrets: 0 })));
    }
    if (texts.length > 0) yield texts;
    cursor = found.next_cursor;
  } while (cursor !== null);
}

function isInView({ state, approved }: RequestRow, view: ListView): boolean {
  if (view === "declined") return state === "declined";
  if (state === "declined") return false;
  return view === "all" || (view === "approved") === (approved === 1);
}
