/** Declining asks for the reason: by keys alone, with those used before, last used first. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type DemoServer, sizes } from "./browser.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { desk } from "./desk.ts";
import { button, dialog, pendingIs, rows } from "./key-requests.ts";
import { twentyMixed } from "./work/decisions.ts";
import { doWork } from "./work/desk.ts";

const QUESTION = "Decline this request?";
const current = (page: Page) => page.locator("tr.is-current").getAttribute("data-row");

/** Why a request was declined. */
async function reasonOf(server: DemoServer, id: string | null): Promise<string | null> {
  const one = await server.call("GET", `/v1/key-requests/${id}`) as { reason: string | null };
  return one.reason;
}

Deno.test("decline: a reason of several lines, and then the same by two keys and Enter", () =>
  desk(async (ada, page, server) => {
    const { keyboard } = page;
    await keyboard.press("j");
    const ids: (string | null)[] = [];
    const declined = async (keys: () => Promise<void>) => {
      const id = await current(page);
      ids.push(id);
      await keyboard.press("d");
      const question = dialog(page, QUESTION);
      await question.getByLabel("Reason").waitFor();
      await keys();
      await question.waitFor({ state: "detached" });
      await page.locator(`tr[data-row="${id}"]`).waitFor({ state: "detached" });
      return await reasonOf(server, id);
    };
    const written = "Please say:\n1. how many calls\n2. from which addresses";
    const first = await declined(async () => {
      await keyboard.type("Please say:");
      await keyboard.press("Shift+Enter");
      await keyboard.type("1. how many calls");
      await keyboard.press("Shift+Enter");
      await keyboard.type("2. from which addresses");
      await ada.show("decline/1-question");
      await keyboard.press("Enter");
    });
    assert.equal(first, written);
    await button(page, "Undo").first().waitFor();
    assert.equal(await button(page, "Add reason").count(), 0);
    const second = await declined(async () => {
      await dialog(page, QUESTION).getByRole("button", { name: "Please say:" }).waitFor();
      await keyboard.press("ArrowDown");
      await ada.show("decline/2-used-before");
      await keyboard.press("Enter");
    });
    assert.equal(second, written);
    const third = await declined(async () => {
      await keyboard.press("ArrowDown");
      await keyboard.press("ArrowUp");
      await keyboard.press("Enter");
    });
    assert.equal(third, null);
    await declined(async () => {
      await keyboard.type("Sandbox first.");
      await keyboard.press("Enter");
    });
    // Words of one's own stay under the arrows; the last used reason is the first by now.
    assert.equal(
      await declined(async () => {
        const question = dialog(page, QUESTION);
        await question.locator(".reason").first().getByText("Sandbox first.").waitFor();
        await keyboard.press("ArrowDown");
        await keyboard.type(" Then ask");
        await keyboard.press("ArrowDown");
        await keyboard.type(" again.");
        await keyboard.press("Enter");
      }),
      "Sandbox first. Then ask again.",
    );
    await pendingIs(page, 16);
    await keyboard.press("z");
    await pendingIs(page, 17);
    assert.equal(await reasonOf(server, ids.at(-1) ?? null), null);
    // Escape declines nothing.
    await keyboard.press("d");
    await dialog(page, QUESTION).getByLabel("Reason").waitFor();
    await keyboard.press("Escape");
    await dialog(page, QUESTION).waitFor({ state: "detached" });
    await pendingIs(page, 17);
  }));

Deno.test("decline: one reason for several, and by the thumb", () =>
  desk(async (ada, page, server) => {
    const { keyboard } = page;
    const ids: (string | null)[] = [];
    for (const index of [0, 1, 2]) {
      ids.push(await rows(page).nth(index).getAttribute("data-row"));
      await rows(page).nth(index).locator(".row-pick").click();
    }
    await keyboard.press("d");
    const question = dialog(page, "Decline 3 requests?");
    await question.getByLabel("Reason").waitFor();
    await keyboard.type("The plan ends this year.");
    await keyboard.press("Enter");
    await question.waitFor({ state: "detached" });
    await pendingIs(page, 18);
    for (const id of ids) assert.equal(await reasonOf(server, id), "The plan ends this year.");
    await page.setViewportSize(sizes.phone);
    const id = await rows(page).first().getAttribute("data-row");
    await page.goto(`${server.url}/console/requests/${id}`);
    await button(page, "Decline").click();
    await dialog(page, QUESTION).getByRole("button", { name: "The plan ends this year." }).click();
    await ada.show("decline/3-phone");
    await dialog(page, QUESTION).getByRole("button", { name: "Decline", exact: true }).click();
    await dialog(page, QUESTION).waitFor({ state: "detached" });
    assert.equal(await reasonOf(server, id), "The plan ends this year.");
  }));

Deno.test("decline: 16 yes, 3 no with reasons and 1 with conditions take 31 keys", async () => {
  await using browser = await sharedBrowser();
  await doWork(browser, twentyMixed);
});
