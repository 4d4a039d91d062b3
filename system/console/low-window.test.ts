/**
 * Low windows, such as a phone on its side or a page at 400 % (WCAG 1.4.10): nothing is out of
 * reach.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { desk } from "./desk.ts";

const windows = {
  "a phone on its side": { width: 844, height: 390 },
  "1280 by 1024 at 200 %": { width: 640, height: 512 },
  "1280 by 1024 at 400 %": { width: 320, height: 256 },
};

/** How much of an element can be seen, in pixels of height. */
async function seen(page: Page, selector: string): Promise<number> {
  return await page.locator(selector).first().evaluate((element) => {
    const clip = element.closest(".page-main")?.getBoundingClientRect();
    const { top, bottom } = element.getBoundingClientRect();
    return clip ? Math.min(bottom, clip.bottom) - Math.max(top, clip.top) : 0;
  });
}

for (const [name, size] of Object.entries(windows)) {
  Deno.test(`low window, ${name}: the page scrolls with its list, and filters fold`, () =>
    desk(async (ada, page) => {
      const shot = `low-window/${size.width}x${size.height}`;
      await page.keyboard.press("4");
      await page.waitForURL(/state=all/);
      await page.locator(".row-link").first().waitFor();
      await ada.show(`${shot}-top`);
      assert.ok(await page.locator(".page-filters").isHidden());
      await page.getByRole("button", { name: "Filters" }).click();
      await page.getByLabel("Plan").first().waitFor();
      await page.getByRole("button", { name: "Filters" }).click();
      // To the end by the wheel: each of the fifty comes by.
      const met = new Set<string>();
      const box = await page.locator(".page-main").boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      const ids = () =>
        page.locator("tr[data-row]").evaluateAll((all) => all.map((row) => row.dataset.row ?? ""));
      for (let turn = 0; turn < 100 && met.size < 50; turn++) {
        for (const id of await ids()) met.add(id);
        await page.mouse.wheel(0, box.height / 2);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(null))));
      }
      assert.equal(met.size, 50);
      assert.ok(await seen(page, ".list") > box.height * 0.8, "the list has the page's height");
      await ada.show(`${shot}-rows`);
      // By keyboard: the row that one is on is seen, and what was opened can be read to its end.
      for (let turn = 0; turn < 12; turn++) await page.keyboard.press("k");
      await page.waitForFunction(() => {
        const row = document.querySelector("tr.is-current")?.getBoundingClientRect();
        const main = document.querySelector(".page-main")?.getBoundingClientRect();
        return row && main && row.top >= main.top - 1 && row.bottom <= main.bottom + 1;
      });
      await page.keyboard.press("Enter");
      const drawer = page.getByRole("complementary", { name: "Details" });
      await drawer.getByText("Request id").scrollIntoViewIfNeeded();
      await ada.show(`${shot}-drawer`);
    }, { size }));
}
