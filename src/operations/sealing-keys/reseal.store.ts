import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Tx } from "../../storage/storage.ts";

/**
 * Every column whose texts are sealed with the server's keys, and open with them, and the column
 * that names a row in its place.
 */
export const sealedColumns = {
  certificate_files: { id: "fingerprint", column: "private_key" },
  claim_links: { id: "id", column: "link" },
  claims: { id: "id", column: "secret" },
  deleted_developers: { id: "id", column: "kept" },
  delivery_targets: { id: "id", column: "secrets" },
  developer_codes: { id: "id", column: "code" },
  developer_identities: { id: "id", column: "link" },
  developers: { id: "id", column: "secrets" },
  elevation_rules: { id: "id", column: "terms" },
  elevations: { id: "id", column: "terms" },
  email_links: { id: "id", column: "link" },
  ended_keys: { id: "key_id", column: "kept" },
  gateways: { id: "id", column: "secret" },
  identity_providers: { id: "id", column: "terms" },
  job_links: { id: "id", column: "link" },
  key_requests: { id: "id", column: "secrets" },
  one_time_secrets: { id: "id", column: "secret" },
  passkeys: { id: "id", column: "public_key" },
  person_identities: { id: "id", column: "link" },
  person_invitations: { id: "id", column: "link" },
  provider_grants: { id: "id", column: "token" },
  provisioning_new: { id: "key_id", column: "secret" },
  provisioning_secrets: { id: "key_id", column: "secret" },
  roles: { id: "id", column: "terms" },
  trail_keys: { id: "id", column: "private_key" },
} as const;

/** A table with such a column. */
export type SealedTable = keyof typeof sealedColumns;

/** Every such table, in the order in which they are re-sealed. */
export const sealedTables: readonly SealedTable[] = [
  "certificate_files",
  "claim_links",
  "claims",
  "deleted_developers",
  "delivery_targets",
  "developer_codes",
  "developer_identities",
  "developers",
  "elevation_rules",
  "elevations",
  "email_links",
  "ended_keys",
  "gateways",
  "identity_providers",
  "job_links",
  "key_requests",
  "one_time_secrets",
  "passkeys",
  "person_identities",
  "person_invitations",
  "provider_grants",
  "provisioning_new",
  "provisioning_secrets",
  "roles",
  "trail_keys",
];

/** The row behind which a walk goes on; empty at its start. */
export interface ResealPlace {
  org_id: string;
  id: string;
}

type PageParams = { org_id: string; id: string; limit: number };
type SealedRow = { org_id: string; id: string; sealed: string | null };
type SetParams = { org_id: string; id: string; before: string; after: string | null };

/** Up to `limit` rows of a table behind a place, in the order of its key. */
export function rowsBehind(
  tx: Tx,
  table: SealedTable,
  place: ResealPlace,
  limit: number,
): Promise<SealedRow[]> {
  return tx.rows(pageSql[table], { ...place, limit });
}

/** Replaces a sealed text by another, or by none. False where it was changed meanwhile. */
export async function replaceSealed(
  tx: Tx,
  table: SealedTable,
  row: SetParams,
): Promise<boolean> {
  return await tx.change(setSql[table], row) === 1;
}

const pageSql = {
  certificate_files: pageOf("certificate_files"),
  claim_links: pageOf("claim_links"),
  claims: pageOf("claims"),
  deleted_developers: pageOf("deleted_developers"),
  delivery_targets: pageOf("delivery_targets"),
  developer_codes: pageOf("developer_codes"),
  developer_identities: pageOf("developer_identities"),
  developers: pageOf("developers"),
  elevation_rules: pageOf("elevation_rules"),
  elevations: pageOf("elevations"),
  email_links: pageOf("email_links"),
  ended_keys: pageOf("ended_keys"),
  gateways: pageOf("gateways"),
  identity_providers: pageOf("identity_providers"),
  job_links: pageOf("job_links"),
  key_requests: pageOf("key_requests"),
  one_time_secrets: pageOf("one_time_secrets"),
  passkeys: pageOf("passkeys"),
  person_identities: pageOf("person_identities"),
  person_invitations: pageOf("person_invitations"),
  provider_grants: pageOf("provider_grants"),
  provisioning_new: pageOf("provisioning_new"),
  provisioning_secrets: pageOf("provisioning_secrets"),
  roles: pageOf("roles"),
  trail_keys: pageOf("trail_keys"),
};

const setSql = {
  certificate_files: setOf("certificate_files"),
  claim_links: setOf("claim_links"),
  claims: setOf("claims"),
  deleted_developers: setOf("deleted_developers"),
  delivery_targets: setOf("delivery_targets"),
  developer_codes: setOf("developer_codes"),
  developer_identities: setOf("developer_identities"),
  developers: setOf("developers"),
  elevation_rules: setOf("elevation_rules"),
  elevations: setOf("elevations"),
  email_links: setOf("email_links"),
  ended_keys: setOf("ended_keys"),
  gateways: setOf("gateways"),
  identity_providers: setOf("identity_providers"),
  job_links: setOf("job_links"),
  key_requests: setOf("key_requests"),
  one_time_secrets: setOf("one_time_secrets"),
  passkeys: setOf("passkeys"),
  person_identities: setOf("person_identities"),
  person_invitations: setOf("person_invitations"),
  provider_grants: setOf("provider_grants"),
  provisioning_new: setOf("provisioning_new"),
  provisioning_secrets: setOf("provisioning_secrets"),
  roles: setOf("roles"),
  trail_keys: setOf("trail_keys"),
};

function pageOf(table: SealedTable) {
  const { id, column } = sealedColumns[table];
  return statement<PageParams>()<SealedRow>((db, p) => ({
    compile: () =>
      sql<SealedRow>`select org_id, ${sql.ref(id)} as id, ${sql.ref(column)} as sealed
        from ${sql.table(table)} where (org_id, ${sql.ref(id)}) > (${p.org_id}, ${p.id})
        order by org_id, ${sql.ref(id)} limit ${p.limit}`.compile(db),
  }));
}

function setOf(table: SealedTable) {
  const { id, column } = sealedColumns[table];
  return statement<SetParams>()<unknown>((db, p) => ({
    compile: () =>
      sql`update ${sql.table(table)} set ${sql.ref(column)} = ${p.after}
        where org_id = ${p.org_id} and ${sql.ref(id)} = ${p.id} and ${
        sql.ref(column)
      } = ${p.before}`
        .compile(db),
  }));
}
