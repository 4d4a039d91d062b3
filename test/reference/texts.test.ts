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
    // Generated Java is compiled as US-ASCII where the system's locale says no other encoding.
    assert.match(text, /^[\x20-\x7e\n]*$/);
  }
});

/**
 * What keeps a word of the original: an entry of its catalogue, a credential as it is, and what its
 * gateway has.
 */
const OLDER = [
  "CatalogueEntry.policy_id",
  "ClassicApproval.policy_id",
  "GatewayChange.policies",
  "GatewayInput.policies",
  "OpenedOneTimeLink.policy_id",
  "Replacement.policy_id",
  "SyncedGateway.policies",
];

Deno.test("texts: under /v1 a plan is called a plan, but in documents of the original", () => {
  // as: two of the members of such a document.
  const { paths, components: { schemas } } = toOpenApi(endpoints, "1.0.0", "3.2") as {
    paths: Record<string, unknown>;
    components: { schemas: Record<string, unknown> };
  };
  const found = new Set<string>();
  const seen = new Set<string>();
  const look = (value: unknown, owner: string) => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, inside] of Object.entries(value)) {
      if (name === "properties") {
        for (const member of Object.keys(inside)) {
          if (/polic/i.test(member)) found.add(`${owner}.${member}`);
        }
      }
      const named = name === "$ref" ? String(inside).split("/").at(-1) ?? "" : "";
      if (named === "") look(inside, owner);
      else if (!seen.has(named)) {
        seen.add(named);
        look(schemas[named], named);
      }
    }
  };
  for (const [path, item] of Object.entries(paths)) if (path.startsWith("/v1/")) look(item, path);
  assert.ok(seen.size > 100);
  assert.deepEqual([...found].sort(), OLDER);
});

/** Every description, wherever it stands but in examples. */
function descriptionsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inside]) => {
    if (name === "example" || name === "examples") return [];
    return name === "description" && typeof inside === "string" ? [inside] : descriptionsOf(inside);
  });
}
