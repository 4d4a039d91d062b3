import { Buffer } from "node:buffer";
import { toTimestamp } from "../../kernel/clock.ts";
import { revisionOf } from "../../kernel/entity-tag.ts";
import { sha256 } from "../../kernel/sha256.ts";
import {
  type CertificateRecord,
  type CertificateStatus,
  daysLeft,
  NO_TIME,
  statusOf,
} from "./reading/certificate.ts";

/** A valid certificate that ends within so many days is `expiring`. */
export const EXPIRING_DAYS = 30;

/** A certificate ready to be written. The private key is still plain: it is sealed in the transaction. */
export interface CertificateEntry {
  fingerprint: string;
  is_ca: boolean;
  not_before: string;
  not_after: string;
  subject_key: string;
  head: string;
  tail: string;
  details: string;
  search: string;
  /** Base64 of the DER. */
  certificate: string;
  /** The same of each certificate of the chain, one a line. */
  chain: string;
  /** Base64 of the PKCS#8 DER; null where none was sent. */
  private_key: string | null;
}

/** What a shown certificate is made of. */
export interface ShownCertificate {
  fingerprint: string;
  kind: number;
  not_before: string;
  not_after: string;
  head: string;
  tail: string;
  details: string;
}

/** Stand where a bare public key has no times: before and after every time. */
const BEFORE_ALL = "";
const AFTER_ALL = "~";
/** Characters of a name that sort it; PostgreSQL's indexes take no more than 2.7 kB. */
const SORTED_CHARACTERS = 200;

/** Has a private key: 2; is an authority: 1. Lists are indexed and counted by this. */
export function kindOf(has_private: boolean, is_ca: boolean): number {
  return (has_private ? 2 : 0) + (is_ca ? 1 : 0);
}

/** True where a certificate of this kind has a private key. */
export function hasPrivate(kind: number): boolean {
  return kind >= 2;
}

/** True where a certificate of this kind is an authority. */
export function isAuthority(kind: number): boolean {
  return kind % 2 === 1;
}

/** The list in which certificates of a kind are counted. */
export function listOf(kind: number): string {
  return `certificates/${kind}`;
}

/** A record as it is stored, with its chain and plain key; `nowMs` becomes date_created. */
export function toEntry(
  org_id: string,
  record: CertificateRecord,
  nowMs: number,
  more: { chain?: readonly CertificateRecord[]; privateKey?: Uint8Array | undefined } = {},
): CertificateEntry {
  const { fingerprint, is_ca, not_after, not_before } = record;
  const head = { id: org_id + fingerprint, dns_names: record.dns_names };
  const tail = {
    is_ca,
    issuer_cn: record.issuer_cn,
    subject_cn: record.subject_cn,
    not_after,
    not_before,
  };
  const details = {
    fingerprint,
    serial_number: record.serial_number,
    issuer: record.issuer,
    subject: record.subject,
    key_algorithm: record.key_algorithm,
    key_size: record.key_size,
    signature_algorithm: record.signature_algorithm,
    ip_addresses: record.ip_addresses,
    uris: record.uris,
    email_addresses: record.email_addresses,
    chain_length: record.chain_length,
    date_created: wholeSeconds(nowMs),
    path_length: record.path_length,
  };
  const timeless = not_after === NO_TIME;
  return {
    fingerprint,
    is_ca,
    not_before: timeless ? BEFORE_ALL : not_before,
    not_after: timeless ? AFTER_ALL : not_after,
    subject_key: subjectKey(record.subject_cn),
    head: `${JSON.stringify(head).slice(0, -1)},"has_private":`,
    tail: `,${JSON.stringify(tail).slice(1, -1)}`,
    details: `,${JSON.stringify(details).slice(1, -1)}`,
    search: searchText(record),
    certificate: base64(record.der),
    chain: (more.chain ?? []).map(({ der }) => base64(der)).join("\n"),
    private_key: more.privateKey ? base64(more.privateKey) : null,
  };
}

