import {
  type Code,
  get,
  i32,
  repeat,
  set,
  type Width,
  type Words,
  wordsOf,
} from "./web-assembly.ts";

/** The layout of a module's memory, in bytes: states, the block and constants. */
export const At = { block: 0, inner: 256, outer: 512, start: 768, sum: 1024, constants: 1280 };

/** A compression function as WebAssembly: of a state and the block, into another state. */
export interface Compression {
  words: Words;
  /** The words of a state, and of the block. */
  stateWords: number;
  blockWords: number;
  /** The words at `At.constants`. */
  constants: readonly bigint[];
  locals: { i32: number; i64: number };
  /** Its parameters are the addresses of the two states; none of them may overlap. */
  code: Code;
}

const FROM = 0;
const TO = 1;
const [from, to] = [get(FROM), get(TO)];

/** FIPS 180-4 §6.1.2. */
export function sha1Code(): Compression {
  const words = wordsOf(32);
  const { add, and, or, xor, rotateLeft, constant } = words;
  const state = locals(2, 5);
  const schedule = locals(7, 16);
  const code: Code[] = [loaded(words, state, from), loaded(words, schedule, i32(At.block))];
  for (let t = 0; t < 80; t++) {
    const [a, b, c, d, e] = turned(state, t);
    const [B, C, D] = [get(b), get(c), get(d)];
    const parity = xor(B, C, D);
    const [mixed, added] = t < 20
      ? [xor(D, and(B, xor(C, D))), 0x5a827999n]
      : t < 40
      ? [parity, 0x6ed9eba1n]
      : t < 60
      ? [or(and(B, C), and(D, or(B, C))), 0x8f1bbcdcn]
      : [parity, 0xca62c1d6n];
    const w = (back: number) => at(schedule, t - back);
    if (t >= 16) {
      code.push(set(w(16), rotateLeft(xor(get(w(3)), get(w(8)), get(w(14)), get(w(16))), 1)));
    }
    code.push(
      set(e, add(get(e), mixed, get(w(0)), constant(added), rotateLeft(get(a), 5))),
      set(b, rotateLeft(B, 30)),
    );
  }
  code.push(fedForward(words, state));
  return {
    words,
    stateWords: 5,
    blockWords: 16,
    constants: [],
    locals: { i32: 21, i64: 0 },
    code: code.flat(),
  };
}

/** FIPS 180-4 §6.2.2 and §6.4.2. */
export function sha2Code(width: Width, constants: readonly bigint[]): Compression {
  const words = wordsOf(width);
  const { add, and, xor, rotateRight, shiftRight, constant } = words;
  const { S0, S1, s0, s1 } = sigmas[width];
  const state = locals(2, 8);
  const schedule = locals(10, 16);
  // ROTR r ⊕ ROTR q ⊕ ROTR p, nested: the engine copies fewer words for it.
  const rotated = (value: Code, [r, q, p]: Three) =>
    rotateRight(
      xor(value, rotateRight(xor(value, rotateRight(value, p - q)), q - r)),
      r,
    );
  const shifted = (value: Code, [r, q, p]: Three) =>
    xor(rotateRight(value, r), rotateRight(value, q), shiftRight(value, p));
  const code: Code[] = [loaded(words, state, from), loaded(words, schedule, i32(At.block))];
  constants.forEach((value, t) => {
    const [a, b, c, d, e, f, g, h] = turned(state, t);
    const [A, B, C, E, F, G] = [get(a), get(b), get(c), get(e), get(f), get(g)];
    const w = (i: number) => at(schedule, t + i);
    const W = (i: number) => get(w(i));
    if (t >= 16) code.push(set(w(0), add(W(0), shifted(W(1), s0), W(9), shifted(W(14), s1))));
    const choice = xor(G, and(E, xor(F, G)));
    const majority = xor(B, and(xor(A, B), xor(B, C)));
    code.push(
      set(h, add(get(h), W(0), constant(value), choice, rotated(E, S1))),
      set(d, add(get(d), get(h))),
      set(h, add(get(h), majority, rotated(A, S0))),
    );
  });
  code.push(fedForward(words, state));
  return {
    words,
    stateWords: 8,
    blockWords: 16,
    constants: [],
    locals: width === 32 ? { i32: 24, i64: 0 } : { i32: 0, i64: 24 },
    code: code.flat(),
  };
}

