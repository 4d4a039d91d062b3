import { Buffer } from "node:buffer";
import { pbkdf2, scrypt } from "node:crypto";
import { promisify } from "node:util";
// @ts-types="./forge.d.ts"
import forge from "node-forge/lib/forge.js";
import "node-forge/lib/md5.js";
import "node-forge/lib/pbe.js";
import type { ForgeBuffer, ForgeCipher } from "./forge.d.ts";
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
import { deriveOnThread } from "./derivation-queue.ts";
import { deriveNow, type Pkcs12Derivation, type Pkcs12Digest } from "./pkcs12-derivation.ts";
import { CertificateRefused } from "./refusal.ts";

/** What the key derivations of one upload may still cost; a unit is about half a microsecond. */
export interface DerivationBudget {
  units: number;
  /** Of these, what may be derived on the calling thread, which serves other requests too. */
  here: number;
}

/**
 * About two seconds for a whole upload, 30 ms of them here: 1,000,000 rounds of PKCS#12's
 * derivation, or 4,000,000 of PBKDF2.
 */
export function newBudget(): DerivationBudget {
  return { units: 4_000_000, here: 60_000 };
}

/** The digests of PKCS#12's own derivation, and how many units a round of it costs. */
const pkcs12Digests: Readonly<Record<Pkcs12Digest, { bytes: number; units: number }>> = {
  sha1: { bytes: 20, units: 4 },
  sha256: { bytes: 32, units: 4 },
  sha384: { bytes: 48, units: 12 },
  sha512: { bytes: 64, units: 12 },
};

/** What a PKCS#12 derivation is for: RFC 7292, appendix B.3. */
export const Pkcs12Purpose = { key: 1, iv: 2, mac: 3 } as const;

/**
 * `length` bytes derived by RFC 7292, appendix B, as a binary string. The cost is taken off
 * `budget` before anything is derived; what would hold this thread for more than a few milliseconds
 * runs on another.
 * @throws CertificateRefused (unsupported) when the budget does not suffice
 * @throws Failure `unavailable` when too many derivations are under way
 */
export async function derivePkcs12(
  derivation: Pkcs12Derivation,
  budget: DerivationBudget,
): Promise<string> {
  const { rounds, digest, length } = derivation;
  const { bytes, units } = pkcs12Digests[digest];
  const cost = rounds * units * Math.ceil(length / bytes);
  spend(budget, rounds, units * Math.ceil(length / bytes));
  if (cost > budget.here) return await deriveOnThread(derivation);
  budget.here -= cost;
  return deriveNow(derivation);
}

/**
 * `encrypted` (a binary string) decrypted with `passphrase` as its AlgorithmIdentifier says: PBES2
 * (PBKDF2 or scrypt; AES-CBC or 3DES) or PKCS#12's own schemes (3DES, RC2). The result is one whole
 * ASN.1 value, which a wrong passphrase hardly ever gives.
 * @throws CertificateRefused (unsupported, wrong_passphrase)
 */
