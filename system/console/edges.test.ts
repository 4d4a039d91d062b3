/**
 * What a list, a drawer and a page owe to everybody: the way back, another's news, names, colours,
 * paper.
 */
import assert from "node:assert/strict";
import { issue } from "../../test/support/certificates.ts";
import { sizes } from "./browser.ts";
import { desk } from "./desk.ts";

Deno.test("edges: Back finds the list with its tab, its filters, and where it was scrolled to", () =>
  desk(async (ada, page) => {
    await page.keyboard.press("4");
    await page.waitForURL(/state=all/);
    const list = page.locator(".list");
    // A list reads on once somebody points at it.
    await list.hover();
    await page.waitForFunction(() => {
      const box = document.querySelector(".list");
      return box !== null && box.scrollHeight > box.clientHeight + 900;
    });
    await list.evaluate((box) => box.scrollTop = 900);
    await page.waitForFunction(() => document.querySelector(".list")?.scrollTop === 900);
    const address = page.url();
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
    assert.equal(page.url(), address);
    await page.waitForFunction(() => document.querySelector(".list")?.scrollTop === 900);
    // Who follows a link comes to the beginning.
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await page.getByRole("link", { name: /^Requests/ }).click();
    await page.locator(".row-link").first().waitFor();
    assert.equal(await list.evaluate((box) => box.scrollTop), 0);
    assert.deepEqual(ada.complaints, []);
  }));

Deno.test("edges: an open request shows what another administrator decides, and the tab's title says what is open", () =>
  desk(async (_ada, page, server) => {
    await page.locator(".row-link").first().click();
    const drawer = page.getByRole("complementary", { name: "Details" });
    const developer = await drawer.getByRole("heading", { level: 2 }).innerText();
    const id = new URL(page.url()).pathname.split("/").at(-1);
    await page.waitForFunction(
      (name) => /^\(\d+\) /.test(document.title) && document.title.includes(`${name} · Requests`),
      developer,
    );
    await drawer.getByRole("button", { name: "Decline" }).waitFor();
    await server.call("POST", `/v1/key-requests/${id}/decline`, { reason: "Asked twice" });
    await drawer.getByText("Declined", { exact: true }).waitFor();
    await drawer.getByText("Asked twice").first().waitFor();
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => /^\(\d+\) Requests · Keydesk$/.test(document.title));
  }));

Deno.test("edges: times stand in the browser's language and zone, exact at a tap; a certificate's in UTC", () =>
  desk(async (_ada, page, server) => {
    await page.locator(".row-link").first().click();
    const drawer = page.getByRole("complementary", { name: "Details" });
    const time = drawer.locator("time").first();
    assert.doesNotMatch(await time.innerText(), /UTC/);
    await time.click();
    await drawer.getByText(/\d{1,2} \w+ \d{4}, \d{1,2}:\d\d:\d\d UTC/).waitFor();
    const nameless = issue({ subject: { O: "Harborline Ltd", OU: "Edge" } });
    const answer = await fetch(`${server.url}/v1/certificates`, {
      method: "POST",
      headers: { authorization: server.admin },
      body: nameless.certificate,
    });
    assert.ok(answer.ok, await answer.text());
    await page.getByRole("link", { name: "Certificates" }).click();
    await page.getByText("Edge, Harborline Ltd").first().click();
    await page.getByText(/^\d{1,2} \w+ \d{4}, \d{1,2}:\d\d:\d\d UTC$/).first().waitFor();
  }));

Deno.test("edges: in forced colours and on paper nothing is lost, and on a phone no count is cut", () =>
  desk(async (ada, page) => {
    await page.emulateMedia({ forcedColors: "active" });
    await ada.check();
    const outline = await page.locator(".side-link.is-here").evaluate((link) =>
      getComputedStyle(link).outlineStyle
    );
    assert.equal(outline, "solid");
    await page.emulateMedia({ forcedColors: "none", media: "print" });
    assert.ok(await page.locator(".side").isHidden());
    assert.ok(await page.locator(".row-link").first().isVisible());
    await page.emulateMedia({ media: "screen" });
    await page.setViewportSize(sizes.phone);
    await page.route(
      "**/v1/key-requests/counts",
      (route) =>
        route.fulfill({ json: { pending: 2000, issued: 12_345, declined: 1800, all: 16_145 } }),
    );
    await page.reload();
    await page.getByText("16.1K").waitFor();
    const cut = await page.locator(".tabs").first().evaluate((tabs) =>
      tabs.scrollWidth > tabs.clientWidth || tabs.getBoundingClientRect().right > innerWidth
    );
    assert.equal(cut, false);
    await ada.check();
  }));
