/** Where documents begin and end in a stream of JSON. */
import assert from "node:assert/strict";
import {
  BROKEN_OFF,
  cutDocuments,
  NO_DOCUMENT,
} from "../../../src/maintenance/import/cut-documents.ts";

/**
 * The texts that are cut out of a text which comes in pieces of so many bytes, or why one is none.
 */
async function cut(text: string, size: number, listed: boolean): Promise<string[]> {
  const bytes = new TextEncoder().encode(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const found: string[] = [];
  for await (const one of cutDocuments(pieces(), { listed })) {
    found.push("text" in one ? one.text : one.problem);
  }
  return found;
}

const ONE = '{"a":"}{\\"ä","b":{"c":[{}]}}';
const TWO = '{"d":"[{"}';

Deno.test("cut documents: what an answer lists is cut out, wherever its pieces end", async () => {
  const answers = [`{"Data":[${ONE}, ${TWO}],"Pages":3}`, ` [${ONE},${TWO}] `];
  for (const size of [1, 2, 3, 7, 1000]) {
    for (const answer of answers) assert.deepEqual(await cut(answer, size, true), [ONE, TWO]);
    assert.deepEqual(await cut(`${ONE}\n${TWO}\n`, size, false), [ONE, TWO]);
    assert.deepEqual(await cut('{"Data":[],"Pages":0}', size, true), []);
    assert.deepEqual(await cut("", size, true), []);
  }
});

Deno.test("cut documents: an answer that breaks off is told, also between two objects", async () => {
  for (const answer of [`{"Data":[${ONE},`, `{"Data":[${ONE},{"d":`]) {
    assert.deepEqual(await cut(answer, 5, true), [ONE, BROKEN_OFF]);
  }
});

Deno.test("cut documents: what is no object between objects is told, each run of it once", async () => {
  const files: [text: string, ...found: string[]][] = [
    ["_id,email\n1,ada@example.org\n", NO_DOCUMENT],
    [`${ONE}\n"d":7}\n${TWO}\n`, ONE, NO_DOCUMENT, TWO],
    [`[1, ${ONE}, null, "x", ${TWO}]`, NO_DOCUMENT, ONE, NO_DOCUMENT, TWO],
    [`\ufeff[\r\n\t${ONE},\r\n${TWO}]\n`, ONE, TWO],
    [`[${ONE},\n`, ONE, BROKEN_OFF],
    [" \n[]\n"],
  ];
  for (const [text, ...found] of files) {
    for (const size of [1, 3, 1000]) assert.deepEqual(await cut(text, size, false), found, text);
  }
});