export async function decryptPbe(
  identifier: Asn1 | undefined,
  encrypted: string,
  passphrase: string | null,
  budget: DerivationBudget,
): Promise<Asn1> {
  const [type, parameters] = sequence(identifier);
  const oid = objectIdentifier(type);
  const cipher = oid === PBES2
    ? await pbes2Cipher(parameters, passphrase, budget)
    : await pkcs12Cipher(oid, parameters, passphrase, budget);
  return parseDecrypted(cipher, encrypted);
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
    throw unsupported(`the encryption ${encryption.algorithm || "of its DEK-Info line"}`);
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

const prfs: Readonly<Record<string, { digest: string; bytes: number }>> = {
  "1.2.840.113549.2.7": { digest: "sha1", bytes: 20 },
  "1.2.840.113549.2.8": { digest: "sha224", bytes: 28 },
  "1.2.840.113549.2.9": { digest: "sha256", bytes: 32 },
  "1.2.840.113549.2.10": { digest: "sha384", bytes: 48 },
  "1.2.840.113549.2.11": { digest: "sha512", bytes: 64 },
};

/** RFC 8018 §6.2. */
async function pbes2Cipher(
  parameters: Asn1 | undefined,
  passphrase: string | null,
  budget: DerivationBudget,
): Promise<ForgeCipher> {
  const [derivation, encryption] = sequence(parameters);
  const [cipherType, ivNode] = sequence(encryption);
  const scheme = pbes2Ciphers[objectIdentifier(cipherType)];
  if (!scheme) throw unsupported(`the cipher ${objectIdentifier(cipherType)}`);
  const iv = contentOf(ivNode, Tag.octetString);
  if (iv.length !== scheme.ivLength) throw new Error("expected an IV of the cipher's length");
  const [type, settings] = sequence(derivation);
  const password = Buffer.from(passphrase ?? "", "utf8");
  const derive = { [PBKDF2]: derivePbkdf2, [SCRYPT]: deriveScrypt }[objectIdentifier(type)];
  if (!derive) throw unsupported(`the key derivation ${objectIdentifier(type)}`);
  const key = await derive(sequence(settings), password, scheme.keyLength, budget);
  const cipher = scheme.create(toBinary(key));
  cipher.start(iv);
  return cipher;
}

async function derivePbkdf2(
  settings: Asn1[],
  password: Buffer,
  length: number,
  budget: DerivationBudget,
): Promise<Uint8Array> {
  const salt = Buffer.from(contentOf(settings[0], Tag.octetString), "latin1");
  const rounds = smallInteger(settings[1]);
  const named = settings.find((node, at) => at > 1 && isUniversal(node, Tag.sequence));
  const prfOid = named ? objectIdentifier(sequence(named)[0]) : "1.2.840.113549.2.7";
  const prf = prfs[prfOid];
  if (!prf) throw unsupported(`the key derivation's digest ${prfOid}`);
  spend(budget, rounds, Math.ceil(length / prf.bytes));
  return await promisify(pbkdf2)(password, salt, rounds, length, prf.digest);
}

/** RFC 7914 §7. */
async function deriveScrypt(
  settings: Asn1[],
  password: Buffer,
  length: number,
  budget: DerivationBudget,
): Promise<Uint8Array> {
  const salt = Buffer.from(contentOf(settings[0], Tag.octetString), "latin1");
  const [N = 0, r = 0, p = 0] = settings.slice(1, 4).map(smallInteger);
  const maxmem = 64 * 1024 * 1024;
  if (128 * N * r > maxmem / 2) throw unsupported("scrypt with this much memory");
  spend(budget, N * r * p, 4);
  const options = { N, r, p, maxmem };
  return await new Promise<Uint8Array>((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => error ? reject(error) : resolve(key));
  });
}

async function pkcs12Cipher(
  oid: string,
  parameters: Asn1 | undefined,
  passphrase: string | null,
  budget: DerivationBudget,
): Promise<ForgeCipher> {
  const scheme = pkcs12Ciphers[oid];
  if (!scheme) throw unsupported(`the encryption ${oid}`);
  const [saltNode, roundsNode] = sequence(parameters);
  const salt = contentOf(saltNode, Tag.octetString);
  const settings = { passphrase, salt, rounds: smallInteger(roundsNode), digest: "sha1" as const };
  const { key: purpose, iv } = Pkcs12Purpose;
  const { keyLength, ivLength } = scheme;
  const key = await derivePkcs12({ ...settings, purpose, length: keyLength }, budget);
  const cipher = scheme.create(key);
  cipher.start(await derivePkcs12({ ...settings, purpose: iv, length: ivLength }, budget));
  return cipher;
}

function spend(budget: DerivationBudget, rounds: number, unitsPerRound: number): void {
  if (rounds < 1) throw new Error("expected an iteration count above 0");
  const cost = rounds * unitsPerRound;
  if (cost > budget.units) {
    throw unsupported(`a key derivation of ${rounds} rounds (more than this service computes)`);
  }
  budget.units -= cost;
}

/** The library checks padding loosely, so what came out must also be one whole value. */
function parseDecrypted(cipher: ForgeCipher, encrypted: string): Asn1 {
  try {
    cipher.update(forge.util.createBuffer(encrypted));
    if (cipher.finish()) return parseAsn1(binaryOf(cipher.output));
  } catch {
    // falls through: garbage comes out of a wrong passphrase
  }
  throw new CertificateRefused("wrong_passphrase", "The passphrase is wrong.");
}

function binaryOf(buffer: ForgeBuffer): string {
  return buffer.getBytes();
}

function unsupported(what: string): CertificateRefused {
  return new CertificateRefused("unsupported", `The file uses ${what}, which is not supported.`);
}
