import { sql } from "kysely";
import { type Dialect, statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { directRows, type Fragment, type Params, paramsOf } from "./certificate-keys.store.ts";
import { cutsOf, mustGather, type Selection } from "./selection.ts";

/**
 * The needed part of a certificate: its id in quotes, its basic members, or these and its details.
 */
export type Detail = "ids" | "basics" | "details";

/** Certificates of a list, shown and joined by the engine: one text, not many columns a row. */
interface JoinedTexts {
  /** How many there are. */
  n: number;
  /** The position of the last; null where there is none. */
  last: number | null;
  /** The certificates with the separator between; null likewise. */
  text: string | null;
}

/** The separator of two certificates in a list. */
export type Separator = "," | "\n";

/** True of a selection that `joinedTexts` can read: one index, in the order of addition. */
export function canBeJoined(selection: Selection): boolean {
  return !mustGather(selection) && selection.found === "position" && selection.times === null &&
    selection.kinds.length !== 2;
}

/**
 * Reads a selection that can be joined, as it is at `nowMs`: each call gives the next `limit`
 * certificates behind the position `after` and not beyond `until`. Each reads as `toBasics` and
 * `toDetails` write it.
 */
export function joinedTexts(
  db: Connection,
  org_id: string,
  selection: Selection,
  { visible, separator, nowMs, until }: {
    visible: Detail;
    separator: Separator;
    nowMs: number;
    until: number;
  },
): (after: number, limit: number) => Promise<JoinedTexts> {
  const { kinds, descending } = selection;
  const { open, close } = edgesOf(org_id)[visible];
  const params = {
    ...paramsOf(org_id, selection),
    ...cutsOf(nowMs),
    skip: 0,
    until,
    since: FAR_SECONDS - Math.ceil(nowMs / 1000),
    between: close + separator + open,
  };
  return async (after, limit) => {
    const walk = {
      kinds: kinds.length,
      timed: false,
      order: "position",
      descending,
      limit,
      listed: visible !== "details",
    } as const;
    const place = { key: after, position: after };
    const { n, last, text } = await db.row(joinedSql(walk, visible), { ...params, ...place }) ??
      NONE;
    return { n, last, text: text === null ? null : open + text + close };
  };
}

const NONE: JoinedTexts = { n: 0, last: null, text: null };

type JoinedParams = Params & {
  until: number;
  ended: string;
  begun: string;
  soon: string;
  since: number;
  between: string;
};

const joinedSql = variants((walk: Parameters<typeof directRows>[1], visible: Detail) =>
  statement<JoinedParams>()<JoinedTexts>((db, p, dialect) => ({
    compile: () => {
      const window = sql`limit ${sql.lit(walk.limit)}`;
      const rows = directRows(
        sql`c.position, ${textOf[visible](p, dialect)} as text`,
        walk,
        p,
        dialect,
        window,
        sql`and c.position ${sql.raw(walk.descending ? ">=" : "<=")} ${p.until}`,
      );
      const last = sql.raw(walk.descending ? "min" : "max");
      // Both engines join in the order of the rows that they are given; PostgreSQL promises it
      // where it is asked for.
      const joined = dialect === "postgres"
        ? sql`string_agg(text, ${p.between} order by position ${
          sql.raw(walk.descending ? "desc" : "asc")
        })`
        : sql`group_concat(text, ${p.between})`;
      return sql<JoinedTexts>`select count(*) as n, ${last}(position) as last, ${joined} as text
        from (${rows}) as r`.compile(db);
    },
  }))
);

/**
 * The text before and behind each certificate; the engine writes it when it joins, not for each
 * row.
 */
function edgesOf(org_id: string): Record<Detail, { open: string; close: string }> {
  return {
    ids: { open: `"${org_id}`, close: '"' },
    basics: { open: "", close: "}" },
    details: { open: "", close: "}" },
  };
}

const hasPrivate = sql`case when c.kind >= 2 then 'true' else 'false' end`;

/** Between these edges, the same texts as in stored-certificate.ts. */
const textOf: Record<Detail, (p: JoinedParams, dialect: Dialect) => Fragment> = {
  ids: () => sql`c.fingerprint`,
  basics: () => sql`concat(c.head, ${hasPrivate}, c.tail)`,
  details: (p, dialect) =>
    sql`concat(c.head, ${hasPrivate}, c.tail, c.details, case
      when c.not_after < c.not_before then ',"status":"invalid","days_left":'
      when c.not_after < ${p.ended} then ',"status":"expired","days_left":'
      when c.not_before >= ${p.begun} then ',"status":"not_yet_valid","days_left":'
      when c.not_after < ${p.soon} then ',"status":"expiring","days_left":'
      else ',"status":"valid","days_left":' end, case
      when c.not_after = '~' or c.not_after < c.not_before then 'null'
      else cast(${daysLeft(p, dialect)} as text) end)`,
};

/**
 * Days before every time that a certificate can name: a division of integers rounds towards zero,
 * not down.
 */
const FAR_DAYS = 4_000_000;
const FAR_SECONDS = FAR_DAYS * 86_400;

function daysLeft(p: JoinedParams, dialect: Dialect): Fragment {
  const seconds = dialect === "postgres"
    ? sql`cast(extract(epoch from cast(c.not_after as timestamptz)) as bigint)`
    : sql`unixepoch(c.not_after)`;
  const since = dialect === "postgres"
    ? sql`cast(${p.since} as bigint)`
    : sql`cast(${p.since} as integer)`;
  return sql`(${seconds} + ${since}) / 86400 - ${sql.lit(FAR_DAYS)}`;
}
