import { type Scene, scene } from "../scene.ts";
import { button, dialog, openRow, rows, title } from "../sights.ts";

/** The catalogue and its plans. */
export const catalogueScenes: readonly Scene[] = [
  scene("Catalogue", "catalogue", "what is offered, on which terms", "/console/catalogue", rows, {
    phone: true,
  }),
  scene("Catalogue", "api", "an API with its plans", "/console/catalogue", async (page) => {
    await openRow(page, "Departures");
    await title(page, "Departures");
  }),
  scene("Plans", "plans", "what keys may do", "/console/plans", rows),
  scene("Plans", "plan", "one of them, with its use", "/console/plans", async (page) => {
    await openRow(page, "Departures, professional");
    await title(page, "Departures, professional");
    await page.locator(".usage-total").waitFor();
  }),
  scene("Plans", "plan-change", "its limits", "/console/plans", async (page) => {
    await openRow(page, "Departures, professional");
    await button(page, "Change").first().click();
    await dialog(page).waitFor();
  }),
];