/** By what a common name sorts. */
export function subjectKey(subject_cn: string): string {
  return subject_cn.toLowerCase().slice(0, SORTED_CHARACTERS).toWellFormed();
}

/**
 * Stored details with the length of a chain that was sent later, where the certificate was stored alone before;
 * else undefined. No other member can look like this one: quotes within texts are escaped.
 */
export function withLaterChain(stored: string, sent: string): string | undefined {
  const length = /"chain_length":(\d+),/.exec(sent)?.[1];
  if (length === undefined || Number(length) < 2 || !ALONE.test(stored)) return undefined;
  return stored.replace(ALONE, `"chain_length":${length},`);
}

const ALONE = /"chain_length":1,/;

/** Specification 2.1: the eight basic members as JSON text. */
export function showBasics(row: ShownCertificate): string {
  return `${row.head}${hasPrivate(row.kind)}${row.tail}}`;
}

/** The basic members, the details, and where the certificate stands at `nowMs`, as JSON text. */
export function showDetails(row: ShownCertificate, nowMs: number): string {
  const { status, days_left } = standing(row, nowMs);
  return `${row.head}${hasPrivate(row.kind)}${row.tail}${row.details}` +
    `,"status":"${status}","days_left":${days_left}}`;
}

/** What the entity tag of a certificate names: it changes with its key and its chain, not with the time. */
export function certificateRevision(row: Pick<ShownCertificate, "kind" | "details">): string {
  return revisionOf([row.kind, row.details]);
}

/** The names of a stored certificate's subject and issuer, as JSON text: who has the same is the same. */
export function namesOf(
  row: Pick<ShownCertificate, "details">,
): { issuer: string; subject: string } {
  // as: toEntry wrote exactly these.
  const { issuer, subject } = JSON.parse(`{${row.details.slice(1)}}`) as StoredNames;
  return { issuer: JSON.stringify(issuer.Names), subject: JSON.stringify(subject.Names) };
}

type StoredNames = Record<"issuer" | "subject", { Names: unknown }>;

/** The status of a stored certificate, and whole days until its end: null where it has none. */
export function standing(
  row: { not_before: string; not_after: string },
  nowMs: number,
): { status: CertificateStatus; days_left: number | null } {
  const validity = row.not_after === AFTER_ALL ? { not_before: NO_TIME, not_after: NO_TIME } : row;
  return {
    status: statusOf(validity, nowMs, EXPIRING_DAYS),
    days_left: daysLeft(validity, nowMs),
  };
}

/** The SHA-256 in an id of this organisation; undefined where the id is none. */
export function fingerprintOf(org_id: string, id: string): string | undefined {
  const fingerprint = id.slice(org_id.length);
  return id.startsWith(org_id) && /^[0-9a-f]{64}$/.test(fingerprint) ? fingerprint : undefined;
}

/**
 * The words of three letters that stand in SQLite's index beside the texts. Organisations may share a word:
 * every search also looks at the row itself.
 */
export function searchWords(org_id: string, kind: number): { org: string; pk: string; ca: string } {
  return {
    org: sha256(org_id).slice(0, 3),
    pk: hasPrivate(kind) ? "yes" : "not",
    ca: isAuthority(kind) ? "yes" : "not",
  };
}

function searchText(record: CertificateRecord): string {
  return [
    record.subject_cn,
    ...record.dns_names,
    ...record.ip_addresses,
    ...record.uris,
    ...record.email_addresses,
    record.issuer_cn,
    ...record.issuer.Organization,
    ...record.issuer.OrganizationalUnit,
    record.serial_number,
    record.fingerprint,
  ].filter((text) => text !== "").join("\n").toLowerCase().toWellFormed();
}

function wholeSeconds(nowMs: number): string {
  return `${toTimestamp(nowMs).slice(0, 19)}Z`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
