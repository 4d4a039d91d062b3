import type { Browser } from "playwright-core";
import { startBrowser } from "./browser.ts";

let shared: (Browser & AsyncDisposable) | undefined;

/**
 * The Chromium of a file of tests: started by the first that asks for it, ended with the file. To
 * dispose of it closes the contexts that a test opened, so that the next one finds a browser in
 * which nobody ever was.
 */
export async function sharedBrowser(): Promise<Browser & AsyncDisposable> {
  // Where it ended under one test, the others have another.
  if (!shared?.isConnected()) shared = closingContexts(await startBrowser());
  return shared;
}

Deno.test.afterAll(async () => {
  if (shared?.isConnected()) await shared.close();
});

function closingContexts(browser: Browser): Browser & AsyncDisposable {
  return Object.assign(browser, {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
  });
}
