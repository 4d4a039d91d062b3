/** What a run of tests says of its cost: tools/costs.ts. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { aboveBudget, type Cost, costsOf, linesOf } from "../tools/costs.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));

Deno.test("costs: each file of a process has what that took while it ran, by processor and clock", () => {
  const notes = [
    `7 begins 2 100 ${repository}.tmp/tests/a-and-b.test.ts`,
    `7 ends 2.5 101 ${repository}.tmp/tests/a-and-b.test.ts`,
    `7 begins 2.5 101 ${repository}test/a.test.ts`,
    `8 begins 1 100 ${repository}system/c.test.ts`,
    `7 ends 7.5 111 ${repository}test/a.test.ts`,
    `7 begins 7.5 111 ${repository}test/b.test.ts`,
    `8 ends 11 120 ${repository}system/c.test.ts`,
    `7 ends 8.5 114 ${repository}test/b.test.ts`,
  ];
  const { files, sum } = costsOf(`${notes.join("\n")}\n`);
  assert.deepEqual([...files].toSorted(), [
    ["system/c.test.ts", [10, 20]],
    ["test/a.test.ts", [5, 10]],
    ["test/b.test.ts", [1, 3]],
  ]);
  assert.equal(sum, 19.5);
});

Deno.test("costs: a file above its budget is named, a slower machine and a new file are not", () => {
  const before = Array.from(
    { length: 20 },
    (_, at) => [`test/${at}.test.ts`, [20, 30]] as readonly [string, Cost],
  );
  const last = { when: "2026-11-23", sum: 400, files: Object.fromEntries(before) };
  const twice = new Map(before.map(([file]) => [file, [40, 30] as Cost]));
  const known = new Map<string, Cost>([...twice, ["test/new.test.ts", [90, 90]]]);
  assert.deepEqual(aboveBudget(known, last), []);
  const dearer = new Map<string, Cost>([
    ...before,
    ["test/3.test.ts", [60, 30]],
    ["test/new.test.ts", [30, 30]],
  ]);
  assert.deepEqual(aboveBudget(dearer, last), ["test/3.test.ts"]);
  assert.deepEqual(linesOf(dearer, 800, last, false).slice(1 + 10), [
    "ABOVE BUDGET:",
    "    60.0 test/3.test.ts, 20.0 before",
    "800 processor seconds in 21 files; 400 on 2026-11-23",
  ]);
});
