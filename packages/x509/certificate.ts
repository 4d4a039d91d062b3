/** A certificate's or public key's facts as plain data; specification 2.1, then the details. */
export interface CertificateRecord {
  /** The DNS names of the subject alternative names, verbatim; never the common name. */
  dns_names: string[];
  is_ca: boolean;
  /** Empty where the issuer has no common name; the last one where it has several. */
  issuer_cn: string;
  subject_cn: string;
  /** RFC 3339 in whole seconds, `Z`. */
  not_after: string;
  not_before: string;
  /** Lower-case hex SHA-256 of `der`. */
  fingerprint: string;
  /** Lower-case hex, whole bytes without leading zeros, `-` before a negative one. */
  serial_number: string;
  issuer: DistinguishedName;
  subject: DistinguishedName;
  /**
   * `RSA`, `RSA-PSS`, `ECDSA`, `Ed25519`, `Ed448`, `DSA` …; a dotted object identifier when
   * unknown.
   */
  key_algorithm: string;
  /** In bits; 0 when unknown. */
  key_size: number;
  /** The name that its RFC and OpenSSL use; a dotted object identifier when unknown. */
  signature_algorithm: string;
  ip_addresses: string[];
  uris: string[];
  email_addresses: string[];
  /** Certificates that are stored together, this one included; 0 for a public key. */
  chain_length: number;
  /** How many authorities may follow; null when unlimited, or no authority. */
  path_length: number | null;
  /** Lower-case hex; empty when the certificate has none. */
  subject_key_id: string;
  authority_key_id: string;
  /** The certificate (or the SubjectPublicKeyInfo) itself. */
  der: Uint8Array;
}

/**
 * A distinguished name with the member names of the original (Go's `pkix.Name`); values unescaped.
 */
export interface DistinguishedName {
  CommonName: string;
  Organization: string[];
  OrganizationalUnit: string[];
  Country: string[];
  Province: string[];
  Locality: string[];
  StreetAddress: string[];
  PostalCode: string[];
  SerialNumber: string;
  /** Every attribute in its order, those of multi-valued RDNs one after the other. */
  Names: { Type: number[]; Value: string }[];
}

/** The state of a certificate at an instant. */
export type CertificateStatus = "valid" | "expiring" | "expired" | "not_yet_valid" | "invalid";

/** Both times of something without a validity: a bare public key. */
export const NO_TIME = "0001-01-01T00:00:00Z";

const DAY_MS = 86_400_000;

type Validity = Pick<CertificateRecord, "not_before" | "not_after">;

/**
 * The status at `nowMs`. Both ends of the validity belong to it; `expiring` is a valid certificate
 * that ends within `expiringWithinDays` days; `invalid` one that ends before it begins, which is
 * valid at no time; a public key is always valid.
 */
export function statusOf(
  record: Validity,
  nowMs: number,
  expiringWithinDays: number,
): CertificateStatus {
  if (record.not_after === NO_TIME) return "valid";
  if (isInvalid(record)) return "invalid";
  const left = Date.parse(record.not_after) - nowMs;
  if (left < 0) return "expired";
  if (Date.parse(record.not_before) > nowMs) return "not_yet_valid";
  return left <= expiringWithinDays * DAY_MS ? "expiring" : "valid";
}

/** True where the validity ends before it begins. Both times are in the form of a record. */
export function isInvalid({ not_before, not_after }: Validity): boolean {
  return not_after < not_before;
}

/**
 * Whole days until the validity's end, rounded down, negative once past; null without one, and
 * where it ends before it begins.
 */
export function daysLeft(record: Validity, nowMs: number): number | null {
  if (record.not_after === NO_TIME || isInvalid(record)) return null;
  return Math.floor((Date.parse(record.not_after) - nowMs) / DAY_MS);
}
