import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import {
  type Asn1,
  children,
  isContext,
  isUniversal,
  octets,
  parseAsn1,
  sequence,
  Tag,
  toBinary,
  toDer,
  wholeBits,
} from "./asn1.ts";
import type { DerivationBudget } from "./derivation-budget.ts";
import { decryptLegacyPem, decryptPbe, type Opening } from "./pbe.ts";
import type { PemBlock } from "./pem.ts";
import { describe, readCurve, readKeyAlgorithm } from "./public-key.ts";
import { asRefusal, CertificateRefused, isUnavailable, refusing } from "./refusal.ts";

/** A private key that the runtime can use. */
export interface PrivateKey {
  /** PKCS#8, not encrypted: for sealing, never for an answer. */
  pkcs8: Uint8Array;
  /** The SubjectPublicKeyInfo of its public half. */
  publicKeyInfo: Uint8Array;
}

/** What a PEM label, without its blanks, says about a private key's encoding. */
const encodings: Readonly<Record<string, "pkcs8" | "encrypted" | "pkcs1" | "sec1">> = {
  PRIVATEKEY: "pkcs8",
  ENCRYPTEDPRIVATEKEY: "encrypted",
  RSAPRIVATEKEY: "pkcs1",
  ECPRIVATEKEY: "sec1",
};

/** True for every PEM label that announces a private key, of a supported encoding or not. */
export function isPrivateKeyLabel(label: string): boolean {
  return label.endsWith("PRIVATEKEY");
}

/**
 * The private key of a PEM block: PKCS#8, PKCS#1, SEC1, encrypted PKCS#8 or legacy encrypted PEM.
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
function encodingOf(node: Asn1): "pkcs8" | "pkcs1" | "sec1" {
  const [, second] = sequence(node);
  if (isUniversal(second, Tag.integer)) return "pkcs1";
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
    if (isUnavailable(error)) throw error;
    throw asRefusal(error, "malformed", MALFORMED);
  }
}

/**
 * The private key in a decoded PKCS#8 (or PKCS#1, SEC1) structure.
 * @throws CertificateRefused (malformed, unsupported)
 */
export function keyFrom(node: Asn1, type: "pkcs8" | "pkcs1" | "sec1" = "pkcs8"): PrivateKey {
  const der = malformed(() => toDer(withoutLeadingZeros(node, type)));
  const kind = malformed(() => kindOf(node, type));
  return refusing(
    "unsupported",
    `The private key is malformed or of a kind or curve that is not supported (${kind}).`,
    () => {
      const key = createPrivateKey({ key: Buffer.from(der), format: "der", type });
      return {
        pkcs8: type === "pkcs8" ? der : new Uint8Array(exported(key)),
        publicKeyInfo: new Uint8Array(createPublicKey(key).export({ format: "der", type: "spki" })),
      };
    },
  );
}

/** What to call a key that the runtime does not take. */
function kindOf(node: Asn1, type: "pkcs8" | "pkcs1" | "sec1"): string {
  const fields = sequence(node);
  if (type === "pkcs8") return describe(readKeyAlgorithm(fields[1]));
  const parameters = fields.find((field) => isContext(field, 0));
  if (type === "pkcs1" || !parameters) return type === "pkcs1" ? "RSA" : "ECDSA";
  return describe({ algorithm: "ECDSA", ...readCurve(children(parameters)[0]) });
}

/** True when `key` is the private half of the public key in the certificate `der`. */
export function belongsTo(key: PrivateKey, der: Uint8Array): boolean {
  const fields = sequence(sequence(parseAsn1(der))[0]);
  const offset = fields[0]?.tagClass === 0x80 ? 1 : 0;
  const certified = sequence(fields[offset + 5])[1];
  return wholeBits(certified) === wholeBits(sequence(parseAsn1(key.publicKeyInfo))[1]) ||
    sameWhenNormalised(key, fields[offset + 5]);
}

/** One key has several encodings, such as a compressed point: the runtime writes each one way. */
function sameWhenNormalised(key: PrivateKey, certified: Asn1 | undefined): boolean {
  try {
    if (!certified) return false;
    const spki = { key: Buffer.from(toDer(certified)), format: "der", type: "spki" } as const;
    const info = createPublicKey(spki).export({ format: "der", type: "spki" });
    return Buffer.compare(info, key.publicKeyInfo) === 0;
  } catch {
    return false;
  }
}

/**
 * A PKCS#8 or SEC1 structure whose elliptic private key has no more bytes than its curve (RFC 5915
 * §3): some programs write zeros before it, which the runtime refuses.
 */
function withoutLeadingZeros(node: Asn1, type: "pkcs8" | "pkcs1" | "sec1"): Asn1 {
  const [version, second, third, ...rest] = sequence(node);
  if (type === "pkcs1" || !version || !second) return node;
  if (type === "sec1") {
    const named = sequence(node).find((field) => isContext(field, 0));
    const short = named && withinCurve(node, children(named)[0]);
    return short ?? node;
  }
  if (!third || readKeyAlgorithm(second).algorithm !== "ECDSA") return node;
  const short = withinCurve(parseAsn1(octets(third)), sequence(second)[1]);
  if (!short) return node;
  const value = toBinary(toDer(short));
  return { ...node, value: [version, second, { ...third, constructed: false, value }, ...rest] };
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

function exported(key: KeyObject): Buffer {
  return key.export({ format: "der", type: "pkcs8" });
}

function required(passphrase: string | undefined): string {
  if (passphrase !== undefined && passphrase !== "") return passphrase;
  throw new CertificateRefused(
    "passphrase_required",
    "The private key is encrypted: its passphrase is needed.",
  );
}

const UNSUPPORTED_ENCODING =
  "The private key is in an encoding that is not supported: PKCS#8, PKCS#1 and SEC1 are.";

const MALFORMED = "The private key is malformed.";

function malformed<T>(read: () => T): T {
  return refusing("malformed", MALFORMED, read);
}
