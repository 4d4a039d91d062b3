/** What was found in public, in Chromium: red until it is settled, and a list of its own. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sharedBrowser } from "../support/shared-browser.ts";
import { signIn, sizes, startDemoServer, visit } from "./browser.ts";

const dialog = (page: Page) => page.getByRole("dialog");

Deno.test("leaks: a leaked key is red at Home, in the side bar and in the lists, until somebody says that it is not so", async () => {
  await using server = await startDemoServer(true, { KEYDESK_LEAK_REPORTS: "on" });
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  const { data: plans } = await server.call("GET", "/v1/plans?state=active&limit=100") as {
    data: { id: string; auth_type: string }[];
  };
  const plan = plans.find(({ auth_type }) => auth_type === "authToken")?.id;
  await server.call("POST", "/v1/developers", { id: "nova", email: "nova@example.org" });
  const issued = await server.call("POST", "/v1/developers/nova/keys", {
    plans: [plan],
    deliver: "answer",
    name: "Nova shop",
  }) as { key: { key_id: string }; RawKey: string };
  const url = "https://example.org/repository/.env";
  const grace = await server.call("POST", "/v1/people", {
    name: "Grace Hopper",
    permissions: ["portal:read"],
  }) as { id: string };
  const { access_token: credential } = await server.call(
    "POST",
    `/v1/people/${grace.id}/access-tokens`,
    {
      name: "laptop",
      deliver: "answer",
    },
  ) as { access_token: string };
  await server.call("POST", "/v1/leaks", { keys: [issued.RawKey, credential], url });
  await signIn(ada, server, "/home");
  const line = page.locator(".home-problems .is-bad", { hasText: "Nova shop" });
  while (!await line.isVisible()) {
    await page.reload();
    await page.locator(".home:not(.is-coming)").waitFor();
  }
  await line.getByText(`Found at ${url} by a finder outside, 0 min ago.`).waitFor();
  await page.getByRole("link", { name: "Keys 1 leaked" }).waitFor();
  await ada.show("leaks/home");
  // All of them, in a list of their own, from the line and from the side bar.
  await line.getByRole("link", { name: "All leaks" }).click();
  await page.waitForURL(/\/keys\?leaked=reports&state=open$/);
  const rows = page.getByRole("table", { name: "Reports of leaks" }).locator(".row-link");
  await rows.first().waitFor();
  await page.getByRole("link", { name: "Keys 1 leaked" }).click();
  await page.getByText("1 key was found in public places").waitFor();
  await ada.show("leaks/banner");
  await page.getByRole("link", { name: "look at it" }).click();
  await page.waitForURL(/\/keys\?leaked=reports&state=open$/);
  await page.keyboard.press("1");
  await page.waitForURL(/\/keys\?leaked=reports$/);
  const row = page.getByRole("table", { name: "Reports of leaks" }).locator(".row", {
    hasText: "Nova shop",
  });
  for (const words of [url, "by a finder outside", "Open", "just now", "nova@example.org"]) {
    await row.getByText(words).first().waitFor();
  }
  assert.equal(await rows.count(), 2);
  await ada.show("leaks/list");
  await page.getByLabel("What leaked").selectOption({ label: "Access tokens" });
  await page.waitForURL(/object=access_token/);
  await rows.nth(1).waitFor({ state: "detached" });
  await page.getByText("Access token of Grace Hopper").waitFor();
  await page.getByRole("heading", { level: 1, name: "Keys" }).click();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/settings/${grace.id}`));
  await page.goto(`${server.url}/console/home`);
  await line.getByRole("link", { name: "Show" }).click();
  await page.getByLabel("Leaks").selectOption({ label: "Leaked" });
  await page.locator(".row-link").nth(1).waitFor({ state: "detached" });
  await page.getByRole("table", { name: "Keys" }).getByText("Leaked", { exact: true }).first()
    .waitFor();
  await page.getByRole("button", { name: "False positive" }).waitFor();
  await ada.show("leaks/key");
  await page.getByRole("button", { name: "False positive" }).click();
  await dialog(page).getByLabel("Reason").fill("The example of our own documentation");
  await ada.show("leaks/not-so");
  await dialog(page).getByRole("button", { name: "It has not leaked" }).click();
  await page.getByText("The mark is gone.").waitFor();
  await page.getByRole("link", { name: "Keys", exact: true }).waitFor();
  assert.equal(await page.getByText("found in public places").count(), 0);
  await page.goto(`${server.url}/console/home`);
  await page.locator(".home:not(.is-coming)").waitFor();
  assert.equal(await line.count(), 0);
  // The list keeps it, with what became of it and the time that took.
  await page.goto(`${server.url}/console/leaks`);
  await rows.nth(1).waitFor();
  await page.keyboard.press("6");
  await page.waitForURL(/state=false_positive/);
  await row.getByText("within a minute").waitFor();
  await rows.nth(1).waitFor({ state: "detached" });
  await page.setViewportSize(sizes.phone);
  await row.getByText("False positive").waitFor();
  await ada.show("leaks/phone");
});
