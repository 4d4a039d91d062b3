import {
  type Asn1,
  children,
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
import { type DerivationBudget, MOST_ROUNDS, newBudget, OverBudget } from "./derivation-budget.ts";
import { decryptPbe, type Opening } from "./pbe.ts";
import { isMacOf, type Mac, readMac } from "./pkcs12-mac.ts";
import { keyFrom, type PrivateKey, readEncryptedPrivateKey } from "./private-key.ts";
import { asRefusal, CertificateRefused, Unavailable } from "./refusal.ts";

/** The contents of a PKCS#12 file. */
interface Pkcs12Contents {
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
 * has a password MAC. Without a passphrase an empty one and none at all are tried. Its derivations
 * are bounded by `newBudget`, and end when `signal` is aborted.
 * @throws CertificateRefused (malformed, unsupported, passphrase_required, wrong_passphrase)
 */
export async function openPkcs12(
  bytes: Uint8Array,
  passphrase: string | undefined,
  signal?: AbortSignal,
): Promise<Pkcs12Contents> {
  try {
    const [, authenticated, macNode] = sequence(parseAsn1(bytes));
    const safe = dataOf(authenticated);
    const mac = macNode && readMac(macNode);
    if (!passphrase) return await openWithout(safe, mac, signal);
    const budget = newBudget(signal);
    if (mac && !await isMacOf(mac, safe, passphrase, budget)) throw wrongPassphrase();
    return await open(safe, passphrase, budget);
  } catch (error) {
    if (isWrongPassphrase(error)) throw wrongPassphrase();
    if (error instanceof Unavailable) throw error;
    throw asRefusal(error, "malformed", "The PKCS#12 file is malformed.");
  }
}

/** The most rounds for an empty passphrase that no MAC confirms, because it was not requested. */
const UNASKED_ROUNDS = 20_000;

/**
 * Opens a file by an empty passphrase and by none at all, which are two things in PKCS#12. The MAC
 * says which it is, by a budget of its own.
 */
async function openWithout(
  safe: string,
  mac: Mac | undefined,
  signal: AbortSignal | undefined,
): Promise<Pkcs12Contents> {
  const trying = newBudget(signal, mac ? MOST_ROUNDS : UNASKED_ROUNDS);
  for (const candidate of mac?.empty ?? ["", null]) {
    if (mac && mac.rounds * mac.share > trying.rounds) break;
    try {
      if (mac && !await isMacOf(mac, safe, candidate, trying)) continue;
      return await open(safe, candidate, mac ? newBudget(signal) : trying);
    } catch (error) {
      if (!mac && error instanceof OverBudget) break;
      if (!isWrongPassphrase(error)) throw error;
    }
  }
  throw new CertificateRefused("passphrase_required", "The PKCS#12 file needs its passphrase.");
}

interface Reading {
  opening: Opening;
  bags: number;
  contents: Pkcs12Contents;
}

async function open(
  safe: string,
  passphrase: string | null,
  budget: DerivationBudget,
): Promise<Pkcs12Contents> {
  const opening: Opening = { passphrase, budget, holder: "pkcs12" };
  const reading = { opening, bags: 0, contents: { certificates: [], privateKeys: [] } };
  for (const info of sequence(parseAsn1(safe))) {
    await readBags(reading, await safeContents(opening, info), 0);
  }
  return reading.contents;
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
  return await decryptPbe(algorithm, octets(body), opening);
}

const Bag = {
  key: "1.2.840.113549.1.12.10.1.1",
  shroudedKey: "1.2.840.113549.1.12.10.1.2",
  certificate: "1.2.840.113549.1.12.10.1.3",
  safeContents: "1.2.840.113549.1.12.10.1.6",
};

/** RFC 7292 §4.2; bags of other kinds (revocation lists, secrets) are passed over. */
async function readBags(reading: Reading, contents: Asn1, depth: number): Promise<void> {
  for (const bag of sequence(contents)) {
    if (++reading.bags > MAX_BAGS || depth > MAX_NESTING) {
      throw new CertificateRefused("too_large", "The PKCS#12 file holds too many objects.");
    }
    const [type, wrapped] = sequence(bag);
    const value = children(wrapped)[0];
    if (!value) throw new Error("expected a value");
    await readBag(reading, objectIdentifier(type), value, depth);
  }
}

async function readBag(reading: Reading, type: string, value: Asn1, depth: number): Promise<void> {
  const { contents, opening } = reading;
  switch (type) {
    case Bag.key:
      contents.privateKeys.push(keyFrom(value));
      break;
    case Bag.shroudedKey:
      contents.privateKeys.push(keyFrom(await readEncryptedPrivateKey(value, opening)));
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
      await readBags(reading, value, depth + 1);
      break;
  }
}

function isWrongPassphrase(error: unknown): boolean {
  return error instanceof CertificateRefused && error.reason === "wrong_passphrase";
}

function wrongPassphrase(): CertificateRefused {
  return new CertificateRefused(
    "wrong_passphrase",
    "The passphrase does not open the PKCS#12 file.",
  );
}

function unsupported(what: string): CertificateRefused {
  return new CertificateRefused("unsupported", `The PKCS#12 file ${what}: not supported.`);
}
