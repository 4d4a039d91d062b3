import { isCertificateBlock, readCertificateBlock } from "./certificate-block.ts";
import type { CertificateRecord } from "./certificate.ts";
import { type PemBlock, readPemBlocks } from "./pem.ts";
import { asRefusal, CertificateRefused, type RefusalReason } from "./refusal.ts";

/** What became of one PEM block of a bundle; `index` counts blocks from 0, `line` from 1. */
export type BundleResult =
  | { ok: true; index: number; line: number; certificate: CertificateRecord }
  | { ok: false; index: number; line?: number; reason: RefusalReason; message: string };

/**
 * One result for each PEM block of a bundle of unrelated certificates, in its order; a bad block
 * spoils no other. Expired certificates are taken. A bundle without any block gives one refusal.
 * Never throws; holds one certificate at a time.
 */
export function* readBundle(bytes: Uint8Array): Generator<BundleResult> {
  let blocks = 0;
  for (const block of readPemBlocks(bytes)) {
    blocks++;
    yield readBlock(block);
  }
  if (blocks > 0) return;
  const [reason, message] = bytes.length === 0
    ? ["empty", "The bundle is empty."] as const
    : ["not_pem", "The bundle has no line -----BEGIN CERTIFICATE-----."] as const;
  yield { ok: false, index: 0, reason, message };
}

function readBlock(block: PemBlock): BundleResult {
  const { index, line } = block;
  try {
    if (!isCertificateBlock(block)) throw notACertificate(block);
    return { ok: true, index, line, certificate: readCertificateBlock(block) };
  } catch (error) {
    const refusal = asRefusal(error, "malformed", "The certificate is malformed.");
    return { ok: false, index, line, reason: refusal.reason, message: refusal.message };
  }
}

function notACertificate({ label }: PemBlock): CertificateRefused {
  return new CertificateRefused(
    "unsupported",
    label.endsWith("KEY")
      ? "A bundle holds certificates only, no keys."
      : "The PEM block is no certificate.",
  );
}
