import { fileURLToPath } from "node:url";
import { type Browser, firefox } from "playwright-core";
import { patient } from "./browser.ts";

/**
 * Debian's Firefox without a screen, spoken to by WebDriver BiDi. One is enough for a file of
 * tests. Fails where firefox-esr is not installed. One that says nothing for a minute, as it can
 * happen on a busy machine, is started anew.
 */
export async function startFirefox(): Promise<Browser & AsyncDisposable> {
  const browser = await launch().catch(launch);
  return patient(browser);
}

function launch(): Promise<Browser> {
  return firefox.launch({
    timeout: 60_000,
    // This channel is Playwright's name for BiDi; the program is the bridge to Firefox.
    channel: "moz-firefox",
    executablePath: Deno.execPath(),
    ignoreDefaultArgs: true,
    args: ["run", "-A", fileURLToPath(import.meta.resolve("./firefox-bridge.ts"))],
  });
}
