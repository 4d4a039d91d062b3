import type { Page } from "playwright-core";
import { meterFigures } from "../../meter-figures.ts";
import { type Scene, scene } from "../scene.ts";
import { button, dialog, text } from "../sights.ts";

/** A move from an old gateway. No desk moves: what its meter would say stands elsewhere. */
export const movingInScenes: readonly Scene[] = [
  scene(
    "Migration",
    "migration",
    "whether the old gateway can be switched off",
    "/console/gateways/migration",
    async (page) => {
      await told(page);
      await text(page, "of yesterday’s calls were decided in Keydesk");
    },
    { phone: true },
  ),
  scene(
    "Migration",
    "migration-switch",
    "switching a plan over",
    "/console/gateways/migration",
    async (page) => {
      await told(page);
      await button(page, "Switch over: Ticket shop, live").click();
      await dialog(page).waitFor();
    },
  ),
];

/** The moment of the pictures. */
const NOW = Date.parse("2026-03-12T09:40:00Z");

async function told(page: Page): Promise<void> {
  const session = await page.evaluate(async () => await (await fetch("/v1/session")).json());
  await page.route(
    "**/v1/session",
    (route) => route.fulfill({ json: { ...session, moving: true } }),
  );
  await page.route("**/v1/migration", (route) => route.fulfill({ json: meterFigures(NOW) }));
  await page.reload();
}
