/** The picture of an app's secret, read again by a reader that shares nothing with its writer. */
import assert from "node:assert/strict";
import { QR_SIZE, qrModules, qrPath } from "../../console/screens/settings/qr-code.ts";

/** Powers of 2 in GF(256) by x⁸ + x⁴ + x³ + x² + 1. */
const POWERS = Array.from({ length: 255 }).reduce<number[]>((all) => {
  const next = (all.at(-1) ?? 0) * 2;
  return [...all, next > 255 ? next ^ 0x11d : next];
}, [1]).slice(0, 255);

function times(one: number, power: number): number {
  return one === 0 ? 0 : POWERS[(POWERS.indexOf(one) + power) % 255] ?? 0;
}

/** Whether a place holds data: of version 6, as ISO/IEC 18004 draws it. */
function isData(x: number, y: number): boolean {
  const isFinder = (x < 9 && y < 9) || (x > 32 && y < 9) || (x < 9 && y > 32);
  const isTiming = x === 6 || y === 6;
  return !isFinder && !isTiming && !(Math.abs(x - 34) < 3 && Math.abs(y - 34) < 3);
}

/** All bits of data in their order. */
function bitsOf(rows: readonly boolean[][]): boolean[] {
  const bits: boolean[] = [];
  const columns = [...Array(20).keys()].map((n) => 40 - 2 * n).map((x) => x > 6 ? x : x - 1);
  columns.forEach((right, turn) => {
    for (let step = 0; step < 41; step++) {
      const y = turn % 2 === 0 ? 40 - step : step;
      for (const x of [right, right - 1]) {
        if (isData(x, y)) bits.push(rows[y]?.[x] !== ((x + y) % 2 === 0));
      }
    }
  });
  return bits;
}

/** The text; asserts that format and what corrects the data are right. */
function read(text: string): string {
  const rows = qrModules(text);
  assert.equal(rows.length, 41);
  const dark = (x: number, y: number) => rows[y]?.[x] ? "1" : "0";
  const near = [0, 1, 2, 3, 4, 5, 7, 8].map((y) => dark(8, y)).reverse();
  const first = [...[0, 1, 2, 3, 4, 5, 7].map((x) => dark(x, 8)), ...near].join("");
  assert.equal(first, "111011111000100", "error correction L and mask 0");
  const second = [
    ...[40, 39, 38, 37, 36, 35, 34].map((y) => dark(8, y)),
    ...[33, 34, 35, 36, 37, 38, 39, 40].map((x) => dark(x, 8)),
  ].join("");
  assert.equal(second, first);
  assert.equal(dark(8, 33), "1", "the dark module");
  const bits = bitsOf(rows);
  assert.equal(bits.length, 172 * 8 + 7);
  const bytes = Array.from(
    { length: 172 },
    (_, at) => bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => byte * 2 + (bit ? 1 : 0), 0),
  );
  const blocks = [0, 1].map((turn) => bytes.filter((_, at) => at % 2 === turn));
  for (const block of blocks) {
    assert.equal(block.length, 86);
    for (let root = 0; root < 18; root++) {
      assert.equal(block.reduce((sum, byte) => times(sum, root) ^ byte, 0), 0, `root ${root}`);
    }
  }
  const data = blocks.flatMap((block) => block.slice(0, 68));
  const whole = data.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  assert.equal(whole.slice(0, 4), "0100", "bytes");
  const length = Number.parseInt(whole.slice(4, 12), 2);
  const own = Array.from(
    { length },
    (_, at) => Number.parseInt(whole.slice(12 + at * 8, 20 + at * 8), 2),
  );
  return new TextDecoder().decode(Uint8Array.from(own));
}

Deno.test("qr code: what is written is read again, from nothing to the most", () => {
  const uri =
    "otpauth://totp/Keydesk:grace%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Keydesk";
  for (const text of ["", "x", uri, "ü€😀", "y".repeat(133), "z".repeat(134)]) {
    assert.equal(read(text), text);
  }
  assert.throws(() => qrModules("z".repeat(135)), RangeError);
});

Deno.test("qr code: three finders, and a path of every dark module", () => {
  const rows = qrModules("Keydesk");
  const ring = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"];
  for (const [left, top] of [[0, 0], [34, 0], [0, 34]] as const) {
    const seen = rows.slice(top, top + 7).map((row) =>
      row.slice(left, left + 7).map((isDark) => isDark ? "1" : "0").join("")
    );
    assert.deepEqual(seen, ring);
  }
  const dark = rows.flat().filter(Boolean).length;
  assert.equal(qrPath("Keydesk").split("M").length - 1, dark);
  assert.ok(dark > 500 && dark < QR_SIZE * QR_SIZE - 500);
});
