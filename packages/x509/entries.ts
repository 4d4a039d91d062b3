import type { BlockRefused } from "./bundle.ts";
import { decodedBody, readCertificateBlock } from "./certificate-block.ts";
import type { CertificateRecord } from "./certificate.ts";
import { arrange, chainFrom } from "./chain.ts";
import { occupyingThread } from "./derivation-queue.ts";
import { fileBlocks, isPkcs7Block, passedOver } from "./file-blocks.ts";
import { kindOfFile, pkcs7Certificates, refusalOfFile, refusalOfOpenSsh } from "./file-kind.ts";
import { newBudget } from "./derivation-budget.ts";
import type { PemBlock } from "./pem.ts";
import { isPkcs12, openPkcs12 } from "./pkcs12.ts";
import {
  belongsTo,
  isPrivateKeyLabel,
  type PrivateKey,
  readPrivateKeyBlock,
} from "./private-key.ts";
import { asRefusal, CertificateRefused } from "./refusal.ts";
import {
  assemble,
  checkLengths,
  isPublicKeyBlock,
  type Parts,
  readPublicKeyUpload,
  type Upload,
  withoutRepeats,
} from "./upload.ts";
import { readCertificate } from "./x509.ts";

/** More than a keystore of all public authorities holds, and few enough to be put in order. */
const MAX_CERTIFICATES = 1_000;
/** Of one entry with its chain. */
const MAX_CHAIN = 50;

/** How the entries of a file are read; `as` as the endpoint takes it. */
interface EntryOptions {
  nowMs: number;
  passphrase?: string;
  as?: "one" | "each" | undefined;
  /** Aborted when the upload is not wanted any more: ends what it derives. */
  signal?: AbortSignal | undefined;
  /** Awaited between pieces of long work, so that other work has its turn; absent: it has none. */
  pause?: (() => Promise<void>) | undefined;
}

/** The entries of a file, and the refused parts. */
interface Entries {
  uploads: Upload[];
  notTaken: BlockRefused[];
}

/**
 * The entries of a file with keys (PEM or PKCS#12), expired ones too. Each key is one entry with
 * its certificate and what of the file belongs to its chain. Each certificate of no such chain is
 * an entry of its own. In a file without a key one that is no authority is an entry with its chain.
 * `one` takes all of the file as one entry, `each` no chain.
 * @throws CertificateRefused where a key, or the file as a whole, cannot be taken
 */
export async function readEntries(bytes: Uint8Array, options: EntryOptions): Promise<Entries> {
  checkLengths(bytes, options.passphrase);
  const blocks: PemBlock[] = [];
  const notTaken: BlockRefused[] = [];
  for (const block of fileBlocks(bytes)) {
    const message = passedOver(block);
    if (message === undefined) blocks.push(block);
    else notTaken.push(notTakenOf(block, "foreign_block", message));
    await options.pause?.();
  }
  if (blocks.some(isPublicKeyBlock)) {
    return { uploads: [readPublicKeyUpload(blocks)], notTaken };
  }
  if (blocks.length === 0 && notTaken.length === 0 && !isPkcs12(bytes)) {
    throw kindOfFile(bytes) === "pkcs12"
      ? new CertificateRefused("malformed", "The PKCS#12 file is malformed.")
      : refusalOfFile(bytes);
  }
  const parts = await occupyingThread(() =>
    blocks.length > 0 || notTaken.length > 0
      ? readPem(blocks, options)
      : readPkcs12(bytes, options, notTaken)
  );
  return { uploads: grouped(parts, options), notTaken };
}

async function readPem(
  blocks: PemBlock[],
  { passphrase, signal, pause }: EntryOptions,
): Promise<Parts> {
  const parts: Parts = { certificates: [], privateKeys: [] };
  const budget = newBudget(signal);
  for (const block of blocks) {
    await pause?.();
    if (isPkcs7Block(block)) pkcs7Certificates(decodedBody(block));
    if (!block.label.endsWith("KEY")) {
      checkNumber(parts.certificates.push(readCertificateBlock(block)));
      continue;
    }
    const { label, encryption } = block;
    const der = decodedBody(block);
    if (label === "OPENSSHPRIVATEKEY") throw refusalOfOpenSsh(der);
    if (!isPrivateKeyLabel(label)) throw unsupportedKey(block);
    parts.privateKeys.push(
      await readPrivateKeyBlock({ label, encryption, der }, passphrase, budget),
    );
  }
  return parts;
}

