/** What a first visit costs: bytes over the wire, as Chromium asks for them. */
import assert from "node:assert/strict";
import { sharedBrowser } from "../support/shared-browser.ts";
import { countBytes, sumOf } from "../support/wire.ts";
import { signIn, startDemoServer, visit } from "./browser.ts";

/**
 * Bytes, heads and all, of the console's own files, and with the first data of the demo, which has
 * two months of calls behind it. Beyond them: what is read when nothing else is to do.
 */
const MOST = { files: 54_300, all: 68_300, signIn: 20_000 };

/**
 * Screens that are read ahead once the browser has nothing else to do; test/console/size.test.ts
 * bounds them.
 */
const READ_AHEAD =
  /^\/console\/assets\/(requests|forms|others|certificates|lists)-[^/]*\.(js|css)$/;

Deno.test("first load: document, styles, script and icon are 54.3 kB at most over the wire, 68.3 kB with the first data", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await signIn(ada, server);
  // Another profile of the same person, which has kept nothing but the session.
  const storageState = await ada.context.storageState();
  const context = await browser.newContext({ storageState, locale: "en-GB", timezoneId: "UTC" });
  const page = await context.newPage();
  const counted = countBytes(page);
  await page.goto(`${server.url}/console`);
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await page.locator('a[href*="/requests/"]').first().waitFor();
  // Chromium's headless shell has no place for an icon, and asks for none by itself.
  await page.evaluate(async () => {
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    await (await fetch(icon?.href ?? "")).blob();
  });
  const loaded = (await counted.ended()).filter(({ path }) => !READ_AHEAD.test(path));
  const table = loaded.map(({ path, bytes }) => `${bytes} ${path}`).join("\n");
  if (Deno.env.get("KEYDESK_SHOW_SIZES")) console.log(`${table}\n${sumOf(loaded)} in all`);
  const files = loaded.filter(({ path }) => path.startsWith("/console"));
  assert.ok(sumOf(files) <= MOST.files, `${sumOf(files)} bytes of files:\n${table}`);
  assert.ok(sumOf(loaded) <= MOST.all, `${sumOf(loaded)} bytes:\n${table}`);
  for (
    const part of [/^\/console$/, /\.css$/, /\.js$/, /\.svg$/, /^\/v1\/session$/, /key-requests/]
  ) {
    assert.ok(loaded.some(({ path, bytes }) => part.test(path) && bytes > 0), `${part}\n${table}`);
  }
});

Deno.test("first load: the sign-in is 20 kB at most over the wire, its first answers among them", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC" });
  const page = await context.newPage();
  const counted = countBytes(page);
  await page.goto(`${server.url}/console/keys`);
  await page.getByLabel("Your e-mail address").waitFor();
  await page.waitForLoadState("networkidle");
  await page.evaluate(async () => {
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    await (await fetch(icon?.href ?? "")).blob();
  });
  const loaded = await counted.ended();
  const table = loaded.map(({ path, bytes }) => `${bytes} ${path}`).join("\n");
  if (Deno.env.get("KEYDESK_SHOW_SIZES")) console.log(`${table}\n${sumOf(loaded)} in all`);
  assert.ok(sumOf(loaded) <= MOST.signIn, `${sumOf(loaded)} bytes:\n${table}`);
  for (const part of [/^\/console\/keys$/, /\.css$/, /\.js$/, /\.svg$/]) {
    assert.ok(loaded.some(({ path, bytes }) => part.test(path) && bytes > 0), `${part}\n${table}`);
  }
  await context.close();
});
