/**
 * Accessibility of everything that the console shows (WCAG 2.2 AA): each of the views in one of the
 * themes and in a window of 1280 pixels at 400 %, every other one in forced colours. The long form
 * (`npm run test:long`) looks at each in every window, theme and spacing of text.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { repository } from "../../test/support/command.ts";
import { effort } from "../../test/support/effort.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import {
  type DemoServer,
  openSession,
  screenshotFolder,
  signIn,
  sizes,
  startDemoServer,
  visit,
  type Visitor,
} from "./browser.ts";
import { badNames, COLOURS, cutOff, lostFocus, settled, violationsOf } from "./look.ts";
import { shownTwice } from "./shown-twice.ts";
import { addressOf, emptyViews, readersViews, strangersViews, type View, views } from "./views.ts";
import { fillWholeDesk, type Ids } from "./whole-desk.ts";

/** One way to look at a view. */
interface Mode {
  readonly size: { width: number; height: number };
  readonly theme: "light" | "dark";
  readonly forced?: true;
  /** As much space between letters, words and lines as WCAG 1.4.12 asks for. */
  readonly spaced?: true;
  /** Axe's rules; absent: all; empty: axe is not asked. */
  readonly rules?: readonly string[];
  /** Names are looked at in one mode of each theme at most: they are the same in all. */
  readonly isFirst?: true;
  /** Whether the focus goes through everything. */
  readonly walked?: true;
}

const zoomed = { width: 320, height: 256 };
const windows = {
  zoomed,
  narrow: { width: 320, height: 640 },
  phone: { width: 390, height: 844 },
  side: { width: 844, height: 390 },
};

/**
 * The long form: what lies where is the same in both themes and, in windows of one width, on all
 * their heights, and of text that has more space it is asked what is cut off. So axe is asked for
 * everything in the light in each width, and in the dark for what colours change.
 */
const everyMode: Readonly<Record<string, Mode>> = {
  light: { size: sizes.desk, theme: "light", isFirst: true, walked: true },
  dark: { size: sizes.desk, theme: "dark", isFirst: true },
  "light spaced": { size: sizes.desk, theme: "light", spaced: true, rules: [] },
  "light forced": { size: sizes.desk, theme: "light", forced: true, walked: true, rules: COLOURS },
  "dark forced": { size: sizes.desk, theme: "dark", forced: true, rules: COLOURS },
  ...Object.fromEntries(
    Object.entries(windows).flatMap(([name, size]): [string, Mode][] => [
      [`light ${name}`, {
        size,
        theme: "light",
        walked: true,
        ...name === "narrow" ? { rules: [] } : {},
      }],
      [`light ${name} spaced`, { size, theme: "light", spaced: true, rules: [] }],
      [`dark ${name}`, { size, theme: "dark", rules: name === "narrow" ? [] : COLOURS }],
    ]),
  ),
};

/**
 * How the n-th view is looked at. Views are made of the same parts, and axe takes most of the time:
 * in the short form it sees neighbours in another theme each, the even ones in forced colours, the
 * odd ones at 400 %. What is cut off or can't be reached there is asked of all.
 */
function modesOf(at: number): Readonly<Record<string, Mode>> {
  if (effort !== 1) return everyMode;
  const isEven = at % 2 === 0;
  const theme = isEven ? "light" : "dark";
  return {
    [theme]: { size: sizes.desk, theme, isFirst: true },
    ...isEven ? { forced: { size: sizes.desk, theme, forced: true, rules: COLOURS } } : {},
    zoomed: { size: zoomed, theme, walked: true, ...isEven ? { rules: [] } : {} },
  };
}

