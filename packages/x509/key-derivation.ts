import { Buffer } from "node:buffer";
import { createHash, createHmac, scryptSync } from "node:crypto";
import { type Digest, digests, hashChain, type IsWanted } from "./hash-chain.ts";

/** One derivation of a key from a passphrase; `length`: how many bytes. */
export type KeyDerivation =
  | Pkcs12Derivation
  | Pbkdf2Derivation
  | ScryptDerivation;

/** RFC 7292, appendix B. */
export interface Pkcs12Derivation {
  by: "pkcs12";
  /** As appendix B.1 encodes it; empty where there is none. */
  passphrase: Uint8Array;
  salt: Uint8Array;
  rounds: number;
  digest: Digest;
  /** The use of the result: 1 a key, 2 an IV, 3 a MAC's key. */
  purpose: 1 | 2 | 3;
  length: number;
}

/** RFC 8018 §5.2. */
interface Pbkdf2Derivation {
  by: "pbkdf2";
  passphrase: Uint8Array;
  salt: Uint8Array;
  rounds: number;
  digest: Digest;
  length: number;
}

/** RFC 7914. */
interface ScryptDerivation {
  by: "scrypt";
  passphrase: Uint8Array;
  salt: Uint8Array;
  N: number;
  r: number;
  p: number;
  length: number;
}

/**
 * The derived bytes. Holds its thread for as long as `nanosecondsOf` says, about; throws Abandoned
 * where they are not wanted any more.
 */
export function deriveNow(
  derivation: KeyDerivation,
  isWanted: IsWanted = () => true,
): Uint8Array {
  switch (derivation.by) {
    case "pkcs12":
      return pkcs12(derivation, isWanted);
    case "pbkdf2":
      return pbkdf2(derivation, isWanted);
    case "scrypt": {
      const { passphrase, salt, length, N, r, p } = derivation;
      const maxmem = 2 * scryptMemory(derivation) + 65_536;
      return scryptSync(passphrase, salt, length, { N, r, p, maxmem });
    }
  }
}

/** The bytes that a derivation by scrypt holds. */
export function scryptMemory({ N, r, p }: Pick<ScryptDerivation, "N" | "r" | "p">): number {
  return 128 * r * (N + p);
}

/** How long a derivation takes on a processor of 2026, about. */
export function nanosecondsOf(derivation: KeyDerivation): number {
  if (derivation.by === "scrypt") return derivation.N * derivation.r * derivation.p * 400;
  const { by, rounds, length, digest } = derivation;
  const { bytes, blockBytes } = digests[digest];
  const one = digest === "sha1" ? 110 : digest.startsWith("sha3-") ? 600 : 2 * blockBytes + 130;
  return Math.ceil(length / bytes) * rounds * one * (by === "pbkdf2" ? 2 : 1);
}

function pkcs12(derivation: Pkcs12Derivation, isWanted: IsWanted): Uint8Array {
  const { passphrase, salt, rounds, digest, purpose, length } = derivation;
  const { bytes, blockBytes } = digests[digest];
  const chain = hashChain(digest);
  const repeated = (value: Uint8Array) => {
    const whole = Math.ceil(value.length / blockBytes) * blockBytes;
    return Buffer.from(Uint8Array.from({ length: whole }, (_, i) => value[i % value.length] ?? 0));
  };
  const purposes = new Uint8Array(blockBytes).fill(purpose);
  const input = Buffer.concat([repeated(salt), repeated(passphrase)]);
  const derived = new Uint8Array(Math.ceil(length / bytes) * bytes);
  for (let at = 0; at < length; at += bytes) {
    const first = createHash(digest).update(purposes).update(input).digest();
    const part = chain.digested(first, rounds - 1, isWanted);
    derived.set(part, at);
    for (let block = 0; block < input.length; block += blockBytes) {
      // I_j = I_j + B + 1, where B is the part, repeated.
      let carry = 1;
      for (let i = blockBytes - 1; i >= 0; i--) {
        carry += (input[block + i] ?? 0) + (part[i % bytes] ?? 0);
        input[block + i] = carry;
        carry >>= 8;
      }
    }
  }
  return derived.subarray(0, length);
}

function pbkdf2(derivation: Pbkdf2Derivation, isWanted: IsWanted): Uint8Array {
  const { passphrase, salt, rounds, digest, length } = derivation;
  const { bytes } = digests[digest];
  const chain = hashChain(digest);
  const derived = new Uint8Array(Math.ceil(length / bytes) * bytes);
  const number = Buffer.alloc(4);
  for (let at = 0; at < length; at += bytes) {
    number.writeUInt32BE(at / bytes + 1);
    const first = createHmac(digest, passphrase).update(salt).update(number).digest();
    derived.set(chain.sumOfHmacs(passphrase, first, rounds - 1, isWanted), at);
  }
  return derived.subarray(0, length);
}
