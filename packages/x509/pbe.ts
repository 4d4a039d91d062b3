import { Buffer } from "node:buffer";
// @ts-types="./forge.d.ts"
import forge from "node-forge/lib/forge.js";
import "node-forge/lib/md5.js";
import "node-forge/lib/pbe.js";
import {
  type Asn1,
  contentOf,
  isUniversal,
  objectIdentifier,
  parseAsn1,
  sequence,
  smallInteger,
  Tag,
  toBinary,
} from "./asn1.ts";
import { type DerivationBudget, derive, OWN_SHARE, spend } from "./derivation-budget.ts";
import { scryptMemory } from "./key-derivation.ts";
import type { ForgeCipher } from "./forge.d.ts";
import type { Digest } from "./hash-chain.ts";
import { type Holder, refusalOfCipher, refusalOfDekInfo } from "./refused-ciphers.ts";
import { CertificateRefused } from "./refusal.ts";

/** A passphrase for decryption, and its purpose. */
export interface Opening {
  /** null is no passphrase at all, which differs from an empty one in PKCS#12's own schemes. */
  passphrase: string | null;
  budget: DerivationBudget;
  /** The file that it is in. */
  holder: Holder;
}

/**
 * `encrypted` (a binary string) decrypted with a passphrase as its AlgorithmIdentifier says: PBES2
 * (PBKDF2 or scrypt; AES in CBC and GCM, or 3DES) or PKCS#12's own schemes (3DES, RC2). The result
 * is one whole ASN.1 value, which a wrong passphrase hardly ever gives.
 * @throws CertificateRefused (unsupported, wrong_passphrase)
 */
export async function decryptPbe(
  identifier: Asn1 | undefined,
  encrypted: string,
  opening: Opening,
): Promise<Asn1> {
  const [type, parameters] = sequence(identifier);
  const oid = objectIdentifier(type);
  return oid === PBES2
    ? await decryptPbes2(parameters, encrypted, opening)
    : await decryptPkcs12(oid, parameters, encrypted, opening);
}

/**
 * The body of a legacy encrypted PEM block (`DEK-Info`), decrypted; a binary string's ASN.1 value.
 * @throws CertificateRefused (unsupported, wrong_passphrase)
 */
export function decryptLegacyPem(
  body: Uint8Array,
  encryption: { algorithm: string; iv: string },
  passphrase: string,
): Asn1 {
  const scheme = legacyCiphers[encryption.algorithm];
  const iv = Buffer.from(encryption.iv, "hex").toString("latin1");
  if (!scheme || iv.length !== scheme.ivLength) {
    throw refusalOfDekInfo(encryption.algorithm);
  }
  const key = forge.pbe.opensslDeriveBytes(
    toBinary(Buffer.from(passphrase, "utf8")),
    iv.slice(0, 8),
    scheme.keyLength,
  );
  const cipher = scheme.create(key);
  cipher.start(iv);
  return parseDecrypted(cipher, toBinary(body));
}

/** PBKDF2 as a file describes it (RFC 8018, appendix A.2). */
interface Pbkdf2Settings {
  salt: Uint8Array;
  rounds: number;
  digest: Digest;
  keyLength: number | undefined;
}

/** Throws CertificateRefused (unsupported), and an Error where they are none. */
export function readPbkdf2(node: Asn1 | undefined): Pbkdf2Settings {
  const [salt, rounds, ...more] = sequence(node);
  const length = more.find((one) => isUniversal(one, Tag.integer));
  const prf = more.find((one) => isUniversal(one, Tag.sequence));
  return {
    salt: bytesOf(salt),
    rounds: smallInteger(rounds),
    digest: prf ? readHmac(prf) : "sha1",
    keyLength: length && smallInteger(length),
  };
}

/** The digest of an HMAC's AlgorithmIdentifier. Throws CertificateRefused (unsupported). */
export function readHmac(node: Asn1 | undefined): Digest {
  const oid = objectIdentifier(sequence(node)[0]);
  const digest = hmacs[oid];
  if (!digest) throw unsupported(`the key derivation's digest ${oid}`);
  return digest;
}

/** Bytes that scrypt may want: it holds the thread to its end, so about a second at the most. */
const MOST_MEMORY = 32 * 1024 * 1024;

