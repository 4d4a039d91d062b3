/** What a run of tests says of its cost: tools/costs.ts. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { costsOf, linesOf } from "../tools/costs.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));

Deno.test("costs: files that run side by side share what their process takes, others have it alone", () => {
  const notes = [
    `7 begins 2 ${repository}test/a.test.ts`,
    `7 begins 3 ${repository}test/b.test.ts`,
    `8 begins 1 ${repository}system/c.test.ts`,
    `7 ends 7 ${repository}test/a.test.ts`,
    `8 ends 11 ${repository}system/c.test.ts`,
    `7 ends 8 ${repository}test/b.test.ts`,
  ];
  const { files, sum } = costsOf(`${notes.join("\n")}\n`);
  assert.deepEqual([...files].toSorted(), [
    ["system/c.test.ts", 10],
    ["test/a.test.ts", 3],
    ["test/b.test.ts", 3],
  ]);
  assert.equal(sum, 19);
});

Deno.test("costs: a file above its budget is named, a slower machine and a cheap new file are not", () => {
  const before = Array.from({ length: 20 }, (_, at) => [`test/${at}.test.ts`, 20] as const);
  const last = { when: "2026-11-23", sum: 400, files: Object.fromEntries(before) };
  const twice = new Map<string, number>(before.map(([file, cost]) => [file, cost * 2]));
  const tell = (files: Map<string, number>) => linesOf("npm test", files, 800, last, false);
  const named = (files: Map<string, number>) => tell(files).slice(1 + 10, -1);
  assert.deepEqual(named(new Map([...twice, ["test/new.test.ts", 4]])), []);
  const dearer = new Map([...before, ["test/3.test.ts", 60], ["test/new.test.ts", 30]] as const);
  assert.deepEqual(named(dearer), [
    "ABOVE BUDGET:",
    "    60.0 test/3.test.ts, 20.0 before",
    "    30.0 test/new.test.ts",
  ]);
  assert.equal(
    tell(twice).at(-1),
    "npm test: 800 processor seconds in 20 files; 400 on 2026-11-23",
  );
});
