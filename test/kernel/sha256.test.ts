import fc from "fast-check";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { sha256 } from "../../src/kernel/sha256.ts";

const reference = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

Deno.test("sha256: the same as the platform's, for texts of any characters and around every length of a block", () => {
  for (let length = 0; length <= 1100; length++) {
    for (const one of ["k", "€"]) {
      const text = one.repeat(length);
      assert.equal(sha256(text), reference(text), `${length} of ${one}`);
    }
  }
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (text) => {
    assert.equal(sha256(text), reference(text));
  }));
});

Deno.test("sha256: nothing of the text before is left in the next one's", () => {
  const secret = "s".repeat(300);
  const short = sha256("short");
  sha256(secret);
  assert.equal(sha256("short"), short);
  assert.equal(sha256(secret), reference(secret));
});
