/** Private keys and other bytes, encrypted with a passphrase in every way that files use. */
import { Buffer } from "node:buffer";
import { pbkdf2Sync, randomBytes, scryptSync } from "node:crypto";
import { EncryptedData, EncryptedPrivateKeyInfo } from "@peculiar/asn1-pkcs8";
import { AsnConvert } from "@peculiar/asn1-schema";
import { AlgorithmIdentifier } from "@peculiar/asn1-x509";
// @ts-types="./forge.d.ts"
import forge from "node-forge";
import { integer, octetString, oid, sequence } from "./der.ts";
import { derOf, pem, traditionalDer, traditionalLabel } from "./keys.ts";

/** How something is encrypted; 2,048 rounds unless said. */
export type Encryption =
  | { cipher: Pbes2Cipher; prf?: Prf; rounds?: number }
  | { gcm: 16 | 24 | 32; tagBytes?: number; prf?: Prf; rounds?: number }
  | { cipher: Pbes2Cipher; scrypt: { N: number; r: number; p: number } }
  | { scheme: Pkcs12Scheme; rounds?: number };

export type Pbes2Cipher = keyof typeof pbes2Ciphers;
export type Prf = keyof typeof prfs;
export type Pkcs12Scheme = keyof typeof pkcs12Schemes;

const pbes2Ciphers = {
  "AES-128-CBC": { oid: "608648016503040102", keyBytes: 16, ivBytes: 16 },
  "AES-192-CBC": { oid: "608648016503040116", keyBytes: 24, ivBytes: 16 },
  "AES-256-CBC": { oid: "60864801650304012a", keyBytes: 32, ivBytes: 16 },
  "DES-EDE3-CBC": { oid: "2a864886f70d0307", keyBytes: 24, ivBytes: 8 },
};

export const prfNames = [
  "sha1",
  "sha224",
  "sha256",
  "sha384",
  "sha512",
  "sha512-224",
  "sha512-256",
  "sha3-224",
  "sha3-256",
  "sha3-384",
  "sha3-512",
] as const;

const prfs = {
  sha1: "2a864886f70d0207",
  sha224: "2a864886f70d0208",
  sha256: "2a864886f70d0209",
  sha384: "2a864886f70d020a",
  sha512: "2a864886f70d020b",
  "sha512-224": "2a864886f70d020c",
  "sha512-256": "2a864886f70d020d",
  "sha3-224": "60864801650304020d",
  "sha3-256": "60864801650304020e",
  "sha3-384": "60864801650304020f",
  "sha3-512": "608648016503040210",
};

/** AES-GCM, by the bytes of its key. */
const gcmCiphers = {
  16: "608648016503040106",
  24: "60864801650304011a",
  32: "60864801650304012e",
};

/** RFC 7292, appendix C. */
const pkcs12Schemes = {
  "PBE-SHA1-3DES": { oid: "1.2.840.113549.1.12.1.3", keyBytes: 24, rc2Bits: 0 },
  "PBE-SHA1-2DES": { oid: "1.2.840.113549.1.12.1.4", keyBytes: 16, rc2Bits: 0 },
  "PBE-SHA1-RC2-128": { oid: "1.2.840.113549.1.12.1.5", keyBytes: 16, rc2Bits: 128 },
  "PBE-SHA1-RC2-40": { oid: "1.2.840.113549.1.12.1.6", keyBytes: 5, rc2Bits: 40 },
};

/** The purpose of a PKCS#12 derivation: RFC 7292, appendix B.3. */
const PURPOSE = { key: 1, iv: 2, mac: 3 } as const;

/** `bytes` encrypted, and the AlgorithmIdentifier that says how. */
export function encrypt(
  bytes: Uint8Array,
  passphrase: string,
  how: Encryption,
): { algorithm: AlgorithmIdentifier; encrypted: ArrayBuffer } {
  return "scheme" in how ? byPkcs12(bytes, passphrase, how) : byPbes2(bytes, passphrase, how);
}

/** A PKCS#8 key encrypted, as DER. */
export function encryptedKeyDer(key: string, passphrase: string, how: Encryption): Uint8Array {
  return new Uint8Array(AsnConvert.serialize(encryptedKeyInfo(key, passphrase, how)));
}

/** A PKCS#8 key encrypted, as PEM. */
export function encryptedKey(key: string, passphrase: string, how: Encryption): string {
  return pem("ENCRYPTED PRIVATE KEY", encryptedKeyDer(key, passphrase, how));
}

