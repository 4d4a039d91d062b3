/** Names that somebody else wrote, as they are shown. */
import assert from "node:assert/strict";
import { plainLine, plainText } from "../../src/kernel/plain-text.ts";

Deno.test("shown: what turns texts round or shows as nothing is left out", () => {
  const unshown = [
    ..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c",
    ..."\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u{e0041}",
  ];
  for (const one of unshown) {
    assert.equal(plainText(`a${one}b`), "ab", `${one.codePointAt(0)?.toString(16)}`);
    assert.equal(plainLine(`${one}a`), "a");
  }
  assert.equal(plainText("a\u0000b\u001bc\ud800"), "a b c\ufffd");
});

Deno.test("shown: what scripts and emoji are written with stays", () => {
  // Persian with a joiner that keeps letters apart, a family of emoji, Hebrew, Devanagari.
  for (
    const text of [
      "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
      "\u{1f468}\u200d\u{1f469}",
      "\u05e9\u05dc\u05d5\u05dd",
      "\u0915\u094d\u200d\u0937",
    ]
  ) {
    assert.equal(plainText(text), text);
  }
  assert.equal(plainText("one\n\ttwo\r\n"), "one\n\ttwo\r\n");
  assert.equal(plainLine("one\ntwo\u2028three "), "one two three");
});
