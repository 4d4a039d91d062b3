/**
 * Many certificates at once, in Chromium: chosen by ranges or by what matches, changed in a job,
 * taken back.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { made } from "../../test/support/certificates.ts";
import { type DemoServer, exported } from "./browser.ts";
import { desk } from "./desk.ts";

const boxOf = (page: Page, n: number) => page.locator("tr[data-row]").nth(n).locator(".row-pick");
const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
const details = (page: Page) => page.getByRole("complementary", { name: "Details" });
const dialogOf = (page: Page, name: string) => page.getByRole("dialog", { name });

const MORE = 60;
const LENA = "lena@example.com";

/** Certificates with names of their own, beside those of the demo. */
async function addMore(server: DemoServer): Promise<void> {
  for (let n = 0; n < MORE; n++) {
    const response = await fetch(`${server.url}/api/certs`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.admin}`,
        "content-type": "application/x-pem-file",
      },
      body: made({ cn: `wharf-${n}` }),
    });
    assert.equal(response.status, 200, await response.text());
  }
}

/** How many of them somebody cares for. */
async function owned(server: DemoServer): Promise<number> {
  // as: the contract of listCertificates.
  const { data } = await server.call("GET", `/v1/certificates?limit=100&q=wharf&owner=${LENA}`) as {
    data: unknown[];
  };
  return data.length;
}

Deno.test("jobs of certificates: all that match get an owner, are muted, and taken back", () =>
  desk(async (ada, page, server) => {
    await addMore(server);
    await ada.page.goto(`${server.url}/console/certificates?q=wharf`);
    await boxOf(page, 1).click();
    await boxOf(page, 5).click({ modifiers: ["Shift"] });
    await page.getByText("5 selected").waitFor();
    await button(page, "Mute…").click();
    const muting = dialogOf(page, "Mute 5 certificates?");
    await button(page, "Mute 5").click();
    await muting.getByText("Choose a time to come").waitFor();
    await muting.getByLabel("Until").fill("2090-01-01T00:00");
    await button(page, "Mute 5").click();
    await muting.getByText("Say why").waitFor();
    await muting.getByLabel("Reason").fill("A move");
    await ada.show("jobs/certificates-1-mute");
    await button(page, "Mute 5").click();
    await details(page).getByRole("heading", { name: "5 muted" }).waitFor();
    await page.keyboard.press("Escape");
    await boxOf(page, 1).click();
    await page.keyboard.press("m");
    await page.getByText(`All ${MORE} that match`, { exact: true }).waitFor();
    await button(page, "Owner…").click();
    const dialog = dialogOf(page, `Set the owner of ${MORE} certificates?`);
    await dialog.getByLabel("Owner").fill(LENA);
    await button(page, `Set ${MORE}`).click();
    await dialog.getByText(`Type ${MORE} to go on.`).waitFor();
    await dialog.getByLabel(`Type ${MORE} to go on`).fill(String(MORE));
    await ada.show("jobs/certificates-2-owner");
    await button(page, `Set ${MORE}`).click();
    await details(page).getByRole("heading", { name: `${MORE} changed` }).waitFor();
    await ada.show("jobs/certificates-3-done");
    assert.equal(await owned(server), MORE);
    const said = await exported(page, "Result as a file");
    assert.equal(said.split(",changed,").length - 1, MORE);
    await button(page, `Take back these ${MORE}`).click();
    await details(page).getByRole("heading", { name: `${MORE} taken back` }).waitFor();
    assert.equal(await owned(server), 0);
  }));
