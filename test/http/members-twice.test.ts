/** Members that stand twice: found in the text, since a parser takes the last and says nothing. */
import assert from "node:assert/strict";
import { membersTwice } from "../../src/http/members-twice.ts";

Deno.test("members twice: each object by itself, at any depth, however a name is written", () => {
  for (
    const [text, expected] of [
      ['{"a":1,"a":2}', ["a"]],
      [' { "a" : [ ] ,\n"b":{} , "a" : { } } ', ["a"]],
      ['{"a":{"a":1},"b":[{"a":1},{"a":2}],"\\u0061":3}', ["a"]],
      ['[{"x":1,"y":[{"z":1,"z":1}],"x":1}]', ["z", "x"]],
      ['{"a":1,"a":2,"a":3}', ["a", "a"]],
      ['{"":1,"":2,"__proto__":1,"__proto__":2}', ["", "__proto__"]],
      ['{"a\\\\":1,"a\\"":2,"a\\\\":3}', ["a\\"]],
      ['{"a":"b,\\"a\\":","c":["a","a"],"d":"a"}', []],
      ['{"a":1,"A":2,"b":{"c":1},"c":2}', []],
      ["[]", []],
      ["1", []],
      ['"a"', []],
      ["", []],
    ] as const
  ) assert.deepEqual(membersTwice(text), expected, text);
});

Deno.test("members twice: no more are told than a hundred", () => {
  const text = `{${'"a":1,'.repeat(1000)}"b":2}`;
  assert.equal(membersTwice(text).length, 100);
});