/** A PKCS#8 key encrypted, in the form of the library. */
export function encryptedKeyInfo(
  key: string,
  passphrase: string,
  how: Encryption,
): EncryptedPrivateKeyInfo {
  const { algorithm, encrypted } = encrypt(derOf(key), passphrase, how);
  return new EncryptedPrivateKeyInfo({
    encryptionAlgorithm: algorithm,
    encryptedData: new EncryptedData(encrypted),
  });
}

const legacyCiphers = {
  "AES-128-CBC": { keyBytes: 16, ivBytes: 16 },
  "AES-192-CBC": { keyBytes: 24, ivBytes: 16 },
  "AES-256-CBC": { keyBytes: 32, ivBytes: 16 },
  "DES-EDE3-CBC": { keyBytes: 24, ivBytes: 8 },
  "DES-CBC": { keyBytes: 8, ivBytes: 8 },
};

/** A PKCS#1 or SEC1 key in PEM whose headers say how it is encrypted. */
export function legacyPem(
  key: string,
  passphrase: string,
  algorithm: keyof typeof legacyCiphers,
): string {
  const { keyBytes, ivBytes } = legacyCiphers[algorithm];
  const iv = randomBytes(ivBytes);
  const password = Buffer.from(passphrase).toString("latin1");
  const derived = forge.pbe.opensslDeriveBytes(password, binary(iv.subarray(0, 8)), keyBytes);
  const body = run(cipherOf(derived, ivBytes), binary(iv), traditionalDer(key));
  const [begin = "", ...rest] = pem(traditionalLabel(key), body).split("\n");
  const headers = `Proc-Type: 4,ENCRYPTED\nDEK-Info: ${algorithm},${iv.toString("hex")}\n`;
  return `${begin}\n${headers.replace(iv.toString("hex"), (hex) => hex.toUpperCase())}\n${
    rest.join("\n")
  }`;
}

/** RFC 8018 §6.2. */
function byPbes2(
  bytes: Uint8Array,
  passphrase: string,
  how: Exclude<Encryption, { scheme: Pkcs12Scheme }>,
) {
  const salt = randomBytes(16);
  if ("gcm" in how) {
    const [derivation, key] = derive(how, passphrase, salt, how.gcm);
    return pbes2(derivation, ...byGcm(bytes, key, how));
  }
  const { oid: cipherOid, keyBytes, ivBytes } = pbes2Ciphers[how.cipher];
  const iv = randomBytes(ivBytes);
  const [derivation, key] = derive(how, passphrase, salt, keyBytes);
  const encrypted = run(cipherOf(binary(key), ivBytes), binary(iv), bytes);
  return pbes2(derivation, sequence(oid(cipherOid), octetString(iv)), encrypted);
}

function pbes2(derivation: Uint8Array, cipher: Uint8Array, encrypted: Uint8Array<ArrayBuffer>) {
  const parameters = new Uint8Array(sequence(derivation, cipher)).buffer;
  return {
    algorithm: new AlgorithmIdentifier({ algorithm: "1.2.840.113549.1.5.13", parameters }),
    encrypted: encrypted.buffer,
  };
}

/** RFC 5084 §3.2; a tag of 12 bytes is the default, which DER leaves out. */
function byGcm(
  bytes: Uint8Array,
  key: Uint8Array,
  { gcm, tagBytes = 16 }: { gcm: 16 | 24 | 32; tagBytes?: number },
): [Uint8Array, Uint8Array<ArrayBuffer>] {
  const iv = randomBytes(12);
  const cipher = forge.cipher.createCipher("AES-GCM", binary(key));
  cipher.start({ iv: binary(iv), tagLength: 8 * tagBytes });
  cipher.update(forge.util.createBuffer(binary(bytes)));
  cipher.finish();
  const sealed = cipher.output.getBytes() + cipher.mode.tag.getBytes();
  const length = tagBytes === 12 ? [] : [number(tagBytes)];
  return [
    sequence(oid(gcmCiphers[gcm]), sequence(octetString(iv), ...length)),
    new Uint8Array(Buffer.from(sealed, "latin1")),
  ];
}

/** The parameters of PBMAC1, and its key: RFC 9579. */
export function pbmac1(
  passphrase: string,
  { prf, mac, rounds, length }: { prf: Prf; mac: Prf; rounds: number; length: number },
): { parameters: Uint8Array; key: Uint8Array } {
  const salt = randomBytes(16);
  const parameters = sequence(
    pbkdf2Parameters(salt, rounds, prf, number(length)),
    sequence(oid(prfs[mac]), new Uint8Array([5, 0])),
  );
  return { parameters, key: pbkdf2Sync(passphrase, salt, rounds, length, prf) };
}

