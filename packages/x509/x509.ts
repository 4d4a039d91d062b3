import { Buffer } from "node:buffer";
import { createHash, X509Certificate } from "node:crypto";
import {
  type Asn1,
  children,
  content,
  contentOf,
  isContext,
  isUniversal,
  objectIdentifier,
  octets,
  parseAsn1,
  sequence,
  smallInteger,
  Tag,
  toDer,
  toHex,
} from "./asn1.ts";
import type { CertificateRecord } from "./certificate.ts";
import { type AlternativeNames, readAlternativeNames, readDistinguishedName } from "./names.ts";
import { signatureAlgorithms } from "./object-identifiers.ts";
import { readKeyKind } from "./public-key.ts";
import { CertificateRefused, refusing } from "./refusal.ts";

/** Certificates with thousands of names stay far below. */
const MAX_CERTIFICATE_BYTES = 256 * 1024;

/**
 * The record of the certificate in `der`, with a chain_length of 1. Two parsers must take it: the
 * runtime's own and the one whose tree the facts are read from (the runtime shows names as one
 * unescaped text, in which a comma in a name looks like two names: CVE-2021-44532). The runtime
 * cannot read unique identifiers (RFC 5280 §4.1.2.8) and gets the certificate without them.
 * @throws CertificateRefused (malformed, too_large)
 */
export function readCertificate(der: Uint8Array): CertificateRecord {
  if (der.length > MAX_CERTIFICATE_BYTES) {
    throw new CertificateRefused(
      "too_large",
      `The certificate is larger than ${MAX_CERTIFICATE_BYTES / 1024} KiB.`,
    );
  }
  return refusing("malformed", "The certificate is malformed.", () => {
    const tree = parseAsn1(der);
    const record = readTree(tree, der);
    const plain = withoutUniqueIds(tree);
    const read = plain ? toDer(plain) : der;
    new X509Certificate(Buffer.from(read.buffer, read.byteOffset, read.byteLength));
    return record;
  });
}

const isUniqueId = (field: Asn1) => isContext(field, 1) || isContext(field, 2);

/**
 * The certificate without its unique identifiers, each of which must be a BIT STRING; undefined
 * where it has none.
 */
function withoutUniqueIds(certificate: Asn1): Asn1 | undefined {
  const [toBeSigned, ...rest] = sequence(certificate);
  const fields = sequence(toBeSigned);
  const ids = fields.filter(isUniqueId);
  if (!toBeSigned || ids.length === 0) return undefined;
  const areBits = ids.every((id) => content(id) !== "" && content(id).charCodeAt(0) < 8);
  if (!areBits || new Set(ids.map(({ type }) => type)).size < ids.length) {
    throw new Error("expected bits");
  }
  const kept = fields.filter((field) => !isUniqueId(field));
  return { ...certificate, value: [{ ...toBeSigned, value: kept }, ...rest] };
}

/** The SubjectPublicKeyInfo in a certificate. Throws an Error where it is none. */
export function certifiedKey(der: Uint8Array): Asn1 {
  const fields = sequence(sequence(parseAsn1(der))[0]);
  const key = fields[isContext(fields[0], 0) ? 6 : 5];
  if (!key) throw new Error("expected a public key");
  return key;
}

/** RFC 5280 §4.1. */
function readTree(certificate: Asn1, der: Uint8Array): CertificateRecord {
  const [toBeSigned, outerAlgorithm, signature] = sequence(certificate);
  contentOf(signature, Tag.bitString);
  const fields = sequence(toBeSigned);
  if (isContext(fields[0], 0)) fields.shift();
  const [serial, algorithm, issuerNode, validity, subjectNode, publicKey, ...rest] = fields;
  const issuer = readDistinguishedName(issuerNode);
  const subject = readDistinguishedName(subjectNode);
  const [notBefore, notAfter] = sequence(validity);
  const key = readKeyKind(publicKey);
  const extensions = readExtensions(rest.find((field) => isContext(field, 3)));
  const names = alternativeNames(extensions);
  const constraints = basicConstraints(extensions);
  return {
    dns_names: names.dns,
    is_ca: constraints.isAuthority,
    issuer_cn: issuer.CommonName,
    subject_cn: subject.CommonName,
    not_after: readTime(notAfter),
    not_before: readTime(notBefore),
    fingerprint: createHash("sha256").update(der).digest("hex"),
    serial_number: signedHex(contentOf(serial, Tag.integer)),
    issuer,
    subject,
    key_algorithm: key.algorithm,
    key_size: key.size,
    signature_algorithm: signatureAlgorithm(algorithm, outerAlgorithm),
    ip_addresses: names.ip,
    uris: names.uri,
    email_addresses: names.email,
    chain_length: 1,
    path_length: constraints.pathLength,
    subject_key_id: subjectKeyId(extensions),
    authority_key_id: authorityKeyId(extensions),
    der,
  };
}

