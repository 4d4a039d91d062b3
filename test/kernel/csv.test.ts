/** What a spreadsheet would run as a formula is text, in any way of writing its first character. */
import assert from "node:assert/strict";
import { csvCell } from "../../src/kernel/csv.ts";

Deno.test("CSV: a cell that begins as a formula gets an apostrophe, and a number stays one", () => {
  for (const start of ["=", "+", "-", "@", "\t", "＝", "＋", "－", "＠"]) {
    assert.equal(csvCell(`${start}1+1`), `'${start}1+1`);
  }
  for (const start of ["\r", "\n"]) assert.equal(csvCell(`${start}=1`), `"'${start}=1"`);
  assert.equal(csvCell('=HYPERLINK("x",1)'), `"'=HYPERLINK(""x"",1)"`);
  for (const text of ["", "-12", "7", "a=1", "ada@example.org", "日本"]) {
    assert.equal(csvCell(text), text);
  }
});
