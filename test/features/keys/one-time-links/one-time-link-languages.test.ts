/**
 * The page of a one-time link stands in its catalogues: whole in each language, and nothing outside
 * of them.
 */
import assert from "node:assert/strict";
import script from "../../../../src/features/keys/one-time-links/one-time-link.browser.js?text" with {
  type: "text",
};
import german from "../../../../src/features/keys/one-time-links/one-time-link-texts-de.json" with {
  type: "json",
};
import english from "../../../../src/features/keys/one-time-links/one-time-link-texts-en.json" with {
  type: "json",
};
import { oneTimeLinkLanguage } from "../../../../src/features/keys/one-time-links/one-time-link-texts.ts";
import { PSEUDO } from "../../../../src/kernel/pseudo-text.ts";
import { openTestDesk } from "../../../support/desk.ts";

const valuesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

Deno.test("one-time link languages: German has every text, with the same values", () => {
  assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort());
  for (const [key, text] of Object.entries(english)) {
    // as: both have the same keys.
    assert.deepEqual(valuesIn(german[key as keyof typeof english]), valuesIn(text), key);
  }
});

Deno.test("one-time link languages: the reader's first one that there is", () => {
  assert.equal(oneTimeLinkLanguage("fr, de-AT;q=0.8, en;q=0.5").tag, "de");
  assert.equal(oneTimeLinkLanguage("de;q=0.2, en-GB").tag, "en");
  for (const none of [null, "", "fr", "*", "x".repeat(100_000)]) {
    assert.equal(oneTimeLinkLanguage(none).tag, "en");
  }
});

Deno.test("one-time link languages: no text of the page stands outside of its catalogue", async () => {
  await using desk = await openTestDesk("sqlite");
  const page = await desk.send("GET", "/claim", {
    credential: null,
    headers: { "accept-language": PSEUDO },
  });
  const html = await page.text();
  assert.match(page.headers.get("vary") ?? "", /accept-language/i);
  assert.match(html, new RegExp(`<html lang="${PSEUDO}" dir="rtl">`));
  const shown = html.replaceAll(/<script type="application\/json".*?<\/script>/gs, "")
    .replaceAll(/<[^>]+>/g, "\n").split("\n").map((line) => line.trim());
  for (const line of shown) {
    // The desk's own name, until the script has the organisation's.
    if (line === "" || line === "Keydesk") continue;
    assert.match(line.replaceAll(/⟦[^⟧]*⟧/g, ""), /^[\s.]*$/, line);
  }
});

Deno.test("one-time link languages: the page's script says nothing but what stands in it", () => {
  const used = new Set<string>();
  for (const [, key = ""] of script.matchAll(/words\((?:[^()"]*\? )?"([\w.]+)"/g)) used.add(key);
  for (const key of used) {
    assert.ok(Object.keys(english).some((one) => one.startsWith(key)), `there is no text ${key}`);
  }
  // Sentences and words that people would read: two words in a row, or one with a capital.
  const technical =
    /^(use strict$|Keydesk$|curl |.*\\n {2}-[uHd]|.*-d grant_type|\$|Authorization)/;
  for (const [, text = ""] of script.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)) {
    if (technical.test(text)) continue;
    assert.doesNotMatch(text, /\p{L}{2,} \p{L}{2,}|^\p{Lu}\p{Ll}+/u, text);
  }
});
