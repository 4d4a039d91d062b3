import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Who is told before certificates and keys end: what certificates are cared for by, how far each
 * organisation's alerts have come, and what became of the newest of each object. Messages of the
 * outbox may say more than their ids.
 */
export function alertsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const column = (name: string, on: string) => db.schema.alterTable(on).addColumn(name, "text");
  return [
    column("names", "certificates"),
    column("owner", "certificates"),
    column("tags", "certificates"),
    column("detail", "outbox_events"),
    // The newest of the same names, and those that earlier code added without theirs.
    db.schema.createIndex("certificates_names").on("certificates")
      .columns(["org_id", "names", "not_after", "fingerprint"])
      .where(sql<boolean>`names <> ''`),
    db.schema.createIndex("certificates_unnamed").on("certificates")
      .columns(["org_id", "fingerprint"]).where(sql<boolean>`names is null`),
    table("alert_settings", ["org_id", "days", "at_end#"], ["org_id"]),
    table("alert_progress", ["org_id", "object", "days#", "ends_at", "tie"], [
      "org_id",
      "object",
      "days",
    ]),
    table("alerts", [
      "org_id",
      "object",
      "object_id",
      "days#",
      "ends_at",
      "at",
      "outcome",
      "reason",
      "event_id",
      "expires_at",
    ], ["org_id", "object", "object_id"]),
    db.schema.createIndex("alerts_over").on("alerts").columns(["expires_at"]),
    table("alert_mutes", [
      "org_id",
      "object",
      "object_id",
      "reason",
      "muted_by",
      "muted_at",
      "expires_at",
    ], ["org_id", "object", "object_id"]),
    db.schema.createIndex("alert_mutes_over").on("alert_mutes").columns(["expires_at"]),
    table("alert_lease", ["id#", "holder", "until"], ["id"]),
  ];
}
