import type { Developer } from "../../features/developers/developer.ts";
import { isForeignHash } from "../../kernel/passwords/foreign-hash.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { archiveRowsOf } from "../archive/archive-rows.store.ts";
import {
  type ArchiveRow,
  type ArchiveRows,
  type ArchiveTable,
  archiveTableNames,
} from "../archive/archive-tables.ts";
import { certificateRecords } from "./certificate-records.ts";
import type { Exporting } from "./exporting.ts";
import type { Losses } from "./missing.ts";
import { openRow, openRows } from "./open-rows.ts";
import {
  catalogue,
  configuration,
  developer,
  developerOf,
  documentation,
  isOpen,
  keyRequest,
  keysOf,
  keysOfRequest,
  type PlanLimits,
  planOf,
  policy,
  quotaState,
  session,
  type Shaped,
} from "./original-shapes.ts";
import { isFoundAt } from "./names-there.ts";
import { withoutUnknownTexts } from "./unknown-members.ts";

/**
 * The files of an export, by what the original calls what they hold; `keydesk` holds what it has no
 * name for.
 */
export const exportFiles = {
  policies: "tyk_policies.json",
  configurations: "portal_configurations.json",
  catalogue: "portal_catalogue.json",
  documentation: "portal_documentation.json",
  developers: "portal_developers.json",
  requests: "portal_key_requests.json",
  redis: "redis.jsonl",
  keydesk: "keydesk.jsonl",
} as const;

/** One of them. */
export type ExportFile = keyof typeof exportFiles;

/** A document and the file that it belongs to. */
interface ExportedDocument {
  file: ExportFile;
  document: Shaped;
}

type Documents = AsyncGenerator<ExportedDocument, void, void>;

/**
 * An organisation as documents in the original's shapes. With secrets each carries its rows in a
 * member `keydesk`, which the original ignores and our import reads. Memory stays flat except for
 * the plans, whose limits are kept.
 */
export async function* organisationDocuments(by: Exporting): Documents {
  const plans = new Map<string, PlanLimits>();
  yield* ownRows(by, "organisations");
  yield* ownRows(by, "users");
  yield* ownRows(by, "branding");
  yield* planDocuments(by, plans);
  yield* portalDocuments(by);
  yield* certificateDocuments(by);
  yield* developerDocuments(by, plans);
  yield* keyDocuments(by, plans);
  yield* requestDocuments(by);
  for (const table of archiveTableNames.filter((name) => !SHAPED.has(name))) {
    yield* ownRows(by, table);
  }
}

/** Tables that the walk above has gone through at that time. */
const SHAPED: ReadonlySet<ArchiveTable> = new Set<ArchiveTable>([
  "organisations",
  "users",
  "branding",
  "plans",
  "portal_configurations",
  "catalogues",
  "catalogue_entries",
  "portal_documents",
  "certificates",
  "certificate_files",
  "developers",
  "credentials",
  "key_requests",
]);

/** Rows of one document of what the original has no place for. */
const TOGETHER = 100;

async function* ownRows(by: Exporting, table: ArchiveTable): Documents {
  for await (const page of openRows(by.organisation, table, by.withSecrets)) {
    yield* own(by, table, page.map(({ row }) => row));
  }
}

function* own(by: Exporting, table: ArchiveTable, rows: readonly ArchiveRow[]) {
  if (!by.withSecrets) by.losses.addRows(table, rows.length);
  else {
    for (let i = 0; i < rows.length; i += TOGETHER) {
      const document = { [table]: rows.slice(i, i + TOGETHER) };
      yield shaped(by, "keydesk", { org_id: by.organisation.org_id }, document);
    }
  }
}

/** A document with its rows, where these go along. */
function shaped(
  { withSecrets }: Exporting,
  file: ExportFile,
  document: Shaped,
  rows: ArchiveRows,
): ExportedDocument {
  return { file, document: withSecrets ? { ...document, keydesk: rows } : document };
}

