import assert from "node:assert/strict";
import { apartFromPersonal, withPersonal } from "../../src/changes/personal.ts";

const details: Record<string, unknown>[] = [
  {},
  { a: 1, b: null, c: [1, null, ""], d: { e: {} } },
  { by_user: "ada@example.org" },
  { "a/b~c": { "~1": "x@y" }, list: ["x@y", 5, ["deep@example.org"], { in: "a@b" }] },
  JSON.parse(`{"__proto__":{"mail":"a@b","n":1},"constructor":"a@b"}`),
];

Deno.test("personal: what stands apart holds every address, and comes back to its place", () => {
  for (const detail of details) {
    const { detail: rest, personal } = apartFromPersonal(detail);
    assert.doesNotMatch(JSON.stringify(rest), /@/);
    const stored = [
      JSON.parse(JSON.stringify(rest)),
      JSON.parse(JSON.stringify(personal)),
    ] as const;
    const again = withPersonal(...stored);
    assert.deepEqual(sorted(again), sorted(detail));
  }
});

Deno.test("personal: an address as a member's name stays in no detail either", () => {
  const detail = { after: { "ada@example.org": "x", "bob@example.org": { n: 1 }, n: 2 } };
  const { detail: rest, personal } = apartFromPersonal(detail);
  assert.deepEqual(rest, { after: { n: 2 } });
  assert.deepEqual(withPersonal(rest, personal), {
    after: { "ada@example.org": "x", "bob@example.org": '{"n":1}', n: 2 },
  });
});

Deno.test("personal: a place that is not there is made, and nothing else is touched", () => {
  const detail = { after: 3 };
  const personal = { "/before/name": "Ada", "/after/name": "lost", "/__proto__/x": "y" };
  const whole = withPersonal(detail, personal);
  assert.deepEqual(Object.keys(whole), ["after", "before", "__proto__"]);
  assert.deepEqual(whole.before, { name: "Ada" });
  assert.equal(whole.after, 3);
  assert.deepEqual(detail, { after: 3 });
  assert.equal(Reflect.get({}, "x"), undefined);
});

Deno.test("personal: an @ between blanks is no address", () => {
  const detail = { note: "5 @ night", per: "a @b" };
  assert.deepEqual(apartFromPersonal(detail), { detail, personal: {} });
});

/** As text, in which the order of members says nothing. */
function sorted(value: unknown): string {
  return JSON.stringify(
    value,
    (_, one) =>
      typeof one === "object" && one !== null && !Array.isArray(one)
        ? Object.entries(one).toSorted(([a], [b]) => a < b ? -1 : 1)
        : one,
  );
}
