import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Many decisions in one job: the job, its rows with what became of each, the links that wait to be
 * fetched, and which node works. Of one person no two jobs are under way.
 */
export function jobsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("jobs", [
      "org_id",
      "id",
      "kind",
      "deliver",
      "reason?",
      "selection",
      "at_most#",
      "person",
      "token_id",
      "request_id",
      "started_at",
      "state",
      "why",
      "stopped_by",
      "place",
      "total#",
      "settled#",
      "done#",
      "left_alone#",
      "failed#",
      "ended_at?",
      "expires_at?",
    ], ["org_id", "id"]),
    db.schema.createIndex("jobs_under_way").on("jobs").columns(["org_id", "person"])
      .unique().where(sql<boolean>`ended_at is null`),
    db.schema.createIndex("jobs_over").on("jobs").columns(["expires_at"]),
    table(
      "job_rows",
      [
        "org_id",
        "job_id",
        "n#",
        "request_id",
        "revision",
        "outcome",
        "code",
        "key_id",
        "claim_ends?",
        "at?",
      ],
      ["org_id", "job_id", "n"],
      "clustered",
    ),
    table("job_links", [
      "org_id",
      "id",
      "job_id",
      "n#",
      "link?",
      "expires_at",
    ], ["org_id", "id"]),
    db.schema.createIndex("job_links_of").on("job_links").columns(["org_id", "job_id", "n"]),
    db.schema.createIndex("job_links_over").on("job_links").columns(["expires_at"]),
    table("job_lease", ["id#", "holder", "until"], ["id"]),
  ];
}
