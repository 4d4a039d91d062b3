/** The tables of an organisation that go into its archive. */

import { columnsOf, keysOf } from "../../storage/rows.ts";

/** Tables whose rows are archived, in the order in which they are put into another server. */
export const archiveTables = {
  organisations: { scope: "id", stays: ["date_created"], holds: "the organisation's name" },
  // Without access tokens they authorise nothing; the other server's administrators issue new ones.
  users: { stays: ["checksum", "role"], isApart: true, holds: "people" },
  branding: { holds: "the brand" },
  plans: { holds: "plans" },
  portal_configurations: { holds: "the portal's configuration" },
  catalogues: { holds: "the catalogue" },
  catalogue_entries: { holds: "catalogue entries" },
  api_visibilities: { holds: "who sees the APIs of the catalogue" },
  portal_documents: { holds: "documents of the catalogue" },
  // Not by the position itself, which is the store's: the order is what travels.
  certificates: {
    key: ["position"],
    stays: ["position", "names", "renewal_names"],
    isOrdered: true,
    holds: "certificates",
  },
  certificate_files: { holds: "the files of certificates" },
  developers: { stays: ["worded", "sso_key_hash", "email_folded"], holds: "developers" },
  developer_emails: { holds: "what is known of developers' addresses" },
  verified_emails: { holds: "which of developers' addresses are verified" },
  developer_choices: { holds: "which mails developers chose" },
  credentials: { stays: ["checksum"], holds: "keys, user names and OAuth clients" },
  key_requests: { stays: ["decide_by", "tell_at"], holds: "key requests" },
  request_comments: { holds: "comments on key requests" },
  claims: {
    // Those of access tokens stay behind with the tokens.
    only: ["access_token_id", ""],
    holds: "one-time links",
  },
  plan_accesses: { holds: "until when developers have access to plans" },
  credential_uses: { holds: "when keys were last used" },
  quota_uses: { holds: "what is used of quotas" },
  usage_hours: { holds: "use by the hour" },
  usage_days: { holds: "use by the day" },
  usage_erasures: { holds: "keys whose use is being erased" },
  leaks: { key: ["object_id"], only: ["object", "credential"], holds: "keys that leaked" },
  alert_settings: { holds: "when is told of ends" },
  certificate_renewals: { holds: "renewals of certificates that people named" },
  alert_mutes: { holds: "muted alerts" },
  delivery_targets: {
    stays: ["starts_behind", "failing_since", "failures", "wake_by"],
    holds: "channels of deliveries",
  },
  views: { stays: ["columns"], holds: "saved views" },
  list_columns: { holds: "the columns that people chose" },
} as const satisfies Readonly<Record<string, TableShape>>;

interface TableShape {
  /** The column that holds the organisation; absent: org_id. */
  scope?: "org_id" | "id";
  /** Another order than the primary key's that is unique within the organisation. */
  key?: readonly string[];
  /** Columns that are made anew where the rows arrive, or are the store's own. */
  stays?: readonly string[];
  /** Only rows with this value in this column. */
  only?: readonly [column: string, value: string];
  /** The name of its rows, for people. */
  holds: string;
  /** True: the order of the rows is a part of what they say. */
  isOrdered?: boolean;
  /** True: every server has such rows of its own, so they don't count in its digest. */
  isApart?: boolean;
}

/** A table that travels. */
export type ArchiveTable = keyof typeof archiveTables;

/**
 * The shape of one. `key`: what besides the organisation makes the order; `columns`: what travels,
 * whatever the table declares but for the organisation and what stays.
 */
export function shapeOf(table: ArchiveTable) {
  const { scope = "org_id", stays = [], key = keysOf(table), ...shape }: TableShape =
    archiveTables[table];
  const columns: readonly string[] = columnsOf(table);
  return {
    ...shape,
    scope,
    key: key.filter((name) => name !== scope),
    columns: columns.filter((name) => name !== scope && !stays.includes(name)),
  };
}

/** All of them, in their order. */
// as: the keys of exactly this object.
export const archiveTableNames = Object.keys(archiveTables) as readonly ArchiveTable[];

/** A row that travels: what was sealed is open. Absent members are null. */
export type ArchiveRow = Readonly<Record<string, string | number | null>>;

/** Rows that travel together, by table. */
export type ArchiveRows = Readonly<Partial<Record<ArchiveTable, readonly ArchiveRow[]>>>;