async function readPkcs12(
  bytes: Uint8Array,
  { passphrase, signal, pause }: EntryOptions,
  notTaken: BlockRefused[],
): Promise<Parts> {
  const { certificates, privateKeys } = await openPkcs12(bytes, passphrase, signal);
  checkNumber(certificates.length);
  const parts: Parts = { certificates: [], privateKeys };
  for (const [index, der] of certificates.entries()) {
    await pause?.();
    try {
      parts.certificates.push(readCertificate(der));
    } catch (error) {
      const { reason, message } = asRefusal(error, "malformed", "The certificate is malformed.");
      notTaken.push(notTakenOf({ index }, reason, message, false));
    }
  }
  return parts;
}

function grouped(parts: Parts, { as, nowMs }: EntryOptions): Upload[] {
  const certificates = withoutRepeats(parts.certificates);
  const keys = withoutTwins(parts.privateKeys);
  if (as === "one") {
    checkNumber(certificates.length, MAX_CHAIN);
    return [
      assemble({ certificates, privateKeys: parts.privateKeys }, { nowMs, allowExpired: true }),
    ];
  }
  if (certificates.length === 0) {
    throw new CertificateRefused("no_certificate", "The upload has no certificate.");
  }
  const entries = keys.map((key) => entryOf(leafOf(key, certificates), certificates, as, key));
  if (keys.length === 0 && as !== "each") {
    const [leaf] = arrange(certificates, certificates);
    if (leaf && !leaf.is_ca) entries.push(entryOf(leaf, certificates, as));
  }
  const taken = new Set(entries.flatMap(({ leaf, chain }) => [leaf, ...chain].map(printOf)));
  const others = certificates.filter((one) => !taken.has(printOf(one)));
  return [...entries, ...others.map((one) => entryOf(one, [one], "each"))];
}

function entryOf(
  leaf: CertificateRecord,
  certificates: CertificateRecord[],
  as: EntryOptions["as"],
  key?: PrivateKey,
): Upload & { kind: "certificate" } {
  const chain = as === "each" ? [] : chainFrom(leaf, certificates).slice(1);
  checkNumber(chain.length + 1, MAX_CHAIN);
  return {
    kind: "certificate",
    leaf: { ...leaf, chain_length: chain.length + 1 },
    chain,
    privateKey: key?.pkcs8,
  };
}

function leafOf(key: PrivateKey, certificates: CertificateRecord[]): CertificateRecord {
  const own = certificates.filter(({ der }) => belongsTo(key, der));
  const [leaf] = arrange(certificates, own);
  if (leaf) return leaf;
  throw new CertificateRefused(
    "key_mismatch",
    "The private key belongs to none of the certificates.",
  );
}

function withoutTwins(keys: PrivateKey[]): PrivateKey[] {
  return [...new Map(keys.map((key) => [String(key.publicKeyInfo), key])).values()];
}

const printOf = ({ fingerprint }: CertificateRecord) => fingerprint;

function checkNumber(count: number, most = MAX_CERTIFICATES): void {
  if (count <= most) return;
  throw new CertificateRefused("too_large", `The upload has more than ${most} certificates.`);
}

function unsupportedKey({ line }: PemBlock): CertificateRefused {
  return new CertificateRefused(
    "unsupported",
    `The PEM block in line ${line} is neither a certificate nor a private or public key.`,
  );
}

function notTakenOf(
  { index, line }: Pick<PemBlock, "index" | "line">,
  reason: BlockRefused["reason"],
  message: string,
  isPassedOver = true,
): BlockRefused {
  const place = line === undefined ? { index } : { index, line };
  return { ok: false, isPassedOver, ...place, reason, message };
}
