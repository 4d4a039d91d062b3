import { createHash } from "node:crypto";
import { At, type Compression, keccakCode, sha1Code, sha2Code } from "./hash-code.ts";
import { call, type Code, get, i32, moduleOf, repeat, set, wordsOf } from "./web-assembly.ts";

/** The digests that keys are derived by, named as `node:crypto` does; lengths in bytes. */
export const digests = {
  "sha1": { bytes: 20, blockBytes: 64 },
  "sha224": { bytes: 28, blockBytes: 64 },
  "sha256": { bytes: 32, blockBytes: 64 },
  "sha384": { bytes: 48, blockBytes: 128 },
  "sha512": { bytes: 64, blockBytes: 128 },
  "sha512-224": { bytes: 28, blockBytes: 128 },
  "sha512-256": { bytes: 32, blockBytes: 128 },
  "sha3-224": { bytes: 28, blockBytes: 144 },
  "sha3-256": { bytes: 32, blockBytes: 136 },
  "sha3-384": { bytes: 48, blockBytes: 104 },
  "sha3-512": { bytes: 64, blockBytes: 72 },
} as const;

export type Digest = keyof typeof digests;

/** Thrown where nobody waits for a derivation any more. */
export class Abandoned extends Error {}

/** Asked every millisecond or so: false ends a derivation by Abandoned. */
export type IsWanted = () => boolean;

/**
 * A digest that is applied again and again, by WebAssembly: a call of the runtime's own digest each
 * time takes 15 times as long. Holds its thread.
 */
interface HashChain {
  /** `first`, which is as long as the digest, digested `rounds` times. */
  digested(first: Uint8Array, rounds: number, isWanted: IsWanted): Uint8Array;
  /** PBKDF2's sum (RFC 8018 §5.2): `first` XOR its HMAC XOR that one's HMAC, `rounds` of them. */
  sumOfHmacs(
    key: Uint8Array,
    first: Uint8Array,
    rounds: number,
    isWanted: IsWanted,
  ): Uint8Array;
}

const chains = new Map<Digest, HashChain>();

/** The chain of a digest; its module is made at its first use and stays. */
export function hashChain(digest: Digest): HashChain {
  const chain = chains.get(digest) ?? makeChain(digest);
  chains.set(digest, chain);
  return chain;
}

function makeChain(digest: Digest): HashChain {
  const { bytes, blockBytes } = digests[digest];
  const compression = compressionOf(digest);
  const words = byteOrderOf(digest, compression.words.bytes);
  const length = compression.blockWords * compression.words.bytes;
  const padded = (message: Uint8Array, before = 0) =>
    words.from(padMessage(digest, length, message, before));
  const run = instanceOf(compression, padded(new Uint8Array(bytes)), bytes);
  run.write(At.constants, compression.constants);
  run.write(At.start, startOf(digest, run, padded));
  const again = (once: (rounds: number) => void, rounds: number, isWanted: IsWanted) => {
    for (let left = rounds; left > 0; left -= SLICE) {
      if (!isWanted()) {
        run.forget();
        throw new Abandoned();
      }
      once(Math.min(left, SLICE));
    }
  };
  const result = (address: number): Uint8Array => {
    const derived = words.to(run.read(address, compression.stateWords)).subarray(0, bytes);
    run.forget();
    return derived;
  };
  return {
    digested(first, rounds, isWanted) {
      run.write(At.block, padded(first));
      again(run.digestAgain, rounds, isWanted);
      return result(At.block);
    },
    sumOfHmacs(key, first, rounds, isWanted) {
      const short = key.length > blockBytes ? createHash(digest).update(key).digest() : key;
      for (const [state, mask] of [[At.inner, 0x36], [At.outer, 0x5c]] as const) {
        const block = new Uint8Array(length);
        for (let i = 0; i < blockBytes; i++) block[i] = (short[i] ?? 0) ^ mask;
        run.write(At.block, words.from(block));
        run.compress(At.start, state);
      }
      const block = padded(first, blockBytes);
      run.write(At.block, block);
      run.write(At.sum, block.slice(0, compression.stateWords));
      again(run.sumAgain, rounds, isWanted);
      return result(At.sum);
    },
  };
}