type Extensions = ReadonlyMap<string, string>;

/** Object identifier → content of each extension. One that comes twice has no meaning. */
function readExtensions(field: Asn1 | undefined): Extensions {
  const extensions = new Map<string, string>();
  if (!field) return extensions;
  for (const extension of sequence(children(field)[0])) {
    const parts = sequence(extension);
    const id = objectIdentifier(parts[0]);
    if (extensions.has(id)) {
      throw new CertificateRefused("malformed", `The certificate has the extension ${id} twice.`);
    }
    extensions.set(id, contentOf(parts.at(-1), Tag.octetString));
  }
  return extensions;
}

function alternativeNames(extensions: Extensions): AlternativeNames {
  const value = extensions.get("2.5.29.17");
  if (value === undefined) return { dns: [], email: [], uri: [], ip: [] };
  return readAlternativeNames(parseAsn1(value));
}

function basicConstraints(
  extensions: Extensions,
): { isAuthority: boolean; pathLength: number | null } {
  const value = extensions.get("2.5.29.19");
  const [first, second] = value === undefined ? [] : sequence(parseAsn1(value));
  const isAuthority = isUniversal(first, Tag.boolean) && content(first) !== "\0";
  return { isAuthority, pathLength: isAuthority && second ? smallInteger(second) : null };
}

function subjectKeyId(extensions: Extensions): string {
  const value = extensions.get("2.5.29.14");
  return value === undefined ? "" : toHex(octets(parseAsn1(value)));
}

function authorityKeyId(extensions: Extensions): string {
  const value = extensions.get("2.5.29.35");
  const id = value === undefined
    ? undefined
    : sequence(parseAsn1(value)).find((part) => isContext(part, 0));
  return id ? toHex(content(id)) : "";
}

/** RFC 5280 §4.1.1.2: both places must name the same algorithm, else one was forged. */
function signatureAlgorithm(inner: Asn1 | undefined, outer: Asn1 | undefined): string {
  const oid = objectIdentifier(sequence(outer)[0]);
  if (objectIdentifier(sequence(inner)[0]) !== oid) throw new Error("expected one algorithm");
  return signatureAlgorithms[oid] ?? oid;
}

const UTC_TIME = 23;
const GENERALIZED_TIME = 24;
const TIME = /^(\d\d|\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:\.\d+)?(?:Z|([+-]\d\d)(\d\d))$/;

/** RFC 5280 §4.1.2.5, and the forms with an offset or without seconds of older authorities. */
function readTime(node: Asn1 | undefined): string {
  const text = content(node);
  const [, year = "", month, day, hour, minute, second = "00", sign, minutes] = TIME.exec(text) ??
    [];
  const isTime = year.length === 2
    ? isUniversal(node, UTC_TIME)
    : isUniversal(node, GENERALIZED_TIME);
  const century = year.length === 4 ? "" : Number(year) >= 50 ? "19" : "20";
  const local = `${century}${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const at = Date.parse(local + (sign ? `${sign}:${minutes}` : "Z"));
  const isDay =
    new Date(Date.parse(`${local.slice(0, 10)}T00:00:00Z`)).getUTCDate() === Number(day);
  const utc = isTime && isDay && !Number.isNaN(at) ? new Date(at).toISOString() : "";
  if (!/^\d{4}-/.test(utc)) throw new Error("expected a time");
  return `${utc.slice(0, 19)}Z`;
}

/** Lower-case hex of a two's complement number, whole bytes without leading zeros. */
function signedHex(value: string): string {
  if (value === "") throw new Error("expected a number");
  const digits = toHex(value);
  if (value.charCodeAt(0) < 0x80) return digits.replace(/^(?:00)+(?=..)/, "");
  const magnitude = (1n << BigInt(value.length * 8)) - BigInt(`0x${digits}`);
  const hex = magnitude.toString(16);
  return `-${hex.length % 2 ? "0" : ""}${hex}`;
}
