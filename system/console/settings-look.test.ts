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

Deno.test("settings: the developer's pages are switched on, say what developers answer, and what is wrong with a host", () =>
  desk(async (ada, page, server) => {
    await open(page, server, "?show=pages");
    const pages = page.getByRole("switch", { name: "Developers have pages of their own" });
    await pages.click();
    await page.getByText("Saved.").waitFor();
    await page.getByLabel("Host").fill("developers.example.org/portal");
    await page.getByLabel("Who signs up").selectOption({ label: "Who was invited" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Sign-up needs mail: set it up first, see above.").waitFor();
    await page.getByRole("link", { name: "mail server" }).waitFor();
    await page.getByLabel("Who signs up").selectOption({ label: "No one" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("expected a host such as developers.example.org").waitFor();
    await page.getByLabel("Host").fill("developers.example.org");
    await page.getByLabel("Mail domains").fill("example.org\nexample.net");
    await ada.show("settings/pages-form");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Mail domains").inputValue(), "example.org\nexample.net");
    await ada.show("settings/pages");
    const set = await server.call("GET", "/v1/developer-pages");
    assert.deepEqual(set, {
      enabled: true,
      host: "developers.example.org",
      sign_up: "closed",
      mail_domains: ["example.org", "example.net"],
      passwords: true,
      back_end_access: "look",
      codes_mailed: false,
    });
    const atSignUp = page.getByRole("group", { name: "At sign-up, beside address and name" });
    const withRequests = page.getByRole("group", { name: "With a key request" });
    await withRequests.getByRole("button", { name: "Add a question to requests" }).click();
    await withRequests.getByLabel(/^Question/).last().fill("team");
    await withRequests.getByLabel("must").last().check();
    await atSignUp.getByRole("button", { name: "Add a question at sign-up" }).click();
    await atSignUp.getByLabel("Question 1", { exact: true }).fill("company");
    await ada.show("settings/pages-questions");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    assert.equal(await atSignUp.getByLabel("Question 1", { exact: true }).inputValue(), "company");
    // as: the answer of getPagesFields.
    const asked = await server.call("GET", "/v1/developer-pages/fields") as {
      sign_up_fields: unknown;
      key_request_fields: unknown[];
    };
    assert.deepEqual(asked.sign_up_fields, [
      { name: "company", label: "company", kind: "text", choices: [], required: false },
    ]);
    assert.deepEqual(asked.key_request_fields.at(-1), {
      name: "team",
      label: "team",
      kind: "text",
      choices: [],
      required: true,
    });
    // Off, they end sessions: it is asked first, and Cancel leaves them on.
    await pages.click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    assert.ok(await pages.isChecked());
    await pages.click();
    await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await pages.isChecked(), false);
  }, { expected: /400/ }));

Deno.test("settings: the brand is changed, and a one-time link shows it", () =>
  desk(async (ada, page, server, browser) => {
    await open(page, server, "?show=brand");
    await page.getByLabel("Name", { exact: true }).fill("Coastal Data");
    const picture = { name: "logo.png", mimeType: "image/png", buffer: Buffer.from(PIXEL) };
    await page.getByLabel("Logo", { exact: true }).setInputFiles(picture);
    await page.getByAltText("The logo now").waitFor();
    await page.getByLabel("Colour", { exact: true }).fill("green");
    await page.getByLabel("Support address").fill("help@example.org");
    await page.getByLabel("Base URL").fill("https://api.example.org/tides");
    await ada.show("settings/brand-form");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Write a colour such as #0f6b5c here.").waitFor();
    await page.getByLabel("Colour", { exact: true }).fill("#7fd1c0");
    await page.getByText("too little to read. Made darker").waitFor();
    const told = await page.getByRole("region", { name: "The colour on the pages" }).innerText();
    const ratios = [...told.matchAll(/^\d+\.\d$/gm)].map(([ratio]) => Number(ratio));
    assert.ok(
      ratios.length === 5 && ratios.every((ratio, at) => ratio >= (at < 4 ? 4.5 : 3)),
      told,
    );
    await ada.show("settings/brand-accent");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    assert.equal(
      await page.getByLabel("Base URL").inputValue(),
      "https://api.example.org/tides",
    );
    await ada.show("settings/brand");
    const { data: [waiting] } = await server.call(
      "GET",
      "/v1/key-requests?state=pending&limit=1",
    ) as { data: { id: string }[] };
    const { one_time_link } = await server.call(
      "POST",
      `/v1/key-requests/${waiting?.id}/approve`,
      { deliver: "one_time_link" },
    ) as { one_time_link: { link: string } };
    await using reader = await visit(browser);
    await reader.page.goto(new URL(one_time_link.link, server.url).href);
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
    await page.goto(`${server.url}/console/requests`);
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
