import assert from "node:assert/strict";
import { problemOfName } from "../../src/kernel/name-text.ts";

Deno.test("names: none holds a control or a format character, or more than 100", () => {
  for (
    const name of [
      "a\nb",
      "a\u0000",
      "\u202egnp",
      "a\u200bb",
      "a\u2028b",
      "a\u00adb",
      "a\u200db",
      "\ufeffa",
      "\ud800",
      "a".repeat(101),
    ]
  ) assert.notEqual(problemOfName(name), undefined, JSON.stringify(name));
  // Joiners that Persian and emoji are written with.
  for (const name of ["Elif Yıldız", "می‌خواهم", "👩‍💻 Ada", "a".repeat(100), "עדה", ""]) {
    assert.equal(problemOfName(name), undefined, name);
  }
});
