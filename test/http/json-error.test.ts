/** Where malformed JSON is malformed. */
import fc from "fast-check";
import assert from "node:assert/strict";
import { jsonErrorPlace } from "../../src/http/json-body.ts";
import { effort } from "../support/effort.ts";

Deno.test("json error: the place is the first character that no JSON could have there", () => {
  const cases: [text: string, line: number, column: number][] = [
    ["", 1, 1],
    [" \n ", 2, 2],
    ["[".repeat(40), 1, 41],
    ["[1,]", 1, 4],
    ["[1 2]", 1, 4],
    ["[}", 1, 2],
    ['{"a" 1}', 1, 6],
    ['{"a":1,}', 1, 8],
    ['{"a":1]', 1, 7],
    ["{1:2}", 1, 2],
    ["\r\n\r[\n01]", 4, 2],
    ["1.x", 1, 3],
    ["1e+", 1, 4],
    ["-", 1, 2],
    ["nope", 1, 1],
    ['["a', 1, 4],
    ['["\\x"]', 1, 4],
    ['["\\u00g0"]', 1, 7],
    ['["\\u12"]', 1, 7],
    ['["a\u0001"]', 1, 4],
    ["[] []", 1, 4],
  ];
  for (const [text, line, column] of cases) {
    assert.deepEqual(jsonErrorPlace(text), { line, column }, JSON.stringify(text));
  }
});

Deno.test("json error: the engine says the same wherever it says a place", () => {
  const pieces = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    '"a"',
    '"b":',
    "1",
    "0",
    "-",
    ".",
    "e",
    "+",
    " ",
    "\n",
    "true",
    "null",
    "\\",
    "\\u00",
    "\u0001",
    "x",
    "{}",
    "[]",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      const { line, column } = jsonErrorPlace(text);
      try {
        JSON.parse(text);
      } catch (error) {
        const told = /\(line (\d+) column (\d+)\)/.exec(
          error instanceof Error ? error.message : "",
        );
        // Of an escape that is cut short the engine names the whole.
        if (told && !/\\|Unterminated string/.test(`${text}${error}`)) {
          assert.deepEqual([line, column], told.slice(1).map(Number), text);
        }
      }
    }),
    { numRuns: 20_000 * effort },
  );
});
