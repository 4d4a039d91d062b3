import {
  type Developer,
  type DeveloperSecrets,
  joinSecrets,
} from "../../features/developers/developer.ts";
import { withKeyIds } from "../../features/developers/key-maps.ts";
import type { KeyRequestSecrets } from "../../features/key-requests/draft-key-request.ts";
import {
  parseHead,
  parseTail,
  sentCatalogues,
} from "../../features/key-requests/stored-request.ts";
import { readPlan } from "../../features/plans/plans.store.ts";
import type { Plan } from "../../features/plans/plan.ts";
import { isForeignHash } from "../../kernel/passwords/foreign-hash.ts";
import type { ArchiveRow } from "../archive/archive-tables.ts";

/** A document as the original's database has it: MongoDB's extended JSON. */
export type Shaped = Record<string, unknown>;

/** An id as that database has it. */
function objectId(id: string): unknown {
  return /^[0-9a-f]{24}$/.test(id) ? { $oid: id } : id;
}

/** A time as that database has it. */
function date(text: string): unknown {
  return text === "" ? undefined : { $date: text };
}

/** A text of a row; empty where it has none. */
export function text(row: ArchiveRow, name: string): string {
  const value = row[name];
  return typeof value === "string" ? value : "";
}

/** The plan of a row. */
export function planOf(row: ArchiveRow): Plan {
  return readPlan({
    id: text(row, "id"),
    given_id: text(row, "given_id"),
    name: text(row, "name"),
    auth_type: text(row, "auth_type"),
    document: text(row, "document"),
  });
}

