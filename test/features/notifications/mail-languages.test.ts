/** Developers' mails stand in the catalogues, whole in each language. */
import assert from "node:assert/strict";
import { mailKinds } from "../../../src/contract/mail-kinds.ts";
import { mailDefaults, mailWords } from "../../../src/contract/mail-names.ts";
import { composeMail } from "../../../src/features/notifications/compose-mail.ts";
import { exampleFacts } from "../../../src/features/notifications/example-facts.ts";
import { germanMails, germanWords } from "../../../src/features/notifications/mail-texts-de.ts";

const own = { organisation: "Coastal Data", colour: "", support: "a@b.example", configuration: "" };
const others = ["approvers", "owner", "person", "alarmed", "assignee", "mentioned", "deciders"]
  .concat("administrators");
const forDevelopers = mailKinds.filter(({ to }) => !others.includes(to));

/** A mail in a language, as its reader chose. */
function mailIn(reads: string, kind: typeof mailKinds[number], days = 30) {
  const facts = { ...exampleFacts(kind.name, { ...own, configuration: undefined }), reads, days };
  const link = { url: "https://desk.example.org/claim#t", expires_at: "2027-01-02T03:04:05Z" };
  return {
    facts,
    mail: composeMail({
      facts,
      config: mailDefaults,
      publicUrl: "https://desk.example.org",
      defaultFrom: "keys@desk.example.org",
      link: kind.button && kind.name !== "developer.invited" ? link : undefined,
      missing: 1,
    }),
  };
}

Deno.test("mail languages: every mail of developers is there in German, with the same values", () => {
  const names = forDevelopers.map(({ name }) => name).sort();
  assert.deepEqual(Object.keys(germanMails).sort(), names);
  assert.deepEqual(Object.keys(germanWords).sort(), Object.keys(mailWords).sort());
  for (const kind of forDevelopers) {
    const texts = germanMails[kind.name];
    assert.equal(texts?.button === undefined, kind.button === undefined, kind.name);
    for (const part of ["subject", "text"] as const) {
      const german = [...(texts?.[part] ?? "").matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name);
      const english = [...kind[part].matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
      assert.deepEqual([...new Set(german)].sort(), [...new Set(english)].sort(), kind.name);
    }
  }
});

Deno.test("mail languages: no text of a German mail stands outside of the catalogue", () => {
  for (const kind of forDevelopers) {
    const { facts, mail } = mailIn("de", kind);
    assert.equal(mail.language, "de", kind.name);
    const english = mailIn("en", kind).mail;
    const named = facts.plans.flatMap(({ name, apis }) => [name, ...apis]);
    const values = [...Object.values(facts), ...named].filter((value) =>
      typeof value === "string" && value !== ""
    );
    const words = (text: string) => {
      let left = text.replaceAll(/https?:\S+/g, "").replaceAll("API:", "").replaceAll("Plan:", "");
      for (const value of values) left = left.replaceAll(String(value), "");
      return left.match(/\p{L}{4,}( \p{L}+)*/gu) ?? [];
    };
    const theirs = new Set([...words(english.text), ...words(english.subject)]);
    const shared = [...words(mail.text), ...words(mail.subject)].filter((one) => theirs.has(one));
    assert.deepEqual(shared, [], `${kind.name}: in both languages`);
    assert.doesNotMatch(mail.text + mail.subject, /[{}]/, kind.name);
    assert.match(mail.html, /<html lang="de">/);
  }
});

Deno.test("mail languages: German counts one day as one", () => {
  const kind = mailKinds.find(({ name }) => name === "key.expires_soon");
  assert.ok(kind);
  assert.match(mailIn("de", kind, 1).mail.text, /Es bleibt 1 Tag\./);
  assert.match(mailIn("de", kind, 3).mail.text, /Es bleiben 3 Tage\./);
});
