/** Which tests a change reaches: tools/changed.ts. */
import assert from "node:assert/strict";
import { type Imports, reachedBy } from "../tools/changed.ts";

const TESTS = [
  "test/boundaries.test.ts",
  "test/features/keys/revoke.test.ts",
  "test/features/plans/plans.test.ts",
  "test/features/usage/usage.test.ts",
  "test/pages.test.ts",
  "test/whole/all.test.ts",
  "system/features/keys/keys.test.ts",
];
const FEATURES = ["keys", "plans", "usage", ..."abcdef"].map((name) =>
  `src/features/${name}/${name}.ts`
);
const IMPORTS: Imports = new Map([
  ["test/features/keys/revoke.test.ts", ["test/support/desk.ts"]],
  ["test/features/plans/plans.test.ts", ["src/features/plans/plans.ts", "test/support/desk.ts"]],
  ["test/features/usage/usage.test.ts", ["test/support/used.ts"]],
  ["test/whole/all.test.ts", ["test/support/desk.ts"]],
  ["test/support/used.ts", ["src/features/keys/keys.ts"]],
  ["test/support/desk.ts", ["src/server.ts"]],
  ["src/server.ts", FEATURES],
  ["src/features/plans/plans.ts", ["src/features/keys/keys.ts"]],
]);
const texts: Record<string, string> = { "test/pages.test.ts": `readDir("docs/guides/")` };

function reached(...changes: string[]): string[] {
  const [, ...others] = reachedBy(changes, {
    tests: TESTS,
    imports: IMPORTS,
    textOf: (file) => texts[file] ?? "",
  });
  return others;
}

Deno.test("changed: a file's feature, what imports it and what imports that, not the whole program", () => {
  assert.deepEqual(reached("src/features/keys/keys.ts"), [
    "test/features/keys/revoke.test.ts",
    "test/features/plans/plans.test.ts",
    "test/features/usage/usage.test.ts",
    "system/features/keys/keys.test.ts",
  ]);
  assert.deepEqual(reached("src/features/plans/plans.ts"), ["test/features/plans/plans.test.ts"]);
});

Deno.test("changed: a test reaches itself, a helper those that use it", () => {
  assert.deepEqual(reached("test/features/usage/usage.test.ts"), [
    "test/features/usage/usage.test.ts",
  ]);
  assert.deepEqual(reached("test/support/used.ts"), ["test/features/usage/usage.test.ts"]);
});

Deno.test("changed: a page that no test imports reaches those that name it or its folder", () => {
  assert.deepEqual(reached("docs/guides/first.md"), ["test/pages.test.ts"]);
  assert.deepEqual(reached("docs/pictures/first.png"), []);
});

Deno.test("changed: the tests of the tree's shape run with every change, with none nothing does", () => {
  const graph = { tests: TESTS, imports: IMPORTS, textOf: () => "" };
  assert.deepEqual(reachedBy(["LICENSE"], graph), ["test/boundaries.test.ts"]);
  assert.deepEqual(reachedBy([], graph), []);
});