/** The exported form of a document: itself, or its permitted part. */
type Exported = (document: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** A document of `tyk_policies`. */
export function policy(org_id: string, row: ArchiveRow, exported: Exported): Shaped {
  const { _id, ...all } = planOf(row);
  const plan = exported(all);
  return { _id: objectId(_id), org_id, date_created: date(text(row, "date_created")), ...plan };
}

/** A document of `portal_configurations`. */
export function configuration(org_id: string, row: ArchiveRow, exported: Exported): Shaped {
  const { id, ...document } = JSON.parse(text(row, "document"));
  return { _id: objectId(String(id ?? text(row, "id"))), ...exported(document), org_id };
}

/** The document of `portal_catalogue`. */
export function catalogue(
  org_id: string,
  row: ArchiveRow,
  entries: readonly ArchiveRow[],
  exported: Exported,
): Shaped {
  const apis = entries.map((entry) => exported(JSON.parse(text(entry, "document"))));
  return { _id: objectId(text(row, "id")), org_id, email: text(row, "email"), apis };
}

/** A document of `portal_documentation`. */
export function documentation(org_id: string, row: ArchiveRow): Shaped {
  return {
    _id: objectId(text(row, "id")),
    org_id,
    api_id: text(row, "api_id"),
    doc_type: text(row, "doc_type"),
    documentation: text(row, "documentation"),
    date_created: date(text(row, "date_created")),
  };
}

/** The developer of a row, with secrets where these are open. */
export function developerOf(row: ArchiveRow): Developer {
  // as (both): the store of developers wrote exactly these.
  const document = JSON.parse(text(row, "document")) as Developer;
  const secrets = row.secrets === null ? {} : JSON.parse(text(row, "secrets")) as DeveloperSecrets;
  return joinSecrets(document, secrets);
}

/** The original's names of keys that have another id in Keydesk, by that id. */
type Names = ReadonlyMap<string, string>;

/**
 * A document of `portal_developers`, with these OAuth clients; `withSecrets` false: what names keys
 * is left out.
 */
export function developer(
  org_id: string,
  row: ArchiveRow,
  { withSecrets, clients, names }: {
    withSecrets: boolean;
    clients: Developer["oauth_clients"];
    names: Names;
  },
): Shaped {
  const full = withKeyIds(developerOf(row), names);
  const { id, date_created, password_updated, last_login_date, ...rest } = full;
  const password = text(row, "password_hash");
  return {
    _id: objectId(id),
    ...rest,
    org_id,
    date_created: date(date_created),
    password_updated: date(password_updated),
    last_login_date: date(last_login_date),
    ...withSecrets
      ? { oauth_clients: clients, ...isForeignHash(password) ? { password } : {} }
      : { keys: {}, subscriptions: {}, oauth_clients: {} },
  };
}

/** The ids of the keys that a developer's maps name. */
export function keysOf({ keys, subscriptions }: Developer): string[] {
  return [...Object.keys(keys), ...Object.values(subscriptions)];
}

/** The ids of the keys that a request names, itself and in the developer who was sent with it. */
export function keysOfRequest(row: ArchiveRow): string[] {
  const sent = sentDocument(row);
  return [parseHead({ head: text(row, "head") }).key, ...sent ? keysOf(sent) : []];
}

/** A document of `portal_key_requests`: what was sent, not how developer and catalogue are now. */
export function keyRequest(
  org_id: string,
  row: ArchiveRow,
  { withSecrets, names }: { withSecrets: boolean; names: Names },
): Shaped {
  const { id, key, ...head } = parseHead({ head: text(row, "head") });
  const { date_created, ...tail } = parseTail({ tail: text(row, "tail") });
  // as: the store of key requests wrote exactly this.
  const secrets = JSON.parse(text(row, "secrets") || "{}") as KeyRequestSecrets;
  const sent_entry = row.sent_entry === null ? null : text(row, "sent_entry");
  const entries = sentCatalogues({ sent_entry, sent_catalogues: text(row, "sent_catalogues") });
  return {
    _id: objectId(id),
    ...head,
    key: withSecrets ? names.get(key) ?? key : "",
    org_id,
    approved: row.approved === 1,
    ...tail,
    date_created: date(date_created),
    jwt_secret: secrets.jwt_secret ?? "",
    portal_developer: sentDeveloper(row, secrets, { withSecrets, names }),
    ...sent_entry === null ? {} : { catalogue_entry: JSON.parse(sent_entry) },
    catalogues: entries.filter((entry) => entry.text !== "").map((entry) => JSON.parse(entry.text)),
  };
}

function sentDeveloper(
  row: ArchiveRow,
  secrets: KeyRequestSecrets,
  { withSecrets, names }: { withSecrets: boolean; names: Names },
): unknown {
  const document = sentDocument(row);
  if (document === undefined) return undefined;
  if (withSecrets) return joinSecrets(withKeyIds(document, names), secrets.developer ?? {});
  return { ...document, keys: {}, subscriptions: {}, oauth_clients: {} };
}

function sentDocument(row: ArchiveRow): Developer | undefined {
  // as: the store of key requests wrote exactly this.
  return row.sent_developer === null
    ? undefined
    : JSON.parse(text(row, "sent_developer")) as Developer;
}

/** The members of a plan that a gateway uses. */
export interface PlanLimits {
  _id: string;
  rate: number;
  per: number;
  quota_max: number;
  quota_renewal_rate: number;
  access_rights: Plan["access_rights"];
}

/** The used part of a quota: the start of its period, in milliseconds, and the number. */
interface UsedQuota {
  plan_id: string;
  period: number;
  used: number;
}

/** The exported state of a key's quota, and whether there is more of it. */
interface QuotaState {
  quota_max: number;
  quota_renewal_rate: number;
  used: number;
  /** Epoch seconds; 0: nothing was used yet. */
  renews: number;
  /** True: other plans of the key have quotas of which something is used. */
  hasMore: boolean;
}

/** The quota of the first plan that has one: gateways count one for a key. Undefined: none has. */
export function quotaState(
  row: ArchiveRow,
  plans: ReadonlyMap<string, PlanLimits>,
  used: readonly UsedQuota[],
): QuotaState | undefined {
  const known = plansIn(row).flatMap((name) => plans.get(name) ?? []);
  const limited = known.find(({ quota_max }) => quota_max > 0);
  if (!limited) return undefined;
  const newest = used.filter(({ plan_id }) => plan_id === limited._id)
    .sort((a, b) => b.period - a.period)[0];
  const { quota_max, quota_renewal_rate } = limited;
  return {
    quota_max,
    quota_renewal_rate,
    used: newest?.used ?? 0,
    renews: newest ? Math.floor(newest.period / 1000) + quota_renewal_rate : 0,
    hasMore: used.some(({ plan_id, used }) => plan_id !== limited._id && used > 0),
  };
}

function plansIn(row: ArchiveRow): string[] {
  // as: the store of credentials writes a list of texts.
  return JSON.parse(text(row, "plans")) as string[];
}

/** A key as a gateway's session. It opens there what it opens here at `now`, in milliseconds. */
export function session(
  org_id: string,
  row: ArchiveRow,
  { plans, quota, now }: {
    plans: ReadonlyMap<string, PlanLimits>;
    quota: QuotaState | undefined;
    now: number;
  },
): Shaped {
  const named = plansIn(row);
  const known = named.flatMap((name) => plans.get(name) ?? []);
  const { rate = -1, per = -1 } = known[0] ?? {};
  return {
    org_id,
    apply_policies: named,
    expires: expiryOf(row, now),
    is_inactive: false,
    alias: text(row, "name"),
    // as: the store of credentials writes a list of texts.
    tags: JSON.parse(text(row, "tags") || "[]") as string[],
    meta_data: { tyk_developer_id: text(row, "developer_id") },
    date_created: text(row, "issued_at"),
    rate,
    per,
    quota_max: quota?.quota_max ?? -1,
    quota_renewal_rate: quota?.quota_renewal_rate ?? -1,
    quota_remaining: Math.max(0, (quota?.quota_max ?? 0) - (quota?.used ?? 0)),
    quota_renews: quota?.renews ?? 0,
    access_rights: Object.assign({}, ...known.map(({ access_rights }) => access_rights)),
  };
}

/** Epoch seconds; 0: never, 1: it opens nothing. */
function expiryOf(row: ArchiveRow, now: number): number {
  if (!isOpen(row, now)) return 1;
  const ends = text(row, "expires_at");
  return ends === "" ? 0 : Math.floor(Date.parse(ends) / 1000);
}

/** Whether a key opens anything at a moment. */
export function isOpen(row: ArchiveRow, now: number): boolean {
  const ends = text(row, "expires_at");
  return row.state === "active" && (ends === "" || Date.parse(ends) > now);
}
