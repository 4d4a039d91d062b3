import assert from "node:assert/strict";
import {
  besideFigures,
  lastFigures,
  ratioText,
  verdictOf,
  withFigures,
} from "../../bench/last-figures.ts";

const results = `# Results

## Beside others

Words before, with a | in them.

| what    | Keydesk | bare | ratio    | rounds |
| ------- | ------- | ---- | -------- | ------ |
| a read  | 100     | 200  | **0.50** | 0.4    |
| a write | 10      | 100  | 0.10     | 0.1    |

| again | ratio |
| ----- | ----- |

## Other

| what   | ratio |
| ------ | ----- |
| a read | 0.9   |
`;

Deno.test("last figures: a ratio more than 5 % below the one of its section is named", () => {
  const last = lastFigures(results, "Beside others");
  assert.deepEqual([...last], [["a read", 0.5], ["a write", 0.1]]);
  const rows = [{ name: "a read", ratio: "0.47" }, { name: "a write", ratio: "**0.096**" }];
  assert.deepEqual(besideFigures(last, rows), [
    "slower than the last figures: a read, 0.47 after 0.5",
  ]);
});

Deno.test("last figures: what has none is named, and a run in which nothing fell says so", () => {
  const last = lastFigures(results, "Other");
  assert.deepEqual(besideFigures(last, [{ name: "a read", ratio: "0.86" }]), [
    "no row is slower by more than 5 %",
  ]);
  assert.deepEqual(besideFigures(last, [{ name: "a page", ratio: "0.1" }]), [
    "no last figures: a page",
  ]);
  assert.throws(() => lastFigures(results, "Missing"), /no ratios under Missing/);
});

Deno.test("last figures: a check fails by a row that fell in both runs, and says nothing on a loaded machine", () => {
  const quiet = { others: 0.02, isQuiet: true };
  const run = (...fell: string[]) => ({ fell, unknown: [] });
  assert.equal(verdictOf([run()], quiet).code, 0);
  assert.equal(verdictOf([run("a", "b"), run("c")], quiet).code, 0);
  assert.deepEqual(verdictOf([run("a", "b"), run("b", "c")], quiet), {
    code: 1,
    words: "more than 5 % below the last figures in two runs: b",
  });
  assert.deepEqual(verdictOf([run("a"), run("a")], { others: 0.4, isQuiet: false }), {
    code: 2,
    words: "no verdict: loaded: others took 40 % of the processors",
  });
  assert.deepEqual(verdictOf([{ fell: [], unknown: ["a page"] }], quiet), {
    code: 2,
    words: "no verdict: no last figures of a page",
  });
});

Deno.test("last figures: a small ratio is printed so that 5 % of it can be seen", () => {
  assert.deepEqual([1.164, 0.2, 0.0952].map(ratioText), ["1.16", "0.20", "0.095"]);
});

Deno.test("last figures: rows and columns are written by their names, and others keep theirs", () => {
  const head = ["what", "bare", "ratio", "unknown"];
  const rows = [["a write", "90", "0.11", "x"], ["a page", "80", "0.7", "x"]];
  const once = withFigures(results, "Beside others", {
    head,
    rows,
    words: "2026-01-02, quiet: 1 %.",
  });
  assert.match(once, /\| a read \| 100 \| 200 \| \*\*0\.50\*\* \| 0\.4 \|/);
  const written = "| a write | 10 | 90 | 0.11 | 0.1 |\n| a page |  | 80 | 0.7 |  |\n\n2026-01-02";
  assert.ok(once.includes(written), once);
  const words = "2026-01-03, 3 rounds, quiet: 2 %.";
  const twice = withFigures(once, "Beside others", { head, rows, words });
  assert.ok(twice.includes(words) && !twice.includes("2026-01-02"));
  assert.equal(twice.split("\n").length, once.split("\n").length);
  assert.throws(() => withFigures(results, "Missing", { head, rows, words }), /no ratios under/);
});

Deno.test("last figures: of two columns with one head each keeps its own", () => {
  const table = "## A\n\n| what | ratio | ratio |\n| --- | --- | --- |\n| a | 1 | 2 |\n";
  const head = ["what", "ratio", "ratio"];
  const text = withFigures(table, "A", { head, rows: [["a", "3", "4"]], words: "w" });
  assert.match(text, /\| a \| 3 \| 4 \|/);
});

Deno.test("last figures: RESULTS.md has those that the programs look for", async () => {
  const text = await Deno.readTextFile("bench/RESULTS.md");
  for (const section of ["Beside peers", "Beside a bare server", "While somebody writes"]) {
    assert.ok(lastFigures(text, section).size > 5, section);
  }
});
