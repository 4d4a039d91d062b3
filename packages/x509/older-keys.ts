import { type Asn1, contentOf, sequence, smallInteger, Tag, toDer, toHex } from "./asn1.ts";
import { der, identifier } from "./der.ts";

/** A private key of RSA in its own form (PKCS#1) as PKCS#8. */
export function pkcs1AsPkcs8(inner: Asn1): Uint8Array {
  const algorithm = der(0x30, identifier("1.2.840.113549.1.1.1"), [0x05, 0]);
  return der(0x30, der(0x02, [0]), algorithm, der(0x04, toDer(inner)));
}

/** A private key of DSA in the form of OpenSSL (0, p, q, g, y, x) as PKCS#8. */
export function dsaAsPkcs8(inner: Asn1): Uint8Array {
  const [version, p, q, g, y, x] = sequence(inner);
  if (smallInteger(version) !== 0 || !p || !q || !g || !y || !x) throw new Error("expected a key");
  const algorithm = der(
    0x30,
    identifier("1.2.840.10040.4.1"),
    der(0x30, ...[p, q, g].map(toDer)),
  );
  return der(0x30, der(0x02, [0]), algorithm, der(0x04, toDer(x)));
}

/**
 * The SubjectPublicKeyInfo of an RSA key of more than two primes (RFC 8017 §3.2), with the
 * `algorithm` that its PKCS#8 has; undefined of an ordinary one. Throws an Error where its numbers
 * are none of a key.
 */
export function infoOfMultiPrime(algorithm: Asn1, inner: Asn1): Uint8Array | undefined {
  const [version, ...fields] = sequence(inner);
  if (smallInteger(version) !== 1) return undefined;
  const more = sequence(fields[8]);
  if (more.length > MAX_PRIMES) throw new Error("expected fewer primes");
  const others = more.map((one) => numberOf(sequence(one)[0]));
  const [n, e, d, p, q] = fields.slice(0, 5).map(numberOf);
  if (!n || !e || !d || !p || !q || others.length === 0) throw new Error("expected a key");
  const primes = [p, q, ...others];
  const isKey = primes.every((prime) => prime > 2n && (e * d) % (prime - 1n) === 1n) &&
    primes.reduce((product, prime) => product * prime, 1n) === n;
  if (!isKey) throw new Error("expected numbers of one key");
  const [modulus, exponent] = fields;
  if (!modulus || !exponent) throw new Error("expected a key");
  const key = der(0x30, toDer(modulus), toDer(exponent));
  return der(0x30, toDer(algorithm), der(0x03, [0], key));
}

/** OpenSSL makes keys of five primes at the most, and of 16,384 bits. */
const MAX_PRIMES = 8;
const MAX_BYTES = 2_049;

function numberOf(node: Asn1 | undefined): bigint {
  const value = contentOf(node, Tag.integer);
  if (value.length > MAX_BYTES) throw new Error("expected a smaller number");
  return value === "" || value.charCodeAt(0) > 0x7f ? 0n : BigInt(`0x${toHex(value)}`);
}
