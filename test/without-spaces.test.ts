/** Scripts of the package: fewer characters, the same words on the same lines. */
import assert from "node:assert/strict";
import { parseSync } from "rolldown/utils";
import { withoutSpaces } from "../tools/without-spaces.ts";

const SCRIPTS: Readonly<Record<string, string>> = {
  "signs that would become others": "a = b + +c - -d + ++e;\n\tx = a < !--b;\n\ty = a-- > b;",
  "a regular expression": "x = / a  b / in c;\n\ty = a / / b /.exec(c).index / d;",
  "texts": "x = \" a  b \" + ' c ' + ` d  ${ e + f }  g\n\t h `;",
  "words": "async function* f() {\n\tfor await (const a of b) yield typeof a;\n\treturn void 0;\n}",
  "numbers": "x = 1 .toFixed() + 0 in a;",
  "comments": "/*! A  notice */\nf( 1 ); // a  word\n// src/a  b.ts\ng( );",
  "names beyond ASCII": "\u00e4 = b in \u00f6;",
};

for (const [what, script] of Object.entries(SCRIPTS)) {
  Deno.test(`without spaces: ${what} mean the same, on the same lines`, () => {
    const short = withoutSpaces("a.cjs", script);
    assert.ok(short.length < script.length, short);
    assert.equal(short.split("\n").length, script.split("\n").length);
    assert.equal(wordsOf(short), wordsOf(script));
  });
}

Deno.test("without spaces: what is no script is refused", () => {
  assert.throws(() => withoutSpaces("a.cjs", "const = 1"), /a\.cjs: /);
});

/** The tree of the script, without its positions. */
function wordsOf(script: string): string {
  const { program } = parseSync("a.cjs", script, { sourceType: "commonjs" });
  return JSON.stringify(program, (name, value) => ["start", "end"].includes(name) ? 0 : value);
}
