import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { sharedBrowser } from "../support/shared-browser.ts";
import {
  type DemoServer,
  signIn,
  startDemoServer,
  visit,
  type VisitOptions,
  type Visitor,
} from "./browser.ts";

/**
 * Runs a test before a fresh demo with somebody who is signed in to it as its administrator, on the
 * list of key requests, and is shown what is issued unless `options.delivery` says otherwise. Fails
 * when the page complained of anything that `options.expected` does not name.
 */
export async function desk(
  test: (ada: Visitor, page: Page, server: DemoServer, browser: Browser) => Promise<void>,
  options: VisitOptions = {},
): Promise<void> {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser, { delivery: "answer", ...options });
  await signIn(ada, server);
  await ada.page.locator(".row-link").first().waitFor();
  await test(ada, ada.page, server, browser);
  assert.deepEqual(ada.complaints, []);
}
