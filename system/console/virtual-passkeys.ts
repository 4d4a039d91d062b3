/** Chromium's virtual authenticator, at a desk by its name. */
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { DemoServer } from "./browser.ts";

/** The desk by its name: an address with digits can have no passkeys. */
export const named = (server: DemoServer) => server.url.replace("127.0.0.1", "localhost");

/** The browser of a page. */
export function browserOf(page: Page): Browser {
  const browser = page.context().browser();
  assert.ok(browser);
  return browser;
}

/**
 * Gives a page an authenticator that looks at a finger, and says yes. Gives what makes it know the
 * finger, or not.
 */
export async function withAuthenticator(page: Page): Promise<(isKnown: boolean) => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return async (isUserVerified) => {
    await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
  };
}
