import type { Locator, Page } from "playwright-core";
import { type Scene, scene } from "../scene.ts";
import { button, dialog, rows, screenTitle, text } from "../sights.ts";

/** Keys. */
export const keyScenes: readonly Scene[] = [
  scene("Keys", "keys", "all that were issued", "/console/keys", rows, { phone: true }),
  scene("Keys", "key", "one of them, with its use", "/console/keys", async (page) => {
    await rows(page);
    await page.locator(".row-link").nth(2).click();
    await text(page, "History");
  }, { phone: true }),
  scene("Keys", "keys-view", "a saved view, sorted", "/console/keys", async (page) => {
    await openView(page, "Ends soon");
  }, { phone: true }),
  scene("Keys", "keys-views", "views of the list", "/console/keys", async (page) => {
    await openView(page, "Ends soon");
    await unfold(page);
    await button(page, /^View: /).click();
    await button(page, "Rename…").waitFor();
  }, { phone: true }),
  scene("Keys", "keys-columns", "which columns it shows", "/console/keys", async (page) => {
    await button(page, "Columns").click();
    await page.getByRole("checkbox", { name: "Last used" }).waitFor();
  }),
  scene("Keys", "key-labels", "name, environment, tags, note", "/console/keys", async (page) => {
    await page.locator(".row-link").nth(2).click();
    await button(page, "Change name and tags").click();
    await dialog(page).waitFor();
  }),
  scene("Keys", "key-issue", "a key without a request", "/console/keys", async (page) => {
    await button(page, /^Issue key/).click();
    await dialog(page).getByLabel("Developer", { exact: true }).fill("elif");
    await dialog(page).getByRole("option").first().click();
    await dialog(page).getByRole("checkbox").first().check();
  }),
  scene("Keys", "key-rotate", "a new key beside the old one", "/console/keys", async (page) => {
    await page.locator(".row-link").nth(1).click();
    await button(page, /^Rotate/).click();
    await dialog(page).waitFor();
  }),
  scene("Keys", "key-suspend", "a reason is asked for", "/console/keys", async (page) => {
    await page.locator(".row-link").nth(1).click();
    await button(page, /^Suspend/).click();
    await dialog(page).waitFor();
  }),
  scene("Door", "door", "what was refused, and why", "/console/door", async (page, desk) => {
    await desk.call("POST", "/v1/keys/verify", { key: "a-key-that-nobody-knows" });
    // It is written some seconds later.
    do await page.reload(); while (!await isThere(page.locator(".door-bars")));
    await rows(page);
  }, { phone: true }),
  scene(
    "Door",
    "door-set-up",
    "a door, set up by a walk",
    "/console/door?show=doors",
    async (page) => {
      await button(page, /^Set up a door/).first().click();
      await dialog(page).getByLabel("Name", { exact: true }).fill("edge-1");
    },
  ),
  // The last of these: from here on a key stands in the side bar's count of leaks.
  scene("Leaks", "leaks", "what was found in public", "/console/leaks", async (page, desk) => {
    const url = "https://code.example/cityhopper/display/config.json";
    await desk.call("POST", "/v1/leaks", { keys: [desk.key], url });
    await desk.settle();
    await page.reload();
    await rows(page);
  }, { phone: true }),
];

/** Chooses a view in the list's menu. */
async function openView(page: Page, name: string): Promise<void> {
  await rows(page);
  await unfold(page);
  await button(page, "Views").click();
  await page.getByRole("link", { name, exact: true }).click();
  await screenTitle(page, `Keys: ${name}`);
  await rows(page);
}

/** On a phone the views lie behind the filters' button. */
async function unfold(page: Page): Promise<void> {
  const filters = button(page, "Filters");
  if (await filters.isVisible() && await filters.getAttribute("aria-expanded") !== "true") {
    await filters.click();
  }
}

/** Whether it comes within a second. */
function isThere(what: Locator): Promise<boolean> {
  return what.waitFor({ timeout: 1000 }).then(() => true, () => false);
}
