import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Dialect, QueryBuilder, Statement } from "./statement.ts";
import { variants } from "./variants.ts";

/** Rows of a list that the statement of a page may walk; more where more are to be skipped. */
export const LEAST_WALKED = 512;

/** Which rows of an ordered list a page is: `limit` of the first `walked`, a power of two. */
export interface Window {
  readonly limit: number;
  readonly walked: number;
}

/** One statement for each window, made when first asked for; takes the limit and rows to skip. */
export function byWindow<P extends object, R>(
  make: (window: Window) => Statement<P, R>,
): (limit: number, skip: number) => Statement<P, R> {
  const made = variants((limit: number, walked: number) => make({ limit, walked }));
  return (limit, skip) => {
    let walked = LEAST_WALKED;
    while (walked < limit + skip) walked *= 2;
    return made(limit, walked);
  };
}

/**
 * Cuts a window out of an ordered query, whose order the selected columns `order` are, all
 * descending. PostgreSQL takes an offset that it does not know for a tenth of the list, so a plan
 * for every offset looks dear to it and it would plan each page anew, which costs more than the
 * page; with a bound on what is walked it keeps one plan.
 */
export function cutWindow<DB, TB extends keyof DB, O>(
  { db, dialect }: { db: QueryBuilder; dialect: Dialect },
  query: SelectQueryBuilder<DB, TB, O>,
  order: readonly (keyof O & string)[],
  { limit, walked, skip }: Window & { skip: number | RawBuilder<number> },
): SelectQueryBuilder<DB, TB, O> {
  if (dialect === "sqlite") return query.limit(sql.lit(limit)).offset(skip);
  const all = query.limit(sql.lit(walked)).as("walked");
  let cut = db.selectFrom(all).selectAll();
  for (const column of order) cut = cut.orderBy(sql.ref(column), "desc");
  // as: it selects all columns of the query and no others.
  return cut.limit(sql.lit(limit)).offset(skip) as unknown as SelectQueryBuilder<DB, TB, O>;
}
