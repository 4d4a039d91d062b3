import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import {
  type Asn1,
  isUniversal,
  objectIdentifier,
  octets,
  parseAsn1,
  sequence,
  Tag,
  toBinary,
  toDer,
  wholeBits,
} from "./asn1.ts";
import type { DerivationBudget } from "./derivation-budget.ts";
import { curveOf, infoOfElliptic, plainInfo, sec1AsPkcs8 } from "./elliptic-key.ts";
import { dsaAsPkcs8, infoOfMultiPrime, pkcs1AsPkcs8 } from "./older-keys.ts";
import { decryptLegacyPem, decryptPbe, type Opening } from "./pbe.ts";
import type { PemBlock } from "./pem.ts";
import { infoOfPostQuantum, postQuantum } from "./post-quantum.ts";
import { describe, readCurve, readKeyAlgorithm } from "./public-key.ts";
import { asRefusal, CertificateRefused, refusing, Unavailable } from "./refusal.ts";
import { certifiedKey } from "./x509.ts";

/** A private key that is known to be one. */
export interface PrivateKey {
  /** PKCS#8, not encrypted: for sealing, never for an answer. */
  pkcs8: Uint8Array;
  /** The SubjectPublicKeyInfo of its public half. */
  publicKeyInfo: Uint8Array;
}

/** The encoding of a private key by its PEM label without blanks. */
const encodings: Readonly<Record<string, Encoding | "encrypted">> = {
  PRIVATEKEY: "pkcs8",
  ENCRYPTEDPRIVATEKEY: "encrypted",
  RSAPRIVATEKEY: "pkcs1",
  ECPRIVATEKEY: "sec1",
  DSAPRIVATEKEY: "dsa",
};

/** How a private key is written that is not encrypted; the last three are of their kind alone. */
type Encoding = "pkcs8" | "pkcs1" | "sec1" | "dsa";

/** True for every PEM label that announces a private key, of a supported encoding or not. */
export function isPrivateKeyLabel(label: string): boolean {
  return label.endsWith("PRIVATEKEY");
}

/**
 * The private key of a PEM block: PKCS#8, PKCS#1, SEC1, DSA's own form, encrypted PKCS#8 or legacy
 * encrypted PEM.
 * @throws CertificateRefused (malformed, unsupported, passphrase_required, wrong_passphrase), never
 * with any of the key in it
 */
export async function readPrivateKeyBlock(
  block: Pick<PemBlock, "label" | "encryption"> & { der: Uint8Array },
  passphrase: string | undefined,
  budget: DerivationBudget,
): Promise<PrivateKey> {
  const encoding = encodings[block.label];
  if (!encoding) throw new CertificateRefused("unsupported", UNSUPPORTED_ENCODING);
  if (encoding === "encrypted" || block.encryption) {
    const given = required(passphrase);
    const { encryption, der } = block;
    const opened = encryption
      ? malformed(() => decryptLegacyPem(der, encryption, given))
      : await readEncryptedPrivateKey(malformed(() => parseAsn1(der)), {
        passphrase: given,
        budget,
        holder: "key",
      });
    if (encoding !== "encrypted") return keyFrom(opened, encoding);
    return keyFrom(opened, encryption ? malformed(() => encodingOf(opened)) : "pkcs8");
  }
  return keyFrom(malformed(() => parseAsn1(block.der)), encoding);
}

/**
 * How a key is encoded whose label does not say it: some gateways encrypt any key the legacy way
 * under the label of encrypted PKCS#8. Behind the version stands an algorithm, a number or the key
 * itself.
 */
function encodingOf(node: Asn1): Encoding {
  const [, second, ...rest] = sequence(node);
  if (isUniversal(second, Tag.integer)) return rest.length === 4 ? "dsa" : "pkcs1";
  return isUniversal(second, Tag.octetString) ? "sec1" : "pkcs8";
}

/**
 * The PrivateKeyInfo inside an EncryptedPrivateKeyInfo (RFC 5958 §3).
 * @throws CertificateRefused (malformed, unsupported, wrong_passphrase)
 */
export async function readEncryptedPrivateKey(
  node: Asn1,
  opening: Opening,
): Promise<Asn1> {
  try {
    const [algorithm, encrypted] = sequence(node);
    return await decryptPbe(algorithm, octets(encrypted), opening);
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    throw asRefusal(error, "malformed", MALFORMED);
  }
}

/**
 * The private key in a decoded PKCS#8 structure, or in one of its kind's own. Kinds and curves that
 * the runtime does not know are read here.
 * @throws CertificateRefused (malformed, unsupported)
 */
