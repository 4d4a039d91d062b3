/**
 * QR codes (ISO/IEC 18004) of one size: version 6, error correction L, bytes, mask 0. That is all
 * that the address of an authenticator app needs.
 */

/** Modules in each direction. */
export const QR_SIZE = 41;

const DATA_BYTES = 136;
/** The data is two blocks, each with so many bytes that correct it. */
const CHECK_BYTES = 18;
/** What mode, length and end take. */
const MOST_BYTES = DATA_BYTES - 2;

/** A path of all dark modules, one unit each. Throws for more than 134 bytes. */
export function qrPath(text: string): string {
  const rows = qrModules(text);
  return rows.flatMap((row, y) => row.flatMap((isDark, x) => isDark ? [`M${x} ${y}h1v1h-1z`] : []))
    .join("");
}

/** The modules, row by row; true: dark. Throws for more than 134 bytes. */
export function qrModules(text: string): boolean[][] {
  const fixed = fixedModules();
  const bits = codewords(text).flatMap((byte) => bitsOf(byte, 8));
  const places = dataPlaces(fixed);
  const rows = fixed.map((row) => row.map((isDark) => isDark ?? false));
  places.forEach(([x, y], index) => {
    const isMasked = (x + y) % 2 === 0;
    setIn(rows, x, y, (bits[index] ?? false) !== isMasked);
  });
  return rows;
}

type Modules<Cell> = Cell[][];

function setIn<Cell>(rows: Modules<Cell>, x: number, y: number, cell: Cell): void {
  const row = rows[y];
  if (row && x >= 0 && x < QR_SIZE) row[x] = cell;
}

function bitsOf(value: number, length: number): boolean[] {
  return Array.from({ length }, (_, index) => (value >> (length - 1 - index) & 1) === 1);
}

/** Finders, timing, alignment and format; undefined: a place of data. */
function fixedModules(): Modules<boolean | undefined> {
  const rows: Modules<boolean | undefined> = Array.from(
    { length: QR_SIZE },
    () => Array.from({ length: QR_SIZE }, () => undefined),
  );
  for (let at = 0; at < QR_SIZE; at++) {
    setIn(rows, 6, at, at % 2 === 0);
    setIn(rows, at, 6, at % 2 === 0);
  }
  const last = QR_SIZE - 4;
  for (const [x, y] of [[3, 3], [last, 3], [3, last]] as const) square(rows, x, y, 4, [2, 4]);
  square(rows, 34, 34, 2, [1]);
  formatInto(rows);
  return rows;
}

/** Rings around a centre; `light`: the distances of those that are light. */
function square(
  rows: Modules<boolean | undefined>,
  x: number,
  y: number,
  radius: number,
  light: readonly number[],
): void {
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      const distance = Math.max(Math.abs(dx), Math.abs(dy));
      setIn(rows, x + dx, y + dy, !light.includes(distance));
    }
  }
}

/** Error correction L (01) and mask 0 (000), with the bits of BCH (15, 5) and their mask. */
const FORMAT = 0b111011111000100;

function formatInto(rows: Modules<boolean | undefined>): void {
  const bit = (index: number) => (FORMAT >> index & 1) === 1;
  for (let index = 0; index < 15; index++) {
    const near = index < 6 ? index : index < 8 ? index + 1 : undefined;
    if (near !== undefined) setIn(rows, 8, near, bit(index));
    else setIn(rows, index === 8 ? 7 : 14 - index, 8, bit(index));
    if (index < 8) setIn(rows, QR_SIZE - 1 - index, 8, bit(index));
    else setIn(rows, 8, QR_SIZE - 15 + index, bit(index));
  }
  setIn(rows, 8, QR_SIZE - 8, true);
}

/** Where bits of data go, in their order: two columns at a time, up and down by turns. */
function dataPlaces(fixed: Modules<boolean | undefined>): [x: number, y: number][] {
  const places: [number, number][] = [];
  let isUp = true;
  for (let right = QR_SIZE - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < QR_SIZE; step++) {
      const y = isUp ? QR_SIZE - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (fixed[y]?.[x] === undefined) places.push([x, y]);
      }
    }
    isUp = !isUp;
  }
  return places;
}

/** Data and what corrects it, byte by byte of both blocks by turns. */
function codewords(text: string): number[] {
  const bytes = [...new TextEncoder().encode(text)];
  if (bytes.length > MOST_BYTES) throw new RangeError(`more than ${MOST_BYTES} bytes`);
  // Bytes (4), how many, the bytes and an end: four bits at a time.
  const parts = [4, ...halves(bytes.length), ...bytes.flatMap(halves), 0];
  const data = Array.from(
    { length: parts.length / 2 },
    (_, index) => (parts[2 * index] ?? 0) * 16 + (parts[2 * index + 1] ?? 0),
  );
  for (let pad = 0xec; data.length < DATA_BYTES; pad ^= 0xec ^ 0x11) data.push(pad);
  const blocks = [data.slice(0, DATA_BYTES / 2), data.slice(DATA_BYTES / 2)];
  return [...byTurns(blocks), ...byTurns(blocks.map(checkOf))];
}

function halves(byte: number): number[] {
  return [byte >> 4, byte & 15];
}

function byTurns(blocks: readonly number[][]): number[] {
  return (blocks[0] ?? []).flatMap((_, index) => blocks.map((block) => block[index] ?? 0));
}

/** The remainder of Reed and Solomon, in GF(256) by x⁸ + x⁴ + x³ + x² + 1. */
function checkOf(data: readonly number[]): number[] {
  const generator = generatorOf(CHECK_BYTES);
  let rest = generator.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0);
    rest = generator.map((one, index) => (rest[index + 1] ?? 0) ^ times(one, factor));
  }
  return rest;
}

/** The product of all (x - 2^i), without its leading 1. */
function generatorOf(degree: number): number[] {
  let product = [1];
  for (let index = 0, root = 1; index < degree; index++, root = times(root, 2)) {
    const shifted = [...product, 0];
    product = shifted.map((one, at) => one ^ times(product[at - 1] ?? 0, root));
  }
  return product.slice(1);
}

function times(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = product << 1 ^ (product >> 7) * 0x11d;
    if (other >> bit & 1) product ^= one;
  }
  return product;
}
