import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { type Asn1, objectIdentifier, sequence, smallInteger } from "./asn1.ts";
import { type DerivationBudget, derive, OWN_SHARE, spend } from "./derivation-budget.ts";
import { type Digest, digests } from "./hash-chain.ts";
import type { KeyDerivation } from "./key-derivation.ts";
import { bmpOf, bytesOf, readDerivation, readHmac, readPbkdf2 } from "./pbe.ts";
import { CertificateRefused } from "./refusal.ts";

/** The MAC of a PKCS#12 file. */
export interface Mac {
  expected: Uint8Array;
  digest: Digest;
  rounds: number;
  /** The cost of one round. */
  share: number;
  /** An empty passphrase and none at all; one of them where they are the same. */
  empty: readonly (string | null)[];
  /** How its key is derived from a passphrase. */
  derivationOf(passphrase: string | null): KeyDerivation;
}

/**
 * The MacData of a file: RFC 7292 §4, also by PBMAC1 (RFC 9579).
 * @throws CertificateRefused (unsupported), or an Error where it is none
 */
export function readMac(node: Asn1): Mac {
  const [info, salt, rounds] = sequence(node);
  const [algorithm, digest] = sequence(info);
  const [type, parameters] = sequence(algorithm);
  const oid = objectIdentifier(type);
  const expected = bytesOf(digest);
  return oid === PBMAC1
    ? { expected, ...readPbmac1(parameters) }
    : { expected, ...readOwn(oid, salt, rounds) };
}

/**
 * Whether the MAC of `safe` (a binary string) is that of a passphrase. Its derivation is paid from
 * `budget`.
 */
export async function isMacOf(
  mac: Mac,
  safe: string,
  passphrase: string | null,
  budget: DerivationBudget,
): Promise<boolean> {
  spend(budget, mac.rounds, mac.share);
  const key = await derive(mac.derivationOf(passphrase), budget);
  const actual = createHmac(mac.digest, key).update(safe, "latin1").digest();
  return actual.length === mac.expected.length && timingSafeEqual(actual, mac.expected);
}

/** A key that is longer costs more in each round. */
const LONGEST_DIGEST = 64;

const PBMAC1 = "1.2.840.113549.1.5.14";

const ownDigests: Readonly<Record<string, Digest>> = {
  "1.3.14.3.2.26": "sha1",
  "2.16.840.1.101.3.4.2.4": "sha224",
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
  "2.16.840.1.101.3.4.2.5": "sha512-224",
  "2.16.840.1.101.3.4.2.6": "sha512-256",
  "2.16.840.1.101.3.4.2.7": "sha3-224",
  "2.16.840.1.101.3.4.2.8": "sha3-256",
  "2.16.840.1.101.3.4.2.9": "sha3-384",
  "2.16.840.1.101.3.4.2.10": "sha3-512",
};

function readOwn(oid: string, saltNode: Asn1 | undefined, roundsNode: Asn1 | undefined) {
  const digest = ownDigests[oid];
  if (!digest) throw unsupported(`has a MAC of the kind ${oid}`);
  const salt = bytesOf(saltNode);
  const rounds = roundsNode ? smallInteger(roundsNode) : 1;
  const settings = { by: "pkcs12", salt, rounds, digest, length: digests[digest].bytes } as const;
  return {
    digest,
    rounds,
    share: OWN_SHARE,
    empty: ["", null],
    derivationOf: (passphrase: string | null) =>
      ({ ...settings, purpose: 3, passphrase: bmpOf(passphrase) }) as const,
  };
}

/** The salt and rounds of MacData itself mean nothing then (RFC 9579 §5). */
function readPbmac1(node: Asn1 | undefined) {
  const [derivation, scheme] = sequence(node);
  const { kind, parameters } = readDerivation(derivation);
  if (kind !== "pbkdf2") throw unsupported(`derives its MAC's key by ${kind}`);
  const { salt, rounds, digest, keyLength: length = 0 } = readPbkdf2(parameters);
  // BouncyCastle 1.85 writes keys of 256 bytes.
  if (length < 20 || length > 1024) throw unsupported(`has a MAC with a key of ${length} bytes`);
  const settings = { by: "pbkdf2", salt, rounds, digest, length } as const;
  return {
    digest: readHmac(scheme),
    rounds,
    share: Math.ceil(length / LONGEST_DIGEST),
    empty: [""],
    derivationOf: (passphrase: string | null) => ({
      ...settings,
      passphrase: Buffer.from(passphrase ?? "", "utf8"),
    }),
  };
}

function unsupported(what: string): CertificateRefused {
  return new CertificateRefused("unsupported", `The PKCS#12 file ${what}: not supported.`);
}
