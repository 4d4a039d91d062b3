import assert from "node:assert/strict";
import { isPredictable } from "../../../src/kernel/passwords/predictable.ts";

Deno.test("predictable: one part again and again, and runs alone, are; words and sentences are not", () => {
  for (
    const password of [
      "aaaaaaaa",
      "ÄÄÄÄÄÄÄÄ",
      "abababab",
      "abcabcabc",
      "1234123412341234",
      "12345678",
      "87654321",
      "abcdefgh",
      "ABCD1234",
      "aaaa1111",
      "111222333",
      "aaaaaaa1",
      "qwertyui",
      "qwertzuiop",
      "asdfghjkl1",
      "lkjhgfdsa",
      "a".repeat(128),
    ]
  ) assert.ok(isPredictable(password), password);
  for (
    const password of [
      "correct horse battery staple",
      "password1234",
      "aaaaaaa12x9",
      "grace likes cobol",
      "six six six!",
      "tide1234tide9",
      "k7",
      "",
    ]
  ) assert.ok(!isPredictable(password), password);
});
