import { type CheckedValues, checksumOf } from "../../changes/checked-rows.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { countChannels, drawPosition } from "../../changes/outbox.store.ts";
import { namedBy, renewalNames } from "../../features/certificates/certificate-names.ts";
import { isAuthority } from "../../features/certificates/certificate.ts";
import {
  allotPositions,
  insertCertificate,
  lockCertificate,
} from "../../features/certificates/certificates.store.ts";
import { unlabelled } from "../../features/keys/key-labels.ts";
import { listLabels } from "../../features/keys/key-labels.store.ts";
import { listPlans } from "../../features/keys/key-plans.store.ts";
import type { StoredKeyState } from "../../features/keys/key-kinds.ts";
import {
  type Developer,
  type DeveloperSecrets,
  foldedEmail,
  ssoKeyHash,
} from "../../features/developers/developer.ts";
import { listTags } from "../../features/developers/developer-tags.store.ts";
import { DEVELOPERS } from "../../features/developers/developers.store.ts";
import { listOf, type RequestState } from "../../features/key-requests/key-request.ts";
import { noteForSearch } from "../../features/key-requests/search.store.ts";
import { takePlanIds } from "../../features/plans/plan-ids.store.ts";
import { insertPlan } from "../../features/plans/plans.store.ts";
import { countRow } from "../../storage/list-counts.ts";
import type { Tx } from "../../storage/storage.ts";
import { insertRow, renameOrganisation, setStoredCare } from "./archive-rows.store.ts";
import {
  type ArchiveRow,
  type ArchiveRows,
  type ArchiveTable,
  archiveTableNames,
} from "./archive-tables.ts";
import { placeOfSealed } from "./sealed-place.ts";

/** To whom rows are put, and when. */
interface PutBy {
  org_id: string;
  /** Milliseconds. */
  now: number;
}

/**
 * Puts rows of another Keydesk into this one, with all that is made of them: counters, searches,
 * checksums, seals. False if one of them is here already, which then stays as it is.
 */
export async function putRows(tx: Tx, by: PutBy, rows: ArchiveRows): Promise<boolean> {
  let isNew = true;
  for (const table of archiveTableNames) {
    for (const row of rows[table] ?? []) isNew = await putRow(tx, by, table, row, rows) && isNew;
  }
  return isNew;
}

async function putRow(
  tx: Tx,
  by: PutBy,
  table: ArchiveTable,
  open: ArchiveRow,
  all: ArchiveRows,
): Promise<boolean> {
  const { org_id } = by;
  const row = sealed(tx, org_id, table, open);
  switch (table) {
    case "organisations":
      await renameOrganisation(tx, { org_id, name: String(row.name) });
      return true;
    case "users":
      return await insertRow(tx, org_id, table, withChecksum(tx, org_id, table, row));
    case "plans":
      return await putPlan(tx, by, row);
    case "certificates":
      return await putCertificate(tx, org_id, row, all);
    case "certificate_files":
      // Put with its certificate.
      return true;
    case "developers":
      return await putDeveloper(tx, org_id, row, open);
    case "credentials":
      return await putKey(tx, org_id, row);
    case "key_requests":
      return await putRequest(tx, org_id, row);
    case "delivery_targets":
      return await putChannel(tx, org_id, row);
    default:
      return await insertRow(tx, org_id, table, row);
  }
}

/** The row as it is stored here: what is sealed at rest is sealed with this server's key. */
function sealed(tx: Tx, org_id: string, table: ArchiveTable, row: ArchiveRow): ArchiveRow {
  const place = placeOfSealed(table, org_id, row);
  if (!place) return row;
  const plain = row[place.column];
  return typeof plain === "string" ? { ...row, [place.column]: tx.sealer.seal(place, plain) } : row;
}

async function putPlan(tx: Tx, { org_id, now }: PutBy, row: ArchiveRow): Promise<boolean> {
  const plan = {
    org_id,
    id: String(row.id),
    given_id: String(row.given_id),
    name: String(row.name),
    auth_type: String(row.auth_type),
    document: String(row.document),
    date_created: String(row.date_created),
    expiry_applies_to: row.expiry_applies_to === null ? null : String(row.expiry_applies_to),
    max_keys: row.max_keys === null ? null : Number(row.max_keys),
    // Archives of earlier builds have none.
    price_text: row.price_text ? String(row.price_text) : null,
  };
  const ids = [...new Set([plan.id, plan.given_id])];
  if (row.deleted_at === null) await insertPlan(tx, plan);
  // Its name may be another's by now.
  else {
    if (!await insertRow(tx, org_id, "plans", row)) return false;
    await takePlanIds(tx, org_id, { _id: plan.id, id: plan.given_id });
  }
  for (const object_id of ids) await invalidate(tx, { org_id, kind: "plan", object_id, now });
  return true;
}

