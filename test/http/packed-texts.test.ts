/** What is sent again and again is compressed once, and what is kept is bounded. */
import assert from "node:assert/strict";
import { PackedTexts } from "../../src/http/compression.ts";

Deno.test("packed texts: a text is packed once while it is kept, and the oldest go first", () => {
  const texts = new PackedTexts<string>();
  let packed = 0;
  const pack = (text: string) => `${++packed} ${text.slice(0, 8)}`;
  const text = (i: number) => `${i}`.padEnd(300 * 1024, "x");
  assert.equal(texts.get(text(0), pack), texts.get(text(0), pack));
  assert.equal(packed, 1);
  // Six of them fit.
  for (let i = 1; i <= 6; i++) texts.get(text(i), pack);
  assert.equal(packed, 7);
  texts.get(text(6), pack);
  texts.get(text(1), pack);
  assert.equal(packed, 7);
  texts.get(text(0), pack);
  assert.equal(packed, 8);
});
