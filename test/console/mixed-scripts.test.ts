/** What the console marks in an address. */
import assert from "node:assert/strict";
import { mixedScripts } from "../../console/parts/mixed-scripts.ts";

Deno.test("e-mail: letters of several scripts within one part are named, and nothing else is", () => {
  const mixed: [string, string[]][] = [
    ["p\u0430ypal@example.org", ["Latin", "Cyrillic"]],
    ["ada@ex\u0430mple.org", ["Latin", "Cyrillic"]],
    ["\u03bfmega@example.org", ["Latin", "Greek"]],
    ["ada.lovelace+1@example.org", []],
    ["иван@example.org", []],
    ["jörg-søren@bücher.example", []],
    ["山田たろう@example.jp", []],
    ["", []],
  ];
  for (const [address, scripts] of mixed) assert.deepEqual(mixedScripts(address), scripts, address);
});
