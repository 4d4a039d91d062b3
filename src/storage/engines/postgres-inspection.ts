import { sql } from "kysely";
import { stepsOf } from "../migrate-session.ts";
import { statement } from "../statement.ts";
import { frozenBy, type Inspection } from "./inspection.ts";
import { codeOf, isDamage } from "./postgres-errors.ts";
import { connectToWritable } from "./postgres-client.ts";
import type { PostgresLimits } from "./postgres-limits.ts";
import { passageOf, passageWarnings } from "./postgres-pooler.ts";
import { openPostgresSession } from "./postgres-session.ts";
import { parsePostgresUrl } from "./postgres-url.ts";
import type { StoreSession } from "./store-session.ts";

/** Looks at the store of the URL, beside anyone who serves it. */
export async function inspectPostgres(url: string): Promise<Inspection> {
  const session = await openPostgresSession(url, { readOnly: true });
  return {
    connection: session,
    steps: () => stepsOf(session),
    problems: () => problemsOf(session),
    frozen: frozenBy(
      (text) => session.exec(text),
      "begin isolation level repeatable read read only",
    ),
    close: () => session.close(),
  };
}

/** As `databaseWarnings` gives them, over a connection like a server's. */
export async function warningsOfPostgres(url: string, limits: PostgresLimits): Promise<string[]> {
  const target = parsePostgresUrl(url);
  const { client, options } = await connectToWritable(target, limits);
  try {
    return passageWarnings(await passageOf(client, options, limits));
  } finally {
    await client.end();
  }
}

/**
 * Every table is read whole, with what stands apart of its rows; and every index is checked by
 * amcheck, where that extension is there and may be used.
 */
async function* problemsOf(session: StoreSession): AsyncGenerator<string, void, void> {
  for (const { name } of await session.tables()) {
    const found = await problemOf(() => session.row(readWhole(name), {}));
    if (found !== undefined) yield `table ${name}: ${found}`;
  }
  for (const { name } of await session.rows(invalidSql, {})) yield `index ${name} is not valid`;
  if (!await session.row(amcheckSql, {})) return;
  for (const { oid, name } of await session.rows(indexesSql, {})) {
    try {
      const found = await problemOf(() => session.row(checkIndexSql, { oid }));
      if (found !== undefined) yield `index ${name}: ${found}`;
    } catch (error) {
      // The role may not use it: what was read above is what can be said.
      if (codeOf(error) === "42501") return;
      throw error;
    }
  }
}

/** The server's report of damage that it meets; undefined if there is none. */
async function problemOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!isDamage(error) || !(error instanceof Error)) throw error;
    return error.message;
  }
}

type Nothing = Record<never, never>;

/** The names of tables come from the server itself. */
const readWhole = (name: string) =>
  statement<Nothing>()<{ n: string }>((db) => ({
    compile: () =>
      sql<{ n: string }>`select sum(length(t::text)) as n from ${sql.table(name)} as t`.compile(db),
  }));

const ours = sql`i.indrelid = t.oid and c.oid = i.indexrelid
  and t.relnamespace = (select oid from pg_namespace where nspname = current_schema())`;

const invalidSql = statement<Nothing>()<{ name: string }>((db) => ({
  compile: () =>
    sql<{ name: string }>`select c.relname as name from pg_index i, pg_class c, pg_class t
      where ${ours} and not i.indisvalid order by c.relname`.compile(db),
}));

const indexesSql = statement<Nothing>()<{ oid: string; name: string }>((db) => ({
  compile: () =>
    sql<{ oid: string; name: string }>`select c.oid::text as oid, c.relname as name
      from pg_index i, pg_class c, pg_class t, pg_am a
      where ${ours} and i.indisvalid and a.oid = c.relam and a.amname = 'btree'
      order by c.relname`.compile(db),
}));

const amcheckSql = statement<Nothing>()<{ extname: string }>((db) => ({
  compile: () =>
    sql<{ extname: string }>`select extname from pg_extension where extname = 'amcheck'`
      .compile(db),
}));

const checkIndexSql = statement<{ oid: string }>()<unknown>((db, p) => ({
  compile: () => sql`select bt_index_check(${p.oid}::oid)`.compile(db),
}));
