/**
 * Decisions on key requests in Chromium: every flow by mouse and by keyboard alone, in both themes.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sizes, visit } from "./browser.ts";
import { desk } from "./desk.ts";
import { button, counts, details, dialog, pendingIs, rows, sayWhy } from "./key-requests.ts";

Deno.test("key requests: by mouse: look, approve, keep the credential, go on", () =>
  desk(async (ada, page, server) => {
    await ada.show("key-requests/1-inbox");
    const first = rows(page).first();
    const id = await first.getAttribute("data-row");
    await first.locator(".row-link").click();
    await details(page).getByText("Keys they have").waitFor();
    assert.match(page.url(), new RegExp(`/console/requests/${id}$`));
    await ada.show("key-requests/2-drawer");
    await button(page, "Approve").click();
    await dialog(page, "Approve this request?").waitFor();
    await ada.show("key-requests/3-confirm");
    await page.getByLabel("Expires (optional)").fill("2090-01-01T00:00");
    await page.getByLabel("Why (optional)").fill("Agreed with their team lead.");
    await button(page, "Approve & issue key").click();
    const issued = dialog(page, /issued to/);
    await issued.waitFor();
    await ada.show("key-requests/4-reveal");
    await assertStays(page, issued);
    const secret = await issued.locator(".copy-value").nth(1).textContent() ?? "";
    await issued.getByRole("button", { name: /^Copy/ }).nth(1).click();
    await issued.getByText("Copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
    await page.getByLabel("I have stored or delivered").check();
    await ada.check();
    await button(page, "Done").click();
    await issued.waitFor({ state: "detached" });
    assert.ok(secret.length > 20);
    await assertGone(page, secret);
    // The next one is open, and the count is the server's.
    await pendingIs(page, 20);
    // as: the contract of listKeys, the newest first.
    const { data: [key] } = await server.call("GET", "/v1/keys?limit=1") as {
      data: { expires_at: string }[];
    };
    assert.equal(key?.expires_at, "2090-01-01T00:00:00.000Z");
    const { reason } = await server.call("GET", `/v1/key-requests/${id}`) as { reason: string };
    assert.equal(reason, "Agreed with their team lead.");
    assert.equal(await rows(page).first().getAttribute("data-row"), await currentRow(page));
    assert.deepEqual(await counts(server), { pending: 20, issued: 24, declined: 6, all: 50 });
  }));

/** Neither Esc, nor back, nor the backdrop ends a dialog that shows a secret. */
async function assertStays(page: Page, issued: ReturnType<typeof dialog>): Promise<void> {
  assert.ok(await button(page, "Done").isDisabled());
  const url = page.url();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByText("Tick the box first").waitFor();
  await page.mouse.click(4, 4);
  await page.goBack().catch(() => {});
  assert.ok(await issued.isVisible());
  assert.equal(page.url(), url);
}

/** A secret is nowhere in the page, its address, title or storage. */
async function assertGone(page: Page, secret: string): Promise<void> {
  const everything = await page.evaluate(() =>
    [
      document.documentElement.outerHTML,
      document.title,
      location.href,
      JSON.stringify(history.state),
      JSON.stringify({ ...localStorage }),
      JSON.stringify({ ...sessionStorage }),
    ].join("\n")
  );
  assert.ok(!everything.includes(secret));
}

async function currentRow(page: Page): Promise<string | null> {
  return await page.locator("tr.is-current").getAttribute("data-row");
}

Deno.test("key requests: by keyboard alone: twenty decisions lose nothing", () =>
  desk(async (ada, page, server) => {
    const { keyboard } = page;
    await keyboard.press("j");
    await keyboard.press("Enter");
    await details(page).waitFor();
    for (let turn = 0; turn < 20; turn++) {
      const id = await currentRow(page);
      assert.ok(id);
      if (turn % 2 === 0) {
        await keyboard.press("d");
        await sayWhy(page);
      } else {
        await keyboard.press("a");
        await dialog(page, "Approve this request?").waitFor();
        await keyboard.press("Enter");
        await dialog(page, /issued to/).waitFor();
        await page.getByLabel("I have stored or delivered").focus();
        await keyboard.press("Space");
        await keyboard.press("Tab");
        await keyboard.press("Enter");
        await dialog(page, /issued to/).waitFor({ state: "detached" });
      }
      await page.locator(`tr[data-row="${id}"]`).waitFor({ state: "detached" });
    }
    await pendingIs(page, 1);
    assert.deepEqual(await counts(server), { pending: 1, issued: 33, declined: 16, all: 50 });
    await rows(page).first().waitFor();
    assert.equal(await rows(page).count(), 1);
    await keyboard.press("d");
    await sayWhy(page);
    await page.getByText("Nothing waits for you").waitFor();
    await ada.show("key-requests/nothing-pending");
  }));

