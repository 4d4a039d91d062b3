import { type Scene, scene } from "../scene.ts";
import { button, drawer, rows, text } from "../sights.ts";

/** Who was told of changes, and who made them. */
export const changeScenes: readonly Scene[] = [
  scene(
    "Deliveries",
    "deliveries",
    "delivered and failed messages",
    "/console/settings?show=deliveries",
    rows,
    {
      phone: true,
    },
  ),
  scene(
    "Deliveries",
    "delivery",
    "one message and its answers",
    "/console/settings?show=deliveries&state=dead",
    async (page, desk) => {
      const { data } = await desk.call("GET", "/v1/deliveries?limit=100&topic=key.revoked");
      const failed = data.find((one: { attempts: number }) => one.attempts > 1);
      await page.goto(new URL(`/console/settings/${failed.id}?show=deliveries`, page.url()).href);
      await text(page, /upstream connect error/);
    },
  ),
  scene(
    "Audit log",
    "audit-log",
    "all changes, with person and address",
    "/console/audit-log",
    rows,
    {
      phone: true,
    },
  ),
  scene(
    "Audit log",
    "audit-log-event",
    "one change in detail",
    "/console/audit-log",
    async (page) => {
      await page.locator(".row-link").nth(3).click();
      await drawer(page).waitFor();
    },
  ),
  scene("Audit log", "audit-log-proof", "a verified proof", "/console/audit-log", async (page) => {
    await page.locator(".row-link").nth(3).click();
    await button(page, "Check the proof").click();
    await page.locator(".event-proof .notice").filter({ hasText: "This row is as it was written" })
      .waitFor();
    await page.locator(".event-proof").filter({ hasText: "This browser checked the signature" })
      .waitFor();
    await page.locator(".event-proof").scrollIntoViewIfNeeded();
  }),
];
