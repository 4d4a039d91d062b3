/** Attaching a key to a developer's stored text, without reading all of it. */
import fc from "fast-check";
import assert from "node:assert/strict";
import { attachKey } from "../../../src/features/developers/developer-text.ts";
import {
  type Developer,
  emptyDeveloper,
  splitSecrets,
  withIssuedKey,
} from "../../../src/features/developers/developer.ts";

/** Texts that look like the places which are searched for. */
const nasty = fc.constantFrom(
  ',"keys":{',
  '},"subscriptions":{',
  '},"fields":{',
  '"',
  "{",
  "constructor",
  "12",
);
const word = fc.oneof(
  fc.string(),
  nasty,
  fc.tuple(nasty, fc.string()).map((both) => both.join("")),
  // V8 15.0 reads a member whose name ends with an escape like an earlier one whose name ends with
  // a backslash.
).filter((text) => !text.includes("\\"));
const nested = fc.letrec((tie) => ({
  value: fc.oneof(word, fc.dictionary(word, tie("value"), { maxKeys: 3 })),
})).value;

const developer: fc.Arbitrary<Developer> = fc.record({
  email: word,
  keys: fc.dictionary(word, fc.array(word, { maxLength: 3 }), { maxKeys: 4 }),
  subscriptions: fc.dictionary(word, word, { maxKeys: 4 }),
  fields: fc.dictionary(fc.oneof(word, fc.constant("keys")), nested, { maxKeys: 4 }),
  // as: whatever stands in a free form is kept as it came.
}).map((members) => ({ ...emptyDeveloper("d"), ...members }) as Developer);

const issued = fc.record({
  key_id: fc.stringMatching(/^[a-z][0-9a-f]{8}$/),
  plans: fc.array(word, { minLength: 1, maxLength: 3 }),
});

Deno.test("attach a key: the text is what reading, changing and writing would make", () => {
  fc.assert(
    fc.property(developer, issued, (full, key) => {
      const { document } = splitSecrets(full);
      const attached = attachKey(JSON.stringify(document), key);
      if (JSON.stringify(full.email).includes('":{') && attached === undefined) return;
      assert.equal(attached, JSON.stringify(splitSecrets(withIssuedKey(full, key)).document));
    }),
    { numRuns: 5000 },
  );
});

Deno.test("attach a key: a text with another order of members is left to be read", () => {
  const { keys: _, ...others } = emptyDeveloper("d");
  const reordered = JSON.stringify({ ...others, fields: { a: { keys: {} } }, keys: {} });
  assert.equal(attachKey(reordered, { key_id: "k", plans: ["p"] }), undefined);
  const { fields: __, ...rest } = emptyDeveloper("d");
  const first = JSON.stringify({ fields: { x: "", keys: {} }, ...rest });
  assert.equal(attachKey(first, { key_id: "k", plans: ["p"] }), undefined);
});

Deno.test("attach a key: a key that stands there already, and an OAuth client, are left to be read", () => {
  const full = withIssuedKey(emptyDeveloper("d"), { key_id: "k", plans: ["p"] });
  assert.equal(attachKey(JSON.stringify(full), { key_id: "k", plans: ["q"] }), undefined);
  const oauth_client = {
    client_id: "c",
    secret: "s",
    redirect_uri: "",
    app_description: "",
    use_case: "",
    date_created: "",
  };
  const client = { key_id: "o", plans: ["p"], oauth_client };
  assert.equal(attachKey(JSON.stringify(full), client), undefined);
});