Deno.test("key requests: a decline is undone by its toast, by Z, and later from its tab", () =>
  desk(async (ada, page, server) => {
    const { keyboard } = page;
    await keyboard.press("j");
    const id = await currentRow(page);
    await keyboard.press("d");
    await sayWhy(page);
    await page.getByText(/^Declined Inês Carvalho/).waitFor();
    await pendingIs(page, 20);
    await ada.show("key-requests/5-declined");
    await button(page, "Undo").click();
    await pendingIs(page, 21);
    assert.equal(await rows(page).first().getAttribute("data-row"), id);
    await page.locator(`tr[data-row="${id}"] .row-link`).click();
    for (let turn = 0; turn < 2; turn++) {
      await keyboard.press("d");
      await sayWhy(page);
    }
    await pendingIs(page, 19);
    // Each toast takes back its own; Z the newest.
    await button(page, "Undo").first().click();
    await pendingIs(page, 20);
    assert.equal(await currentRow(page), id);
    await keyboard.press("z");
    await pendingIs(page, 21);
    await button(page, "Undo").waitFor({ state: "detached" });
    await page.locator(`tr[data-row="${id}"] .row-link`).click();
    await keyboard.press("d");
    await sayWhy(page);
    await button(page, "Add reason").click();
    await dialog(page, "Add a reason").waitFor();
    await keyboard.type("Please use the plan for partners.");
    await ada.show("key-requests/reason");
    await keyboard.press("Enter");
    await dialog(page, "Add a reason").waitFor({ state: "detached" });
    const kept = await server.call("GET", `/v1/key-requests/${id}`) as { reason: string };
    assert.equal(kept.reason, "Please use the plan for partners.");
    await keyboard.press("3");
    await page.locator(`tr[data-row="${id}"]`).waitFor();
    await page.goto(`${server.url}/console/requests/${id}?state=declined`);
    await details(page).getByText("Please use the plan for partners.").waitFor();
    await ada.show("key-requests/6-declined-drawer");
    await button(page, "Reopen").click();
    await details(page).getByText("Pending", { exact: true }).first().waitFor();
    await pendingIs(page, 21);
  }));

/** Closing the page of a one-time link asks while nobody has said that what it shows is kept. */
async function staysUntilKept(page: Page): Promise<void> {
  const shown = page.locator("#parts code");
  const before = await shown.allTextContents();
  const asked = page.waitForEvent("dialog");
  await page.evaluate("setTimeout(() => location.reload())");
  const question = await asked;
  assert.equal(question.type(), "beforeunload");
  await question.dismiss();
  assert.deepEqual(await shown.allTextContents(), before);
  assert.equal(await page.getByRole("button", { name: "Done" }).isDisabled(), true);
  await page.getByLabel("I have kept it in a safe place").check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("It is cleared from this page").waitFor();
  assert.equal(await shown.count(), 0);
}

