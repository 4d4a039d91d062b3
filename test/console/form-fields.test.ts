/** Where a form shows what the server refuses of it, as its declared fields say. */
import assert from "node:assert/strict";
import { type FormFields, placesOf } from "../../console/parts/form-fields.tsx";

const draft = { name: "", kind: "a", opens: true, pinned: false, from: "", map: "" };
type Draft = typeof draft;

Deno.test("form fields: what is refused of a member stands at its field, also of one in a row", () => {
  const fields: FormFields<Draft> = [
    { of: "name", label: "Name" },
    { class: "pair", fields: [{ of: "from", label: "From" }] },
    [{ of: "kind", label: "Kind", options: [{ value: "a", text: "A" }] }],
  ];
  assert.deepEqual(placesOf(draft, fields), { name: "name", from: "from", kind: "kind" });
});

Deno.test("form fields: a tick and what is not shown have no place, a choice of two has one", () => {
  const fields: FormFields<Draft> = [
    { of: "opens", label: "Opens" },
    { of: "pinned", label: "Pins", options: [{ value: true, text: "Yes" }] },
    false,
    null,
    "",
  ];
  assert.deepEqual(placesOf(draft, fields), { pinned: "pinned" });
});

Deno.test("form fields: a field shows the refusals of the member that it names", () => {
  assert.deepEqual(placesOf<Draft>(draft, { of: "from", label: "From", error: "map" }), {
    map: "map",
  });
});
