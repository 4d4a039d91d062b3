import { type Scene, scene } from "../scene.ts";
import { button, dialog, rows, text } from "../sights.ts";

/** Key requests. */
export const keyRequestScenes: readonly Scene[] = [
  scene(
    "Key requests",
    "key-requests",
    "what waits for a decision",
    "/console/key-requests",
    rows,
    { phone: true },
  ),
  scene("Key requests", "key-request", "one of them", "/console/key-requests", async (page) => {
    await page.locator(".row-link").nth(2).click();
    await button(page, /^Approve/).first().waitFor();
    await text(page, "Request id");
    // The one that README shows: the desk that `keydesk seed` makes.
  }, { desk: "calm", phone: true }),
  scene(
    "Key requests",
    "key-request-approve",
    "what will be issued",
    "/console/key-requests",
    async (page) => {
      await page.locator(".row-link").nth(2).click();
      await button(page, /^Approve/).first().click();
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Key requests",
    "key-requests-several",
    "several at once",
    "/console/key-requests",
    async (page) => {
      for (const n of [1, 2, 4]) await page.locator(".row-pick").nth(n).click();
      await text(page, "3 selected");
    },
  ),
  scene(
    "Key requests",
    "key-requests-approved",
    "by whom, and when",
    "/console/key-requests?state=issued",
    rows,
  ),
  scene(
    "Key requests",
    "key-requests-declined",
    "what was declined",
    "/console/key-requests?state=declined",
    rows,
  ),
  scene(
    "Key requests",
    "key-requests-no-match",
    "a search that finds nothing",
    "/console/key-requests?q=tram+depot",
    (page) => text(page, "Nothing matches"),
  ),
  scene(
    "Key requests",
    "key-requests-empty",
    "nothing was asked for yet",
    "/console/key-requests",
    (page) => page.locator(".state").first().waitFor(),
    { desk: "empty" },
  ),
];
