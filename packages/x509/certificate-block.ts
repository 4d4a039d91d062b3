import { firstValueOf } from "./asn1.ts";
import type { CertificateRecord } from "./certificate.ts";
import type { PemBlock } from "./pem.ts";
import { CertificateRefused, refusing } from "./refusal.ts";
import { readCertificate } from "./x509.ts";

const LABELS = new Set(["CERTIFICATE", "X509CERTIFICATE", "TRUSTEDCERTIFICATE"]);

/** True when a PEM block announces a certificate. */
export function isCertificateBlock(block: PemBlock): boolean {
  return LABELS.has(block.label);
}

/**
 * The record of the certificate in a PEM block. OpenSSL's trust settings, which follow the
 * certificate in a TRUSTED CERTIFICATE, are left out.
 * @throws CertificateRefused (not_pem, malformed, too_large)
 */
export function readCertificateBlock(block: PemBlock): CertificateRecord {
  const der = decodedBody(block);
  if (block.label !== "TRUSTEDCERTIFICATE") return readCertificate(der);
  return readCertificate(
    refusing("malformed", "The certificate is malformed.", () => firstValueOf(der)),
  );
}

/**
 * The bytes of a PEM block.
 * @throws CertificateRefused (not_pem) when its armour is damaged
 */
export function decodedBody(block: PemBlock): Uint8Array {
  if (block.der) return block.der;
  throw new CertificateRefused(
    "not_pem",
    `The PEM block that begins in line ${block.line} ${block.fault ?? "is damaged"}.`,
  );
}
