import { sql } from "kysely";
import { type Dialect, statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { directRows, type Fragment, type Params, paramsOf } from "./certificate-keys.store.ts";
import { cutsOf, mustGather, type Selection } from "./selection.ts";

/** What of a certificate is wanted: its id in quotes, its basic members, or these and its details. */
export type Shown = "ids" | "basics" | "details";

/** Certificates of a list, shown and joined by the engine: one text instead of many columns a row. */
export interface JoinedTexts {
  /** How many there are. */
  n: number;
  /** The position of the last; null where there is none. */
  last: number | null;
  /** The certificates with the separator between; null likewise. */
  text: string | null;
}

/** How a list is read on. */
export interface Joining {
  shown: Shown;
  separator: "," | "\n";
  limit: number;
}

/** True of a selection that `joinedTexts` can read: one index, in the order of addition. */
export function canBeJoined(selection: Selection): boolean {
  return !mustGather(selection) && selection.found === "position" && selection.times === null &&
    selection.kinds.length !== 2;
}

/**
 * The next certificates of a selection that can be joined, behind the position `after` and not beyond `until`. Each
 * reads as `showBasics` and `showDetails` write it at `nowMs`.
 */
export async function joinedTexts(
  db: Connection,
  org_id: string,
  selection: Selection,
  { shown, separator, limit }: Joining,
  { after, until, nowMs }: { after: number; until: number; nowMs: number },
): Promise<JoinedTexts> {
  const { kinds, descending } = selection;
  const walk = { kinds: kinds.length, timed: false, order: "position", descending, limit } as const;
  const { ended, begun, soon } = cutsOf(nowMs);
  const row = await db.row(joinedSql(walk, shown, separator), {
    ...paramsOf(org_id, selection),
    key: after,
    position: after,
    skip: 0,
    until,
    ended,
    begun,
    soon,
    since: FAR_SECONDS - Math.ceil(nowMs / 1000),
  });
  return row ?? { n: 0, last: null, text: null };
}

type JoinedParams = Params & {
  until: number;
  ended: string;
  begun: string;
  soon: string;
  since: number;
};

const joinedSql = variants((
  walk: Parameters<typeof directRows>[1],
  shown: Shown,
  separator: Joining["separator"],
) =>
  statement<JoinedParams>()<JoinedTexts>((db, p, dialect) => ({
    compile: () => {
      const window = sql`limit ${sql.lit(walk.limit)}`;
      const rows = directRows(
        sql`c.position, ${textOf[shown](p, dialect)} as text`,
        walk,
        p,
        dialect,
        window,
        sql`and c.position ${sql.raw(walk.descending ? ">=" : "<=")} ${p.until}`,
      );
      const last = sql.raw(walk.descending ? "min" : "max");
      const between = sql.lit(separator);
      // Both engines join in the order of the rows that they are given; PostgreSQL promises it where it is asked for.
      const joined = dialect === "postgres"
        ? sql`string_agg(text, ${between} order by position ${
          sql.raw(walk.descending ? "desc" : "asc")
        })`
        : sql`group_concat(text, ${between})`;
      return sql<JoinedTexts>`select count(*) as n, ${last}(position) as last, ${joined} as text
        from (${rows}) as r`.compile(db);
    },
  }))
);

const hasPrivate = sql`case when c.kind >= 2 then 'true' else 'false' end`;

/** The same texts as in stored-certificate.ts. */
const textOf: Record<Shown, (p: JoinedParams, dialect: Dialect) => Fragment> = {
  ids: () => sql`'"' || c.org_id || c.fingerprint || '"'`,
  basics: () => sql`c.head || ${hasPrivate} || c.tail || '}'`,
  details: (p, dialect) =>
    sql`c.head || ${hasPrivate} || c.tail || c.details || ',"status":"' || case
      when c.not_after < ${p.ended} then 'expired'
      when c.not_before >= ${p.begun} then 'not_yet_valid'
      when c.not_after < ${p.soon} then 'expiring'
      else 'valid' end || '","days_left":' || case
      when c.not_after = '~' then 'null'
      else cast(${daysLeft(p, dialect)} as text) end || '}'`,
};

/** Days before every time that a certificate can name: a division of integers rounds towards zero, not down. */
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
