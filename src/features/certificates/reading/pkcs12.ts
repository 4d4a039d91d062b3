import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import {
  type Asn1,
  children,
  contentOf,
  isContext,
  isUniversal,
  objectIdentifier,
  octets,
  parseAsn1,
  sequence,
  smallInteger,
  Tag,
  toBytes,
} from "./asn1.ts";
import { decryptPbe, type DerivationBudget, derivePkcs12, Pkcs12Purpose } from "./pbe.ts";
import type { Pkcs12Digest } from "./pkcs12-derivation.ts";
import { keyFrom, type PrivateKey, readEncryptedPrivateKey } from "./private-key.ts";
import { asRefusal, CertificateRefused, isUnavailable } from "./refusal.ts";

/** What is taken out of a PKCS#12 file. */
export interface Pkcs12Contents {
  certificates: Uint8Array[];
  privateKeys: PrivateKey[];
}

/** Bags of bags go no deeper, and a file holds no more bags than this. */
const MAX_NESTING = 4;
const MAX_BAGS = 2_000;

/** True when `bytes` begins like a PKCS#12 file: a SEQUENCE of version 3 and a content. */
export function isPkcs12(bytes: Uint8Array): boolean {
  try {
    const [version, content] = sequence(parseAsn1(bytes));
    return smallInteger(version) === 3 && isUniversal(content, Tag.sequence);
  } catch {
    return false;
  }
}

/**
 * The certificates and private keys of a PKCS#12 file (RFC 7292), its integrity checked where it
 * has a password MAC. Without a passphrase an empty one and none at all are tried. Every derivation
 * is paid from `budget` first.
 * @throws CertificateRefused (malformed, unsupported, passphrase_required, wrong_passphrase)
 */
export async function openPkcs12(
  bytes: Uint8Array,
  passphrase: string | undefined,
  budget: DerivationBudget,
): Promise<Pkcs12Contents> {
  for (const candidate of passphrase ? [passphrase] : ["", null]) {
    try {
      return await open(bytes, candidate, budget);
    } catch (error) {
      if (isWrongPassphrase(error)) continue;
      if (isUnavailable(error)) throw error;
      throw asRefusal(error, "malformed", "The PKCS#12 file is malformed.");
    }
  }
  throw passphrase
    ? new CertificateRefused("wrong_passphrase", "The passphrase does not open the PKCS#12 file.")
    : new CertificateRefused("passphrase_required", "The PKCS#12 file needs its passphrase.");
}

interface Opening {
  passphrase: string | null;
  budget: DerivationBudget;
  bags: number;
  contents: Pkcs12Contents;
}

async function open(
  bytes: Uint8Array,
  passphrase: string | null,
  budget: DerivationBudget,
): Promise<Pkcs12Contents> {
  const [, authenticated, mac] = sequence(parseAsn1(bytes));
  const safe = dataOf(authenticated);
  if (mac) await verifyMac(mac, safe, passphrase, budget);
  const opening = { passphrase, budget, bags: 0, contents: { certificates: [], privateKeys: [] } };
  for (const info of sequence(parseAsn1(safe))) {
    await readBags(opening, await safeContents(opening, info), 0);
  }
  return opening.contents;
}

const DATA = "1.2.840.113549.1.7.1";
const ENCRYPTED_DATA = "1.2.840.113549.1.7.6";

/** The bytes of a ContentInfo that is not encrypted. */
function dataOf(info: Asn1 | undefined): string {
  const [type, content] = sequence(info);
  if (objectIdentifier(type) !== DATA) throw unsupported("is protected by a public key");
  return octets(children(content)[0]);
}

async function safeContents(opening: Opening, info: Asn1): Promise<Asn1> {
  const [type, content] = sequence(info);
  if (objectIdentifier(type) !== ENCRYPTED_DATA) return parseAsn1(dataOf(info));
  const [, encrypted] = sequence(children(content)[0]);
  const [, algorithm, body] = sequence(encrypted);
  if (!isContext(body, 0)) throw new Error("expected encrypted content");
  return await decryptPbe(algorithm, octets(body), opening.passphrase, opening.budget);
}