/** The kind of a key derivation's AlgorithmIdentifier, and its parameters. */
export function readDerivation(node: Asn1 | undefined): {
  kind: "pbkdf2" | "scrypt";
  parameters: Asn1 | undefined;
} {
  const [type, parameters] = sequence(node);
  const oid = objectIdentifier(type);
  if (oid === PBKDF2) return { kind: "pbkdf2", parameters };
  if (oid === SCRYPT) return { kind: "scrypt", parameters };
  throw unsupported(`the key derivation ${oid}`);
}

interface Scheme {
  keyLength: number;
  ivLength: number;
  create(key: string): ForgeCipher;
}

const aes = (keyLength: number): Scheme => ({
  keyLength,
  ivLength: 16,
  create: (key) => forge.aes.createDecryptionCipher(key),
});
const tripleDes: Scheme = {
  keyLength: 24,
  ivLength: 8,
  create: (key) => forge.des.createDecryptionCipher(key),
};
const rc2 = (bits: number): Scheme => ({
  keyLength: bits / 8,
  ivLength: 8,
  create: (key) => forge.rc2.createDecryptionCipher(key, bits),
});

const legacyCiphers: Readonly<Record<string, Scheme>> = {
  "AES-128-CBC": aes(16),
  "AES-192-CBC": aes(24),
  "AES-256-CBC": aes(32),
  "DES-EDE3-CBC": tripleDes,
};

const pbes2Ciphers: Readonly<Record<string, Scheme>> = {
  "2.16.840.1.101.3.4.1.2": aes(16),
  "2.16.840.1.101.3.4.1.22": aes(24),
  "2.16.840.1.101.3.4.1.42": aes(32),
  "1.2.840.113549.3.7": tripleDes,
};

/** AES-GCM, and the length of its key. */
const gcmCiphers: Readonly<Record<string, number>> = {
  "2.16.840.1.101.3.4.1.6": 16,
  "2.16.840.1.101.3.4.1.26": 24,
  "2.16.840.1.101.3.4.1.46": 32,
};

/** RFC 7292, appendix C. */
const pkcs12Ciphers: Readonly<Record<string, Scheme>> = {
  "1.2.840.113549.1.12.1.3": tripleDes,
  "1.2.840.113549.1.12.1.4": {
    keyLength: 16,
    ivLength: 8,
    create: (key) => forge.des.createDecryptionCipher(key + key.slice(0, 8)),
  },
  "1.2.840.113549.1.12.1.5": rc2(128),
  "1.2.840.113549.1.12.1.6": rc2(40),
};

const PBES2 = "1.2.840.113549.1.5.13";
const PBKDF2 = "1.2.840.113549.1.5.12";
const SCRYPT = "1.3.6.1.4.1.11591.4.11";

const hmacs: Readonly<Record<string, Digest>> = {
  "1.2.840.113549.2.7": "sha1",
  "1.2.840.113549.2.8": "sha224",
  "1.2.840.113549.2.9": "sha256",
  "1.2.840.113549.2.10": "sha384",
  "1.2.840.113549.2.11": "sha512",
  "1.2.840.113549.2.12": "sha512-224",
  "1.2.840.113549.2.13": "sha512-256",
  "2.16.840.1.101.3.4.2.13": "sha3-224",
  "2.16.840.1.101.3.4.2.14": "sha3-256",
  "2.16.840.1.101.3.4.2.15": "sha3-384",
  "2.16.840.1.101.3.4.2.16": "sha3-512",
};

/** RFC 8018 §6.2. */
async function decryptPbes2(
  parameters: Asn1 | undefined,
  encrypted: string,
  opening: Opening,
): Promise<Asn1> {
  const [derivation, encryption] = sequence(parameters);
  const [type, settings] = sequence(encryption);
  const oid = objectIdentifier(type);
  const gcmKeyLength = gcmCiphers[oid];
  if (gcmKeyLength !== undefined) {
    const started = gcmOf(settings, encrypted);
    const key = await derivePbes2(derivation, gcmKeyLength, opening);
    return parseDecrypted(started.cipher(key), started.content);
  }
  const scheme = pbes2Ciphers[oid];
  if (!scheme) throw refusalOfCipher(oid, opening.holder);
  const iv = contentOf(settings, Tag.octetString);
  if (iv.length !== scheme.ivLength) throw new Error("expected an IV of the cipher's length");
  const cipher = scheme.create(await derivePbes2(derivation, scheme.keyLength, opening));
  cipher.start(iv);
  return parseDecrypted(cipher, encrypted);
}

