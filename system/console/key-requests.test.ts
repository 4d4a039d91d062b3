/** Key requests in Chromium: every flow by mouse and by keyboard alone, in both themes. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type DemoServer, sizes, visit } from "./browser.ts";
import { desk } from "./desk.ts";

const rows = (page: Page) => page.locator("tr[data-row]");
const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });
const details = (page: Page) => page.getByRole("complementary", { name: "Details" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const tabCount = (page: Page, name: string) =>
  page.getByRole("radio", { name }).locator("..").locator(".tab-count").textContent();

/** What stands in the tab Pending, when it does. */
async function pendingIs(page: Page, count: number): Promise<void> {
  await page.locator(".tab-count").first().getByText(String(count), { exact: true }).waitFor();
}

async function counts(server: DemoServer) {
  // as: the contract of countKeyRequests.
  return await server.call("GET", "/v1/key-requests/counts") as Record<string, number>;
}

Deno.test("key requests: by mouse: look, approve, keep the credential, go on", () =>
  desk(async (ada, page, server) => {
    await ada.show("key-requests/1-inbox");
    const first = rows(page).first();
    const id = await first.getAttribute("data-row");
    await first.locator(".row-link").click();
    await details(page).getByText("Keys they have").waitFor();
    assert.match(page.url(), new RegExp(`/console/key-requests/${id}$`));
    await ada.show("key-requests/2-drawer");
    await button(page, "Approve").click();
    await dialog(page, "Approve this request?").waitFor();
    await ada.show("key-requests/3-confirm");
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
    await page.getByText("Nothing waits for you").waitFor();
    await ada.show("key-requests/nothing-pending");
  }));

Deno.test("key requests: a decline is undone by its toast, by Z, and later from its tab", () =>
  desk(async (ada, page, server) => {
    const { keyboard } = page;
    await keyboard.press("j");
    const id = await currentRow(page);
    await keyboard.press("d");
    await page.getByText(/^Declined Inês Carvalho/).waitFor();
    await pendingIs(page, 20);
    await ada.show("key-requests/5-declined");
    await button(page, "Undo").click();
    await pendingIs(page, 21);
    assert.equal(await rows(page).first().getAttribute("data-row"), id);
    await page.locator(`tr[data-row="${id}"] .row-link`).click();
    await keyboard.press("d");
    await keyboard.press("d");
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
    await button(page, "Add reason").click();
    await dialog(page, "Add a reason").waitFor();
    await keyboard.type("Please use the plan for partners.");
    await ada.show("key-requests/reason");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    await dialog(page, "Add a reason").waitFor({ state: "detached" });
    const kept = await server.call("GET", `/v1/key-requests/${id}`) as { reason: string };
    assert.equal(kept.reason, "Please use the plan for partners.");
    await keyboard.press("3");
    await page.locator(`tr[data-row="${id}"]`).waitFor();
    await page.goto(`${server.url}/console/key-requests/${id}?state=declined`);
    await details(page).getByText("Please use the plan for partners.").waitFor();
    await ada.show("key-requests/6-declined-drawer");
    await button(page, "Reopen").click();
    await details(page).getByText("Pending", { exact: true }).first().waitFor();
    await pendingIs(page, 21);
  }));

/** Closing the page of a claim asks while nobody has said that what it shows is kept. */
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

