/** Pages of links in mails stand in their catalogues: whole in each language, nothing outside. */
import assert from "node:assert/strict";
import confirmScript from "../../../src/features/portal/emails/confirm.browser.js?text" with {
  type: "text",
};
import confirmGerman from "../../../src/features/portal/emails/confirm-texts-de.json" with {
  type: "json",
};
import confirmEnglish from "../../../src/features/portal/emails/confirm-texts-en.json" with {
  type: "json",
};
import linkScript from "../../../src/features/keys/one-time-links/link.browser.js?text" with {
  type: "text",
};
import offerScript from "../../../src/features/key-requests/offer.browser.js?text" with {
  type: "text",
};
import offerGerman from "../../../src/features/key-requests/offer-texts-de.json" with {
  type: "json",
};
import offerEnglish from "../../../src/features/key-requests/offer-texts-en.json" with {
  type: "json",
};
import { PSEUDO } from "../../../src/kernel/pseudo-text.ts";
import { openTestDesk, type TestDesk } from "../../support/desk.ts";

const pages = {
  "/offer": { english: offerEnglish, german: offerGerman, script: linkScript + offerScript },
  "/confirm": {
    english: confirmEnglish,
    german: confirmGerman,
    script: linkScript + confirmScript,
  },
};
const valuesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

const read = (desk: TestDesk, path: string, accepted: string) =>
  desk.send("GET", path, { credential: null, headers: { "accept-language": accepted } });

for (const [path, { english, german, script }] of Object.entries(pages)) {
  const texts: Readonly<Record<string, string>> = english;
  const inGerman: Readonly<Record<string, string>> = german;

  Deno.test(`${path} languages: German has every text, with the same values`, () => {
    assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort());
    for (const [key, text] of Object.entries(texts)) {
      assert.deepEqual(valuesIn(inGerman[key] ?? ""), valuesIn(text), key);
    }
  });

  Deno.test(`${path} languages: the reader's first one that there is, and nothing else`, async () => {
    await using desk = await openTestDesk("sqlite");
    const german = await read(desk, path, "fr, de-AT;q=0.8, en;q=0.5");
    const page = await german.text();
    assert.match(page, /<html lang="de" dir="ltr">/);
    assert.ok(page.includes(`<h1 id="title">${inGerman.title}</h1>`));
    assert.match(german.headers.get("vary") ?? "", /accept-language/i);
    for (const none of ["", "fr", "*", "x".repeat(5000)]) {
      assert.match(await (await read(desk, path, none)).text(), /<html lang="en" dir="ltr">/);
    }
    const pseudo = await (await read(desk, path, PSEUDO)).text();
    assert.match(pseudo, new RegExp(`<html lang="${PSEUDO}" dir="rtl">`));
    const shown = pseudo.replaceAll(/<script type="application\/json".*?<\/script>/gs, "")
      .replaceAll(/<[^>]+>/g, "\n").split("\n").map((line) => line.trim());
    for (const line of shown) {
      // The desk's own name, until the script has the organisation's.
      if (line === "" || line === "Keydesk") continue;
      assert.match(line.replaceAll(/⟦[^⟧]*⟧/g, ""), /^[\s.]*$/, line);
    }
  });

  Deno.test(`${path} languages: its script says nothing but what stands in the page`, () => {
    const used = [...script.matchAll(/words\(\s*"([\w.]+)"/g)].map(([, key = ""]) => key);
    assert.ok(used.length > 5);
    for (const key of used) {
      assert.ok(Object.keys(english).some((one) => one.startsWith(key)), `there is no text ${key}`);
    }
    for (const [, text = ""] of script.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)) {
      if (text === "use strict") continue;
      assert.doesNotMatch(text, /\p{L}{2,} \p{L}{2,}|^\p{Lu}\p{Ll}+/u, text);
    }
  });
}