/** The exported part of a document: without secrets no text that Keydesk does not know. */
function exportedOf(
  { withSecrets, losses }: Exporting,
  of: Parameters<typeof withoutUnknownTexts>[0],
) {
  return (document: Readonly<Record<string, unknown>>) =>
    withSecrets
      ? { ...document }
      : withoutUnknownTexts(of, document, (place) => losses.addMember(place));
}

async function* planDocuments(by: Exporting, plans: Map<string, PlanLimits>): Documents {
  const { organisation: { org_id }, withSecrets, losses } = by;
  for await (const page of openRows(by.organisation, "plans", withSecrets)) {
    const deleted = page.filter(({ row }) => row.deleted_at !== null).map(({ row }) => row);
    losses.add("deleted_plans", deleted.length);
    yield* own(by, "plans", deleted);
    for (const { row } of page) {
      if (row.deleted_at !== null) continue;
      const { _id, id, rate, per, quota_max, quota_renewal_rate, access_rights } = planOf(row);
      const limits = { _id, rate, per, quota_max, quota_renewal_rate, access_rights };
      plans.set(_id, limits).set(id, limits);
      yield shaped(by, "policies", policy(org_id, row, exportedOf(by, "plan")), { plans: [row] });
    }
  }
}

async function* portalDocuments(by: Exporting): Documents {
  const { organisation, organisation: { org_id }, withSecrets } = by;
  for await (const page of openRows(organisation, "portal_configurations", withSecrets)) {
    for (const { row } of page) {
      const rows = { portal_configurations: [row] };
      const exported = exportedOf(by, "configuration");
      yield shaped(by, "configurations", configuration(org_id, row, exported), rows);
    }
  }
  for await (const page of openRows(organisation, "catalogues", withSecrets)) {
    const entries: ArchiveRow[] = [];
    for await (const some of openRows(organisation, "catalogue_entries", withSecrets)) {
      entries.push(...some.map(({ row }) => row));
    }
    for (const { row } of page) {
      const rows = { catalogues: [row], catalogue_entries: entries };
      const exported = exportedOf(by, "catalogue_entry");
      yield shaped(by, "catalogue", catalogue(org_id, row, entries, exported), rows);
    }
  }
  for await (const page of openRows(organisation, "portal_documents", withSecrets)) {
    for (const { row } of page) {
      const rows = { portal_documents: [row] };
      yield shaped(by, "documentation", documentation(org_id, row), rows);
    }
  }
}

async function* certificateDocuments(by: Exporting): Documents {
  for await (const { record, rows } of certificateRecords(by)) {
    yield shaped(by, "redis", record, rows);
  }
}

async function* developerDocuments(
  by: Exporting,
  plans: ReadonlyMap<string, PlanLimits>,
): Documents {
  const { organisation, organisation: { org_id }, withSecrets, losses } = by;
  for await (const page of openRows(organisation, "developers", withSecrets)) {
    const rows = page.map(({ row }) => row);
    const open = await openClients(by, rows);
    const names = await namesThere(by, rows.flatMap((row) => keysOf(developerOf(row))));
    for (const { row, isSealed } of page) {
      const { password_hash } = row;
      if (typeof password_hash === "string") {
        if (!withSecrets) losses.add("passwords");
        else if (!isForeignHash(password_hash)) losses.add("argon2_passwords");
      }
      if (isSealed && !withSecrets) losses.add("developer_secrets");
      const clients = openOnly(developerOf(row).oauth_clients, open);
      const document = developer(org_id, row, { withSecrets, clients, names });
      yield shaped(by, "developers", document, { developers: [row] });
      if (!withSecrets) continue;
      yield* clientRecords(by, clients, plans);
    }
  }
}

/**
 * The original's names of those of these keys that have another id since they were used in Keydesk.
 */
async function namesThere(
  { organisation, withSecrets }: Exporting,
  key_ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const values = [...new Set(key_ids)].filter((id) => id !== "");
  if (!withSecrets || values.length === 0) return new Map();
  const of = { table: "credentials", column: "key_id", values } as const;
  return new Map(
    (await archiveRowsOf(organisation.db, organisation.org_id, of)).flatMap((
      { key_id, imported_as },
    ) => typeof imported_as === "string" ? [[String(key_id), imported_as]] : []),
  );
}