export function keyFrom(node: Asn1, encoding: Encoding = "pkcs8"): PrivateKey {
  const tree = malformed(() => withoutLeadingZeros(asPkcs8(node, encoding)));
  const pkcs8 = malformed(() => toDer(tree));
  const kind = malformed(() => describe(readKeyAlgorithm(sequence(tree)[1])));
  const publicKeyInfo = malformed(() => ownInfo(tree));
  if (publicKeyInfo) return { pkcs8, publicKeyInfo };
  return refusing(
    "unsupported",
    `The private key is malformed or of a kind or curve that is not supported (${kind}).`,
    () => {
      const key = createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" });
      return { pkcs8, publicKeyInfo: exported(createPublicKey(key)) };
    },
  );
}

function asPkcs8(node: Asn1, encoding: Encoding): Asn1 {
  switch (encoding) {
    case "pkcs8":
      return node;
    case "pkcs1":
      return parseAsn1(pkcs1AsPkcs8(node));
    case "sec1":
      return parseAsn1(sec1AsPkcs8(node));
    case "dsa":
      return parseAsn1(dsaAsPkcs8(node));
  }
}

/** The curves that the runtime reads where a key names them. */
const OF_RUNTIME = new Set(["secp224r1", "prime256v1", "secp384r1", "secp521r1", "secp256k1"]);

/** The public half of a key that the runtime does not read; undefined of any other. */
function ownInfo(pkcs8: Asn1): Uint8Array | undefined {
  const [, algorithm, value] = sequence(pkcs8);
  if (!algorithm) throw new Error("expected an algorithm");
  const [type, parameters] = sequence(algorithm);
  if (postQuantum(objectIdentifier(type)) !== undefined) return infoOfPostQuantum(pkcs8);
  const kind = readKeyAlgorithm(algorithm);
  if (kind.algorithm === "ECDSA") {
    const curve = curveOf(parameters);
    if (!curve || (!curve.isExplicit && OF_RUNTIME.has(curve.numbers.name))) return undefined;
    return infoOfElliptic(curve, parseAsn1(octets(value)));
  }
  return kind.algorithm.startsWith("RSA")
    ? infoOfMultiPrime(algorithm, parseAsn1(octets(value)))
    : undefined;
}

/** True when `key` is the private half of the public key in the certificate `der`. */
export function belongsTo(key: PrivateKey, der: Uint8Array): boolean {
  const certified = certifiedKey(der);
  const [, bits] = sequence(certified);
  return wholeBits(bits) === wholeBits(sequence(parseAsn1(key.publicKeyInfo))[1]) ||
    sameWhenNormalised(key, certified);
}

/** One key has several forms, such as a compressed point, or a curve that is spelled out. */
function sameWhenNormalised(key: PrivateKey, certified: Asn1): boolean {
  try {
    const [one, other] = [plainInfo(certified), plainInfo(parseAsn1(key.publicKeyInfo))];
    return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
  } catch {
    return false;
  }
}

/**
 * A PKCS#8 structure whose elliptic private key has no more bytes than its curve (RFC 5915 §3):
 * some programs write zeros before it, which the runtime refuses.
 */
function withoutLeadingZeros(node: Asn1): Asn1 {
  const [version, algorithm, key, ...rest] = sequence(node);
  if (!version || !algorithm || !key) return node;
  if (readKeyAlgorithm(algorithm).algorithm !== "ECDSA") return node;
  const short = withinCurve(parseAsn1(octets(key)), sequence(algorithm)[1]);
  if (!short) return node;
  const value = toBinary(toDer(short));
  return { ...node, value: [version, algorithm, { ...key, constructed: false, value }, ...rest] };
}

/** The SEC1 structure without the zeros; undefined where it has none too many. */
function withinCurve(node: Asn1, parameters: Asn1 | undefined): Asn1 | undefined {
  const [version, number, ...rest] = sequence(node);
  const digits = octets(number);
  const length = Math.ceil(readCurve(parameters).size / 8);
  const more = digits.length - length;
  if (!version || !number || length === 0 || more <= 0 || /[^\0]/.test(digits.slice(0, more))) {
    return undefined;
  }
  return { ...node, value: [version, { ...number, value: digits.slice(more) }, ...rest] };
}

function exported(key: KeyObject): Uint8Array {
  return new Uint8Array(key.export({ format: "der", type: "spki" }));
}

function required(passphrase: string | undefined): string {
  if (passphrase !== undefined && passphrase !== "") return passphrase;
  throw new CertificateRefused(
    "passphrase_required",
    "The private key is encrypted: its passphrase is needed.",
  );
}

const UNSUPPORTED_ENCODING =
  "The private key is in an encoding that is not supported: PKCS#8, PKCS#1, SEC1 and DSA's own are.";

const MALFORMED = "The private key is malformed.";

function malformed<T>(read: () => T): T {
  return refusing("malformed", MALFORMED, read);
}
