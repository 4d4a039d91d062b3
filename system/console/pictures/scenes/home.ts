import { type Scene, scene } from "../scene.ts";
import { button, dialog, text } from "../sights.ts";

/** Home, at work and on the first day. */
export const homeScenes: readonly Scene[] = [
  scene(
    "Home",
    "home",
    "open work, and what expires soon",
    "/console/home",
    (page) => page.locator(".home-lane").nth(1).waitFor(),
    { desk: "calm", phone: true },
  ),
  scene(
    "Home",
    "home-problem",
    "a problem of the server",
    "/console/home",
    (page) => page.locator(".home-problems .button").first().waitFor(),
    { phone: true },
  ),
  scene("Home", "home-failed", "a panel that can’t be read", "/console/home", async (page) => {
    await page.route(
      "**/v1/insight/expiries",
      (route) => route.fulfill({ status: 500, body: "{}" }),
    );
    await page.reload();
    await page.locator(".home-failed").waitFor();
    await page.locator(".is-waiting .home-link").first().waitFor();
  }, { desk: "calm" }),
  scene(
    "First run",
    "first-run",
    "the steps to the first key",
    "/console/home",
    (page) => text(page, "0 of 4 done"),
    { desk: "empty", phone: true },
  ),
  scene(
    "First run",
    "first-run-api",
    "adding an API and its plan",
    "/console/home",
    async (page) => {
      await button(page, "Add an API").click();
      await dialog(page).waitFor();
    },
    { desk: "empty" },
  ),
];
