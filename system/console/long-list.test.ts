/**
 * A long list in Chromium: no blank rows while one scrolls, and no more of it in the document than
 * is near.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sizes } from "./browser.ts";
import { desk } from "./desk.ts";

const MORE = 400;

/** What is seen of the list now: ids, rows that are still on their way, rows in the document. */
function seen(page: Page) {
  return page.evaluate(() => {
    const box = document.querySelector(".list")?.getBoundingClientRect();
    const rows = [...document.querySelectorAll<HTMLElement>("tr.row")];
    const visible = rows.filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return box && bottom > box.top && top < box.bottom;
    });
    return {
      ids: visible.map((row) => row.dataset.row).filter((id) => id !== undefined),
      waiting: visible.filter((row) => row.classList.contains("is-waiting")).length,
      inDocument: rows.length,
    };
  });
}

Deno.test("long list: scrolling meets every request once, and never a blank row", () =>
  desk(async (ada, page, server) => {
    const { data: [known] } = await server.call("GET", "/v1/key-requests?limit=1") as {
      data: { by_user: string; for_plan: string }[];
    };
    for (let n = 0; n < MORE; n++) {
      const { by_user, for_plan } = known ?? {};
      await server.call("POST", "/api/portal/requests", { by_user, for_plan, fields: {} });
    }
    const { all } = await server.call("GET", "/v1/key-requests/counts") as { all: number };
    assert.ok(all > MORE);
    await page.goto(`${server.url}/console/requests?state=all`);
    await page.locator(".row-link").first().waitFor();
    const met = new Set<string>();
    await page.mouse.move(600, 500);
    for (let turn = 0; turn < 200 && met.size < all; turn++) {
      const { ids, waiting, inDocument } = await seen(page);
      assert.equal(waiting, 0, `${waiting} blank rows after ${met.size}`);
      assert.ok(inDocument < 80, `${inDocument} rows in the document`);
      ids.forEach((id) => met.add(id));
      await page.mouse.wheel(0, 400);
      // Two frames: what a wheel does, and what the page makes of it.
      await page.evaluate(() =>
        new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      );
    }
    assert.equal(met.size, all);
    await ada.check();
    // Moving by key keeps the row in view, there and back.
    await page.goto(`${server.url}/console/requests?state=all`);
    await page.locator(".row-link").first().waitFor();
    for (let turn = 0; turn < 120; turn++) await page.keyboard.press("j");
    const far = await page.locator("tr.is-current").getAttribute("data-row");
    assert.ok((await seen(page)).ids.includes(far ?? ""));
    assert.equal(await page.locator("tr.is-current").getAttribute("aria-rowindex"), "121");
    for (let turn = 0; turn < 119; turn++) await page.keyboard.press("k");
    assert.equal(await page.locator("tr.is-current").getAttribute("aria-rowindex"), "2");
    assert.equal((await seen(page)).waiting, 0);
    // On a phone, too, the columns stay as they are.
    await page.setViewportSize(sizes.phone);
    await page.reload();
    const width = async () => (await page.locator(".col-developer").last().boundingBox())?.width;
    await page.locator(".row-link").first().waitFor();
    const before = await width();
    await page.mouse.move(200, 400);
    for (let turn = 0; turn < 20; turn++) await page.mouse.wheel(0, 400);
    await page.locator(".list-gap").first().waitFor({ state: "attached" });
    assert.equal(await width(), before);
    await ada.show("key-requests/phone-scrolled");
  }));