function derive(
  how: Exclude<Encryption, { scheme: Pkcs12Scheme }>,
  passphrase: string,
  salt: Uint8Array,
  keyBytes: number,
): [Uint8Array, Uint8Array] {
  if ("scrypt" in how) {
    const { N, r, p } = how.scrypt;
    const settings = sequence(octetString(salt), number(N), number(r), number(p));
    const key = scryptSync(passphrase, salt, keyBytes, { N, r, p, maxmem: 64 * 1024 * 1024 });
    return [sequence(oid("2b06010401da47040b"), settings), key];
  }
  const { prf = "sha256", rounds = 2048 } = how;
  const key = pbkdf2Sync(passphrase, salt, rounds, keyBytes, prf);
  return [pbkdf2Parameters(salt, rounds, prf), key];
}

function pbkdf2Parameters(salt: Uint8Array, rounds: number, prf: Prf, ...length: Uint8Array[]) {
  // SHA-1 is the default, which DER leaves out.
  const named = prf === "sha1" ? [] : [sequence(oid(prfs[prf]), new Uint8Array([5, 0]))];
  const settings = sequence(octetString(salt), number(rounds), ...length, ...named);
  return sequence(oid("2a864886f70d01050c"), settings);
}

function byPkcs12(
  bytes: Uint8Array,
  passphrase: string,
  { scheme, rounds = 2048 }: { scheme: Pkcs12Scheme; rounds?: number },
) {
  const { oid: algorithm, keyBytes, rc2Bits } = pkcs12Schemes[scheme];
  const salt = randomBytes(8);
  const derived = (purpose: 1 | 2, length: number) =>
    derivePkcs12(passphrase, salt, purpose, rounds, length, "sha1");
  const key = derived(PURPOSE.key, keyBytes);
  // Two keys: the first is used again as the third.
  const cipher = rc2Bits > 0
    ? forge.rc2.createEncryptionCipher(key, rc2Bits)
    : cipherOf(keyBytes === 16 ? key + key.slice(0, 8) : key, 8);
  return {
    algorithm: new AlgorithmIdentifier({
      algorithm,
      parameters: new Uint8Array(sequence(octetString(salt), number(rounds))).buffer,
    }),
    encrypted: run(cipher, derived(PURPOSE.iv, 8), bytes).buffer,
  };
}

/** The key of a PKCS#12 file's MAC. */
export function macKey(
  passphrase: string,
  salt: Uint8Array,
  rounds: number,
  digest: ForgeDigest,
): Buffer {
  const bytes = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 }[digest];
  const derived = derivePkcs12(passphrase, salt, PURPOSE.mac, rounds, bytes, digest);
  return Buffer.from(derived, "latin1");
}

type ForgeDigest = "sha1" | "sha256" | "sha384" | "sha512";

/** RFC 7292, appendix B, as a binary string; null is no passphrase at all. */
export function derivePkcs12(
  passphrase: string | null,
  salt: Uint8Array,
  purpose: 1 | 2 | 3,
  rounds: number,
  length: number,
  digest: ForgeDigest,
): string {
  const buffer = forge.util.createBuffer(binary(salt));
  const md = forge.md[digest].create();
  return forge.pbe.generatePkcs12Key(passphrase, buffer, purpose, rounds, length, md).getBytes();
}

type Cipher = ReturnType<typeof forge.aes.createEncryptionCipher>;

/** AES for blocks of 16 bytes, DES for those of 8, once or three times as the key's length says. */
function cipherOf(key: string, blockBytes: number): Cipher {
  return blockBytes === 16
    ? forge.aes.createEncryptionCipher(key)
    : forge.des.createEncryptionCipher(key);
}

function run(cipher: Cipher, iv: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  cipher.start(iv);
  cipher.update(forge.util.createBuffer(binary(bytes)));
  cipher.finish();
  return new Uint8Array(Buffer.from(cipher.output.getBytes(), "latin1"));
}

/** A "binary string" of the library: one byte a character. */
function binary(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

/** An INTEGER that is not negative. */
export function number(value: number): Uint8Array {
  const hex = value.toString(16);
  const digits = hex.padStart(hex.length + hex.length % 2, "0");
  return integer(/^[89a-f]/.test(digits) ? `00${digits}` : digits);
}
