/** Instructions of WebAssembly, encoded: what they leave on the stack is their value. */
export type Code = readonly number[];

/** The two widths of words that hashes are made of. */
export type Width = 32 | 64;

/** A function of a module: its parameters are i32, it gives nothing. */
interface CodeFunction {
  /** Exported under this name. */
  name: string;
  parameters: number;
  /** Of 32 and of 64 bits; they follow the parameters, those of 32 bits first. */
  locals: { i32: number; i64: number };
  body: Code;
}

/** A module of these functions with one page of memory, `memory`; later ones call earlier ones. */
export function moduleOf(functions: readonly CodeFunction[]): WebAssembly.Module {
  const types = functions.map(({ parameters }) => [
    0x60,
    ...vector(Array.from({ length: parameters }, () => [I32])),
    0,
  ]);
  const exported = functions.map(({ name }, index) => [...text(name), 0, ...unsigned(index)]);
  return new WebAssembly.Module(
    new Uint8Array([
      ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, vector(types)),
      ...section(3, vector(functions.map((_, index) => unsigned(index)))),
      ...section(5, vector([[1, 1, 1]])),
      ...section(7, vector([...exported, [...text("memory"), 2, 0]])),
      ...section(10, vector(functions.map(bodyOf))),
    ]),
  );
}

/** The value of a local. */
export const get = (local: number): Code => [0x20, ...unsigned(local)];
/** Puts a value into a local. */
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];
/** Calls a function by its place in the module. */
export const call = (index: number, ...values: Code[]): Code => [
  ...values.flat(),
  0x10,
  ...unsigned(index),
];
/** A constant address or count. */
export const i32 = (value: number): Code => [0x41, ...signed(BigInt(value | 0))];

/** Repeats `body` until `again`, which is evaluated behind it, gives 0. */
export const repeat = (body: Code, again: Code): Code => [
  ...[0x03, 0x40],
  ...body,
  ...again,
  ...[0x0d, 0, 0x0b],
];
/** The arithmetic of words of one width; several operands are folded from the left. */
export function wordsOf(width: Width) {
  const wide = width === 64;
  const fold = (op: number) => (...values: Code[]): Code =>
    values.flatMap((value, index) => index === 0 ? value : [...value, op]);
  const shift = (op: number) => (value: Code, bits: number): Code => [
    ...value,
    ...constant(BigInt(bits)),
    op,
  ];
  const constant = (value: bigint): Code => [
    wide ? 0x42 : 0x41,
    ...signed(BigInt.asIntN(width, value)),
  ];
  const access = (op: number) => (address: Code, offset: number, value: Code = []): Code => [
    ...address,
    ...value,
    op,
    wide ? 3 : 2,
    ...unsigned(offset),
  ];
  return {
    bytes: width / 8,
    constant,
    add: fold(wide ? 0x7c : 0x6a),
    and: fold(wide ? 0x83 : 0x71),
    or: fold(wide ? 0x84 : 0x72),
    xor: fold(wide ? 0x85 : 0x73),
    shiftRight: shift(wide ? 0x88 : 0x76),
    rotateLeft: shift(wide ? 0x89 : 0x77),
    rotateRight: shift(wide ? 0x8a : 0x78),
    load: access(wide ? 0x29 : 0x28),
    store: access(wide ? 0x37 : 0x36),
  };
}

export type Words = ReturnType<typeof wordsOf>;

const I32 = 0x7f;
const I64 = 0x7e;

function bodyOf({ locals, body }: CodeFunction): number[] {
  const groups = [[...unsigned(locals.i32), I32], [...unsigned(locals.i64), I64]];
  const code = [...vector(groups), ...body, 0x0b];
  return [...unsigned(code.length), ...code];
}

const section = (id: number, content: number[]) => [id, ...unsigned(content.length), ...content];
const vector = (items: number[][]) => [...unsigned(items.length), ...items.flat()];
const text = (name: string) => vector([...new TextEncoder().encode(name)].map((byte) => [byte]));

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [value & 0x7f | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const isLast = rest === (low & 0x40 ? -1n : 0n);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}