Deno.test("key requests: several at once hand out one-time links, and each opens its credential once", () =>
  desk(async (ada, page, server, browser) => {
    const { keyboard } = page;
    for (let turn = 0; turn < 3; turn++) {
      await keyboard.press("j");
      await keyboard.press("x");
    }
    await page.getByText("3 selected").waitFor();
    await ada.show("key-requests/7-several");
    await keyboard.press("a");
    await dialog(page, "Approve 3 requests?").waitFor();
    await ada.show("key-requests/8-several-confirm");
    await keyboard.press("Enter");
    const done = dialog(page, "3 approved");
    await done.waitFor();
    await ada.show("key-requests/9-several-links");
    // All of them come first, to copy or as a file.
    const all = await done.locator(".copy-value").first().textContent() ?? "";
    const lines = all.split("\n");
    assert.equal(lines.length, 3);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      button(page, "Download all as a file").click(),
    ]);
    assert.equal(await Deno.readTextFile(await file.path()), `${all}\n`);
    await page.getByLabel("I have passed these links on").check();
    await button(page, "Done").click();
    await pendingIs(page, 18);
    const links = lines.map((line) => line.split("\t")[2] ?? "");
    await using grace = await visit(browser, { expected: /410/ });
    await grace.page.goto(links[0] ?? "");
    await grace.show("claim/1-asks");
    await grace.page.getByRole("button", { name: "Show it" }).click();
    await grace.page.getByText("Keep it now").waitFor();
    // By the plan of the first of them.
    const title = { level: 1, name: /^Your (key|OAuth client) for \S/ };
    await grace.page.getByRole("heading", title).waitFor();
    assert.equal(await grace.page.getByRole("link").count(), 0);
    await grace.show("claim/2-shown");
    await staysUntilKept(grace.page);
    await grace.show("claim/5-finished");
    await grace.page.goto("about:blank");
    await grace.page.goto(links[0] ?? "");
    await grace.page.getByText("This link was used").waitFor();
    await grace.show("claim/3-gone");
    // By mouse: the avatar is the box.
    for (const index of [0, 1]) await rows(page).nth(index).locator(".row-pick").click();
    await button(page, "Decline").click();
    await sayWhy(page);
    await pendingIs(page, 16);
    await button(page, "Undo").click();
    await pendingIs(page, 18);
    assert.deepEqual(await counts(server), { pending: 18, issued: 26, declined: 6, all: 50 });
  }));

Deno.test("key requests: one that changed between the look and the bulk approval is told and not approved", () =>
  desk(async (ada, page, server) => {
    const { keyboard } = page;
    for (let turn = 0; turn < 3; turn++) {
      await keyboard.press("j");
      await keyboard.press("x");
    }
    await page.getByText("3 selected").waitFor();
    const id = await rows(page).nth(1).getAttribute("data-row");
    const path = `/api/portal/requests/${id}`;
    // as: the contract of getKeyRequest.
    const request = await server.call("GET", path) as Record<string, unknown>;
    await server.call("PUT", path, { ...request, fields: { use_case: "Something else entirely" } });
    await keyboard.press("a");
    await dialog(page, "Approve 3 requests?").waitFor();
    await keyboard.press("Enter");
    const done = dialog(page, "2 of 3 approved");
    await done.getByText("It has changed since it was read.").waitFor();
    await ada.show("key-requests/14-several-changed");
    await page.getByLabel("I have passed these links on").check();
    await button(page, "Done").click();
    await pendingIs(page, 19);
    assert.deepEqual(await counts(server), { pending: 19, issued: 25, declined: 6, all: 50 });
    // The row shows by now what it asks, and that can be approved.
    const row = page.locator(`tr[data-row="${id}"]`);
    await row.getByText("Something else entirely").waitFor();
    await row.locator(".row-link").click();
    await details(page).getByText("Something else entirely").waitFor();
    await button(page, "Approve").click();
    await button(page, "Approve & issue key").click();
    await dialog(page, /issued to/).waitFor();
    assert.deepEqual(await counts(server), { pending: 18, issued: 26, declined: 6, all: 50 });
  }));

Deno.test("key requests: on a phone one looks, declines and approves with the thumb", () =>
  desk(async (ada, page) => {
    await ada.show("key-requests/phone-1");
    await rows(page).nth(1).click();
    await details(page).getByText("Keys they have").waitFor();
    await ada.show("key-requests/phone-2-drawer");
    await button(page, "Decline").click();
    await button(page, "Decline without a reason").click();
    await page.getByText(/^Declined .* · /).waitFor();
    await ada.show("key-requests/phone-3-declined");
    await button(page, "Approve").click();
    await dialog(page, "Approve this request?").waitFor();
    await page.getByLabel("Make a one-time link").check();
    await ada.show("key-requests/phone-4-confirm");
    await button(page, "Approve & issue key").click();
    await dialog(page, /^One-time link for/).waitFor();
    await ada.show("key-requests/phone-5-link");
    await page.getByLabel("I have passed this link on").check();
    await button(page, "Done").click();
    await button(page, "Close details").click();
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    assert.equal(await details(page).count(), 0);
  }, { size: sizes.phone }));
