/**
 * Many key requests at once, in Chromium: chosen by ranges or by what matches, decided in a job,
 * stopped, seen.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { type DemoServer, exported, signIn, sizes, visit } from "./browser.ts";
import { desk } from "./desk.ts";

const rows = (page: Page) => page.locator("tr[data-row]");
const boxOf = (page: Page, n: number) => rows(page).nth(n).locator(".row-pick");
const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
const details = (page: Page) => page.getByRole("complementary", { name: "Details" });

const MORE = 60;
const MATCHING = "tides-course";

/** Requests that a search finds, beside those of the demo; their plan and developers are known. */
async function askMore(server: DemoServer): Promise<void> {
  // as: the contract of createPlan.
  const plan = await server.call("POST", "/v1/plans", { name: "Tides" }) as { id: string };
  for (let n = 0; n < MORE; n++) {
    const id = `student-${n}`;
    await server.call("POST", "/v1/developers", { id, email: `${id}@example.org` });
    await server.call("POST", "/api/portal/requests", {
      by_user: id,
      for_plan: plan.id,
      fields: { use_case: `${MATCHING} ${n}` },
    });
  }
}

async function counts(server: DemoServer) {
  // as: the contract of countKeyRequests.
  return await server.call("GET", "/v1/key-requests/counts") as Record<string, number>;
}

Deno.test("jobs: Shift selects a range, by mouse and by keyboard, and a tick takes one out", () =>
  desk(async (_, page) => {
    await boxOf(page, 1).click();
    await page.getByText("1 selected").waitFor();
    await boxOf(page, 5).click({ modifiers: ["Shift"] });
    await page.getByText("5 selected").waitFor();
    await boxOf(page, 3).click();
    await page.getByText("4 selected").waitFor();
    await button(page, "Clear").click();
    await page.getByText("4 selected").waitFor({ state: "detached" });
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Shift+X");
    await page.getByText("3 selected").waitFor();
    await button(page, /^Select the \d+ loaded$/).click();
    await page.getByText("21 selected").waitFor();
    // Also from nothing selected.
    await button(page, "Clear").click();
    await page.getByText("21 selected").waitFor({ state: "detached" });
    await page.keyboard.press("m");
    await page.getByText("All 21 that match", { exact: true }).waitFor();
    await page.locator("tr.is-selected").first().waitFor();
  }));

Deno.test("jobs: all that match are approved in one job, whose number is typed; links are taken once", () =>
  desk(async (ada, page, server) => {
    await askMore(server);
    await page.getByRole("searchbox").fill(MATCHING);
    await page.getByText(`student-${MORE - 1}`).first().waitFor();
    await boxOf(page, 0).click();
    await page.getByText("1 selected").waitFor();
    await button(page, "Select all that match").click();
    await page.getByText(`All ${MORE} that match`, { exact: true }).waitFor();
    await ada.show("jobs/1-all-that-match");
    await page.keyboard.press("a");
    const dialog = page.getByRole("dialog", { name: `Approve ${MORE} requests?` });
    await dialog.waitFor();
    const typed = dialog.getByLabel(`Type ${MORE} to go on`);
    await typed.fill("59");
    await button(page, `Approve ${MORE}`).click();
    await dialog.getByText(`Type ${MORE} to go on.`).waitFor();
    await ada.show("jobs/2-confirm");
    await typed.fill(String(MORE));
    await dialog.getByLabel("Expires (optional)").fill("2020-01-01T00:00");
    await button(page, `Approve ${MORE}`).click();
    await dialog.getByText("Choose a time to come.").waitFor();
    await dialog.getByLabel("Expires (optional)").fill("2090-01-01T00:00");
    await button(page, `Approve ${MORE}`).click();
    await details(page).getByText(`${MORE} of ${MORE}`).waitFor();
    await details(page).getByRole("heading", { name: `${MORE} approved` }).waitFor();
    await ada.show("jobs/3-done");
    assert.deepEqual((await counts(server)).pending, 21);
    // as: the contract of listKeys, the newest first.
    const { data } = await server.call("GET", `/v1/keys?limit=${MORE}`) as {
      data: { expires_at: string }[];
    };
    assert.ok(data.every(({ expires_at }) => expires_at === "2090-01-01T00:00:00.000Z"));
    const taking = page.waitForEvent("download");
    await button(page, "Take the one-time links").click();
    const lines = (await readFile(await (await taking).path(), "utf8")).trim().split("\r\n");
    assert.equal(lines.length, MORE + 1);
    assert.ok(lines.slice(1).every((line) => /\/claim#[\w-]{43},/.test(line)));
    await button(page, "Take the one-time links").waitFor({ state: "detached" });
    const said = await exported(page, "Result as a file");
    assert.equal(said.split("approved").length - 1, MORE);
    assert.ok(!said.includes("/claim#"));
  }));

Deno.test("jobs: what was declined in a job is reopened by another; the phone shows both", () =>
  desk(async (_, page, server, browser) => {
    await askMore(server);
    await using bea = await visit(browser, { size: sizes.phone });
    await signIn(bea, server, `/requests?q=${MATCHING}`);
    const phone = bea.page;
    await boxOf(phone, 0).click();
    await button(phone, "Select all that match").click();
    await phone.getByText(`All ${MORE} that match`, { exact: true }).waitFor();
    await button(phone, "Decline").click();
    const dialog = phone.getByRole("dialog", { name: `Decline ${MORE} requests?` });
    await dialog.getByLabel(`Type ${MORE} to go on`).fill(String(MORE));
    await bea.show("jobs/4-phone-confirm");
    await button(phone, `Decline ${MORE}`).click();
    await details(phone).getByRole("heading", { name: `${MORE} declined` }).waitFor();
    await bea.show("jobs/5-phone-done");
    assert.equal((await counts(server)).declined, 66);
    await button(phone, `Reopen these ${MORE}`).click();
    await details(phone).getByRole("heading", { name: `${MORE} reopened` }).waitFor();
    assert.equal((await counts(server)).declined, 6);
    // Whoever started it sees it in the side bar until its end was looked at, in this browser.
    await page.reload();
    await page.getByRole("link", { name: new RegExp(`${MORE} reopened`) }).click();
    await details(page).getByRole("heading", { name: `${MORE} reopened` }).waitFor();
    await page.getByRole("link", { name: /reopened/ }).waitFor({ state: "detached" });
  }));