/** What is wrong with what a page shows now, a line for each. */
async function look(
  page: Page,
  { name, isPhones }: View,
  modes: Readonly<Record<string, Mode>>,
): Promise<string[]> {
  const found: string[] = [];
  for (const [modeName, mode] of Object.entries(modes)) {
    const { size, theme, forced, spaced, rules, walked, isFirst } = mode;
    await page.setViewportSize(isPhones && size === sizes.desk ? sizes.phone : size);
    await page.emulateMedia({ colorScheme: theme, forcedColors: forced ? "active" : "none" });
    await page.evaluate((isSpaced) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        isSpaced
          ? "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }"
          : "",
      );
      document.adoptedStyleSheets = [sheet];
    }, spaced ?? false);
    await settled(page);
    const say = (kind: string, lines: readonly string[]) =>
      found.push(...lines.map((line) => `${name}, ${modeName}, ${kind}: ${line}`));
    if (rules?.length !== 0) say("axe", await violationsOf(page, rules));
    if (size.width < 400 || spaced) say("cut", await cutOff(page));
    if (isFirst) say("names", await badNames(page));
    if (walked) say("focus", await lostFocus(page));
    if (Deno.env.get("KEYDESK_SCREENSHOTS")) {
      await page.screenshot({ path: join(screenshotFolder, "axe", `${name} ${modeName}.png`) });
    }
  }
  await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
  await page.setViewportSize(sizes.desk);
  return found;
}

/**
 * Closes a dialog or menu by Esc: what has the focus then is what had it before, never the page as
 * a whole.
 */
