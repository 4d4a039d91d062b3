import { weierstrass, type WeierstrassPointCons } from "@noble/curves/abstract/weierstrass.js";
import { Buffer } from "node:buffer";
import {
  type Asn1,
  children,
  contentOf,
  isContext,
  isUniversal,
  objectIdentifier,
  octets,
  sequence,
  Tag,
  toDer,
  toHex,
  wholeBits,
} from "./asn1.ts";
import { type CurveNumbers, curves } from "./curves.ts";
import { der, identifier } from "./der.ts";

/** A curve by its name, and whether a key spells its numbers out instead of naming it. */
interface NamedCurve {
  oid: string;
  numbers: CurveNumbers;
  isExplicit: boolean;
}

/** The curve that parameters of a key name or spell out; undefined for one that is not known. */
export function curveOf(parameters: Asn1 | undefined): NamedCurve | undefined {
  if (isUniversal(parameters, Tag.oid)) {
    const oid = objectIdentifier(parameters);
    const numbers = curves[oid];
    return numbers && { oid, numbers, isExplicit: false };
  }
  const spelled = numbersOf(parameters);
  if (!spelled) return undefined;
  const found = Object.entries(curves).find(([, one]) =>
    (["p", "a", "b", "x", "n"] as const).every((name) => BigInt(`0x${one[name]}`) === spelled[name])
  );
  if (!found || !isGenerator(found[1], spelled.base)) return undefined;
  return { oid: found[0], numbers: found[1], isExplicit: true };
}

/**
 * SEC 1, appendix C.2: version, field, coefficients, generator, order, cofactor. Undefined of a
 * field that is not made of a prime, or of what nobody can read.
 */
function numbersOf(parameters: Asn1 | undefined) {
  const [, field, coefficients, generator, order] = sequence(parameters);
  try {
    const [, prime] = sequence(field);
    const p = contentOf(prime, Tag.integer);
    const [a, b] = sequence(coefficients).map((one) => number(octets(one)));
    const base = toHex(octets(generator));
    const length = toHex(p).replace(/^(?:00)+/, "").length;
    const x = BigInt(`0x${base.slice(2, 2 + length)}`);
    return { p: number(p), a, b, x, n: number(contentOf(order, Tag.integer)), base };
  } catch {
    return undefined;
  }
}

/** The generator may be written with both coordinates, or with the sign of y. */
function isGenerator({ x, y }: CurveNumbers, base: string): boolean {
  const isOdd = (parseInt(y.slice(-1), 16) & 1) === 1;
  return base === `04${x}${y}` || base === `${isOdd ? "03" : "02"}${x}`;
}

/**
 * The SubjectPublicKeyInfo of an elliptic private key, with its curve by name and both coordinates.
 * `inner`: its SEC 1 structure. Throws where its number is no key of the curve.
 */
export function infoOfElliptic({ oid, numbers }: NamedCurve, inner: Asn1): Uint8Array {
  const [, secret] = sequence(inner);
  const key = number(octets(secret));
  if (key <= 0n || key >= BigInt(`0x${numbers.n}`)) throw new Error("expected a key of the curve");
  const { BASE } = pointsOf(numbers);
  return infoOf(oid, BASE.multiply(key).toBytes(false));
}

/**
 * A public key of a known curve in the one form that two of them are compared in, whatever form its
 * curve and point have. Undefined for a key of another kind. Throws where the point is not on the
 * curve.
 */
export function plainInfo(publicKeyInfo: Asn1 | undefined): Uint8Array | undefined {
  const [algorithm, bits] = sequence(publicKeyInfo);
  const [type, parameters] = sequence(algorithm);
  if (objectIdentifier(type) !== EC_PUBLIC_KEY) return undefined;
  const curve = curveOf(parameters);
  if (!curve) return undefined;
  const point = pointsOf(curve.numbers).fromBytes(bytesOfPoint(wholeBits(bits)));
  return infoOf(curve.oid, point.toBytes(false));
}

/** X9.62's hybrid form (6 or 7) is the long one with the sign of y said twice. */
function bytesOfPoint(point: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.from(point, "latin1"));
  const [form = 0] = bytes;
  if (form !== 6 && form !== 7) return bytes;
  if (((bytes.at(-1) ?? 0) & 1) !== (form & 1)) throw new Error("expected a point");
  bytes[0] = 4;
  return bytes;
}

/** A SEC 1 structure, which must say its curve, as PKCS#8, which says it in another place. */
export function sec1AsPkcs8(inner: Asn1): Uint8Array {
  const fields = sequence(inner);
  const named = fields.find((field) => isContext(field, 0));
  const parameters = named && children(named)[0];
  if (!parameters) throw new Error("expected a curve");
  const value = fields.filter((field) => field !== named);
  return der(
    0x30,
    der(0x02, [0]),
    der(0x30, identifier(EC_PUBLIC_KEY), toDer(parameters)),
    der(0x04, toDer({ ...inner, value })),
  );
}

const EC_PUBLIC_KEY = "1.2.840.10045.2.1";

function infoOf(oid: string, point: Uint8Array): Uint8Array {
  return der(
    0x30,
    der(0x30, identifier(EC_PUBLIC_KEY), identifier(oid)),
    der(0x03, [0], point),
  );
}

const known = new Map<string, WeierstrassPointCons<bigint>>();

/** The points of a curve; making these costs as much as some multiplications. */
function pointsOf({ name, ...numbers }: CurveNumbers): WeierstrassPointCons<bigint> {
  const made = known.get(name);
  if (made) return made;
  const [p, a, b, Gx, Gy, n] = (["p", "a", "b", "x", "y", "n"] as const)
    .map((one) => BigInt(`0x${numbers[one]}`));
  if (!p || a === undefined || !b || !Gx || !Gy || !n) throw new Error("expected numbers");
  const points = weierstrass<bigint>({ p, a, b, Gx, Gy, n, h: 1n });
  known.set(name, points);
  return points;
}

function number(binary: string): bigint {
  return BigInt(`0x${toHex(binary) || "0"}`);
}
