import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./0001-key-requests.ts";

/**
 * Certificates: what lists are made of, the files and sealed keys beside it, and the index of their
 * texts.
 */
export function certificatesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on("certificates").columns(columns);
  return [
    table(
      "certificates",
      [
        "org_id",
        "fingerprint",
        "position#",
        "kind#",
        "not_before",
        "not_after",
        "subject_key",
        "head",
        "tail",
        "details",
        "search",
      ],
      ["org_id", "fingerprint"],
    ),
    index("certificates_position", ["org_id", "position"]).unique(),
    index("certificates_added", ["org_id", "kind", "position"]),
    // With the other end of the validity, so that counting a status reads the index alone.
    index("certificates_not_after", ["org_id", "kind", "not_after", "position", "not_before"]),
    index("certificates_not_before", ["org_id", "kind", "not_before", "position", "not_after"]),
    index("certificates_subject", ["org_id", "kind", "subject_key", "position"]),
    // Where pages of sorted lists began, up to step 17.
    table(
      "certificate_blocks",
      ["org_id", "sort", "first_key", "first_position#", "n0#", "n1#", "n2#", "n3#"],
      ["org_id", "sort", "first_key", "first_position"],
      "clustered",
    ),
    // Large and seldom wanted, so apart from what lists read.
    table(
      "certificate_files",
      ["org_id", "fingerprint", "certificate", "chain", "private_key?"],
      ["org_id", "fingerprint"],
    ),
    ...(dialect === "sqlite" ? sqliteSearch : postgresSearch).map((text) => raw(db, text)),
  ];
}

/**
 * Texts are in lower case already. `org`, `pk` and `ca` are words of three letters: one trigram
 * each.
 */
const sqliteSearch = [
  `create virtual table certificate_search using fts5(
    text, org, pk, ca, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`,
];

/**
 * Where the extension can't be had, a search reads every certificate of its organisation: right,
 * but slow.
 */
const postgresSearch = [
  `do $$ begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'pg_trgm is not available: searches will be slow';
  end $$`,
  `do $$ begin
    if exists (select 1 from pg_extension where extname = 'pg_trgm') then
      create index certificates_search on certificates using gin (search gin_trgm_ops);
    end if;
  end $$`,
];

function raw(db: QueryBuilder, text: string): Compilable {
  return { compile: () => sql.raw(text).compile(db) };
}
