import { isCertificateBlock } from "./certificate-block.ts";
import { derCertificates, isPkcs7, kindOfFile, pkcs7Certificates } from "./file-kind.ts";
import { type PemBlock, readPemBlocks } from "./pem.ts";

const PKCS7_LABELS = new Set(["PKCS7", "CMS"]);

/** True for a PKCS#7 bundle that could not be taken apart: `pkcs7Certificates` says why. */
export function isPkcs7Block({ label }: PemBlock): boolean {
  return PKCS7_LABELS.has(label);
}

/**
 * The certificates and keys of a PEM, DER or PKCS#7 file as PEM blocks in their order: those of
 * PEM, with each certificate of a PKCS#7 bundle as a block of its own, on the line of the bundle.
 * Empty for PKCS#12 and for all else. Never throws.
 */
export function* fileBlocks(bytes: Uint8Array): Generator<PemBlock> {
  let index = 0;
  for (const block of readPemBlocks(bytes)) {
    for (const one of partsOf(block)) yield { ...one, index: index++ };
  }
  if (index > 0) return;
  const kind = kindOfFile(bytes);
  if (kind === "certificates") {
    for (const der of derCertificates(bytes)) yield { index: index++, label: "CERTIFICATE", der };
  } else if (kind === "pkcs7") {
    for (const one of partsOf({ index, label: "PKCS7", der: bytes })) {
      yield { ...one, index: index++ };
    }
  }
}

/** Windows writes a PKCS#7 bundle under the label of a certificate. */
function partsOf(block: PemBlock): PemBlock[] {
  const { der, line } = block;
  const isBundle = der && (isPkcs7Block(block) || (isCertificateBlock(block) && isPkcs7(der)));
  if (!isBundle) return [block];
  try {
    return pkcs7Certificates(der).map((one) => ({
      index: 0,
      line,
      label: "CERTIFICATE",
      der: one,
    }));
  } catch {
    return [{ ...block, label: "PKCS7" }];
  }
}

const FOREIGN: Readonly<Record<string, string>> = {
  CERTIFICATEREQUEST: "a certificate request",
  NEWCERTIFICATEREQUEST: "a certificate request",
  X509CRL: "a revocation list",
  ECPARAMETERS: "parameters of a key",
  DHPARAMETERS: "parameters of a key exchange",
  "X942DHPARAMETERS": "parameters of a key exchange",
  DSAPARAMETERS: "parameters of a key",
  ATTRIBUTECERTIFICATE: "an attribute certificate",
};

/** Why a PEM block is passed over; undefined for a certificate, a key and a PKCS#7 bundle. */
export function passedOver(block: PemBlock): string | undefined {
  const { label } = block;
  if (isCertificateBlock(block) || isPkcs7Block(block) || label.endsWith("KEY")) return undefined;
  return `The PEM block is ${FOREIGN[label] ?? "of another kind"}, and is passed over.`;
}
