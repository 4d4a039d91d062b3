/**
 * Accessibility of the developer's pages (WCAG 2.2 AA): every page in each of its states, also as
 * an administrator sees it. In the short form each state in one theme and one of three widths; the
 * long form (`npm run test:long`) takes four widths in both themes, and goes through all again in
 * German and in mirrored pseudo-texts at the narrowest.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { effort } from "../../test/support/effort.ts";
import { PSEUDO } from "../../src/kernel/pseudo-text.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { screenshotFolder, visit, type Visitor } from "./browser.ts";
import { badNames, COLOURS, cutOff, lostFocus, violationsOf } from "./look.ts";
import { fillPortal, openPortalDesk, type PortalDesk, send } from "./portal-desk.ts";

const THEMES = ["light", "dark"] as const;
const WIDTHS = effort === 1 ? [320, 390, 1440] : [320, 390, 768, 1440];
/** One way to look: a width and a theme. */
type Mode = readonly [number, (typeof THEMES)[number]];
const every = (widths: readonly number[]): Mode[] =>
  widths.flatMap((width) => THEMES.map((theme): Mode => [width, theme]));

/** A state: its name, and how one comes to it. */
type State = readonly [string, (page: Page) => Promise<unknown>];

interface Looker {
  readonly desk: PortalDesk;
  readonly visitor: Visitor;
  readonly id: string;
  readonly language: string;
  readonly found: string[];
  seen: number;
}

/** Looks at states one after the other. */
async function lookAt(looker: Looker, states: readonly State[]): Promise<void> {
  const { visitor: { page }, language, found } = looker;
  for (const [name, open] of states) {
    await open(page);
    const modes = every(WIDTHS);
    const wanted = effort === 1
      ? modes.filter((_, at) => at === looker.seen % modes.length)
      : language === "en"
      ? modes
      : [[320, "light"] as const];
    looker.seen++;
    // What folds is looked at unfolded.
    await page.evaluate(() => {
      for (const one of document.querySelectorAll("details")) one.open = true;
    });
    for (const [at, [width, theme]] of wanted.entries()) {
      await page.setViewportSize({ width, height: width < 640 ? 780 : 900 });
      await page.emulateMedia({ colorScheme: theme });
      // What a page is made of is the same in both themes.
      const isSame = theme === "dark" && wanted.length > 1;
      const violations = await violationsOf(page, isSame ? COLOURS : undefined);
      // Pseudo-texts are of no language that axe could know.
      const isTests = (line: string) => language === PSEUDO && line.startsWith("html-lang-valid:");
      const lines = violations.filter((line) => !isTests(line));
      if (!isSame) lines.push(...await cutOff(page));
      if (width < 640) lines.push(...await misplacedBar(page));
      if (at === 0) lines.push(...await badNames(page));
      if (width === 390 && !isSame) lines.push(...await lostFocus(page));
      found.push(...lines.map((line) => `${name}, ${language}, ${width} px, ${theme}: ${line}`));
      if (Deno.env.get("KEYDESK_SCREENSHOTS")) {
        const file = `${name} ${language} ${width} ${theme}.png`;
        await page.screenshot({ path: join(screenshotFolder, "portal", file), fullPage: true });
      }
    }
  }
}

/** What is wrong with the places' bar of a phone, where a page has one. */
async function misplacedBar(page: Page): Promise<string[]> {
  const [box] = await page.evaluate(() =>
    [...document.querySelectorAll("nav.main")].map((bar) => ({
      below: innerHeight - bar.getBoundingClientRect().bottom,
      heights: [...bar.querySelectorAll("a")].map((one) => one.getBoundingClientRect().height),
    }))
  );
  if (!box) return [];
  const isWell = Math.abs(box.below) < 1 && box.heights.length === 3 &&
    box.heights.every((height) => height >= 44);
  return isWell ? [] : [`the bar: ${JSON.stringify(box)}`];
}

const go = (path: string) => (page: Page) => page.goto(path);
const sent =
  (path: string, action: string, fields: Readonly<Record<string, string>> = {}) =>
  async (page: Page) => {
    await page.goto(path);
    await send(page, action, fields);
  };

