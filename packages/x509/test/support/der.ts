import { Buffer } from "node:buffer";
import { toPem } from "../../pem.ts";

/** One DER value: a tag byte and its content. */
export function der(tag: number, ...content: (Uint8Array | string)[]): Uint8Array {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)));
  return new Uint8Array(Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]));
}

function lengthOf(length: number): Buffer {
  if (length < 128) return Buffer.from([length]);
  const hex = length.toString(16);
  const digits = Buffer.from(hex.length % 2 ? `0${hex}` : hex, "hex");
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits]);
}

export const sequence = (...content: Uint8Array[]) => der(0x30, ...content);
export const set = (...content: Uint8Array[]) => der(0x31, ...content);
export const integer = (hex: string) => der(0x02, Buffer.from(hex, "hex"));
export const octetString = (...content: (Uint8Array | string)[]) => der(0x04, ...content);
export const bitString = (content: Uint8Array) => der(0x03, new Uint8Array([0]), content);
export const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
export const utf8 = (text: string) => der(0x0c, text);

const COMMON_NAME = "550403";
export const SUBJECT_ALTERNATIVE_NAME = "551d11";
export const BASIC_CONSTRAINTS = "551d13";

/** A name of one attribute. */
export const nameOf = (value: Uint8Array, type = COMMON_NAME) =>
  sequence(set(sequence(oid(type), value)));

/** An extension that is not critical. */
export const extension = (id: string, value: Uint8Array) => sequence(oid(id), octetString(value));

/** The differences of a hand-made certificate. */
export interface Odd {
  subject?: Uint8Array;
  notBefore?: Uint8Array;
  notAfter?: Uint8Array;
  serial?: Uint8Array;
  extensions?: Uint8Array[];
}

/** A certificate with an Ed25519 key and a signature of zeros: no program makes the odd ones. */
export function oddCertificate(odd: Odd = {}): Uint8Array {
  const algorithm = sequence(oid("2b6570"));
  const subject = odd.subject ?? nameOf(utf8("odd"));
  const extensions = odd.extensions ? [der(0xa3, sequence(...odd.extensions))] : [];
  const toBeSigned = sequence(
    der(0xa0, integer("02")),
    odd.serial ?? integer("01"),
    algorithm,
    subject,
    sequence(
      odd.notBefore ?? der(0x17, "260101000000Z"),
      odd.notAfter ?? der(0x17, "460101000000Z"),
    ),
    subject,
    sequence(algorithm, bitString(new Uint8Array(32).fill(1))),
    ...extensions,
  );
  return sequence(toBeSigned, algorithm, bitString(new Uint8Array(64)));
}

/** These bytes as a PEM block. */
export function pemOf(bytes: Uint8Array, label?: "CERTIFICATE" | "PUBLIC KEY"): string {
  return toPem(Buffer.from(bytes).toString("base64"), label);
}
