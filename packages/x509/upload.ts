import { Buffer } from "node:buffer";
import { decodedBody, isCertificateBlock, readCertificateBlock } from "./certificate-block.ts";
import type { CertificateRecord } from "./certificate.ts";
import { arrange } from "./chain.ts";
import { occupyingThread } from "./derivation-queue.ts";
import { newBudget } from "./derivation-budget.ts";
import { type PemBlock, readPemBlocks } from "./pem.ts";
import { isPkcs12, openPkcs12 } from "./pkcs12.ts";
import {
  belongsTo,
  isPrivateKeyLabel,
  type PrivateKey,
  readPrivateKeyBlock,
} from "./private-key.ts";
import { fromPkcs1, readPublicKey } from "./public-key.ts";
import { CertificateRefused, type RefusalReason } from "./refusal.ts";
import { readCertificate } from "./x509.ts";

/** The largest upload of one certificate with its chain and key. */
export const MAX_UPLOAD_BYTES = 1024 * 1024;
const MAX_CERTIFICATES = 50;
const MAX_PASSPHRASE_LENGTH = 1_024;

/** How an upload is to be read. */
export interface UploadOptions {
  nowMs: number;
  /** Opens an encrypted private key or a PKCS#12 file; not needed for anything else. */
  passphrase?: string;
  /** False refuses a leaf whose validity has ended. */
  allowExpired: boolean;
  /** Aborted when the upload is not wanted any more: ends what it derives. */
  signal?: AbortSignal | undefined;
  /** Awaited between pieces of long work, so that other work has its turn; absent: it has none. */
  pause?: (() => Promise<void>) | undefined;
}

/** The kinds of uploads. */
export type Upload =
  | {
    kind: "certificate";
    /** Its chain_length counts itself and `chain`. */
    leaf: CertificateRecord;
    /** From the leaf's issuer upwards, then what belongs to nothing in the upload's order. */
    chain: CertificateRecord[];
    /** PKCS#8 DER, not encrypted: for sealing. */
    privateKey?: Uint8Array;
  }
  | { kind: "public-key"; publicKey: CertificateRecord };

/**
 * Reads one upload: PEM with a leaf, its chain and at most one private key in any order, or PEM
 * with one public key, or a PKCS#12 file. The leaf is the certificate that the private key belongs
 * to, else the one that issues none of the others.
 * @throws CertificateRefused with the reason, and nothing else whatever the bytes are
 */
export async function readUpload(bytes: Uint8Array, options: UploadOptions): Promise<Upload> {
  checkLengths(bytes, options.passphrase);
  const blocks: PemBlock[] = [];
  for (const block of readPemBlocks(bytes)) {
    if (!IGNORED_LABELS.has(block.label)) blocks.push(block);
    await options.pause?.();
  }
  if (blocks.length === 0 && !isPkcs12(bytes)) throw withoutPem(bytes);
  if (blocks.some(isPublicKeyBlock)) return readPublicKeyUpload(blocks);
  const parts = await occupyingThread(() =>
    blocks.length > 0 ? readPem(blocks, options) : readPkcs12(bytes, options)
  );
  return assemble(parts, options);
}

/** Throws CertificateRefused (too_large) where an upload or its passphrase is too long. */
export function checkLengths(bytes: Uint8Array, passphrase = ""): void {
  if (bytes.length > MAX_UPLOAD_BYTES) throw refused("too_large", "The upload is over 1 MiB.");
  if (passphrase.length > MAX_PASSPHRASE_LENGTH) {
    throw refused("too_large", `The passphrase is over ${MAX_PASSPHRASE_LENGTH} characters.`);
  }
}

/** Parameters that `openssl` writes before a key and that the key itself repeats. */
const IGNORED_LABELS = new Set(["ECPARAMETERS", "DHPARAMETERS", "DSAPARAMETERS"]);

/** The certificates and private keys of a file. */
export interface Parts {
  certificates: CertificateRecord[];
  privateKeys: PrivateKey[];
}

