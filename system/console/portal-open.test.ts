/** Public pages in Chromium: from a page without a session to the form of a plan. */
import assert from "node:assert/strict";
import { visit } from "./browser.ts";
import { openPortalDesk } from "./portal-desk.ts";
import { sharedBrowser } from "../support/shared-browser.ts";

Deno.test("open pages: read by a stranger, who signs up and is at the plan's form", async () => {
  await using desk = await openPortalDesk();
  const { server, ids } = desk;
  await server.call("PUT", "/v1/apis/Tides", { visibility: "public" });
  await server.call("PUT", `/v1/plans/${ids.Free}`, { price_text: "Free of charge" });
  await server.call("PUT", `/v1/plans/${ids.Partners}`, { price_text: "120 euros a month" });
  await using browser = await sharedBrowser();
  await using eve = await visit(browser, { base: server.url });
  const { page } = eve;
  for (const [name, width] of [["desk", 1440], ["phone", 390]] as const) {
    await page.setViewportSize({ width, height: width === 390 ? 780 : 900 });
    await page.goto("/portal");
    await page.getByRole("heading", { name: "APIs" }).waitFor();
    await eve.show(`portal/open-catalogue-${name}`);
    await page.getByRole("link", { name: "Tides", exact: true }).click();
    await page.getByRole("columnheader", { name: "Price" }).or(page.getByText("Price: ")).first()
      .waitFor({ state: "attached" });
    assert.equal(await page.getByRole("table").getByRole("row").count(), 3);
    await page.locator("details.operation").first().locator("summary").click();
    await eve.show(`portal/open-api-${name}`);
    await page.locator("#plans").scrollIntoViewIfNeeded();
    await page.locator(".compare").scrollIntoViewIfNeeded();
    await eve.show(`portal/open-plans-${name}`);
  }
  assert.deepEqual(await eve.context.cookies(), []);
  await page.getByRole("link", { name: "Sign in to request Free" }).click();
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByLabel("E-mail").fill("eve@example.net");
  await page.getByLabel("Name").fill("Eve");
  await page.locator('form[action="/portal/sign-up"] button').click();
  await page.getByLabel("Six digits").fill(await desk.codeFor("eve@example.net"));
  await page.waitForURL(`**/portal/ask/${ids.Free}`);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/portal/apis/Tides");
  await page.getByRole("table").getByRole("link", { name: "Request Free" }).waitFor();
  await eve.show("portal/own-api");
});
