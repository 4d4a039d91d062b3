import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** Gateways at which keys are made and ended too, and what is to stand there of each key. */
export function gatewaysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("gateways", [
      "org_id",
      "id",
      "name",
      "kind",
      "url",
      "probe_url",
      "plans?",
      "secret?",
      "state",
      "canary",
      "filled_to?",
      "checked_at?",
      "findings",
      "reconciled_at?",
      "reconciled",
      "failing_since?",
      "failure",
      "created_at",
      "created_by",
    ], ["org_id", "id"]),
    table(
      "provisioned_keys",
      [
        "org_id",
        "gateway_id",
        "key_id",
        "wanted#",
        "done#",
        "state",
        "reason",
        "since",
        "due_at?",
        "urgency#",
        "tries#",
        "remote_id",
        "held",
        "delivered_at?",
      ],
      ["org_id", "gateway_id", "key_id"],
      "clustered",
    ),
    db.schema.createIndex("provisioned_keys_due").on("provisioned_keys")
      .columns(["org_id", "gateway_id", "urgency", "due_at"])
      .where(sql<boolean>`due_at is not null`),
    db.schema.createIndex("provisioned_keys_of_state").on("provisioned_keys")
      .columns(["org_id", "gateway_id", "state", "key_id"]),
    db.schema.createIndex("provisioned_keys_of_key").on("provisioned_keys")
      .columns(["org_id", "key_id"]),
    table("provisioning_secrets", ["org_id", "key_id", "secret?", "expires_at"], [
      "org_id",
      "key_id",
    ]),
    db.schema.createIndex("provisioning_secrets_over").on("provisioning_secrets")
      .columns(["expires_at"]),
    table("gateway_lease", ["id#", "holder", "until"], ["id"]),
  ];
}
