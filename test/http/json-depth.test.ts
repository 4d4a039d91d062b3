/** How deep JSON is, before any of it is built. */
import assert from "node:assert/strict";
import { isNestedDeeper } from "../../src/http/json-body.ts";

Deno.test("json depth: arrays and objects count alike, what stands in texts does not", () => {
  const cases: [text: string, depth: number][] = [
    ["", 0],
    ["1", 0],
    ["[]", 1],
    ['{"a":[{}]}', 3],
    ["[[],[],{}]", 2],
    ['["[[[[", {"{{": "}]"}]', 2],
    ['["\\"[[", "\\\\", []]', 2],
    ["[[[[", 4],
  ];
  for (const [text, depth] of cases) {
    assert.equal(isNestedDeeper(text, depth), false, text);
    if (depth > 0) assert.equal(isNestedDeeper(text, depth - 1), true, text);
  }
});
