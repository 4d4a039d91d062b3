/** The texts of the document, as the reference page shows them. */
import assert from "node:assert/strict";
import { toOpenApi } from "../../src/reference/openapi.ts";
import { endpoints } from "../../src/reference/registry.ts";

/**
 * What Markdown would make something of that the page shows as it is: links, lists, headings,
 * emphasis, HTML.
 */
const MARKS = [
  /\]\(/,
  /^\s*([-*+>]|\d+\.|#+)\s/m,
  /\*\*?\w/,
  /(^|\s)_\w/,
  /<\/?[a-z]/i,
  /[^\n]\n[^\n]/,
];

Deno.test("texts: descriptions are paragraphs with code between backticks, and have no other marks", () => {
  const texts = descriptionsOf(toOpenApi(endpoints, "1.0.0", "3.2"));
  assert.ok(texts.length > 500);
  for (const text of texts) {
    const parts = text.split("`");
    assert.equal(parts.length % 2, 1, `a backtick without another: ${text}`);
    const plain = parts.filter((_, i) => i % 2 === 0).join("code");
    assert.deepEqual(MARKS.filter((mark) => mark.test(plain)), [], text);
  }
});

/** Every description, wherever it stands but in examples. */
function descriptionsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inside]) => {
    if (name === "example" || name === "examples") return [];
    return name === "description" && typeof inside === "string" ? [inside] : descriptionsOf(inside);
  });
}
