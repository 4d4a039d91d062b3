/** The console before an empty desk, and for somebody who may only look. */
import assert from "node:assert/strict";
import { sharedBrowser } from "../support/shared-browser.ts";
import { signIn, startDemoServer, visit } from "./browser.ts";

Deno.test("console: an empty desk says what to do next on each screen", async () => {
  await using server = await startDemoServer(false);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await signIn(ada, server, "/developers");
  const { page } = ada;
  await page.getByText("No developers yet").waitFor();
  await ada.show("developers/empty");
  await page.getByRole("button", { name: "Register one" }).click();
  await page.getByRole("dialog", { name: "Register a developer" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await page.getByText("No API yet").waitFor();
  await ada.show("apis/empty");
  await page.getByRole("button", { name: "Add a plan" }).click();
  await page.getByText("Add one on the APIs screen first").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.getByRole("link", { name: "Make the first key" }).click();
  await page.getByText("0 of 4 done").waitFor();
  await ada.check();
});

Deno.test("console: who may only look sees no button that would be refused", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  // The first question of a fresh browser: who is signed in? Nobody. And a screen that is opened by
  // its address asks for what it shows before the console knows what the person may see.
  await using rita = await visit(browser, { expected: /401|403/ });
  const { id } = await server.call("POST", "/v1/people", {
    name: "Rita",
    permissions: ["portal:read"],
  }) as { id: string };
  const { access_token: credential } = await server.call("POST", `/v1/people/${id}/access-tokens`, {
    name: "laptop",
    deliver: "answer",
  }) as { access_token: string };
  const { page } = rita;
  await page.goto(`${server.url}/console/developers`);
  await page.getByRole("button", { name: "Use an access token" }).click();
  await page.getByLabel("Your access token").fill(credential);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".row-link").first().click();
  await page.getByRole("heading", { level: 2 }).waitFor();
  await page.getByText("Member since").waitFor();
  await rita.show("developers/read-only");
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await page.getByRole("heading", { level: 1, name: "APIs" }).waitFor();
  await page.locator(".row-link").nth(1).click();
  await page.getByText("Requests for it").waitFor();
  for (const name of ["Register", "Add a plan", "Change", "Deactivate", "Delete"]) {
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  }
  await page.keyboard.press("e");
  await page.keyboard.press("n");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.goto(`${server.url}/console/settings`);
  // Of the settings everybody sees what is their own, and no other tab.
  await page.getByText("Where you are signed in").waitFor();
  assert.equal(await page.locator(".tab").count(), 0);
  await rita.check();
});
