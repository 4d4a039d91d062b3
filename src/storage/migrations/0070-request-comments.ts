import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** What people of the team say to each other about a request. */
export function requestCommentsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  return [
    tableMaker(db, dialect)(
      "request_comments",
      [
        "org_id",
        "request_id",
        "id",
        "author",
        "at",
        "words?",
        "mentions",
        "removed_at?",
        "removed_by?",
      ],
      ["org_id", "request_id", "id"],
      "clustered",
    ),
  ];
}
