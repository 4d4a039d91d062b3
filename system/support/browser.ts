import { type Browser, chromium } from "playwright-core";

/** More than the 30 seconds that are usual, which a busy machine may need for what is alright. */
const PAGE_MS = 120_000;

/**
 * Debian's Chromium without a screen, and without a network but the page's own. One is enough for a
 * file of tests. Its headless shell: the same engine without the browser's own windows, for a third
 * less of a processor. `more`: further words of its command line.
 */
export async function startBrowser(
  more: readonly string[] = [],
): Promise<Browser & AsyncDisposable> {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    timeout: PAGE_MS,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...more,
    ],
  });
  return patient(browser);
}

/**
 * A browser whose pages are waited for as long as a busy machine may take, and that ends with its
 * block.
 */
export function patient(browser: Browser): Browser & AsyncDisposable {
  const newContext = browser.newContext.bind(browser);
  return Object.assign(browser, {
    newContext: async (...options: Parameters<Browser["newContext"]>) => {
      const context = await newContext(...options);
      context.setDefaultTimeout(PAGE_MS);
      return context;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  });
}