async function putCertificate(
  tx: Tx,
  org_id: string,
  row: ArchiveRow,
  all: ArchiveRows,
): Promise<boolean> {
  const fingerprint = String(row.fingerprint);
  const file = all.certificate_files?.find((one) => one.fingerprint === fingerprint);
  const position = await allotPositions(tx, org_id, 1);
  if (await lockCertificate(tx, { org_id, fingerprint })) return false;
  const stored = file && sealed(tx, org_id, "certificate_files", file);
  const text = (name: string) => String(row[name]);
  const texts = { head: text("head"), tail: text("tail"), details: text("details") };
  const kind = Number(row.kind);
  // as: a file's columns are texts, and its private key may be absent.
  const entry = {
    ...texts,
    fingerprint,
    is_ca: isAuthority(kind),
    not_before: text("not_before"),
    not_after: text("not_after"),
    subject_key: text("subject_key"),
    search: text("search"),
    renewal_names: renewalNames(namedBy(texts)),
    certificate: String(stored?.certificate ?? ""),
    chain: String(stored?.chain ?? ""),
    private_key: stored?.private_key === undefined ? null : stored.private_key as string | null,
  };
  await insertCertificate(tx, org_id, entry, { position, kind });
  const [owner, tags] = [row.owner, row.tags].map((one) => typeof one === "string" ? one : null);
  await setStoredCare(tx, { org_id, fingerprint, owner: owner ?? null, tags: tags ?? null });
  return true;
}

async function putDeveloper(
  tx: Tx,
  org_id: string,
  row: ArchiveRow,
  open: ArchiveRow,
): Promise<boolean> {
  // as (both): the store of developers wrote exactly these.
  const { email } = JSON.parse(String(row.document)) as Developer;
  const { sso_key = "" } = JSON.parse(String(open.secrets ?? "{}")) as DeveloperSecrets;
  const derived = {
    worded: 0,
    sso_key_hash: ssoKeyHash(sso_key),
    email_folded: foldedEmail(email),
  };
  if (!await insertRow(tx, org_id, "developers", { ...row, ...derived })) return false;
  if (typeof row.tags === "string") await listTags(tx, { org_id, id: String(row.id) });
  countRow(tx, { org_id, list: DEVELOPERS, instant: String(row.instant) }, 1);
  return true;
}

function withChecksum(
  tx: Tx,
  org_id: string,
  table: "credentials" | "users",
  row: ArchiveRow,
): ArchiveRow {
  // as: the columns that a checksum is made of are among those that travel.
  const values = { ...row, org_id } as unknown as CheckedValues<typeof table>;
  return { ...row, checksum: checksumOf(tx.sealer, table, values) };
}

async function putKey(tx: Tx, org_id: string, row: ArchiveRow): Promise<boolean> {
  const whole = withChecksum(tx, org_id, "credentials", row);
  if (!await insertRow(tx, org_id, "credentials", whole)) return false;
  const { key_id, state, issued_at } = row;
  const listed = {
    org_id,
    key_id: String(key_id),
    issued_at: String(issued_at),
    // as: the column holds nothing else.
    state: state as StoredKeyState,
  };
  await listPlans(tx, listed, JSON.parse(String(row.plans)));
  // as: the columns hold nothing else; one that is not in the row is null.
  await listLabels(tx, listed, { ...unlabelled, ...row } as typeof unlabelled);
  return true;
}

async function putRequest(tx: Tx, org_id: string, row: ArchiveRow): Promise<boolean> {
  if (!await insertRow(tx, org_id, "key_requests", row)) return false;
  await noteForSearch(tx, org_id, String(row.id));
  // as: the column holds nothing else.
  const list = listOf(row.state as RequestState, Number(row.approved));
  countRow(tx, { org_id, list, instant: String(row.instant) }, 1);
  return true;
}

async function putChannel(tx: Tx, org_id: string, row: ArchiveRow): Promise<boolean> {
  await countChannels(tx, org_id, 1);
  const starts_behind = await drawPosition(tx, org_id);
  const fresh = { starts_behind, failing_since: null, failures: 0, wake_by: null };
  if (await insertRow(tx, org_id, "delivery_targets", { ...row, ...fresh })) return true;
  await countChannels(tx, org_id, -1);
  return false;
}
