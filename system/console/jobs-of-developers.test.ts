/**
 * Many developers at once, in Chromium: chosen by ranges or by what matches, deactivated in a job,
 * taken back.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type DemoServer, exported } from "./browser.ts";
import { desk } from "./desk.ts";

const boxOf = (page: Page, n: number) => page.locator("tr[data-row]").nth(n).locator(".row-pick");
const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
const details = (page: Page) => page.getByRole("complementary", { name: "Details" });

const MORE = 60;

/** How many of the developers that the search finds are in a state. */
async function countOf(server: DemoServer, state: string): Promise<number> {
  const path = `/v1/developers?limit=100&q=tides.example&state=${state}`;
  // as: the contract of listDevelopers.
  const { data } = await server.call("GET", path) as { data: unknown[] };
  return data.length;
}

Deno.test("jobs of developers: all that match are deactivated, whose number is typed, and taken back", () =>
  desk(async (ada, page, server) => {
    for (let n = 0; n < MORE; n++) {
      const id = `pupil-${n}`;
      await server.call("POST", "/v1/developers", { id, email: `${id}@tides.example` });
    }
    await ada.page.goto(`${server.url}/console/developers?q=tides.example`);
    await boxOf(page, 1).click();
    await boxOf(page, 5).click({ modifiers: ["Shift"] });
    await page.getByText("5 selected").waitFor();
    await button(page, "Deactivate…").click();
    const few = page.getByRole("dialog", { name: "Deactivate 5 developers?" });
    await button(page, "Deactivate 5").click();
    await few.getByText("Say what becomes of their keys.").waitFor();
    await few.getByLabel(/^Keep/).check();
    await ada.show("jobs/developers-1-few");
    await button(page, "Deactivate 5").click();
    await details(page).getByRole("heading", { name: "5 deactivated" }).waitFor();
    assert.equal(await countOf(server, "inactive"), 5);
    await button(page, "Take back these 5").click();
    await details(page).getByRole("heading", { name: "5 taken back" }).waitFor();
    assert.equal(await countOf(server, "active"), MORE);
    await page.keyboard.press("Escape");
    await boxOf(page, 1).click();
    await page.keyboard.press("m");
    await page.getByText(`All ${MORE} that match`, { exact: true }).waitFor();
    await button(page, "Deactivate…").click();
    const dialog = page.getByRole("dialog", { name: `Deactivate ${MORE} developers?` });
    await dialog.getByLabel(/^Suspend/).check();
    await dialog.getByLabel("Reason").fill("The course is over");
    await dialog.getByLabel(`Type ${MORE} to go on`).fill("59");
    await button(page, `Deactivate ${MORE}`).click();
    await dialog.getByText(`Type ${MORE} to go on.`).waitFor();
    await ada.show("jobs/developers-2-all");
    await dialog.getByLabel(`Type ${MORE} to go on`).fill(String(MORE));
    await button(page, `Deactivate ${MORE}`).click();
    await details(page).getByRole("heading", { name: `${MORE} deactivated` }).waitFor();
    await ada.show("jobs/developers-3-done");
    assert.equal(await countOf(server, "inactive"), MORE);
    const said = await exported(page, "Result as a file");
    assert.equal(said.split(",deactivated,").length - 1, MORE);
    await button(page, `Take back these ${MORE}`).click();
    await details(page).getByRole("heading", { name: `${MORE} taken back` }).waitFor();
    assert.equal(await countOf(server, "active"), MORE);
  }));

Deno.test("jobs of developers: a job tags them, lists narrow to a tag, and one is retagged by hand", () =>
  desk(async (ada, page, server) => {
    for (let n = 0; n < 6; n++) {
      const id = `pupil-${n}`;
      await server.call("POST", "/v1/developers", { id, email: `${id}@tides.example` });
    }
    await ada.page.goto(`${server.url}/console/developers?q=tides.example`);
    await boxOf(page, 0).click();
    await boxOf(page, 4).click({ modifiers: ["Shift"] });
    await button(page, "Tags…").click();
    const dialog = page.getByRole("dialog", { name: "Tag 5 developers?" });
    await button(page, "Tag 5").click();
    await dialog.getByText("Write a tag.").waitFor();
    await dialog.getByLabel("Which tags").fill("course, beta");
    await ada.show("jobs/developers-4-tags");
    await button(page, "Tag 5").click();
    await details(page).getByRole("heading", { name: "5 tagged" }).waitFor();
    await page.keyboard.press("Escape");
    const rows = page.locator("tr[data-row]");
    await rows.filter({ hasText: "course, beta" }).nth(4).waitFor();
    assert.equal(await rows.filter({ hasText: "course, beta" }).count(), 5);
    await ada.page.goto(`${server.url}/console/developers`);
    await page.getByRole("combobox", { name: "Tag" }).selectOption("course");
    await rows.nth(4).waitFor();
    assert.equal(await rows.count(), 5);
    await ada.show("jobs/developers-5-tagged");
    await rows.nth(0).click();
    await details(page).getByText("course", { exact: true }).waitFor();
    await button(page, "Tags").click();
    const tags = page.getByRole("dialog", { name: "Tags" });
    await tags.getByLabel("Tags").fill("alumni");
    await button(page, "Save").click();
    await details(page).getByText("alumni", { exact: true }).waitFor();
    await ada.show("jobs/developers-6-drawer");
    const { tags: known } = await server.call("GET", "/v1/developer-tags") as { tags: string[] };
    assert.deepEqual(known, ["alumni", "beta", "course"]);
  }));
