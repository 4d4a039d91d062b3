import { type Scene, scene } from "../scene.ts";
import { dialog, rows, text } from "../sights.ts";

/** What every screen has. */
export const everywhereScenes: readonly Scene[] = [
  scene(
    "Everywhere",
    "palette",
    "Ctrl K finds people, keys, plans, screens",
    "/console/requests",
    async (page) => {
      await rows(page);
      await page.keyboard.press("Control+k");
      await dialog(page).waitFor();
      await page.keyboard.type("dep");
      await dialog(page).getByRole("option", { name: /^Professional/ }).first().waitFor();
    },
    { phone: true },
  ),
  scene(
    "Everywhere",
    "palette-key",
    "a pasted key finds its owner",
    "/console/requests",
    async (page, { key }) => {
      await rows(page);
      await page.keyboard.press("Control+k");
      await dialog(page).waitFor();
      await page.evaluate(`navigator.clipboard.writeText("${key}")`);
      await page.keyboard.press("Control+v");
      await text(page, "This key belongs to");
    },
  ),
  scene(
    "Everywhere",
    "shortcuts",
    "the keyboard shortcuts of a screen",
    "/console/requests",
    async (page) => {
      await rows(page);
      await page.keyboard.press("?");
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Everywhere",
    "offline",
    "the server does not answer",
    "/console/requests",
    async (page) => {
      await rows(page);
      await page.route("**/v1/**", (route) => route.abort());
      await page.keyboard.press("g");
      await page.keyboard.press("d");
      await text(page, "The server does not answer");
    },
  ),
  scene(
    "Everywhere",
    "not-found",
    "an unknown address",
    "/console/nowhere",
    (page) => text(page, "There is nothing here"),
  ),
];
