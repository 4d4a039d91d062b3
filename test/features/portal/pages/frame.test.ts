/** The developer's pages: who reads them, what they never do, in which languages. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { runInNewContext } from "node:vm";
import { html } from "../../../../src/features/portal/pages/html.ts";
import { maskedToken, unmaskedToken } from "../../../../src/features/portal/pages/portal-pages.ts";
import { placeIn } from "../../../../src/features/portal/pages/page.ts";
import german from "../../../../src/features/portal/pages/texts-de.json" with { type: "json" };
import english from "../../../../src/features/portal/pages/texts-en.json" with { type: "json" };
import { PSEUDO } from "../../../../src/kernel/pseudo-text.ts";
import { textsFor } from "../../../../src/features/portal/pages/texts.ts";
import { succeed } from "../../../support/companions.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { codesOf, openPages, registered, signInByLink } from "../../../support/developers.ts";
import { Browser, signInAtPages } from "../../../support/portal.ts";

Deno.test("portal pages: whatever is put into a template is text, in attributes too", () => {
  const evil = `"><script>alert('1')</script>&`;
  const safe = "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;";
  assert.equal(
    html`<a title="${evil}">${[evil, null, false, undefined, 0]}</a>`.text,
    `<a title="${safe}">${safe}0</a>`,
  );
  assert.equal(html`<b>${html`<i>${"<"}</i>`}</b>`.text, "<b><i>&lt;</i></b>");
});

Deno.test("portal pages: a form's token is another text each time, and the same token", () => {
  const token = "0123456789abcdef".repeat(4);
  const [one, other] = [maskedToken(token), maskedToken(token)];
  assert.notEqual(one, other);
  assert.deepEqual([unmaskedToken(one), unmaskedToken(other)], [token, token]);
  for (const none of ["", "abc", "zz".repeat(64), "00".repeat(10_000)]) {
    assert.notEqual(unmaskedToken(none), token);
  }
});

const SCRIPT = new URL("../../../../src/features/portal/pages/portal.browser.js", import.meta.url);

Deno.test("portal pages: g and k go to the keys, and not from within a field", async () => {
  const listeners = new Map<string, (event: unknown) => void>();
  const went: string[] = [];
  const document = {
    documentElement: { lang: "en", dataset: {} },
    querySelectorAll: () => [],
    querySelector: (selector: string) => selector === "nav.main" ? {} : null,
    addEventListener: (name: string, heard: (event: unknown) => void) => listeners.set(name, heard),
  };
  runInNewContext(await readFile(SCRIPT, "utf8"), {
    document,
    performance,
    location: { assign: (path: string) => went.push(path) },
    addEventListener: () => {},
  });
  const press = (key: string, field: unknown) =>
    listeners.get("keydown")?.({ key, target: { closest: () => field } });
  for (const key of ["g", "k"]) press(key, {});
  assert.deepEqual(went, []);
  for (const key of ["g", "k"]) press(key, null);
  assert.deepEqual(went, ["/portal/keys"]);
});

Deno.test("portal pages: no address leads on to another site", () => {
  for (
    const wanted of [
      "//evil.example",
      "https://evil.example",
      "/portal//evil",
      "/console",
      "/portal/../console",
      "/portal\r\nx: y",
      "",
      null,
    ]
  ) {
    assert.equal(placeIn(wanted), "/portal", String(wanted));
  }
  assert.equal(placeIn("/portal/keys/0a1b"), "/portal/keys/0a1b");
});

Deno.test("portal texts: both languages have the same texts with the same values", () => {
  assert.deepEqual(Object.keys(german), Object.keys(english));
  const values = (text: string) =>
    [...text.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name).sort();
  for (const [key, text] of Object.entries(english)) {
    // as: the line above compared the keys.
    const other = german[key as keyof typeof english];
    assert.deepEqual(values(other), values(text), key);
    assert.ok(other.trim() !== "" && text.trim() !== "", key);
  }
});

Deno.test("portal texts: the reader's choice wins, then their browser's, then English", () => {
  const languageOf = (chosen: string | undefined, accepted: string | null) =>
    textsFor(chosen, accepted).language;
  assert.equal(languageOf(undefined, "fr, de;q=0.8, en;q=0.5"), "de");
  assert.equal(languageOf(undefined, "de;q=0, en"), "en");
  assert.equal(languageOf("en", "de-AT"), "en");
  assert.equal(languageOf(undefined, "de-AT"), "de");
  assert.equal(languageOf("constructor", "x".repeat(5000)), "en");
  assert.equal(
    textsFor("de", null).say("failed.wait", { seconds: 1 }).includes("1 Sekunde "),
    true,
  );
});

testOnEngines("portal pages: off they are one plain page, 404", async (desk) => {
  const page = await new Browser(desk).get("/portal");
  assert.equal(page.status, 404);
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  assert.match(page.words, /There is no developer portal at this address/);
});

testOnEngines("portal pages: who is not signed in comes to the sign-in and back", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  const browser = new Browser(desk);
  const first = await browser.get("/portal/account");
  assert.deepEqual([first.status, first.location], [303, "/portal/sign-in?to=/portal/account"]);
  const page = await browser.follow(first);
  const asked = await browser.post("/portal/sign-in", { to: "/portal/account", email });
  assert.equal(page.status, 200);
  const codePage = await browser.follow(asked);
  assert.match(codePage.text, /autocomplete="one-time-code"/);
  const [right] = await codesOf(desk);
  const wrong = await browser.submit(codePage, "/portal/sign-in/code", { code: "12345" });
  assert.equal(wrong.status, 400);
  const done = await browser.submit(codePage, "/portal/sign-in/code", {
    code: ` ${right?.code.slice(0, 3)} ${right?.code.slice(3)}`,
  });
  assert.equal(done.location, "/portal/account");
  const account = await browser.follow(done);
  assert.match(account.words, new RegExp(email));
  assert.equal(account.headers.get("cache-control"), "no-store");
  const policy = account.headers.get("content-security-policy") ?? "";
  assert.doesNotMatch(policy, /unsafe/);
  assert.doesNotMatch(account.text, /<style|\sstyle=|\son[a-z]+=|<script(?! src="\/portal\/)/);
  const out = await browser.submit(account, "/portal/sign-out");
  assert.equal((await browser.get("/portal/account")).status, 303);
  assert.equal(out.location, "/portal/sign-in");
});

testOnEngines(
  "portal pages: a known address and an unknown one are answered alike",
  async (desk) => {
    await openPages(desk);
    const { email } = await registered(desk, "dev-ada");
    const ask = async (address: string) => {
      const browser = new Browser(desk);
      const page = await browser.follow(await browser.post("/portal/sign-in", { email: address }));
      return page.text.replaceAll(address, "ADDRESS");
    };
    assert.equal(await ask(email), await ask("ada@nowhere.example"));
  },
);

testOnEngines("portal pages: a form without the session's token changes nothing", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  const browser = await signInAtPages(desk, email);
  for (const csrf of ["", "00".repeat(64)]) {
    const refused = await browser.post("/portal/account/sessions", csrf === "" ? {} : { csrf });
    assert.equal(refused.status, 403);
    assert.match(refused.words, /did not come from these pages/);
  }
  const account = await browser.get("/portal/account");
  const hidden = account.forms().find(({ action }) => action === "/portal/sign-out")?.hidden ?? {};
  browser.headers["sec-fetch-site"] = "cross-site";
  assert.equal((await browser.post("/portal/sign-out", hidden)).status, 403);
  assert.equal((await browser.post("/portal/sign-in", { email })).status, 403);
  browser.headers["sec-fetch-site"] = "same-origin";
  assert.equal((await browser.get("/portal/account")).status, 200);
});

testOnEngines(
  "portal pages: a developer's token and the console's session open none",
  async (desk) => {
    await openPages(desk);
    const { email } = await registered(desk, "dev-ada");
    const signed = await signInAtPages(desk, email);
    const browser = new Browser(desk);
    browser.headers.authorization = `Bearer ${desk.admin}`;
    assert.equal((await browser.get("/portal/account")).status, 303);
    const secret = [...signed.cookies].find(([name]) => name.endsWith("developer"))?.[1] ?? "";
    browser.setCookie("keydesk_session", secret);
    assert.equal((await browser.get("/portal/account")).status, 303);
  },
);

testOnEngines(
  "portal pages: what a developer and an administrator wrote stays text",
  async (desk) => {
    const evil = `<script>alert("x")</script>`;
    await succeed(desk, "PUT", "/v1/branding", { body: { name: `Brand ${evil}` } });
    await succeed(desk, "PUT", "/v1/developer-pages", { body: { enabled: true, sign_up: "open" } });
    const browser = new Browser(desk);
    const asked = await browser.post("/portal/sign-in", { email: "grace@example.org" });
    await browser.follow(asked);
    await succeed(desk, "POST", "/v1/developers", {
      body: { id: "dev-eve", email: "eve@example.org", fields: { name: evil } },
    });
    const eve = await signInAtPages(desk, "eve@example.org");
    for (const path of ["/portal/account", "/portal/sign-in", `/portal/sign-in?to=${evil}`]) {
      const page = await eve.get(path);
      assert.doesNotMatch(page.text, /<script>/, path);
    }
    assert.match((await eve.get("/portal/account")).words, /<script>alert\("x"\)<\/script>/);
  },
);

testOnEngines("portal pages: another's session is not there", async (desk) => {
  await openPages(desk);
  const ada = await registered(desk, "dev-ada");
  const grace = await registered(desk, "dev-grace");
  const hers = await signInAtPages(desk, ada.email);
  const others = await signInAtPages(desk, grace.email);
  await signInAtPages(desk, grace.email);
  const account = await others.get("/portal/account");
  const action = account.forms().map((form) => form.action)
    .find((one) => /sessions\/./.test(one)) ?? "";
  const { hidden } = (await hers.get("/portal/account")).forms()
    .find((form) => form.action === "/portal/sign-out") ?? { hidden: {} };
  assert.equal((await hers.post(action, hidden)).status, 404);
  assert.equal((await others.submit(account, action)).location, "/portal/account");
});

testOnEngines("portal pages: a session of a back end proves itself by a code", async (desk) => {
  await openPages(desk);
  const { id } = await registered(desk, "dev-ada");
  const { cookie } = await signInByLink(desk, id);
  const browser = new Browser(desk);
  const [name = "", value = ""] = cookie.split("=");
  browser.setCookie(name, value);
  const page = await browser.get("/portal/prove?to=/portal/account");
  const sent = await browser.submit(page, "/portal/prove");
  const entering = await browser.follow(sent);
  const [newest] = await codesOf(desk);
  const done = await browser.submit(entering, "/portal/prove", { code: newest?.code ?? "" });
  assert.equal(done.location, "/portal/account");
});

testOnEngines(
  "portal pages: every text is of a catalogue, also from right to left",
  async (desk) => {
    await succeed(desk, "PUT", "/v1/branding", {
      body: { name: "123", support: "1@example.org" },
    });
    await openPages(desk, { sign_up: "domains", mail_domains: ["example.org"] });
    await registered(desk, "dev-ada", "1@example.org");
    const browser = await signInAtPages(desk, "1@example.org");
    browser.setCookie("keydesk_language", PSEUDO);
    for (
      const path of [
        "/portal/account",
        "/portal/sign-in",
        "/portal/sign-in/code",
        "/portal/prove",
        "/portal/enter",
        "/portal/nowhere",
      ]
    ) {
      const page = await browser.get(path);
      assert.match(page.text, new RegExp(`<html lang="${PSEUDO}" dir="rtl"`), path);
      const shown = page.text.replace(/^[\s\S]*<body>/, "").replaceAll(/<time[\s\S]*?<\/time>/g, "")
        .replaceAll(/<option[\s\S]*?<\/option>/g, "").replaceAll("1@example.org", "")
        .replaceAll(/<[^>]*>/g, " ");
      assert.deepEqual(shown.match(/[A-Za-z]{2,}/g) ?? [], [], path);
    }
    browser.setCookie("keydesk_language", "de");
    const german = await browser.get("/portal/account");
    assert.match(german.words, /Überall abmelden/);
    const chosen = await browser.submit(german, "/portal/language", { language: "en" });
    assert.equal(browser.cookies.get("keydesk_language"), "en");
    assert.equal(chosen.location, "/portal/account");
  },
);

testOnEngines("portal pages: style and script are kept by the browser, and small", async (desk) => {
  await openPages(desk);
  await succeed(desk, "PUT", "/v1/branding", { body: { name: "Coastal", colour: "#0f6b5c" } });
  const browser = new Browser(desk);
  const page = await browser.get("/portal/sign-in");
  const files = [...page.text.matchAll(/(?:href|src)="(\/portal\/portal\.[^"]+)"/g)];
  assert.equal(files.length, 2);
  let bytes = 0;
  for (const [, path = ""] of files) {
    const answer = await desk.app.fetch(
      new Request(`http://desk.test${path}`, {
        headers: { host: "desk.test", "accept-encoding": "br" },
      }),
    );
    assert.match(answer.headers.get("cache-control") ?? "", /immutable/);
    assert.equal(answer.headers.get("content-encoding"), "br");
    bytes += (await answer.arrayBuffer()).byteLength;
  }
  assert.ok(bytes < 9 * 1024, `${bytes} bytes`);
  const css = await browser.get(files[0]?.[1] ?? "");
  assert.match(css.text, /--accent:light-dark\(#0f6b5c,/);
});

Deno.test("portal pages: six digits are sent once, also if Enter follows them", async () => {
  type Heard = (event: unknown) => void;
  const heard = new Map<string, Heard>();
  let sent = 0;
  const submit = () => {
    let isPrevented = false;
    heard.get("submit")?.({ preventDefault: () => isPrevented = true });
    if (!isPrevented) sent++;
  };
  const hear = (name: string, one: Heard) => heard.set(name, one);
  const form = { dataset: {}, requestSubmit: submit, addEventListener: hear };
  const input = { value: "", form, addEventListener: hear };
  runInNewContext(await readFile(SCRIPT, "utf8"), {
    document: {
      documentElement: { lang: "en", dataset: {} },
      querySelectorAll: (selector: string) => selector === "input.digits" ? [input] : [],
      querySelector: () => null,
      addEventListener: () => {},
    },
    performance,
    addEventListener: hear,
  });
  for (const value of ["12345", "12345a", "123456"]) {
    input.value = value;
    heard.get("input")?.({});
  }
  submit();
  assert.equal(sent, 1);
  // Back from the next page, the form works anew.
  heard.get("pageshow")?.({});
  submit();
  assert.equal(sent, 2);
});