/** Rounds in a row: nothing ends a thread within a call of WebAssembly. */
const SLICE = 4_000;

function compressionOf(digest: Digest): Compression {
  if (digest === "sha1") return sha1Code();
  if (digest.startsWith("sha3-")) return keccakCode(keccakConstants());
  if (digest === "sha224" || digest === "sha256") {
    return sha2Code(32, rootsOfPrimes(3, 64).map(upperHalf));
  }
  return sha2Code(64, rootsOfPrimes(3, 80));
}

const upperHalf = (word: bigint) => word >> 32n;

/** The state that a digest starts with: FIPS 180-4 §5.3; nothing of Keccak. */
function startOf(
  digest: Digest,
  run: Instance,
  padded: (message: Uint8Array) => bigint[],
): bigint[] {
  switch (digest) {
    case "sha1":
      return [0x67452301n, 0xefcdab89n, 0x98badcfen, 0x10325476n, 0xc3d2e1f0n];
    case "sha224":
      return rootsOfPrimes(2, 8, 8).map((word) => BigInt.asUintN(32, word));
    case "sha256":
      return rootsOfPrimes(2, 8).map(upperHalf);
    case "sha384":
      return rootsOfPrimes(2, 8, 8);
    case "sha512":
      return rootsOfPrimes(2, 8);
    case "sha512-224":
    case "sha512-256":
      // Theirs is the digest of their name by another start (§5.3.6).
      run.write(At.start, rootsOfPrimes(2, 8).map((word) => word ^ 0xa5a5a5a5a5a5a5a5n));
      run.write(
        At.block,
        padded(new TextEncoder().encode(`SHA-${digest.slice(3).replace("-", "/")}`)),
      );
      run.compress(At.start, At.inner);
      return run.read(At.inner, 8);
    default:
      return [];
  }
}

/** One block that ends a message: `message` and its padding, behind `before` bytes. */
function padMessage(digest: Digest, length: number, message: Uint8Array, before: number) {
  const block = new Uint8Array(length);
  block.set(message);
  if (digest.startsWith("sha3-")) {
    block[message.length] = 0x06;
    block[digests[digest].blockBytes - 1] = 0x80;
  } else {
    block[message.length] = 0x80;
    new DataView(block.buffer).setUint32(length - 4, 8 * (before + message.length));
  }
  return block;
}

/** Bytes as words and back: Keccak's have their least byte first, those of the others last. */
function byteOrderOf(digest: Digest, wordBytes: number) {
  const swap = digest.startsWith("sha3-") ? 0 : wordBytes - 1;
  const at = (i: number) => ({
    word: Math.floor(i / wordBytes),
    bits: BigInt(8 * (i % wordBytes ^ swap)),
  });
  return {
    from(bytes: Uint8Array): bigint[] {
      const words = Array.from({ length: bytes.length / wordBytes }, () => 0n);
      bytes.forEach((byte, i) => {
        const { word, bits } = at(i);
        words[word] = (words[word] ?? 0n) | BigInt(byte) << bits;
      });
      return words;
    },
    to: (words: readonly bigint[]): Uint8Array =>
      Uint8Array.from({ length: words.length * wordBytes }, (_, i) => {
        const { word, bits } = at(i);
        return Number((words[word] ?? 0n) >> bits & 0xffn);
      }),
  };
}

interface Instance {
  compress(from: number, to: number): void;
  /** The block becomes the digest of what stands there, so often. */
  digestAgain(rounds: number): void;
  /** The block becomes its HMAC, so often, and each is added to the sum. */
  sumAgain(rounds: number): void;
  read(address: number, count: number): bigint[];
  write(address: number, words: readonly bigint[]): void;
  /** Overwrites what was derived. */
  forget(): void;
}

