/**
 * What one sets for oneself and for everybody in the console's Settings, in Chromium: the brand,
 * and how lists look.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { type DemoServer, visit } from "./browser.ts";
import { desk } from "./desk.ts";

const open = (page: Page, server: DemoServer, path = "") =>
  page.goto(`${server.url}/console/settings${path}`);

const PIXEL = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  ),
  (character) => character.charCodeAt(0),
);

Deno.test("settings: the developer's pages are switched on, and say what is wrong with a host", () =>
  desk(async (ada, page, server) => {
    await open(page, server, "?show=pages");
    await page.getByText("Off: no developer is signed in").waitFor();
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByLabel("Developers have pages of their own").check();
    await page.getByLabel("Host").fill("developers.example.org/portal");
    await page.getByLabel("Who signs up").selectOption({ label: "Who was invited" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("expected a host such as developers.example.org").waitFor();
    await page.getByLabel("Host").fill("developers.example.org");
    await page.getByLabel("Mail domains").fill("example.org\nexample.net");
    await ada.show("settings/pages-form");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("example.org, example.net").waitFor();
    await ada.show("settings/pages");
    const set = await server.call("GET", "/v1/developer-pages");
    assert.deepEqual(set, {
      enabled: true,
      host: "developers.example.org",
      sign_up: "invitation",
      mail_domains: ["example.org", "example.net"],
      passwords: true,
      back_end_opens: "look",
    });
  }, { expected: /400/ }));

Deno.test("settings: the brand is changed, and a claim link shows it", () =>
  desk(async (ada, page, server, browser) => {
    await open(page, server, "?show=brand");
    await page.getByText("Nobody is named").waitFor();
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Coastal Data");
    const picture = { name: "logo.png", mimeType: "image/png", buffer: Buffer.from(PIXEL) };
    await page.getByLabel("Logo", { exact: true }).setInputFiles(picture);
    await page.getByAltText("The logo now").waitFor();
    await page.getByLabel("Colour of buttons").fill("green");
    await page.getByLabel("Support address").fill("help@example.org");
    await page.getByLabel("Base URL").fill("https://api.example.org/tides");
    await ada.show("settings/brand-form");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Write a colour such as #0f6b5c here.").waitFor();
    await page.getByLabel("Colour of buttons").fill("#7fd1c0");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("https://api.example.org/tides").waitFor();
    await ada.show("settings/brand");
    const { data: [waiting] } = await server.call(
      "GET",
      "/v1/key-requests?state=pending&limit=1",
    ) as { data: { id: string }[] };
    const { claim } = await server.call(
      "POST",
      `/v1/key-requests/${waiting?.id}/approve`,
      { deliver: "claim" },
    ) as { claim: { link: string } };
    await using reader = await visit(browser);
    await reader.page.goto(new URL(claim.link, server.url).href);
    await reader.page.getByText("Coastal Data", { exact: true }).waitFor();
    await reader.page.getByRole("link", { name: "help@example.org" }).waitFor();
    await reader.show("claim/6-brand-asks");
    await reader.page.getByRole("button", { name: "Show it" }).click();
    await reader.page.getByText(/^curl '(https:\/\/api\.example\.org\/tides|.*\/oauth\/token)'/)
      .waitFor();
    await reader.show("claim/7-brand-shown");
    await using stranger = await visit(browser, { expected: /401/ });
    await stranger.page.goto(`${server.url}/console/keys`);
    await stranger.page.getByText("Coastal Data", { exact: true }).waitFor();
    await stranger.page.getByRole("link", { name: "help@example.org" }).waitFor();
    await stranger.show("sign-in/brand");
  }));

Deno.test("settings: one's own choices of lists, times and single keys stay in the browser", () =>
  desk(async (ada, page, server) => {
    await open(page, server, "?show=you");
    await page.getByLabel("Lists", { exact: true }).selectOption("compact");
    await page.getByLabel("Times in lists").selectOption("exact");
    await page.getByLabel("Single-key shortcuts").selectOption("off");
    await ada.show("settings/your-choices");
    await page.goto(`${server.url}/console/key-requests`);
    await page.locator(".row-link").first().waitFor();
    await page.getByText(/^\d{1,2}:\d\d UTC$/).first().waitFor();
    assert.equal(
      await page.locator("tr[data-row]").first().evaluate((row) => row.clientHeight),
      46,
    );
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await page.keyboard.press("?");
    assert.equal(await page.getByRole("dialog").count(), 0);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Details" }).waitFor();
    await page.keyboard.press("Escape");
    await ada.show("key-requests/compact");
  }));
