import { Buffer } from "node:buffer";
import { createHash, createPublicKey } from "node:crypto";
import {
  type Asn1,
  bitLength,
  isUniversal,
  objectIdentifier,
  parseAsn1,
  sequence,
  Tag,
  wholeBits,
} from "./asn1.ts";
import { type CertificateRecord, NO_TIME } from "./certificate.ts";
import { der as encode, identifier } from "./der.ts";
import { curveOf, plainInfo } from "./elliptic-key.ts";
import { emptyName } from "./names.ts";
import { keyAlgorithms, otherCurves } from "./object-identifiers.ts";
import { checkPublicKey, postQuantum } from "./post-quantum.ts";
import { refusing } from "./refusal.ts";

/** The kind of key in a SubjectPublicKeyInfo. */
interface KeyKind {
  algorithm: string;
  /** In bits, of an elliptic key those of its curve's order; 0 when unknown. */
  size: number;
  /**
   * The curve of an elliptic key: its name, or its object identifier; `explicit`: spelled out, and
   * none of those that have names.
   */
  curve?: string;
}

/** The kind of the key in a SubjectPublicKeyInfo. Throws an Error when it is none. */
export function readKeyKind(publicKeyInfo: Asn1 | undefined): KeyKind {
  const [identifier, key] = sequence(publicKeyInfo);
  const bits = wholeBits(key);
  const kind = readKeyAlgorithm(identifier);
  if (kind.algorithm === "RSA" || kind.algorithm === "RSA-PSS") {
    return { ...kind, size: bitLength(sequence(parseAsn1(bits))[0]) };
  }
  return kind;
}

/** The kind of key by an AlgorithmIdentifier alone; the size of an RSA key is not in it. */
export function readKeyAlgorithm(identifier: Asn1 | undefined): KeyKind {
  const [type, parameters] = sequence(identifier);
  const oid = objectIdentifier(type);
  const known = keyAlgorithms[oid];
  if (!known) return { algorithm: oid, size: 0 };
  if (known.name === "ECDSA") return { algorithm: known.name, ...readCurve(parameters) };
  if (known.name === "DSA" && parameters) {
    return { algorithm: known.name, size: bitLength(sequence(parameters)[0]) };
  }
  return { algorithm: known.name, size: known.bits ?? 0 };
}

/** The curve that the parameters of an elliptic key name, or spell out. */
export function readCurve(parameters: Asn1 | undefined): { size: number; curve: string } {
  const known = curveOf(parameters);
  if (known) return { size: sizeOf(known.numbers.n), curve: known.numbers.name };
  if (isUniversal(parameters, Tag.oid)) {
    const oid = objectIdentifier(parameters);
    const other = otherCurves[oid];
    return { size: other?.bits ?? 0, curve: other?.name ?? oid };
  }
  const [, field] = sequence(parameters);
  const [, prime] = sequence(field);
  return { size: isUniversal(prime, Tag.integer) ? bitLength(prime) : 0, curve: "explicit" };
}

const sizeOf = (order: string) => BigInt(`0x${order}`).toString(2).length;

/** A public key of RSA in its own form (PKCS#1) as a SubjectPublicKeyInfo. */
export function fromPkcs1(der: Uint8Array): Uint8Array {
  return encode(
    0x30,
    encode(0x30, identifier("1.2.840.113549.1.1.1"), [0x05, 0]),
    encode(0x03, [0], der),
  );
}

/**
 * The record of a bare public key, given as the DER of its SubjectPublicKeyInfo: fingerprint over
 * that DER, subject_cn `Public Key: <hash>`, no issuer, both times `0001-01-01T00:00:00Z`.
 * @throws CertificateRefused (malformed, unsupported)
 */
export function readPublicKey(der: Uint8Array): CertificateRecord {
  const kind = refusing(
    "malformed",
    "The public key is malformed.",
    () => readKeyKind(parseAsn1(der)),
  );
  refusing(
    "unsupported",
    `The public key is malformed or of a kind that is not supported (${describe(kind)}).`,
    () => checkKey(parseAsn1(der), der),
  );
  const fingerprint = createHash("sha256").update(der).digest("hex");
  const subject_cn = `Public Key: ${fingerprint}`;
  return {
    dns_names: [],
    is_ca: false,
    issuer_cn: "",
    subject_cn,
    not_after: NO_TIME,
    not_before: NO_TIME,
    fingerprint,
    serial_number: "",
    issuer: emptyName(),
    subject: { ...emptyName(), CommonName: subject_cn },
    key_algorithm: kind.algorithm,
    key_size: kind.size,
    signature_algorithm: "",
    ip_addresses: [],
    uris: [],
    email_addresses: [],
    chain_length: 0,
    path_length: null,
    subject_key_id: "",
    authority_key_id: "",
    der,
  };
}

/** Throws an Error at a key that is none of its kind; the runtime decides where we don't. */
function checkKey(publicKeyInfo: Asn1, der: Uint8Array): void {
  const [algorithm, key] = sequence(publicKeyInfo);
  const name = postQuantum(objectIdentifier(sequence(algorithm)[0]));
  if (name !== undefined) return checkPublicKey(name, wholeBits(key));
  if (plainInfo(publicKeyInfo)) return;
  createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
}

/** The kind of a key in words, for a message. */
export function describe(kind: KeyKind): string {
  return kind.curve ? `${kind.algorithm}, curve ${kind.curve}` : kind.algorithm;
}