/** RFC 5084 §3.2; the tag is behind what is encrypted. */
function gcmOf(settings: Asn1 | undefined, encrypted: string) {
  const [nonce, length] = sequence(settings);
  const iv = contentOf(nonce, Tag.octetString);
  const tagLength = length ? smallInteger(length) : 12;
  if (iv === "" || tagLength < 12 || tagLength > 16 || encrypted.length < tagLength) {
    throw new Error("expected a nonce and a tag of 12 to 16 bytes");
  }
  const at = encrypted.length - tagLength;
  return {
    content: encrypted.slice(0, at),
    cipher(key: string): ForgeCipher {
      const cipher = forge.cipher.createDecipher("AES-GCM", key);
      const tag = forge.util.createBuffer(encrypted.slice(at));
      cipher.start({ iv, tagLength: 8 * tagLength, tag });
      return cipher;
    },
  };
}

/** The key, as a binary string. */
async function derivePbes2(
  node: Asn1 | undefined,
  length: number,
  { passphrase, budget }: Opening,
): Promise<string> {
  const { kind, parameters } = readDerivation(node);
  const password = Buffer.from(passphrase ?? "", "utf8");
  if (kind === "pbkdf2") {
    const { salt, rounds, digest } = readPbkdf2(parameters);
    spend(budget, rounds);
    const pbkdf2 = { by: "pbkdf2", passphrase: password, salt, rounds, digest, length } as const;
    return toBinary(await derive(pbkdf2, budget));
  }
  const [saltNode, ...costs] = sequence(parameters);
  const [N = 0, r = 0, p = 0] = costs.slice(0, 3).map(smallInteger);
  // RFC 7914 §2.
  if (N < 2 || !Number.isInteger(Math.log2(N)) || r < 1 || p < 1) {
    throw new Error("expected costs of scrypt above 0, the first a power of two");
  }
  if (scryptMemory({ N, r, p }) > MOST_MEMORY) throw unsupported("scrypt with this much memory");
  // One of its steps takes no longer than a round of the digests.
  spend(budget, N * r * p);
  const salt = bytesOf(saltNode);
  return toBinary(
    await derive({ by: "scrypt", passphrase: password, salt, N, r, p, length }, budget),
  );
}

async function decryptPkcs12(
  oid: string,
  parameters: Asn1 | undefined,
  encrypted: string,
  { passphrase, budget, holder }: Opening,
): Promise<Asn1> {
  const scheme = pkcs12Ciphers[oid];
  if (!scheme) throw refusalOfCipher(oid, holder);
  const [saltNode, roundsNode] = sequence(parameters);
  const rounds = smallInteger(roundsNode);
  spend(budget, rounds, OWN_SHARE);
  const settings = {
    by: "pkcs12",
    passphrase: bmpOf(passphrase),
    salt: bytesOf(saltNode),
    rounds,
    digest: "sha1",
  } as const;
  const { keyLength, ivLength } = scheme;
  const key = await derive({ ...settings, purpose: 1, length: keyLength }, budget);
  const iv = await derive({ ...settings, purpose: 2, length: ivLength }, budget);
  const cipher = scheme.create(toBinary(key));
  cipher.start(toBinary(iv));
  return parseDecrypted(cipher, encrypted);
}

/** A passphrase as PKCS#12's own derivation takes it: RFC 7292, appendix B.1. */
export function bmpOf(passphrase: string | null): Uint8Array {
  return passphrase === null
    ? new Uint8Array()
    : Buffer.from(`${passphrase}\0`, "utf16le").swap16();
}

/** The bytes of an OCTET STRING. */
export function bytesOf(node: Asn1 | undefined): Uint8Array {
  return Buffer.from(contentOf(node, Tag.octetString), "latin1");
}

/** The library checks padding loosely, so what came out must also be one whole value. */
function parseDecrypted(cipher: ForgeCipher, encrypted: string): Asn1 {
  try {
    cipher.update(forge.util.createBuffer(encrypted));
    if (cipher.finish()) return parseAsn1(cipher.output.getBytes());
  } catch {
    // falls through: garbage comes out of a wrong passphrase
  }
  throw new CertificateRefused("wrong_passphrase", "The passphrase is wrong.");
}

function unsupported(what: string): CertificateRefused {
  return new CertificateRefused("unsupported", `The file uses ${what}, which is not supported.`);
}