/** What whoever is not signed in sees. The last one signs in. */
function strangersStates({ desk, id }: Looker): State[] {
  const email = `${id}@example.org`;
  return [
    ["open catalogue", go("/portal")],
    ["open API", go("/portal/apis/Tides")],
    ["sign-in", go("/portal/sign-in")],
    [
      "password refused",
      sent("/portal/sign-in", "/portal/sign-in", { email, password: "no" }),
    ],
    ["sign-up", go("/portal/sign-up")],
    ["no link", go("/portal/enter")],
    ["link gone", sent("/portal/enter", "/portal/enter")],
    ["no code asked for", go("/portal/sign-in/code")],
    ["no such page", go("/portal/nowhere")],
    ["refused", sent("/portal/sign-in", "/portal/sign-in", { email: "nobody" })],
    ["code", sent("/portal/sign-in", "/portal/sign-in", { email })],
    ["wrong code", (page) => send(page, "/portal/sign-in/code", { code: "12345" })],
    ["catalogue", async (page) => {
      await send(page, "/portal/sign-in/code", { code: await desk.codeFor(email) });
      await page.waitForURL(/\/portal$/);
    }],
  ];
}

/** What a developer sees who has something in each state, but what ends with the page. */
function readStates(keys: Readonly<Record<string, string>>, ids: PortalDesk["ids"]): State[] {
  return [
    ["catalogue found", go("/portal?q=tides")],
    ["catalogue found nothing", go("/portal?q=nothing")],
    ["API", async (page) => {
      await page.goto("/portal");
      await page.locator("main h2 a").first().click();
      await page.locator(".compare").waitFor();
    }],
    ["documentation", go("/portal/apis/Tides")],
    ["documentation that can't be read", go("/portal/apis/Waves")],
    ["documentation as text", go("/portal/apis/Wind")],
    ["no documentation", go("/portal/apis/Currents")],
    ["ask at once", go(`/portal/ask/${ids.Free}`)],
    ["ask for approval", go(`/portal/ask/${ids.Partners}`)],
    ["requests", go("/portal/requests")],
    ["keys", go("/portal/keys")],
    ["keys that are over", go("/portal/keys?state=over")],
    ...Object.entries(keys).map(([name, id]): State => [`key ${name}`, go(`/portal/keys/${id}`)]),
    ["account", go("/portal/account")],
    ["another's key", go(`/portal/keys/${"0".repeat(64)}`)],
  ];
}

const LONG_AGO = { until: "2026-01-31", why: "The pilot goes on" };
const LATER = { until: "2099-01-31", why: "The pilot goes on" };

/** What a developer sees after they did something. */
function doneStates(
  keys: Readonly<Record<string, string>>,
  { server, ids }: PortalDesk,
): State[] {
  const at = (name: string) => `/portal/keys/${keys[name]}`;
  return [
    ["ask without an answer", sent(`/portal/ask/${ids.Partners}`, `/portal/ask/${ids.Partners}`)],
    ["wrong name", sent(at("Used"), `${at("Used")}/end`, { name: "another" })],
    ["an earlier end", sent(at("Ends in 10 days"), `${at("Ends in 10 days")}/later-end`, LONG_AGO)],
    ["a later end", sent(at("Ends in 10 days"), `${at("Ends in 10 days")}/later-end`, LATER)],
    ["requests with a later end", go("/portal/requests")],
    ["suspended by me", async (page) => {
      await sent(at("Mine to suspend"), `${at("Mine to suspend")}/suspend`)(page);
    }],
    ["new key", sent(at("Ready"), `${at("Ready")}/open`)],
    ["new key that was called", async (page) => {
      const key = (await page.locator("#key").innerText()).trim();
      await server.call("POST", "/v1/keys/verify", { key });
      await page.locator("[data-first-call].good").waitFor();
    }],
    ["new key by rotation", sent(at("Rotated"), `${at("Rotated")}/rotate`)],
    ["rotated, the old one", go(at("Rotated"))],
    ["rotated, the new one", async (page) => {
      await page.goto(at("Rotated"));
      await page.locator("p.card a").click();
      await page.locator("form.card.row").waitFor();
    }],
    ["turned down", async (page) => {
      await page.goto("/portal/requests");
      const action = await page.locator("form[action$=answer]").first().getAttribute("action");
      await send(page, action ?? "", { words: "We need more." });
    }],
    ["words added", async (page) => {
      await page.goto("/portal/requests");
      const action = await page.locator("form[action$=words]").first().getAttribute("action");
      await send(page, action ?? "", { words: "It is for the winter timetable." });
    }],
    ["withdrawn", async (page) => {
      await page.goto("/portal/requests");
      const action = await page.locator("form[action$=withdraw]").first().getAttribute("action");
      await send(page, action ?? "");
    }],
    ["weak password", sent("/portal/account", "/portal/account/password", { password: "short" })],
    [
      "new token",
      sent("/portal/account", "/portal/account/tokens", { name: "Robot", days: "30" }),
    ],
    ["account with a token", go("/portal/account")],
    ["saved", sent("/portal/account", "/portal/account/profile")],
    [
      "another address",
      sent("/portal/account", "/portal/account/email", { email: "other@example.org" }),
    ],
    ["fresh sign-in", go("/portal/account/again")],
    ["prove", go("/portal/prove")],
    ["offline", async (page) => {
      await page.goto("/portal/keys");
      await page.context().setOffline(true);
      await page.locator("[data-offline]:not([hidden])").waitFor();
    }],
  ];
}

