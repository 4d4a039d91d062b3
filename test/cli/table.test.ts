import assert from "node:assert/strict";
import { printable, tableLine } from "../../src/cli/table.ts";

Deno.test("table: a cell is padded to its column or cut to it, the last one is whole", () => {
  assert.equal(tableLine(["ab", "abcdef", "abcdef"], [4, 4]), "ab    abc…  abcdef");
});

Deno.test("table: characters are counted, not their code units", () => {
  assert.equal(tableLine(["🔑🔑🔑", "x"], [3, 1]), "🔑🔑🔑  x");
});

Deno.test("table: no control character reaches the terminal, in no column", () => {
  assert.equal(tableLine(["a\u001b[31m", "b\u0007"], [6]), "a\ufffd[31m  b\ufffd");
});

Deno.test("table: a line ends with its last text", () => {
  assert.equal(tableLine(["a", ""], [3, 3]), "a");
});

Deno.test("table: of what somebody else wrote, line breaks and tabs alone reach the terminal as they are", () => {
  assert.equal(printable("a\n\tb"), "a\n\tb");
  assert.equal(printable("\u001b]0;x\u0007\r\u009b\u202e"), "\ufffd]0;x\ufffd\ufffd\ufffd\ufffd");
});
