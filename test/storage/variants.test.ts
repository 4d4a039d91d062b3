import assert from "node:assert/strict";
import { variants } from "../../src/storage/variants.ts";

Deno.test("variants: a shape is made once, when it is first asked for", () => {
  let made = 0;
  const of = variants((table: string, limit: number) => ({ table, limit, made: ++made }));
  assert.equal(made, 0);
  const first = of("claims", 10);
  assert.deepEqual(first, { table: "claims", limit: 10, made: 1 });
  assert.equal(of("claims", 10), first);
  assert.equal(made, 1);
});

Deno.test("variants: two shapes never share what is made", () => {
  const of = variants((...shape: unknown[]) => ({ shape }));
  const shapes = [
    [],
    [1],
    ["1"],
    [true],
    ["true"],
    ["a", "b"],
    ["a,b"],
    [["a", "b"]],
    [null],
    [{
      limit: 1,
      descending: true,
    }],
    [{ limit: 1, descending: false }],
    [{ limit: 1 }, true],
  ];
  for (const shape of shapes) of(...shape);
  for (const shape of shapes) assert.deepEqual(of(...shape).shape, shape);
});

Deno.test("variants: shapes with equal members are one shape", () => {
  const of = variants((shape: { limit: number; descending: boolean }) => ({ shape }));
  assert.equal(of({ limit: 1, descending: true }), of({ limit: 1, descending: true }));
});
