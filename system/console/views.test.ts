/** Lists that one works with, in Chromium: sort by column, choose columns, saved views. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sizes } from "./browser.ts";
import { desk } from "./desk.ts";

const menu = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const heads = (page: Page) => page.locator("thead th:visible").allInnerTexts();
const ends = (page: Page) =>
  page.locator(".row:not(.is-waiting)").evaluateAll((rows) =>
    rows.map((row) => row.querySelector("td:nth-child(6) time")?.getAttribute("datetime") ?? "~")
  );

Deno.test("lists: sorted by a head, back again, and kept as a view that a colleague opens", () =>
  desk(async (ada, page, server) => {
    const { data: keys } = await server.call("GET", "/v1/keys?state=active&limit=2") as {
      data: { key_id: string }[];
    };
    for (const [at, { key_id }] of keys.entries()) {
      const body = { expires_at: `${2040 - at}-01-01T00:00:00Z` };
      await server.call("PUT", `/v1/keys/${key_id}/expiry`, body);
    }
    await page.goto(`${server.url}/console/keys`);
    const end = page.getByRole("columnheader", { name: "Expires" });
    await end.getByRole("button").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/sort=ends$/);
    assert.equal(await end.getAttribute("aria-sort"), "ascending");
    await page.locator(".row-link").first().waitFor();
    await page.locator(".row:not(.is-waiting) time[datetime^='2039']").waitFor();
    // Those of the demo end sooner, and what never ends stands last.
    const years = (await ends(page)).map((at) => at.slice(0, 4));
    assert.deepEqual(years, years.toSorted());
    assert.deepEqual(years.filter((year) => year >= "2039").slice(0, 3), ["2039", "2040", "~"]);
    await page.goBack();
    await page.waitForURL(/keys$/);
    assert.equal(await end.getAttribute("aria-sort"), null);
    await page.goForward();
    await page.waitForURL(/sort=ends$/);

    // One of its columns is left out, by keyboard alone, for oneself.
    await menu(page, "Columns").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("checkbox", { name: "Last used" }).waitFor();
    await ada.show("views/columns");
    await page.getByRole("checkbox", { name: "Last used" }).focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Escape");
    await page.getByRole("columnheader", { name: "Last used" }).waitFor({ state: "detached" });
    assert.ok(!(await heads(page)).some((text) => text.startsWith("Last used")));
    await page.reload();
    await page.locator(".row-link").first().waitFor();
    await page.getByRole("columnheader", { name: "Last used" }).waitFor({ state: "detached" });

    await menu(page, "Views").click();
    await menu(page, "Save as a new view…").click();
    await ada.show("views/save");
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Ends soon");
    await page.getByLabel("Share with everybody").check();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Keys: Ends soon" }).waitFor();
    await page.waitForURL(/sort=ends&view=/);
    await page.getByRole("radio", { name: "Active" }).check({ force: true });
    await page.getByRole("heading", { name: "Keys: Ends soon (changed)" }).waitFor();
    await menu(page, /^View: Ends soon changed/).click();
    await ada.show("views/changed");
    await menu(page, "Save changes to this view").click();
    await page.getByRole("heading", { name: "Keys: Ends soon", exact: true }).waitFor();

    const { data: [view] } = await server.call("GET", "/v1/views") as {
      data: { id: string; query: unknown }[];
    };
    assert.ok(view);
    assert.deepEqual(view.query, { state: "active", sort: "ends" });
    assert.ok(!(await heads(page)).some((text) => text.startsWith("Last used")), "one's own");
    // What a colleague is sent may be short.
    await page.goto(`${server.url}/console/keys?view=${view.id}`);
    await page.waitForURL(/state=active&sort=ends&view=/);
    await page.getByRole("heading", { name: "Keys: Ends soon", exact: true }).waitFor();
    // A filter of another time is left out, and said so.
    await server.call("PUT", `/v1/views/${view.id}`, {
      name: "Ends soon",
      query: { moon: "full", sort: "ends" },
      shared: true,
    });
    await page.goto(`${server.url}/console/keys?view=${view.id}`);
    await page.getByText("This list does not know moon “full” of the view, and leaves it out.")
      .first().waitFor();
    await ada.show("views/left-out");

    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("ends so");
    await page.getByRole("option", { name: /Ends soon/ }).waitFor();
    // The first one empties the field.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.setViewportSize(sizes.phone);
    await ada.show("views/phone");
    await menu(page, "Filters").click();
    await menu(page, /^View: /).click();
    await menu(page, "Delete…").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete view" }).click();
    await page.waitForURL(/console\/keys$/);
  }));