/** The key ids of those OAuth clients of these developers that open something. */
async function openClients(
  { organisation, now, withSecrets }: Exporting,
  developers: readonly ArchiveRow[],
): Promise<ReadonlySet<string>> {
  const ids = developers.flatMap((row) => clientIds(developerOf(row).oauth_clients));
  if (!withSecrets || ids.length === 0) return new Set();
  const of = { table: "credentials", column: "key_id", values: ids } as const;
  const rows = await archiveRowsOf(organisation.db, organisation.org_id, of);
  return new Set(
    rows.map((stored) => openRow(organisation, "credentials", stored, true).row)
      .filter((row) => isOpen(row, now)).map((row) => String(row.key_id)),
  );
}

/**
 * The gateway's records of OAuth clients: one for each API of their plan. Their rows travel with
 * the keys.
 */
function* clientRecords(
  by: Exporting,
  clients: Developer["oauth_clients"],
  plans: ReadonlyMap<string, PlanLimits>,
) {
  for (const { plan, client: { client_id: id, secret, redirect_uri } } of going(clients, plans)) {
    for (const api of apisOf(plan, plans)) {
      const value = JSON.stringify({ id, secret, redirecturi: redirect_uri, policyid: plan });
      const record = { key: `oauth-data.${api}.oauth-clientid.${id}`, value };
      yield shaped(by, "redis", record, {});
    }
  }
}

async function* keyDocuments(
  by: Exporting,
  plans: ReadonlyMap<string, PlanLimits>,
): Documents {
  const { organisation, organisation: { org_id }, now, withSecrets, losses } = by;
  for await (const page of openRows(organisation, "credentials", withSecrets)) {
    const rows = page.map(({ row }) => row);
    if (!withSecrets) {
      losses.add("keys", rows.filter(({ state }) => state !== "revoked").length);
      continue;
    }
    const sessions = rows.filter(hasSession);
    const others = rows.filter((row) => !hasSession(row));
    reportOthers(losses, others, now);
    losses.addNamed("oauth_clients", await stayingClients(by, others, plans));
    yield* own(by, "credentials", others);
    const used = await usedQuotas(by, sessions);
    for (const row of sessions) {
      const key_id = String(row.key_id);
      if (String(row.mask).startsWith("kd_")) losses.add("kd_keys");
      else if (!isFoundAt(row, by.targetHash)) losses.add("unfound_keys");
      if (row.state === "suspended") losses.add("suspended_keys");
      if (row.environment !== null || row.note !== null) losses.add("key_labels");
      const quota = quotaState(row, plans, used.get(quotaKeyOf(row)) ?? []);
      if (quota?.hasMore) losses.add("quotas_of_more_plans");
      // By the hash under which the original knows it, where it came from there and was used here
      // since.
      const name = row.imported_as ?? key_id;
      const value = JSON.stringify(session(org_id, row, { plans, quota, now }));
      yield shaped(by, "redis", { key: `apikey-${name}`, value }, { credentials: [row] });
      if (!quota || quota.used === 0 || quota.renews * 1000 <= now) continue;
      // The gateway counts here, and not in the session.
      const counted = { key: `quota-${name}`, value: String(quota.used), exat: quota.renews };
      yield shaped(by, "redis", counted, {});
    }
  }
}

/** Whether the original's gateway can know such a key. */
function hasSession({ kind, state }: ArchiveRow): boolean {
  return kind === "token" && state !== "revoked";
}

/**
 * The OAuth clients that open something and can't go: no developer's map has their secret, or their
 * plan no API. Each by its client id; where only its hash is kept, by that.
 */
