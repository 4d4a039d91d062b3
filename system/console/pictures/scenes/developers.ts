import { type Scene, scene } from "../scene.ts";
import { button, dialog, openRow, rows } from "../sights.ts";

/** Developers. */
export const developerScenes: readonly Scene[] = [
  scene("Developers", "developers", "all developers", "/console/developers", rows, {
    phone: true,
  }),
  scene(
    "Developers",
    "developer",
    "one of them, with keys and requests",
    "/console/developers",
    async (page) => {
      await openRow(page, "Elif");
      await page.locator(".drawer .mini-list a").first().waitFor();
    },
  ),
  scene(
    "Developers",
    "developer-change",
    "changing name, address and fields",
    "/console/developers",
    async (page) => {
      await openRow(page, "Elif");
      await button(page, /^Change/).first().click();
      await dialog(page).waitFor();
    },
  ),
];
