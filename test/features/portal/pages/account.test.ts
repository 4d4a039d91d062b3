/** What developers change of themselves at their pages, and what failures say. */
import assert from "node:assert/strict";
import { choicesOf } from "../../../../src/features/developers/developer-choices.ts";
import { failurePage } from "../../../../src/features/portal/pages/failure-pages.ts";
import { textsFor } from "../../../../src/features/portal/pages/texts.ts";
import { type FailureCode, failureCodes } from "../../../../src/kernel/failure-codes.ts";
import { Failure } from "../../../../src/kernel/failure.ts";
import { PSEUDO } from "../../../../src/kernel/pseudo-text.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { codesOf, openPages, registered, signInByLink } from "../../../support/developers.ts";
import { Browser, signInAtPages } from "../../../support/portal.ts";

const ACCOUNT = "/portal/account";

async function begin(desk: TestDesk) {
  await succeed(desk, "POST", "/api/portal/configuration", {
    body: { signup_fields: [{ name: "company", required: false }] },
  });
  await openPages(desk, { passwords: true });
  const { id, email } = await registered(desk, "dev-ada");
  return { id, email, ada: await signInAtPages(desk, email) };
}

Deno.test("portal pages: every failure is told by the catalogues, in German too", () => {
  const mirrored = textsFor(PSEUDO, null);
  // as: these are the table's keys.
  for (const code of Object.keys(failureCodes) as FailureCode[]) {
    const failure = new Failure(code, { message: "An English sentence", details: ["English"] });
    const shown = failurePage(mirrored, failure, "/portal").body.text.replaceAll(/<[^>]*>/g, " ")
      .replaceAll(`(${code})`, "");
    assert.deepEqual(shown.match(/[A-Za-z]{2,}/g) ?? [], [], code);
    const german = failurePage(textsFor("de", null), failure, "/portal").body.text;
    assert.doesNotMatch(german, /English|The |That /, code);
  }
});

testOnEngines(
  "portal account: name and fields are changed, and nothing that is not asked for",
  async (desk) => {
    const { ada, id } = await begin(desk);
    const evil = `"><script>alert(1)</script>`;
    const path = `${ACCOUNT}/profile`;
    const saved = await ada.submit(await ada.get(ACCOUNT), path, {
      "field-0": "Ada Lovelace",
      "field-1": evil,
      "field-7": "nobody asked",
    });
    const page = await ada.follow(saved);
    assert.match(page.words, /Saved\. .*Ada Lovelace/);
    assert.doesNotMatch(page.text, /<script>/);
    const { fields } = await succeed<{ fields: unknown }>(desk, "GET", `/v1/developers/${id}`);
    assert.deepEqual(fields, { name: "Ada Lovelace", company: evil });
    const long = await ada.submit(page, path, { "field-0": "x".repeat(1001) });
    assert.equal(long.status, 400);
    assert.match(long.words, /longer than 1,000 characters/);
  },
);

testOnEngines("portal account: which mails one gets is chosen there", async (desk) => {
  const { ada } = await begin(desk);
  const path = `${ACCOUNT}/mails`;
  const page = await ada.get(ACCOUNT);
  assert.match(page.text, /name="quota"\s+checked/);
  const saved = await ada.submit(page, path, { language: "de", key_ends: "on" });
  const after = await ada.follow(saved);
  assert.doesNotMatch(after.text, /name="quota"\s+checked/);
  assert.match(after.text, /name="key_ends"\s+checked/);
  assert.match(after.text, /<option value="de"\s+selected/);
  assert.equal((await ada.submit(after, path, { language: "xx" })).status, 400);
});

testOnEngines(
  "portal account: the language that one chooses for the pages is that of the mails, too",
  async (desk) => {
    const { ada, id } = await begin(desk);
    const path = "/portal/language";
    await ada.submit(await ada.get(ACCOUNT), `${ACCOUNT}/mails`, { language: "", key_ends: "on" });
    const chosen = () => choicesOf(desk.app.ctx.storage.reader, desk.org_id, id);
    const page = await ada.get(ACCOUNT);
    await ada.follow(await ada.submit(page, path, { language: "de" }));
    assert.deepEqual(await chosen(), { language: "de", quota: false, ends: true });
    assert.equal((await ada.submit(page, path, { language: "xx" })).status, 400);
    // Without the session's token a form speaks for the browser alone.
    for (const csrf of ["", "somebody else's"]) {
      const plain = await ada.post(path, { language: "en", to: ACCOUNT, csrf });
      assert.deepEqual([plain.status, plain.location], [303, ACCOUNT]);
      assert.equal(ada.cookies.get("keydesk_language"), "en");
    }
    const nobody = new Browser(desk);
    await nobody.submit(await nobody.get("/portal/sign-in"), path, { language: "en" });
    assert.equal(nobody.cookies.get("keydesk_language"), "en");
    assert.equal((await chosen()).language, "de");
  },
);