async function stayingClients(
  { organisation, now }: Exporting,
  rows: readonly ArchiveRow[],
  plans: ReadonlyMap<string, PlanLimits>,
): Promise<string[]> {
  const open = rows.filter((row) => row.kind === "oauth" && isOpen(row, now));
  const values = [...new Set(open.map(({ developer_id }) => String(developer_id)))];
  if (values.length === 0) return [];
  const of = { table: "developers", column: "id", values } as const;
  const gone = new Set<string>();
  const names = new Map<string, string>();
  for (const stored of await archiveRowsOf(organisation.db, organisation.org_id, of)) {
    const { oauth_clients } = developerOf(openRow(organisation, "developers", stored, true).row);
    for (const { client } of going(oauth_clients, plans)) gone.add(sha256(client.client_id));
    for (const { client_id } of Object.values(oauth_clients).flat()) {
      names.set(sha256(client_id), client_id);
    }
  }
  return open.filter(({ key_id }) => !gone.has(String(key_id)))
    .map(({ key_id }) => names.get(String(key_id)) ?? String(key_id));
}

function reportOthers(losses: Losses, rows: readonly ArchiveRow[], now: number): void {
  for (const row of rows) {
    if (row.state === "revoked") losses.add("revoked_keys");
    else if (row.kind === "basic" || !isOpen(row, now)) losses.add("other_credentials");
  }
}

async function usedQuotas({ organisation }: Exporting, rows: readonly ArchiveRow[]) {
  const found = new Map<string, { plan_id: string; period: number; used: number }[]>();
  const values = rows.map(quotaKeyOf);
  const of = { table: "quota_uses", column: "key_id", values } as const;
  for (const row of await archiveRowsOf(organisation.db, organisation.org_id, of)) {
    const key_id = String(row.key_id);
    const list = found.get(key_id) ?? [];
    const { plan_id, period, used } = row;
    list.push({ plan_id: String(plan_id), period: Number(period), used: Number(used) });
    found.set(key_id, list);
  }
  return found;
}

/** The key id that a key's quotas are counted under. */
function quotaKeyOf({ quota_key, key_id }: ArchiveRow): string {
  return String(quota_key ?? key_id);
}

async function* requestDocuments(by: Exporting): Documents {
  const { organisation, organisation: { org_id }, withSecrets, losses } = by;
  for await (const page of openRows(organisation, "key_requests", withSecrets)) {
    const declined = page.filter(({ row }) => row.state === "declined").map(({ row }) => row);
    losses.add("declined_requests", declined.length);
    yield* own(by, "key_requests", declined);
    const names = await namesThere(by, page.flatMap(({ row }) => keysOfRequest(row)));
    for (const { row, isSealed } of page) {
      if (isSealed && !withSecrets) losses.add("request_secrets");
      if (row.state === "declined") continue;
      const document = keyRequest(org_id, row, { withSecrets, names });
      yield shaped(by, "requests", document, { key_requests: [row] });
    }
  }
}

/** The key ids of a developer's OAuth clients. */
function clientIds(clients: Developer["oauth_clients"]): string[] {
  return Object.values(clients).flat().map(({ client_id }) => sha256(client_id));
}

/** Of OAuth clients those whose key ids are among the open ones. */
function openOnly(
  clients: Developer["oauth_clients"],
  open: ReadonlySet<string>,
): Developer["oauth_clients"] {
  return Object.fromEntries(
    Object.entries(clients).map(([plan, list]) => [
      plan,
      list.filter(({ client_id }) => open.has(sha256(client_id))),
    ]),
  );
}

/** The APIs that a plan opens. */
function apisOf(plan: string, plans: ReadonlyMap<string, PlanLimits>): string[] {
  return Object.keys(plans.get(plan)?.access_rights ?? {});
}

/** A developer's OAuth clients of which a gateway can have records, each with its plan. */
function going(clients: Developer["oauth_clients"], plans: ReadonlyMap<string, PlanLimits>) {
  return Object.entries(clients).flatMap(([plan, list]) =>
    list.filter(({ secret }) => secret !== "" && apisOf(plan, plans).length > 0)
      .map((client) => ({ plan, client }))
  );
}
