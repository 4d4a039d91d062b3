import assert from "node:assert/strict";
import { blake3 as reference } from "hash-wasm";
import { blake3 } from "../../src/kernel/blake3.ts";

Deno.test("blake3: texts of any length and character hash as their UTF-8 bytes", async () => {
  const hash = await blake3();
  const lengths = [0, 1, 1024, 21_845, 21_846, 70_000];
  for (
    const text of ["a", "é", "€", "\u{1f511}"].flatMap((one) => lengths.map((n) => one.repeat(n)))
  ) {
    assert.equal(hash(text), await reference(text, 128));
  }
});
