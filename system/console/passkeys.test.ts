/** Invitations and passkeys in Chromium, whose authenticator is a virtual one. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { DemoServer } from "./browser.ts";
import { desk } from "./desk.ts";
import { browserOf, named, withAuthenticator } from "./virtual-passkeys.ts";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function invited(server: DemoServer, name: string): Promise<{ id: string; at: string }> {
  const { person_id, link } = await server.call("POST", "/v1/people/invitations", {
    name,
    email: `${name.toLowerCase()}@example.org`,
    permissions: ["portal:read", "approve"],
  }) as { person_id: string; link: string };
  return { id: person_id, at: named(server) + link.slice(link.indexOf("/console")) };
}

Deno.test("passkeys: invited, in by a passkey, out, and in again by it", () =>
  desk(async (ada, _page, server) => {
    const context = await browserOf(ada.page).newContext();
    const page = await context.newPage();
    try {
      await withAuthenticator(page);
      const { at, id } = await invited(server, "Hedy");
      await page.goto(at);
      await page.getByRole("heading", { name: "Welcome, Hedy" }).waitFor();
      assert.equal(new URL(page.url()).hash, "", "nothing of it stays in the address");
      await button(page, "Accept with a passkey").click();
      await page.getByRole("navigation").first().waitFor();
      await page.goto(`${named(server)}/console/settings`);
      await page.getByText("First passkey").waitFor();
      await button(page, "Sign out").last().click();
      await page.getByLabel("Your e-mail address").fill("hedy@example.org");
      await button(page, "Continue").click();
      await button(page, "Use a passkey").click();
      await page.getByRole("navigation").first().waitFor();
      await page.goto(`${named(server)}/console/settings`);
      await page.getByText("First passkey").waitFor();
      await page.getByText(/by passkey/).first().waitFor();
      // An administrator removes it, which ends its sessions.
      await ada.page.goto(`${server.url}/console/settings/${id}`);
      await button(ada.page, "Remove First passkey").click();
      await ada.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await ada.page.getByText("signs Hedy in no more").waitFor();
      await page.goto(`${named(server)}/console`);
      await page.getByLabel("Your e-mail address").waitFor();
      await context.clearCookies();
      await page.goto(at);
      await page.getByText("This invitation is not valid").waitFor();
    } finally {
      await context.close();
    }
  }));

Deno.test("passkeys: by digits there are none, and an access token can be taken instead", () =>
  desk(async (ada, _page, server) => {
    const context = await browserOf(ada.page).newContext();
    const page = await context.newPage();
    try {
      const { at } = await invited(server, "Radia");
      await page.goto(at.replace("localhost", "127.0.0.1"));
      await button(page, "Accept with an access token").click();
      const dialog = page.getByRole("dialog", { name: "Your access token" });
      const token = await dialog.locator(".copy-value").textContent() ?? "";
      assert.match(token, /^kda_/);
      await dialog.getByRole("checkbox").check();
      await dialog.getByRole("button", { name: "Done" }).click();
      await page.getByRole("navigation").first().waitFor();
      await context.clearCookies();
      await page.goto(`${server.url}/console`);
      await page.getByLabel("Your e-mail address").fill("radia@example.org");
      await button(page, "Continue").click();
      await page.getByLabel("Your access token").fill(token);
      assert.equal(await button(page, "Use a passkey").count(), 0);
      await page.keyboard.press("Enter");
      await page.getByRole("navigation").first().waitFor();
    } finally {
      await context.close();
    }
  }));