/** `padding` is the block of an empty digest, which is `digestBytes` long. */
function instanceOf(
  compression: Compression,
  padding: readonly bigint[],
  digestBytes: number,
): Instance {
  const { words: { bytes } } = compression;
  const module = moduleOf(functionsOf(compression, padding, digestBytes));
  const exported = new WebAssembly.Instance(module).exports as unknown as
    & Pick<Instance, "compress" | "digestAgain" | "sumAgain">
    & { memory: WebAssembly.Memory };
  const { memory, compress, digestAgain, sumAgain } = exported;
  const view = new DataView(memory.buffer);
  return {
    compress,
    digestAgain,
    sumAgain,
    read: (address, count) =>
      Array.from(
        { length: count },
        (_, i) =>
          bytes === 8
            ? view.getBigUint64(address + 8 * i, true)
            : BigInt(view.getUint32(address + 4 * i, true)),
      ),
    write: (address, list) =>
      list.forEach((word, i) =>
        bytes === 8
          ? view.setBigUint64(address + 8 * i, word, true)
          : view.setUint32(address + 4 * i, Number(word), true)
      ),
    forget() {
      new Uint8Array(memory.buffer).fill(0, At.block, At.start).fill(0, At.sum, At.constants);
    },
  };
}

function functionsOf(
  { words, stateWords, locals, code }: Compression,
  padding: readonly bigint[],
  digestBytes: number,
) {
  const { load, store, or, and, xor, constant, bytes } = words;
  const block = i32(At.block);
  const wholeWords = Math.floor(digestBytes / bytes);
  // A state is longer than some digests: the padding comes again where its end was written.
  const kept = padding[wholeWords] !== undefined && digestBytes % bytes > 0;
  const padded = Array.from({ length: stateWords - wholeWords }, (_, i): Code => {
    const at = wholeWords + i;
    const pad = constant(padding[at] ?? 0n);
    if (i > 0 || !kept) return store(block, at * bytes, pad);
    const digest = maskOfHalf(padding[at] ?? 0n);
    return store(block, at * bytes, or(and(load(block, at * bytes), constant(digest)), pad));
  }).flat();
  const added = Array.from({ length: Math.ceil(digestBytes / bytes) }, (_, at): Code => {
    const sum = i32(At.sum);
    return store(sum, at * bytes, xor(load(sum, at * bytes), load(block, at * bytes)));
  }).flat();
  const compress = (state: number) => [...call(0, i32(state), block), ...padded];
  const times = (name: string, body: Code) => ({
    name,
    parameters: 1,
    locals: { i32: 0, i64: 0 },
    body: repeat([...body, ...set(0, minusOne(get(0)))], get(0)),
  });
  return [
    { name: "compress", parameters: 2, locals, body: code },
    times("digestAgain", compress(At.start)),
    times("sumAgain", [...compress(At.inner), ...compress(At.outer), ...added]),
  ];
}

/** The half of a word of 64 bits that a padding does not begin in. */
const maskOfHalf = (padding: bigint) =>
  padding >> 32n === 0n ? 0xffffffff00000000n : 0x00000000ffffffffn;

const minusOne = (count: Code) => wordsOf(32).add(count, i32(-1));

/**
 * The first 64 bits of the fractions of the square (2) or cube (3) roots of `count` primes, those
 * before number `skipped` left out: what SHA-2 is made of (FIPS 180-4 §4.2 and §5.3).
 */
function rootsOfPrimes(root: 2 | 3, count: number, skipped = 0): bigint[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < skipped + count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  const shift = BigInt(64 * root);
  return primes.slice(skipped)
    .map((prime) => BigInt.asUintN(64, rootOf(BigInt(prime) << shift, BigInt(root))));
}

/** The round constants of Keccak-f[1600] (FIPS 202 §3.2.5). */
function keccakConstants(): bigint[] {
  let register = 1;
  const nextBit = () => {
    const bit = register & 1;
    register = register & 0x80 ? (register << 1 ^ 0x171) : register << 1;
    return BigInt(bit);
  };
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let j = 0n; j < 7n; j++) constant |= nextBit() << ((1n << j) - 1n);
    return constant;
  });
}

/** The whole part of a root, by Newton's method from above. */
function rootOf(value: bigint, root: bigint): bigint {
  let guess = 1n << BigInt(value.toString(2).length);
  for (;;) {
    const next = ((root - 1n) * guess + value / guess ** (root - 1n)) / root;
    if (next >= guess) return guess;
    guess = next;
  }
}