Deno.test("key requests: several at once hand out claim links, and each opens its credential once", () =>
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
    const lines = (await done.locator(".copy-value").last().textContent() ?? "").split("\n");
    assert.equal(lines.length, 3);
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
    await grace.page.getByText("This link opens nothing").waitFor();
    await grace.show("claim/3-gone");
    // By mouse: the avatar is the box.
    for (const index of [0, 1]) await rows(page).nth(index).locator(".row-pick").click();
    await button(page, "Decline").click();
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
    await done.getByText("This request has changed since it was read.").waitFor();
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

Deno.test("key requests: what one asks for has one name everywhere, also without a catalogue entry", () =>
  desk(async (ada, page, server) => {
    const plan = { name: "Quiet plan", active: true, rate: 5, per: 1 };
    // as: the envelope of the interface.
    const { Message: planId } = await server.call("POST", "/api/portal/policies", plan) as {
      Message: string;
    };
    for (const for_plan of [planId, "plan-of-nobody"]) {
      const body = { by_user: `d-${for_plan}`, for_plan, fields: { use_case: "No entry" } };
      await server.call("POST", "/api/portal/requests", body);
    }
    await page.reload();
    const named = (title: string) => rows(page).filter({ hasText: title }).first();
    for (const title of ["Quiet plan", "plan-of-nobody"]) {
      const row = named(title);
      await row.locator(".row-link").click();
      await details(page).getByText("Asks for").locator("..").getByText(title).waitFor();
      await button(page, "Approve").click();
      const asked = dialog(page, "Approve this request?");
      await asked.getByText(`for ${title}, live at once`).waitFor();
      if (title !== "Quiet plan") await asked.getByText("Nobody knows the plan").waitFor();
      await ada.check();
      await page.keyboard.press("Escape");
      await asked.waitFor({ state: "detached" });
      await page.keyboard.press("Escape");
      await details(page).waitFor({ state: "detached" });
    }
    for (const title of ["Quiet plan", "plan-of-nobody"]) {
      await named(title).locator(".row-pick").click();
    }
    await page.keyboard.press("a");
    const several = dialog(page, "Approve 2 requests?");
    await several.getByText("Quiet plan").waitFor();
    await several.getByText("Nobody knows the plan").waitFor();
    await ada.show("key-requests/16-several-unknown");
    await page.keyboard.press("Escape");
    await several.waitFor({ state: "detached" });
    await button(page, "Decline").click();
    await button(page, "Undo").waitFor();
    await page.keyboard.press("z");
    await named("Quiet plan").locator(".row-link").click();
    await button(page, "Decline").click();
    await page.getByText(/^Declined .* · Quiet plan$/).waitFor();
  }, { expected: /404/ }));

Deno.test("key requests: why one was approved stands in its details", () =>
  desk(async (ada, page, server) => {
    const id = await rows(page).first().getAttribute("data-row");
    const reason = "Agreed with their team lead.";
    await server.call("POST", `/v1/key-requests/${id}/approve`, { deliver: "claim", reason });
    await page.goto(`${server.url}/console/key-requests/${id}`);
    await details(page).getByText(reason).waitFor();
    await ada.show("key-requests/15-approved-reason");
  }));

Deno.test("key requests: search, tabs and filters stand in the address, and come back from it", () =>
  desk(async (ada, page, server) => {
    await page.keyboard.press("/");
    await page.keyboard.type("okafor");
    await page.waitForURL(/q=okafor/);
    await page.waitForFunction(() => {
      const found = [...document.querySelectorAll("tr[data-row]")];
      return found.length > 0 && found.every((row) => row.textContent?.includes("Okafor"));
    });
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => !url.search.includes("q="));
    await page.getByRole("combobox", { name: "Age" }).selectOption("over-14d");
    await page.waitForURL(/age=over-14d/);
    await page.getByRole("radio", { name: "Approved" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/state=declined/);
    await page.keyboard.press("4");
    await page.waitForURL(/state=all/);
    await page.reload();
    assert.equal(await page.getByRole("combobox", { name: "Age" }).inputValue(), "over-14d");
    assert.ok(await page.getByRole("radio", { name: "All" }).isChecked());
    await page.goto(`${server.url}/console/key-requests?q=nobody+at+all`);
    await page.getByText("Nothing matches").waitFor();
    await ada.show("key-requests/nothing-matches");
    await button(page, "Clear filters").first().click();
    await rows(page).first().waitFor();
    assert.equal(await tabCount(page, "All"), "50");
  }));

Deno.test("key requests: new ones announce themselves and move nothing until they are wanted", () =>
  desk(async (ada, page, server) => {
    const before = await rows(page).first().getAttribute("data-row");
    const top = await rows(page).first().boundingBox();
    const { data: [known] } = await server.call("GET", "/v1/key-requests?limit=1") as {
      data: { by_user: string; for_plan: string }[];
    };
    for (let turn = 0; turn < 3; turn++) {
      await server.call("POST", "/api/portal/requests", {
        by_user: known?.by_user,
        for_plan: known?.for_plan,
        fields: { use_case: `News ${turn}` },
      });
    }
    const news = page.getByRole("button", { name: "3 new" });
    await news.waitFor();
    assert.equal(await rows(page).first().getAttribute("data-row"), before);
    assert.deepEqual(await rows(page).first().boundingBox(), top);
    await ada.show("key-requests/news");
    await news.click();
    await page.getByText("News 2").first().waitFor();
    await news.waitFor({ state: "detached" });
  }));

Deno.test("key requests: on a phone one looks, declines and approves with the thumb", () =>
  desk(async (ada, page) => {
    await ada.show("key-requests/phone-1");
    await rows(page).nth(1).click();
    await details(page).getByText("Keys they have").waitFor();
    await ada.show("key-requests/phone-2-drawer");
    await button(page, "Decline").click();
    await page.getByText(/^Declined .* · /).waitFor();
    await ada.show("key-requests/phone-3-declined");
    await button(page, "Approve").click();
    await dialog(page, "Approve this request?").waitFor();
    await page.getByLabel("Make a claim link").check();
    await ada.show("key-requests/phone-4-confirm");
    await button(page, "Approve & issue key").click();
    await dialog(page, /^Claim link for/).waitFor();
    await ada.show("key-requests/phone-5-link");
    await page.getByLabel("I have passed this link on").check();
    await button(page, "Done").click();
    await button(page, "Close details").click();
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    assert.equal(await details(page).count(), 0);
  }, { size: sizes.phone }));
