import { ml_dsa44, ml_dsa65, ml_dsa87 } from "@noble/post-quantum/ml-dsa.js";
import { ml_kem1024, ml_kem512, ml_kem768 } from "@noble/post-quantum/ml-kem.js";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  type Asn1,
  children,
  content,
  isContext,
  isUniversal,
  objectIdentifier,
  octets,
  parseAsn1,
  sequence,
  Tag,
  toBytes,
} from "./asn1.ts";
import { der, identifier } from "./der.ts";
import { keyAlgorithms } from "./object-identifiers.ts";

/**
 * The forms of a private key of ML-DSA (RFC 9881 §6) and ML-KEM (RFC 9935 §6): the seed that it is
 * made of, what is made of it, or both.
 */
export const keyForms = ["seed", "expanded", "both"] as const;

/** One of them. */
export type KeyForm = typeof keyForms[number];

/** The lengths of a family's keys in bytes, and how one follows from another. */
interface Lattice {
  seed: number;
  expanded: number;
  public: number;
  keygen: (seed: Uint8Array) => { publicKey: Uint8Array; secretKey: Uint8Array };
  publicOf: (expanded: Uint8Array) => Uint8Array;
}

const lattice = (
  { keygen, getPublicKey: publicOf }: Pick<typeof ml_dsa44, "keygen" | "getPublicKey">,
  seed: number,
  expanded: number,
  length: number,
): Lattice => ({ seed, expanded, public: length, keygen, publicOf });

const lattices: Readonly<Record<string, Lattice>> = {
  "ML-DSA-44": lattice(ml_dsa44, 32, 2_560, 1_312),
  "ML-DSA-65": lattice(ml_dsa65, 32, 4_032, 1_952),
  "ML-DSA-87": lattice(ml_dsa87, 32, 4_896, 2_592),
  "ML-KEM-512": lattice(ml_kem512, 64, 1_632, 800),
  "ML-KEM-768": lattice(ml_kem768, 64, 2_400, 1_184),
  "ML-KEM-1024": lattice(ml_kem1024, 64, 3_168, 1_568),
};

/** The name of a post-quantum algorithm that keys are read of; undefined for any other. */
export function postQuantum(oid: string): string | undefined {
  const name = keyAlgorithms[oid]?.name;
  return name && (name in lattices || name.startsWith("SLH-")) ? name : undefined;
}

/** Throws an Error where the bytes of a public key are too few or too many for its algorithm. */
export function checkPublicKey(name: string, key: string): void {
  if (key.length !== publicLength(name)) throw new Error("expected a key of another length");
}

function publicLength(name: string): number {
  return lattices[name]?.public ?? hashBytes(name) * 2;
}

/** The bytes of each of the four parts of a private key of SLH-DSA. */
function hashBytes(name: string): number {
  return parseInt(name.split("-")[3] ?? "") / 8;
}

/**
 * The SubjectPublicKeyInfo of a private key in PKCS#8. Of ML-DSA and ML-KEM it is made of the seed,
 * or of the expanded key; of SLH-DSA the key holds it. Throws an Error where lengths are wrong, or
 * where parts contradict each other.
 */
export function infoOfPostQuantum(pkcs8: Asn1): Uint8Array {
  const { oid, name, parts } = partsOf(pkcs8);
  const key = publicKeyOf(name, parts);
  const inside = sequence(pkcs8).find((field) => isContext(field, 1));
  if (inside && !isSame(key, toBytes(content(inside).slice(1)))) {
    throw new Error("expected its own public key");
  }
  return der(0x30, der(0x30, identifier(oid)), der(0x03, [0], key));
}

function publicKeyOf(name: string, { seed, expanded, whole }: Parts): Uint8Array {
  const of = lattices[name];
  if (!of) return whole.slice(hashBytes(name) * 2);
  if (!seed) return checkedPublicKey(name, of.publicOf(expanded ?? whole), expanded ?? whole);
  const { publicKey, secretKey } = of.keygen(seed);
  if (expanded && !isSame(expanded, secretKey)) throw new Error("expected one key");
  return publicKey;
}

/** An expanded key holds the hash of its public key (FIPS 204 §7.2, FIPS 203 §7.1). */
function checkedPublicKey(name: string, key: Uint8Array, expanded: Uint8Array): Uint8Array {
  const isSignature = name.startsWith("ML-DSA");
  const inside = isSignature ? expanded.subarray(64, 128) : expanded.subarray(-64, -32);
  const hash = isSignature ? createHash("shake256", { outputLength: 64 }) : createHash("sha3-256");
  if (!isSame(hash.update(key).digest(), inside)) throw new Error("expected its own public key");
  return key;
}

/**
 * A private key in PKCS#8 in a form that its reader takes. One of another algorithm is as it was;
 * undefined where the form can't be made: an expanded key does not tell its seed.
 */
export function inForm(pkcs8: Uint8Array, form: KeyForm): Uint8Array | undefined {
  const tree = parseAsn1(pkcs8);
  const [, algorithm] = sequence(tree);
  const of = lattices[postQuantum(objectIdentifier(sequence(algorithm)[0])) ?? ""];
  if (!of) return pkcs8;
  const { oid, parts: { seed, expanded } } = partsOf(tree);
  const long = expanded ?? (seed && of.keygen(seed).secretKey);
  if (!long || (form !== "expanded" && !seed)) return undefined;
  const key = form === "seed"
    ? der(0x80, seed ?? [])
    : form === "expanded"
    ? der(0x04, long)
    : der(0x30, der(0x04, seed ?? []), der(0x04, long));
  return der(0x30, der(0x02, [0]), der(0x30, identifier(oid)), der(0x04, key));
}

/** The parts of a private key; `whole`: of SLH-DSA, which has one form. */
interface Parts {
  seed?: Uint8Array | undefined;
  expanded?: Uint8Array | undefined;
  whole: Uint8Array;
}

function partsOf(pkcs8: Asn1): { oid: string; name: string; parts: Parts } {
  const [, algorithm, key] = sequence(pkcs8);
  const oid = objectIdentifier(sequence(algorithm)[0]);
  const name = postQuantum(oid) ?? "";
  const whole = toBytes(octets(key));
  const of = lattices[name];
  if (of) return { oid, name, parts: { ...formOf(of, whole), whole } };
  if (whole.length !== hashBytes(name) * 4) throw new Error("expected a key of another length");
  return { oid, name, parts: { whole } };
}

/** One of the three forms; drafts wrote the bytes of a seed or of an expanded key alone. */
function formOf(of: Lattice, whole: Uint8Array): Omit<Parts, "whole"> {
  if (whole.length === of.seed) return { seed: whole };
  if (whole.length === of.expanded) return { expanded: whole };
  const tree = parseAsn1(whole);
  const [first, second] = isUniversal(tree, Tag.sequence) ? children(tree) : [];
  const parts = {
    seed: first ? toBytes(octets(first)) : isContext(tree, 0) ? toBytes(content(tree)) : undefined,
    expanded: second
      ? toBytes(octets(second))
      : isUniversal(tree, Tag.octetString)
      ? toBytes(octets(tree))
      : undefined,
  };
  const fits = (bytes: Uint8Array | undefined, length: number) =>
    bytes === undefined || bytes.length === length;
  if (
    (parts.seed ?? parts.expanded) && fits(parts.seed, of.seed) && fits(parts.expanded, of.expanded)
  ) {
    return parts;
  }
  throw new Error("expected a seed, an expanded key or both");
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
