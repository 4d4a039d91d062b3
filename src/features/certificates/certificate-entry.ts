import { Buffer } from "node:buffer";
import { toTimestamp } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { hasPrivate, isAuthority, storedValidity, subjectKey } from "./certificate.ts";
import { renewalNames } from "./certificate-names.ts";
import type { CertificateRecord } from "../../../packages/x509/certificate.ts";
import { storedTexts } from "./stored-certificate.ts";

/** A certificate ready to be written. Its private key is still plain: the transaction seals it. */
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
  /** The names by which a renewal is found; see certificate-names.ts. */
  renewal_names: string;
  /** Base64 of the DER. */
  certificate: string;
  /** Base64 of the DER of each certificate of the chain, one a line. */
  chain: string;
  /** Base64 of the PKCS#8 DER; null where none was sent. */
  private_key: string | null;
}

/** A record as it is stored, with its chain and plain key; `nowMs` becomes date_created. */
export function toEntry(
  org_id: string,
  record: CertificateRecord,
  nowMs: number,
  more: { chain?: readonly CertificateRecord[]; privateKey?: Uint8Array | undefined } = {},
): CertificateEntry {
  const { fingerprint, is_ca, issuer_cn, subject_cn, not_after, not_before } = record;
  const texts = storedTexts(
    { id: org_id + fingerprint, dns_names: record.dns_names },
    { is_ca, issuer_cn, subject_cn, not_after, not_before },
    {
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
      date_created: `${toTimestamp(nowMs).slice(0, 19)}Z`,
      path_length: record.path_length,
    },
  );
  return {
    fingerprint,
    is_ca,
    ...storedValidity(record),
    subject_key: subjectKey(subject_cn),
    ...texts,
    search: searchText(record),
    renewal_names: renewalNames(record),
    certificate: base64(record.der),
    chain: (more.chain ?? []).map(({ der }) => base64(der)).join("\n"),
    private_key: more.privateKey ? base64(more.privateKey) : null,
  };
}

/**
 * The words of three letters that stand in SQLite's index beside the texts. Organisations may share
 * a word: every search also looks at the row itself.
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

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
