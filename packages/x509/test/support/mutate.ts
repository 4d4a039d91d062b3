import { Buffer } from "node:buffer";

/** A stream of numbers in [0, 1) that the seed alone decides (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const EDGES = [0x00, 0x01, 0x02, 0x30, 0x31, 0x7f, 0x80, 0x81, 0x82, 0x84, 0xa0, 0xfe, 0xff];

/** `original` with one to six changes: bits, bytes, lengths, cuts, repeats, pieces of `other`. */
export function mutate(original: Uint8Array, other: Uint8Array, random: () => number): Uint8Array {
  let bytes: Buffer = Buffer.from(original);
  const rounds = 1 + Math.floor(random() * random() * 6);
  for (let round = 0; round < rounds; round++) bytes = change(bytes, Buffer.from(other), random);
  return new Uint8Array(bytes);
}

function change(bytes: Buffer, other: Buffer, random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  const at = below(bytes.length);
  // Most of what decides stands near the start: tags, lengths, algorithm identifiers.
  const early = random() < 0.5 ? below(Math.min(bytes.length, 64)) : at;
  const length = 1 + below(random() < 0.8 ? 8 : 512);
  const from = below(other.length);
  switch (below(8)) {
    case 0:
      if (bytes.length > 0) bytes[early] = (bytes[early] ?? 0) ^ (1 << below(8));
      return bytes;
    case 1:
      if (bytes.length > 0) bytes[early] = EDGES[below(EDGES.length)] ?? 0;
      return bytes;
    case 2:
      if (bytes.length > 0) bytes[at] = below(256);
      return bytes;
    case 3:
      return Buffer.from(bytes.subarray(0, at));
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 5:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
    case 6:
      return Buffer.concat([
        bytes.subarray(0, at),
        other.subarray(from, from + length),
        bytes.subarray(random() < 0.5 ? at : at + length),
      ]);
    default:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.alloc(length, below(256)),
        bytes.subarray(at),
      ]);
  }
}
