import { type Browser, chromium } from "playwright-core";

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
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() });
}