testOnEngines(
  "portal account: another address is taken by a code that was mailed there",
  async (desk) => {
    const { ada, id } = await begin(desk);
    const path = `${ACCOUNT}/email`;
    const none = await ada.submit(await ada.get(ACCOUNT), path, { email: "nowhere" });
    assert.match(none.words, /no e-mail address/);
    const asked = await ada.submit(await ada.get(ACCOUNT), path, { email: "ada@new.example" });
    const entering = await ada.follow(asked);
    assert.match(entering.words, /on their way to ada@new\.example/);
    const wrong = await ada.submit(entering, `${path}/code`, { code: "000 00" });
    assert.match(wrong.words, /digits are not valid/);
    const [newest] = await codesOf(desk);
    assert.deepEqual([newest?.purpose, newest?.email], ["change", "ada@new.example"]);
    const taken = await ada.submit(entering, `${path}/code`, { code: newest?.code ?? "" });
    assert.match((await ada.follow(taken)).words, /The new address is yours/);
    const { email } = await succeed<{ email: string }>(desk, "GET", `/v1/developers/${id}`);
    assert.equal(email, "ada@new.example");
  },
);

testOnEngines(
  "portal account: a password that is chosen signs in, and ends other sessions",
  async (desk) => {
    const { ada, email } = await begin(desk);
    const other = await signInAtPages(desk, email);
    const path = `${ACCOUNT}/password`;
    const weak = await ada.submit(await ada.get(ACCOUNT), path, { password: "short" });
    assert.match(weak.words, /too short/);
    const password = "a tide of forty metres";
    const set = await ada.submit(await ada.get(ACCOUNT), path, { password });
    assert.match((await ada.follow(set)).words, /The password is changed/);
    assert.equal((await other.get(ACCOUNT)).status, 303, "signed out elsewhere");
    const fresh = new Browser(desk);
    const signIn = await fresh.get("/portal/sign-in");
    const entered = await fresh.submit(signIn, "/portal/sign-in", { email, password });
    assert.equal(entered.status, 303, entered.words);
  },
);

testOnEngines(
  "portal account: a token is shown once, opens what it says, and ends",
  async (desk) => {
    const { ada } = await begin(desk);
    const path = `${ACCOUNT}/tokens`;
    for (const days of ["0", "91", "x", "1.5"]) {
      const fields = { "token-name": "Nightly", scope: "look", days };
      assert.equal((await ada.submit(await ada.get(ACCOUNT), path, fields)).status, 400, days);
    }
    const made = await ada.submit(await ada.get(ACCOUNT), path, {
      "token-name": "Nightly <b>",
      scope: "look",
      days: "90",
    });
    const [, token = ""] = />(kdd_\w+)</.exec(made.text) ?? [];
    const ask = (method: string, at: string) =>
      desk.send(method, at, {
        credential: null,
        headers: { authorization: `Bearer ${token}`, host: "desk.test" },
      });
    assert.equal((await ask("GET", "/v1/my")).status, 200);
    const page = await ada.get(ACCOUNT);
    assert.ok(!page.text.includes(token));
    assert.match(page.words, /Nightly <b> .*reads, and changes nothing/);
    const end = page.forms().find(({ action }) => action.startsWith(`${path}/`))?.action ?? "";
    assert.match((await ada.follow(await ada.submit(page, end))).words, /token is no longer valid/);
    assert.equal((await ask("GET", "/v1/my")).status, 401);
  },
);

testOnEngines(
  "portal account: a session that a portal opened changes neither address, password nor tokens",
  async (desk) => {
    const { id } = await begin(desk);
    const { cookie } = await signInByLink(desk, id);
    const browser = new Browser(desk);
    const [name = "", value = ""] = cookie.split("=");
    browser.setCookie(name, value);
    const page = await browser.get(ACCOUNT);
    const sent = async (what: string, fields: Record<string, string>) =>
      (await browser.submit(page, `${ACCOUNT}/${what}`, fields)).location;
    assert.equal(await sent("email", { email: "eve@example.org" }), `/portal/prove?to=${ACCOUNT}`);
    const again = `${ACCOUNT}/again`;
    assert.equal(await sent("password", { password: "a tide of forty metres" }), again);
    const token = { "token-name": "x", scope: "keys", days: "1" };
    assert.equal(await sent("tokens", token), again);
    assert.match((await browser.get(again)).words, /Sign in once more/);
  },
);

testOnEngines(
  "portal account: colours and shortcuts are the browser's own, all texts the catalogues'",
  async (desk) => {
    const { ada } = await begin(desk);
    const chosen = await ada.submit(await ada.get(ACCOUNT), "/portal/look", { theme: "dark" });
    const page = await ada.follow(chosen);
    assert.match(page.text, /<html [^>]*data-theme="dark"\s+data-no-shortcuts/);
    assert.equal((await ada.submit(page, "/portal/look", { theme: "pink" })).status, 400);
    await succeed(desk, "PUT", "/v1/branding", { body: { name: "123" } });
    ada.setCookie("keydesk_language", PSEUDO);
    for (const path of [ACCOUNT, `${ACCOUNT}/again`, `${ACCOUNT}?done=email`]) {
      const { text } = await ada.get(path);
      const shown = text.replace(/^[\s\S]*<body>/, "").replaceAll(/<time[\s\S]*?<\/time>/g, "")
        .replaceAll(/<option value="\w\w"[\s\S]*?<\/option>/g, "").replaceAll(/<[^>]*>/g, " ")
        .replaceAll(/dev-ada@example\.org|Company/g, "");
      assert.deepEqual(shown.match(/[A-Za-z]{2,}/g) ?? [], [], path);
    }
  },
);
