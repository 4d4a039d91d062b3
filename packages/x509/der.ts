import { Buffer } from "node:buffer";

/** A value of DER: its tag, and its content in parts. */
export function der(tag: number, ...parts: (Uint8Array | readonly number[])[]): Uint8Array {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const digits = length.toString(16);
  const long = Buffer.from(digits.padStart(digits.length + digits.length % 2, "0"), "hex");
  const head = length < 128 ? [tag, length] : [tag, 0x80 + long.length, ...long];
  return new Uint8Array(Buffer.concat([Buffer.from(head), content]));
}

/** An object identifier of at most 28 bits an arc. */
export function identifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const arcs = [first * 40 + second, ...rest];
  return der(
    0x06,
    arcs.flatMap((arc) => {
      const digits = [arc & 0x7f];
      for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift(0x80 | left & 0x7f);
      return digits;
    }),
  );
}