async function readPem(
  blocks: PemBlock[],
  { passphrase, signal }: UploadOptions,
): Promise<Parts> {
  const keys = blocks.filter((block) => isPrivateKeyLabel(block.label));
  if (keys.length > 1) throw twoKeys();
  const certificates = blocks.filter((block) => !keys.includes(block));
  if (certificates.length > MAX_CERTIFICATES) throw tooManyCertificates();
  const other = certificates.find((block) => !isCertificateBlock(block));
  if (other) throw unexpectedBlock(other);
  const parts: Parts = { certificates: certificates.map(readCertificateBlock), privateKeys: [] };
  for (const block of keys) {
    const { label, encryption } = block;
    const key = { label, encryption, der: decodedBody(block) };
    parts.privateKeys.push(await readPrivateKeyBlock(key, passphrase, newBudget(signal)));
  }
  return parts;
}

async function readPkcs12(
  bytes: Uint8Array,
  { passphrase, signal }: UploadOptions,
): Promise<Parts> {
  const { certificates, privateKeys } = await openPkcs12(bytes, passphrase, signal);
  if (certificates.length > MAX_CERTIFICATES) throw tooManyCertificates();
  return { certificates: certificates.map(readCertificate), privateKeys };
}

/**
 * All of a file as one certificate with its chain and key.
 * @throws CertificateRefused
 */
export function assemble(
  parts: Parts,
  options: Pick<UploadOptions, "nowMs" | "allowExpired">,
): Upload {
  if (parts.privateKeys.length > 1) throw twoKeys();
  const [key] = parts.privateKeys;
  const records = withoutRepeats(parts.certificates);
  if (records.length === 0) throw refused("no_certificate", "The upload has no certificate.");
  const candidates = key ? records.filter((record) => belongsTo(key, record.der)) : records;
  const [leaf, ...chain] = arrange(records, candidates);
  if (!leaf) {
    throw refused("key_mismatch", "The private key belongs to none of the certificates.");
  }
  if (!options.allowExpired && Date.parse(leaf.not_after) < options.nowMs) {
    throw refused("expired", `The certificate has expired: it was valid until ${leaf.not_after}.`);
  }
  return {
    kind: "certificate",
    leaf: { ...leaf, chain_length: records.length },
    chain,
    privateKey: key?.pkcs8,
  };
}

const PKCS1_LABEL = "RSAPUBLICKEY";

/** True of a PEM block that announces a public key: of any kind, or of RSA in its own form. */
export function isPublicKeyBlock({ label }: PemBlock): boolean {
  return label === "PUBLICKEY" || label === PKCS1_LABEL;
}

/**
 * The bare public key of a file that holds nothing else.
 * @throws CertificateRefused
 */
export function readPublicKeyUpload(blocks: PemBlock[]): Upload {
  const [block, second] = blocks;
  if (block && !second) {
    const der = decodedBody(block);
    const info = block.label === PKCS1_LABEL ? fromPkcs1(der) : der;
    return { kind: "public-key", publicKey: readPublicKey(info) };
  }
  throw blocks.every(isPublicKeyBlock)
    ? twoKeys()
    : refused("mixed_public_key", "A public key must be uploaded without anything else.");
}

/** `records` without those that came before. */
export function withoutRepeats(records: CertificateRecord[]): CertificateRecord[] {
  return [...new Map(records.map((record) => [record.fingerprint, record])).values()];
}

function withoutPem(bytes: Uint8Array): CertificateRefused {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!/\S/.test(text.toString("latin1"))) return refused("empty", "The upload is empty.");
  return bytes[0] === 0x30
    ? refused("not_pem", "The upload is not PEM. A DER file must be converted to PEM first.")
    : refused("not_pem", "The upload is not PEM: it has no line -----BEGIN CERTIFICATE-----.");
}

function unexpectedBlock(block: PemBlock): CertificateRefused {
  return refused(
    "unsupported",
    `The PEM block in line ${block.line} is neither a certificate nor a private or public key.`,
  );
}

function twoKeys(): CertificateRefused {
  return refused("two_keys", "The upload has more than one key.");
}

function tooManyCertificates(): CertificateRefused {
  return refused("too_large", `The upload has more than ${MAX_CERTIFICATES} certificates.`);
}

function refused(reason: RefusalReason, message: string): CertificateRefused {
  return new CertificateRefused(reason, message);
}
