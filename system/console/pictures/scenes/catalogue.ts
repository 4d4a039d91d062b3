import type { Page } from "playwright-core";
import { type Scene, scene } from "../scene.ts";
import { button, dialog, openRow, rows, title } from "../sights.ts";

/** The catalogue and its plans. */
export const catalogueScenes: readonly Scene[] = [
  scene("APIs", "catalogue", "the catalogue and its terms", "/console/apis", rows, {
    phone: true,
  }),
  scene("APIs", "api", "an API with its plans", "/console/apis", async (page) => {
    await openRow(page, "Departures");
    await title(page, "Departures");
  }),
  scene("Plans", "plans", "all plans", "/console/apis", rows),
  scene("Plans", "plan", "one of them, with its use", "/console/apis", async (page) => {
    await openPlan(page);
    await title(page, "Professional");
    await page.locator(".usage-total").waitFor();
    await page.getByRole("heading", { name: "In use" }).evaluate((one) => one.scrollIntoView());
  }),
  scene("Plans", "plan-change", "its limits", "/console/apis", async (page) => {
    await openPlan(page);
    await button(page, "Change").first().click();
    await dialog(page).waitFor();
  }),
  scene(
    "Plans",
    "plan-approval-policy",
    "the approval policy, in steps",
    "/console/apis",
    async (page) => {
      await openPlan(page);
      await button(page, "Who must approve").click();
      const form = dialog(page);
      await form.getByLabel("Decision", { exact: true }).selectOption("steps");
      for (const [at, name] of ["API product", "Security"].entries()) {
        await button(page, "Add a step").click();
        await form.getByLabel(`Name of step ${at + 1}`).fill(name);
      }
      await form.getByLabel("Its filer, and those who changed it, do not decide").check();
      await form.getByLabel("Expire after (days)").fill("14");
      await button(page, "Who could decide?").click();
      await form.getByText(/1 of \d/).last().waitFor();
    },
    { phone: true },
  ),
];

/** The row of an API names its plans, too. */
const openPlan = (page: Page) => openRow(page, /^Professional/);
