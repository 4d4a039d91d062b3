import { Buffer } from "node:buffer";
// @ts-types="./forge.d.ts"
import forge from "node-forge/lib/forge.js";
import "node-forge/lib/asn1.js";
import type { ForgeNode } from "./forge.d.ts";

/**
 * One value of an ASN.1 tree. Contents are "binary strings" (one byte a character), as the library
 * gives them. The readers below throw an Error that says what was expected; callers turn it into a
 * refusal.
 */
export type Asn1 = ForgeNode;

/** The universal tags that certificates, keys and PKCS#12 files are made of. */
export const Tag = {
  boolean: 1,
  integer: 2,
  bitString: 3,
  octetString: 4,
  oid: 6,
  sequence: 16,
  set: 17,
  universalString: 28,
  bmpString: 30,
} as const;

/** Deeper than any certificate, key or PKCS#12 file that was met in the wild. */
const MAX_DEPTH = 32;

/** The tree of `der`, which must hold exactly one value. Cost is linear in its length. */
export function parseAsn1(der: Uint8Array | string): Asn1 {
  const options = {
    strict: true,
    parseAllBytes: true,
    decodeBitStrings: false,
    maxDepth: MAX_DEPTH,
  };
  return forge.asn1.fromDer(typeof der === "string" ? der : toBinary(der), options);
}

/** `bytes` cut after its first value: what follows a certificate in a TRUSTED CERTIFICATE block. */
export function firstValueOf(bytes: Uint8Array): Uint8Array {
  const buffer = forge.util.createBuffer(toBinary(bytes));
  forge.asn1.fromDer(buffer, {
    strict: true,
    parseAllBytes: false,
    decodeBitStrings: false,
    maxDepth: MAX_DEPTH,
  });
  return bytes.subarray(0, bytes.length - buffer.length());
}

/** `node` as DER again. */
export function toDer(node: Asn1): Uint8Array {
  return toBytes(forge.asn1.toDer(node).getBytes());
}

/** True when `node` is of the universal type `tag`. */
export function isUniversal(node: Asn1 | undefined, tag: number): node is Asn1 {
  return node?.tagClass === 0 && node.type === tag;
}

/** True when `node` carries the context-specific tag `[number]`. */
export function isContext(node: Asn1 | undefined, number: number): node is Asn1 {
  return node?.tagClass === 0x80 && node.type === number;
}

/** The members of a SEQUENCE. */
export function sequence(node: Asn1 | undefined): Asn1[] {
  if (!isUniversal(node, Tag.sequence)) throw new Error("expected a SEQUENCE");
  return children(node);
}

/** The members of any constructed value: a SET, an explicit or implicit tag. */
export function children(node: Asn1 | undefined): Asn1[] {
  if (!node?.constructed || typeof node.value === "string") throw new Error("expected members");
  return node.value;
}

/** The content of a primitive value. */
export function content(node: Asn1 | undefined): string {
  if (!node || node.constructed || typeof node.value !== "string") {
    throw new Error("expected a simple value");
  }
  return node.value;
}

/** The content of a primitive value of the universal type `tag`. */
export function contentOf(node: Asn1 | undefined, tag: number): string {
  if (!isUniversal(node, tag)) throw new Error("expected another type");
  return content(node);
}

/** The content of an OCTET STRING, also of one that BER wrote in chunks. */
export function octets(node: Asn1 | undefined): string {
  if (!node) throw new Error("expected an OCTET STRING");
  return node.constructed ? children(node).map((part) => content(part)).join("") : content(node);
}

/** The content of a BIT STRING that is made of whole bytes. */
export function wholeBits(node: Asn1 | undefined): string {
  const bits = contentOf(node, Tag.bitString);
  if (bits.charCodeAt(0) !== 0) throw new Error("expected whole bytes");
  return bits.slice(1);
}

/** An object identifier in dotted form; one with an arc beyond 2⁵³ as `hex:…`. */
export function objectIdentifier(node: Asn1 | undefined): string {
  const value = contentOf(node, Tag.oid);
  if (value === "") throw new Error("expected an object identifier");
  try {
    const last = value.charCodeAt(value.length - 1);
    return (last < 0x80 ? forge.asn1.derToOid(value) : undefined) ?? `hex:${toHex(value)}`;
  } catch {
    return `hex:${toHex(value)}`;
  }
}

/** A small INTEGER that is not negative, of at most 48 bits. */
export function smallInteger(node: Asn1 | undefined): number {
  const value = contentOf(node, Tag.integer);
  if (value === "" || value.length > 6 || value.charCodeAt(0) > 0x7f) {
    throw new Error("expected a small number");
  }
  return parseInt(toHex(value), 16);
}

/** The number of bits of an INTEGER that is not negative. */
export function bitLength(node: Asn1 | undefined): number {
  const digits = toHex(contentOf(node, Tag.integer)).replace(/^0+/, "");
  return digits === ""
    ? 0
    : (digits.length - 1) * 4 + parseInt(digits.charAt(0), 16).toString(2).length;
}

/** A binary string as bytes of their own. */
export function toBytes(binary: string): Uint8Array {
  return new Uint8Array(Buffer.from(binary, "latin1"));
}

/** Bytes as a binary string. */
export function toBinary(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** A binary string in lower-case hexadecimal. */
export function toHex(binary: string): string {
  return Buffer.from(binary, "latin1").toString("hex");
}