async function leave(page: Page, name: string): Promise<string[]> {
  const dialog = page.locator("dialog[open], .menu:popover-open").last();
  if (!await dialog.isVisible()) return [];
  const discard = dialog.getByRole("button", { name: "Discard" });
  // A list in it goes first, and what was typed asks.
  for (let turn = 0; turn < 3 && await dialog.isVisible(); turn++) {
    if (await discard.isVisible()) await discard.click();
    else await page.keyboard.press("Escape");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
  await dialog.waitFor({ state: "hidden" });
  const isLost = await page.evaluate(() => document.activeElement === document.body);
  return isLost ? [`${name}: the focus is lost after Esc`] : [];
}

/**
 * What a session that is asked for a fresh sign-in is younger than, by far: it is opened anew after
 * so long.
 */
const FRESH_MS = 2 * 60_000;

/**
 * Looks at one view after the other in one page, as far as what is left behind allows, by sessions
 * of whom `as` names.
 */
async function lookAtAll(
  visitor: Visitor,
  all: readonly View[],
  server: DemoServer,
  ids: Ids,
  { base = `${server.url}/console`, as }: { base?: string; as?: string } = {},
): Promise<string[]> {
  const { page } = visitor;
  let signedInAt = Date.now();
  const wanted = new RegExp(Deno.env.get("KEYDESK_VIEW") ?? "");
  const found: string[] = [];
  let isFresh = true;
  for (const [at, view] of all.entries()) {
    if (!wanted.test(view.name)) continue;
    try {
      if (all !== strangersViews && Date.now() - signedInAt > FRESH_MS) {
        await openSession(visitor, server, as);
        signedInAt = Date.now();
        isFresh = true;
      }
      const address = addressOf(view, base, ids);
      await show(page, address, isFresh);
      if (view.isPhones) await page.setViewportSize(sizes.phone);
      await view.open?.(page, server, address);
      if (view.of) {
        const shown = "dialog[open], .drawer, .menu:popover-open";
        await page.locator(shown).last().waitFor();
      }
      found.push(...await look(page, view, modesOf(at)));
      if (!view.leaves) found.push(...await leave(page, view.name));
    } catch (error) {
      // The others are looked at all the same.
      found.push(`${view.name}: ${error}`);
    }
    isFresh = all === strangersViews || view.leaves === true ||
      found.at(-1)?.startsWith(`${view.name}: `) === true;
    if (isFresh) {
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.context().setOffline(false);
    }
  }
  return found;
}

/**
 * Goes to an address: within the page where that is enough, by way of nothing, so that everything
 * is drawn anew.
 */
async function show(page: Page, address: string, isFresh: boolean): Promise<void> {
  const isConsole = new URL(address).pathname.startsWith("/console");
  if (isFresh || !isConsole || !page.url().includes("/console")) {
    await page.goto("about:blank");
    await page.goto(address);
    return;
  }
  await page.evaluate(() => history.pushState(null, "", "/console/nowhere"));
  await page.getByText("There is nothing here").waitFor();
  await page.evaluate((to) => history.pushState(null, "", to), address);
}

/** What browsers say of answers that the views bring about themselves. */
const expected = /Failed to load resource|Failed to fetch/;

/**
 * Views that one page is shown, one after the other: in the long form a browser's page ends by
 * itself after some 1,700 looks.
 */
function* inPages(all: readonly View[]): Generator<readonly View[]> {
  const many = effort === 1 ? all.length : VIEWS_A_PAGE;
  for (let at = 0; at < all.length; at += many) yield all.slice(at, at + many);
}

/** Even, since each second view is looked at otherwise. */
const VIEWS_A_PAGE = 40;

/** Somebody who is signed in; without `as` the first administrator. */
async function signedIn(browser: Browser, server: DemoServer, as?: string) {
  const visitor = await visit(browser, { expected });
  await signIn(visitor, server, "/nowhere", as);
  return visitor;
}

Deno.test("axe: every view of a desk at work, in a theme, in forced colours, at 400 %", async () => {
  await using server = await startDemoServer(true, { KEYDESK_LEAK_REPORTS: "on" });
  const ids = await fillWholeDesk(server);
  await using browser = await sharedBrowser();
  const found: string[] = [];
  for (const some of inPages(views)) {
    await using ada = await signedIn(browser, server);
    found.push(...await lookAtAll(ada, some, server, ids), ...ada.complaints);
  }
  await using reader = await signedIn(browser, server, ids.readerToken);
  found.push(...await lookAtAll(reader, readersViews, server, ids, { as: ids.readerToken }));
  await using stranger = await visit(browser, { expected });
  found.push(...await lookAtAll(stranger, strangersViews, server, ids, { base: server.url }));
  assert.deepEqual([...found, ...reader.complaints, ...stranger.complaints], []);
});

Deno.test("axe: every view of an empty desk, in a theme, in forced colours, at 400 %", async () => {
  await using server = await startDemoServer(false);
  await using browser = await sharedBrowser();
  await using ada = await signedIn(browser, server);
  const found = await lookAtAll(ada, emptyViews, server, {});
  assert.deepEqual([...found, ...ada.complaints], []);
});

Deno.test("axe: no screen and no dialog of the console is without its view", async () => {
  const all = [...views, ...emptyViews, ...readersViews, ...strangersViews];
  const screens = await Deno.readTextFile(join(repository, "console/screens.ts"));
  const paths = [...screens.matchAll(/^ {4}path: "(\/[\w-]+)"/gm)].map(([, path]) => path ?? "");
  assert.ok(paths.length > 5);
  assert.deepEqual(paths.filter((path) => !all.some(({ at }) => at.startsWith(path))), []);
  const wanted: Record<string, number> = {};
  for await (const file of filesIn("console")) {
    const source = await Deno.readTextFile(join(repository, file));
    const dialogs = source.match(
      /<(?:Dialog|Confirm|BulkConfirm|FormDialog|RevealedSecret|Menu)\b|\bask\(\{/g,
    )?.length ?? 0;
    const drawers = /<Drawer\b/.test(source) ? 1 : 0;
    if (dialogs + drawers > 0) wanted[file.slice("console/".length)] = dialogs + drawers;
  }
  // What others are made of.
  for (const part of ["confirm", "bulk-confirm", "drawer", "form-dialog", "revealed-secret"]) {
    delete wanted[`parts/${part}.tsx`];
  }
  const missing = Object.entries(wanted).filter(([file, many]) =>
    all.filter(({ of }) => of === file).length < many
  );
  assert.deepEqual(missing.map(([file, many]) => `${file}: ${many} views`), []);
  const unknown = all.filter(({ of }) => of !== undefined && !(of in wanted));
  assert.deepEqual(unknown.map(({ name, of }) => `${name}: nothing in ${of}`), []);
});

Deno.test("axe: what other tests leave to these views is shown by them, and is one of these", async () => {
  const all = [...views, ...emptyViews, ...readersViews, ...strangersViews];
  const named = new Set(all.map(({ name }) => name));
  assert.deepEqual(Object.entries(shownTwice).filter(([, view]) => !named.has(view)), []);
  let tests = "";
  for await (const file of filesIn("system/console", ".test.ts")) {
    tests += await Deno.readTextFile(join(repository, file));
  }
  const shown = (name: string) => tests.includes(`.show("${name}")`);
  assert.deepEqual(Object.keys(shownTwice).filter((name) => !shown(name)), []);
});

async function* filesIn(folder: string, end = ".tsx"): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(repository, folder))) {
    if (isDirectory) yield* filesIn(`${folder}/${name}`, end);
    else if (name.endsWith(end)) yield `${folder}/${name}`;
  }
}
