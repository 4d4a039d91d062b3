import assert from "node:assert/strict";
import { canonicalJson } from "../../src/kernel/canonical-json.ts";

Deno.test("canonical JSON: the example of RFC 8785, and members that JSON leaves out", () => {
  const value = JSON.parse(
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
    "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
  );
  const expected =
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
    String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`;
  assert.equal(canonicalJson(value), expected);
  const order = {
    "\u20ac": 1,
    "\r": 2,
    "\ufb33": 3,
    "1": 4,
    "\ud83d\ude00": 5,
    "\u0080": 6,
    "\u00f6": 7,
  };
  const places = [...canonicalJson(order).matchAll(/:(\d)/g)].map(([, place]) => Number(place));
  assert.deepEqual(places, [2, 4, 6, 7, 1, 5, 3]);
  assert.equal(canonicalJson({ b: undefined, a: [undefined] }), '{"a":[null]}');
});