async function lookThrough(desk: PortalDesk, language: string, found: string[]): Promise<number> {
  const id = `ada-${language}`;
  const browser = await sharedBrowser();
  await using _browser = browser;
  const { server } = desk;
  const keys = await fillPortal(desk, id);
  const open = async () => {
    const visitor = await visit(browser, { base: server.url, expected: /status of 4\d\d/ });
    await visitor.context.addCookies([
      { name: "keydesk_language", value: language, url: server.url },
    ]);
    visitor.page.on("dialog", (dialog) => void dialog.accept());
    return visitor;
  };
  await using visitor = await open();
  const looker: Looker = { desk, visitor, id, language, found, seen: 0 };
  await lookAt(looker, strangersStates(looker));
  await lookAt(looker, readStates(keys, desk.ids));
  await lookAt(looker, doneStates(keys, desk));
  found.push(...visitor.complaints);

  const enter = async (path: string) => {
    // as: the answer of both.
    const { token } = await server.call("POST", path) as { token: string };
    const other = await open();
    await other.page.goto(`/portal/enter#${token}`);
    await other.page.locator("nav.main").waitFor();
    return other;
  };
  await using seeing = await enter(`/v1/developers/${id}/views`);
  const seen = { ...looker, visitor: seeing };
  const views = readStates(keys, desk.ids).map(([name, go]): State => [`seen ${name}`, go]);
  await lookAt(
    seen,
    effort === 1 ? views.filter(([name]) => /ask|req|keys$|Used|acc/.test(name)) : views,
  );
  found.push(...seeing.complaints);

  const nobody = `new-${language}`;
  await server.call("POST", "/v1/developers", { id: nobody, email: `${nobody}@example.org` });
  await using fresh = await enter(`/v1/developers/${nobody}/sign-in-links`);
  const first = { ...seen, visitor: fresh };
  await lookAt(first, [
    ["first visit", go("/portal")],
    ["no requests", go("/portal/requests")],
    ["no keys", go("/portal/keys")],
    ["no keys that are over", go("/portal/keys?state=over")],
    ["a code is needed", go("/portal/account/email")],
    ["off", async (page) => {
      await server.call("PUT", "/v1/developer-pages", { enabled: false });
      await page.goto("/portal");
    }],
  ]);
  await server.call("PUT", "/v1/developer-pages", { enabled: true, sign_up: "open" });
  found.push(...fresh.complaints);
  return first.seen;
}

Deno.test("portal: every state of every page meets WCAG 2.2 AA from 320 to 1,440 pixels, also where it is only seen", async () => {
  await using desk = await openPortalDesk();
  const { server, ids } = desk;
  await server.call("PUT", "/v1/apis/Tides", { visibility: "public" });
  await server.call("PUT", `/v1/plans/${ids.Free}`, { price_text: "Free of charge" });
  const found: string[] = [];
  let states = 0;
  for (const language of effort === 1 ? ["en"] : ["en", "de", PSEUDO]) {
    states += await lookThrough(desk, language, found);
  }
  assert.deepEqual(found, []);
  assert.ok(states > 60, `${states} states`);
});
