import assert from "node:assert/strict";
import { randomBytes, toHex } from "../../src/kernel/ids.ts";

Deno.test("random bytes: as many as asked for, each draw others, also where many were drawn at once", () => {
  const seen = new Set<string>();
  const lengths = [16, 1, 4096, 48, 4000, 5000, 64, 16];
  for (let round = 0; round < 50; round++) {
    for (const length of lengths) {
      const bytes = randomBytes(length);
      assert.equal(bytes.length, length);
      // Shorter ones may come twice by chance.
      if (length < 16) continue;
      const text = toHex(bytes);
      assert.equal(text.length, 2 * length);
      assert.notEqual(text, "0".repeat(2 * length));
      for (let at = 0; at + 32 <= text.length; at += 32) {
        const part = text.slice(at, at + 32);
        assert.ok(!seen.has(part));
        seen.add(part);
      }
    }
  }
});
