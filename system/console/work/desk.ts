/**
 * What the main jobs of the console are done with: the same in each browser, counted by the hands
 * that do them.
 */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import {
  type DemoServer,
  screenshotFolder,
  signIn,
  startDemoServer,
  visit,
  type Visitor,
} from "../browser.ts";
import { Hands } from "../hands.ts";
import { refuseLonger } from "./most.ts";

/** Somebody before the console of a fresh desk. */
export interface Desk {
  readonly server: DemoServer;
  readonly browser: Browser;
  readonly visitor: Visitor;
  readonly page: Page;
  readonly hands: Hands;
}

/**
 * A job: it prepares what it needs, is done by the hands, and is checked by what the server says
 * afterwards.
 */
export interface Work {
  /** What it is called where it is counted. */
  readonly job: string;
  /** The shortest path that the console shows, in words. */
  readonly path: string;
  /**
   * Begins with an empty store and nobody signed in, instead of with the demo and its
   * administrator.
   */
  readonly isFirst?: true;
  /** What the browser is expected to complain of. */
  readonly expected?: RegExp;
  work(desk: Desk): Promise<void>;
}

/**
 * Does a job at a desk of its own; gives the hands, which counted. Fails when the page complained
 * of anything, or a job took more keys or clicks than it may.
 */
export async function doWork(browser: Browser, { isFirst, expected, job, work }: Work) {
  await using server = await startDemoServer(!isFirst);
  const isFirefox = browser.browserType().name() === "firefox";
  await using visitor = await visit(browser, {
    // Firefox asks nobody for it here, and has no such permissions.
    clipboard: !isFirefox,
    ...expected === undefined ? {} : { expected },
  });
  if (!isFirst) {
    await signIn(visitor, server);
    await visitor.page.locator(".row-link").first().waitFor();
  }
  const hands = new Hands(visitor.page);
  try {
    await work({ server, browser, visitor, page: visitor.page, hands });
  } catch (error) {
    const path = join(screenshotFolder, `failed/${job.replaceAll(/\W+/g, "-")}.png`);
    await visitor.page.screenshot({ path }).catch(() => {});
    throw error;
  }
  if (visitor.complaints.length > 0) throw new Error(visitor.complaints.join("\n"));
  refuseLonger(hands.jobs);
  return hands;
}

/** Puts a text where Ctrl V takes it from: somebody copied it elsewhere. */
export async function copy(page: Page, text: string): Promise<void> {
  await page.evaluate((one) => navigator.clipboard.writeText(one), text);
}

/** What a call of the server answers, in the shape that its contract names. */
export async function ask<Answer>(server: DemoServer, path: string): Promise<Answer> {
  // as: each caller names the contract's members that it reads.
  return await server.call("GET", path) as Answer;
}

export const dialog = (page: Page, name?: string | RegExp) =>
  page.getByRole("dialog", name === undefined ? {} : { name });
export const drawer = (page: Page) => page.locator(".drawer");
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Opens a screen by G and its letter, as the side bar's tips and the palette write it. */
export async function go({ page, hands }: Desk, letter: string, title: string): Promise<void> {
  await hands.press("g", letter);
  await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
}