type Three = readonly [number, number, number];

/** FIPS 180-4 §4.1.2 and §4.1.3. */
const sigmas: Readonly<Record<Width, Record<"S0" | "S1" | "s0" | "s1", Three>>> = {
  32: { S0: [2, 13, 22], S1: [6, 11, 25], s0: [7, 18, 3], s1: [17, 19, 10] },
  64: { S0: [28, 34, 39], S1: [14, 18, 41], s0: [1, 8, 7], s1: [19, 61, 6] },
};

/** FIPS 202 §3.3; the block is as long as a state, and 0 where nothing is absorbed. */
export function keccakCode(constants: readonly bigint[]): Compression {
  const words = wordsOf(64);
  const { and, xor, rotateLeft, constant, load, bytes } = words;
  const address = 2;
  const lanes = locals(3, 25);
  const parities = locals(28, 5);
  const moved = locals(33, 25);
  const block = i32(At.block);
  const absorbed = lanes.map((lane, i) =>
    set(lane, xor(load(from, i * bytes), load(block, i * bytes)))
  );
  const theta = [
    ...parities.map((parity, x) =>
      set(parity, xor(...[0, 5, 10, 15, 20].map((row) => get(at(lanes, x + row)))))
    ),
    ...lanes.map((lane, i) => {
      const [left, right] = [at(parities, i + 4), at(parities, i + 1)];
      return set(lane, xor(get(lane), get(left), rotateLeft(get(right), 1)));
    }),
  ];
  const rho = rhoOffsets();
  const rhoPi = lanes.map((lane, i) => {
    const [x, y] = [i % 5, Math.floor(i / 5)];
    return set(at(moved, y + 5 * ((2 * x + 3 * y) % 5)), rotateLeft(get(lane), rho[i] ?? 0));
  });
  const chi = lanes.map((lane, i) => {
    const row = i - i % 5;
    const [b1, b2] = [at(moved, row + (i + 1) % 5), at(moved, row + (i + 2) % 5)];
    const inverted = xor(get(b1), constant(-1n));
    return set(lane, xor(get(at(moved, i)), and(inverted, get(b2))));
  });
  const iota = set(at(lanes, 0), xor(get(at(lanes, 0)), load(get(address), 0)));
  const end = i32(At.constants + constants.length * bytes);
  const code = [
    ...absorbed,
    set(address, i32(At.constants)),
    repeat([
      ...[...theta, ...rhoPi, ...chi, iota].flat(),
      ...set(address, addresses(get(address), i32(bytes))),
    ], differs(get(address), end)),
    ...lanes.map((lane, i) => words.store(to, i * bytes, get(lane))),
  ];
  return {
    words,
    stateWords: 25,
    blockWords: 25,
    constants,
    locals: { i32: 1, i64: 55 },
    code: code.flat(),
  };
}

function rhoOffsets(): number[] {
  const offsets = Array.from({ length: 25 }, () => 0);
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t++) {
    offsets[x + 5 * y] = ((t + 1) * (t + 2) / 2) % 64;
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  return offsets;
}

const locals = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

/** The member at an index that is counted around. */
function at(list: readonly number[], index: number): number {
  return list[(index % list.length + list.length) % list.length] ?? 0;
}

/** The variables of a round: each is what the one before it was in the round before. */
function turned(state: readonly number[], round: number) {
  const v = (i: number) => at(state, i - round);
  return [v(0), v(1), v(2), v(3), v(4), v(5), v(6), v(7)] as const;
}

const loaded = ({ load, bytes }: Words, into: readonly number[], address: Code): Code =>
  into.flatMap((local, i) => set(local, load(address, i * bytes)));

const fedForward = ({ load, store, add, bytes }: Words, state: readonly number[]): Code =>
  state.flatMap((local, i) => store(to, i * bytes, add(load(from, i * bytes), get(local))));

const { add: addresses, xor: differs } = wordsOf(32);
