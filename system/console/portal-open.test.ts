/** Public pages in Chromium: from a page without a session to a first key. */
import assert from "node:assert/strict";
import { visit } from "./browser.ts";
import { Hands } from "./hands.ts";
import { openPortalDesk } from "./portal-desk.ts";
import { sharedBrowser } from "../support/shared-browser.ts";

/** From the public page of an API to a key that is shown. */
const MOST = { clicks: 8, seconds: 120 };

Deno.test("open pages: read by a stranger, who signs up and has a key after 8 clicks at most", async () => {
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
  const hands = new Hands(page);
  const first = await hands.do("First key by a stranger", async () => {
    await hands.click(page.getByRole("link", { name: "Sign in to request Free" }));
    await hands.click(page.getByRole("link", { name: "Sign up" }));
    await hands.click(page.getByLabel("E-mail"));
    await hands.type("eve@example.net");
    await hands.click(page.getByLabel("Name"));
    await hands.type("Eve");
    await hands.click(page.locator('form[action="/portal/sign-up"] button'));
    await page.getByLabel("Six digits").and(page.locator(":focus")).waitFor();
    await hands.type(await desk.codeFor("eve@example.net"));
    await page.waitForURL(`**/portal/ask/${ids.Free}`);
    await hands.click(page.getByLabel("What for"));
    await hands.type("The tides of my harbour");
    await hands.click(page.getByRole("button", { name: "Get the key" }));
    await hands.click(page.getByRole("button", { name: "Show the key" }));
    await page.locator("#key").waitFor();
  });
  assert.ok(first.clicks <= MOST.clicks, `${first.clicks} clicks`);
  assert.ok(first.seconds <= MOST.seconds, `${first.seconds} seconds`);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/portal/apis/Tides");
  await page.getByRole("table").getByRole("link", { name: "Request Partners" }).waitFor();
  await eve.show("portal/own-api");
});
