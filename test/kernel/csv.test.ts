/** What a spreadsheet would run as a formula is text, in any way of writing its first character. */
import assert from "node:assert/strict";
import { csvCell } from "../../src/kernel/csv.ts";

Deno.test("CSV: a cell that begins as a formula gets an apostrophe, and a number stays one", () => {
  for (const start of ["=", "+", "-", "@", "\t", "＝", "＋", "－", "＠"]) {
    assert.equal(csvCell(`${start}1+1`), `'${start}1+1`);
  }
  for (const start of ["\r", "\n"]) assert.equal(csvCell(`${start}a`), `"'${start}a"`);
  assert.equal(csvCell('=HYPERLINK("x",1)'), `"'=HYPERLINK(""x"",1)"`);
  for (const text of ["", "-12", "7", "a=1", "ada@example.org", "日本"]) {
    assert.equal(csvCell(text), text);
  }
});

Deno.test("CSV: a cell turns no other round, and what shows as nothing hides no formula", () => {
  assert.equal(csvCell("exe.\u202egnp"), "exe.gnp");
  assert.equal(csvCell("\u200b=1+1"), "'=1+1");
  assert.equal(csvCell("a\u0007b"), "a b");
});

Deno.test("CSV: no formula begins where spreadsheets with other separators divide a cell", () => {
  for (const start of ["=", "+", "-", "@", "＝", "＋", "－", "＠"]) {
    assert.equal(csvCell(`x;${start}1`), `x;'${start}1`);
    assert.equal(csvCell(`x\t${start}1`), `x\t'${start}1`);
    for (const end of ["\n", "\r\n"]) {
      assert.equal(csvCell(`x${end}${start}1`), `"x${end}'${start}1"`);
    }
  }
  assert.equal(csvCell('x;=HYPERLINK("y",1)'), `"x;'=HYPERLINK(""y"",1)"`);
  assert.equal(csvCell("\t=1;;@2"), "'\t'=1;;'@2");
  for (const text of ["a; b; c", "a;b", "ada@example.org;bob@example.org", "a\tb", "2026-11-23"]) {
    assert.equal(csvCell(text), text);
  }
  assert.equal(csvCell("one\r\n\r\ntwo"), '"one\r\n\r\ntwo"');
});
