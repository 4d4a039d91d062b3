import { decodedBody, isCertificateBlock, readCertificateBlock } from "./certificate-block.ts";
import type { CertificateRecord } from "./certificate.ts";
import { fileBlocks, isPkcs7Block, passedOver } from "./file-blocks.ts";
import { pkcs7Certificates, refusalOfFile, refusalOfOpenSsh } from "./file-kind.ts";
import type { PemBlock } from "./pem.ts";
import { asRefusal, CertificateRefused, type RefusalReason } from "./refusal.ts";

/** A block that was not taken; `isPassedOver`: since it is neither a certificate nor a key. */
export interface BlockRefused {
  ok: false;
  isPassedOver: boolean;
  index: number;
  line?: number;
  reason: RefusalReason;
  message: string;
}

/**
 * The result for one certificate or PEM block of a bundle; `index` counts from 0, `line` from 1 in
 * PEM alone.
 */
type BundleResult =
  | { ok: true; index: number; line?: number; certificate: CertificateRecord }
  | BlockRefused;

/**
 * One result for each certificate and each other PEM block of a bundle of unrelated certificates
 * (PEM, DER, PKCS#7), in its order; a bad one spoils no other. Expired certificates are taken. A
 * bundle without any certificate gives one refusal. Never throws; holds one certificate at a time.
 */
export function* readBundle(bytes: Uint8Array): Generator<BundleResult> {
  let blocks = 0;
  let passed = 0;
  for (const block of fileBlocks(bytes)) {
    blocks++;
    const result = readBlock(block);
    if (!result.ok && result.isPassedOver) passed++;
    yield result;
  }
  if (blocks > passed) return;
  const { reason, message } = passed > 0
    ? new CertificateRefused("no_certificate", "The bundle has no certificate.")
    : bytes.length === 0
    ? new CertificateRefused("empty", "The bundle is empty.")
    : refusalOfFile(bytes);
  yield { ok: false, isPassedOver: false, index: blocks, reason, message };
}

function readBlock(block: PemBlock): BundleResult {
  const { index } = block;
  const place = block.line === undefined ? { index } : { index, line: block.line };
  const foreign = passedOver(block);
  if (foreign !== undefined) {
    return { ok: false, isPassedOver: true, ...place, reason: "foreign_block", message: foreign };
  }
  try {
    if (isPkcs7Block(block)) pkcs7Certificates(decodedBody(block));
    if (!isCertificateBlock(block)) throw refusalOfKey(block);
    return { ok: true, ...place, certificate: readCertificateBlock(block) };
  } catch (error) {
    const { reason, message } = asRefusal(error, "malformed", "The certificate is malformed.");
    return { ok: false, isPassedOver: false, ...place, reason, message };
  }
}

function refusalOfKey({ label, der }: PemBlock): CertificateRefused {
  return label === "OPENSSHPRIVATEKEY" && der
    ? refusalOfOpenSsh(der)
    : new CertificateRefused("unsupported", "A bundle holds certificates only, no keys.");
}