const Bag = {
  key: "1.2.840.113549.1.12.10.1.1",
  shroudedKey: "1.2.840.113549.1.12.10.1.2",
  certificate: "1.2.840.113549.1.12.10.1.3",
  safeContents: "1.2.840.113549.1.12.10.1.6",
};

/** RFC 7292 §4.2; bags of other kinds (revocation lists, secrets) are passed over. */
async function readBags(opening: Opening, contents: Asn1, depth: number): Promise<void> {
  for (const bag of sequence(contents)) {
    if (++opening.bags > MAX_BAGS || depth > MAX_NESTING) {
      throw new CertificateRefused("too_large", "The PKCS#12 file holds too many objects.");
    }
    const [type, wrapped] = sequence(bag);
    const value = children(wrapped)[0];
    if (!value) throw new Error("expected a value");
    await readBag(opening, objectIdentifier(type), value, depth);
  }
}

async function readBag(opening: Opening, type: string, value: Asn1, depth: number): Promise<void> {
  const { contents, passphrase, budget } = opening;
  switch (type) {
    case Bag.key:
      contents.privateKeys.push(keyFrom(value));
      break;
    case Bag.shroudedKey:
      contents.privateKeys.push(
        keyFrom(await readEncryptedPrivateKey(value, passphrase, budget)),
      );
      break;
    case Bag.certificate: {
      const [kind, certificate] = sequence(value);
      if (objectIdentifier(kind) !== "1.2.840.113549.1.9.22.1") {
        throw unsupported("holds a certificate that is not X.509");
      }
      contents.certificates.push(toBytes(octets(children(certificate)[0])));
      break;
    }
    case Bag.safeContents:
      await readBags(opening, value, depth + 1);
      break;
  }
}

const macDigests: Readonly<Record<string, { digest: Pkcs12Digest; bytes: number }>> = {
  "1.3.14.3.2.26": { digest: "sha1", bytes: 20 },
  "2.16.840.1.101.3.4.2.1": { digest: "sha256", bytes: 32 },
  "2.16.840.1.101.3.4.2.2": { digest: "sha384", bytes: 48 },
  "2.16.840.1.101.3.4.2.3": { digest: "sha512", bytes: 64 },
};

async function verifyMac(
  mac: Asn1,
  safe: string,
  passphrase: string | null,
  budget: DerivationBudget,
): Promise<void> {
  const [info, saltNode, roundsNode] = sequence(mac);
  const [algorithm, expected] = sequence(info);
  const oid = objectIdentifier(sequence(algorithm)[0]);
  const known = macDigests[oid];
  if (!known) throw unsupported(`has a MAC of the kind ${oid}`);
  const { digest, bytes } = known;
  const salt = contentOf(saltNode, Tag.octetString);
  const rounds = roundsNode ? smallInteger(roundsNode) : 1;
  const settings = { passphrase, salt, rounds, digest };
  const { mac: purpose } = Pkcs12Purpose;
  const key = await derivePkcs12({ ...settings, purpose, length: bytes }, budget);
  const actual = createHmac(digest, toBytes(key)).update(safe, "latin1").digest();
  const stored = Buffer.from(contentOf(expected, Tag.octetString), "latin1");
  if (stored.length !== actual.length || !timingSafeEqual(stored, actual)) {
    throw new CertificateRefused("wrong_passphrase", "The passphrase is wrong.");
  }
}

function isWrongPassphrase(error: unknown): boolean {
  return error instanceof CertificateRefused && error.reason === "wrong_passphrase";
}

function unsupported(what: string): CertificateRefused {
  return new CertificateRefused("unsupported", `The PKCS#12 file ${what}: not supported.`);
}
