/**
 * The console when something comes between: another administrator, a restart, a session that ends.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signIn, visit } from "./browser.ts";
import { desk } from "./desk.ts";

const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const details = (page: Page) => page.getByRole("complementary", { name: "Details" });

/** What the browser itself says of calls that are refused or reach nobody. */
const expected = /Failed to load resource/;

Deno.test("problem: two administrators on one request: the second sees who approved it just now", () =>
  desk(async (_ada, page, server, browser) => {
    await using bob = await visit(browser, { expected });
    await signIn(bob, server);
    await bob.page.locator(".row-link").first().waitFor();
    for (const one of [page, bob.page]) {
      await one.locator(".row-link").first().click();
      await details(one).getByText("Keys they have").waitFor();
      await button(one, "Approve").click();
      await dialog(one, "Approve this request?").waitFor();
    }
    await button(page, "Approve & issue key").click();
    await dialog(page, /issued to/).waitFor();
    await button(bob.page, "Approve & issue key").click();
    await bob.page.getByText("Approved by administrator just now.").waitFor();
    await details(bob.page).getByText("Approved").first().waitFor();
    assert.equal(await dialog(bob.page, /issued to/).count(), 0);
    await bob.show("trouble/approved-by-another");
    // What the second one declines meanwhile is undone by nobody: the server decided.
    const { issued } = await server.call("GET", "/v1/key-requests/counts") as { issued: number };
    assert.equal(issued, 24);
    await page.getByLabel("I have stored or delivered").check();
    await button(page, "Done").click();
  }));

Deno.test("problem: what changed since one looked is not approved unseen", () =>
  desk(async (ada, page, server) => {
    await page.keyboard.press("j");
    const id = await page.locator("tr.is-current").getAttribute("data-row");
    await page.keyboard.press("Enter");
    await details(page).getByText("Keys they have").waitFor();
    const request = await server.call("GET", `/api/portal/requests/${id}`) as object;
    const changed = await fetch(`${server.url}/api/portal/requests/${id}`, {
      method: "UPDATE",
      headers: { authorization: server.admin },
      body: JSON.stringify({ ...request, fields: { use_case: "Something else entirely" } }),
    });
    assert.ok(changed.ok, await changed.text());
    await page.keyboard.press("a");
    await button(page, "Approve & issue key").click();
    await page.getByText("It was changed a moment ago").waitFor();
    await details(page).getByText("Something else entirely").first().waitFor();
    await ada.check();
    await page.keyboard.press("a");
    await button(page, "Approve & issue key").click();
    await dialog(page, /issued to/).waitFor();
    await page.getByLabel("I have stored or delivered").check();
    await button(page, "Done").click();
  }, { expected }));

Deno.test("problem: the server restarts under an open page, which says so and goes on", () =>
  desk(async (ada, page, server) => {
    await page.locator(".row-link").nth(2).click();
    await details(page).getByText("Request id").waitFor();
    await server.restart(async () => {
      await button(page, "Decline").click();
      await page.keyboard.insertText("Written while the server was away");
      await page.keyboard.press("Enter");
      // The dialog says it, and keeps what was written.
      await dialog(page, "Decline this request?").getByRole("alert").first().waitFor();
      await page.getByText("The server does not answer. What you see").waitFor();
      await ada.show("trouble/offline");
    });
    await page.getByText("The server does not answer. What you see").waitFor({
      state: "detached",
    });
    // Signed in as before, and nothing was lost.
    await dialog(page, "Decline this request?").getByRole("button", {
      name: "Decline",
      exact: true,
    })
      .click();
    await page.getByText(/^Declined .* · /).waitFor();
    const { pending } = await server.call("GET", "/v1/key-requests/counts") as { pending: number };
    assert.equal(pending, 20);
  }, { expected }));

Deno.test("problem: a screen that can't be read while the server is away opens by itself afterwards", () =>
  desk(async (ada, page) => {
    // Read beforehand, once the browser had nothing else to do: it opens without a server.
    await page.waitForFunction(() =>
      performance.getEntriesByType("resource").some(({ name }) =>
        /\/requests-[^/]*\.js$/.test(name)
      )
    );
    await page.context().setOffline(true);
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    // This one was not.
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.getByText("The server does not answer").waitFor();
    await page.getByText("This screen can’t be read now").waitFor();
    await page.getByText("opens by itself").waitFor();
    assert.equal(await page.locator(".is-loading").count(), 0, "nothing loads without end");
    await ada.show("trouble/screen-waits");
    await page.context().setOffline(false);
    await page.getByRole("heading", { level: 1, name: "APIs" }).waitFor();
    assert.equal(await page.getByText("could not be loaded").count(), 0);
  }, { expected: /ERR_INTERNET_DISCONNECTED|Failed to load resource|Failed to fetch/ }));

Deno.test("problem: a session whose access token is revoked ends, and signing in goes on where one was", () =>
  desk(async (ada, page, server) => {
    const made = await server.call("POST", "/v1/people", {
      name: "Grace",
      permissions: ["portal:read", "approve", "admin"],
    }) as { id: string };
    const issued = await server.call("POST", `/v1/people/${made.id}/access-tokens`, {
      name: "laptop",
      deliver: "answer",
    }) as { id: string; access_token: string };
    await button(page, "Sign out").click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await ada.show("sign-in/1");
    await page.getByRole("button", { name: "Use an access token" }).click();
    await page.getByLabel("Your access token").fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("This access token is not valid").waitFor();
    await ada.show("sign-in/2-wrong");
    await page.getByLabel("Your access token").fill(issued.access_token);
    await page.keyboard.press("Enter");
    await toRequests(page);
    assert.ok(!await page.content().then((text) => text.includes(issued.access_token)));
    await page.keyboard.press("3");
    await page.locator(".row-link").nth(1).click();
    await details(page).waitFor();
    const where = page.url();
    await server.call("DELETE", `/v1/access-tokens/${issued.id}`);
    await page.keyboard.press("j");
    await page.getByText("Your session has expired").waitFor();
    assert.ok(!(await page.content()).includes("Request id"));
    await ada.show("sign-in/3-ended");
    const again = await server.call("POST", `/v1/people/${made.id}/access-tokens`, {
      name: "laptop",
      deliver: "answer",
    }) as { access_token: string };
    await page.getByRole("button", { name: "Use an access token" }).click();
    await page.getByLabel("Your access token").fill(again.access_token);
    await page.keyboard.press("Enter");
    await details(page).waitFor();
    assert.equal(page.url().split("/requests")[1]?.split("?")[1], where.split("?")[1]);
  }, { expected }));

Deno.test("problem: where the clipboard is refused the text is selected, and nobody says Copied", () =>
  desk(async (ada, page) => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
    });
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await button(page, "Approve & issue key").click();
    const issued = dialog(page, /issued to/);
    await issued.waitFor();
    await issued.getByRole("button", { name: /^Copy/ }).first().click();
    await issued.getByText("Selected").waitFor();
    const selected = await page.evaluate(() => getSelection()?.toString());
    assert.equal(selected, await issued.locator(".copy-value").first().textContent());
    assert.equal(await page.getByText("Copied").count(), 0);
    await ada.check();
    await page.getByLabel("I have stored or delivered").check();
    await button(page, "Done").click();
  }));

Deno.test("problem: a person who may only read sees no way to decide", () =>
  desk(async (ada, page, server) => {
    const { id } = await server.call("POST", "/v1/people", {
      name: "Reader",
      permissions: ["portal:read"],
    }) as { id: string };
    const { access_token: credential } = await server.call(
      "POST",
      `/v1/people/${id}/access-tokens`,
      {
        name: "laptop",
        deliver: "answer",
      },
    ) as { access_token: string };
    await button(page, "Sign out").click();
    await page.getByRole("button", { name: "Use an access token" }).click();
    await page.getByLabel("Your access token").fill(credential);
    await page.keyboard.press("Enter");
    await toRequests(page);
    await page.locator(".row-link").first().click();
    await details(page).getByText("Keys they have").waitFor();
    assert.equal(await button(page, "Approve").count(), 0);
    await page.keyboard.press("d");
    await page.keyboard.press("a");
    assert.equal(await page.getByRole("dialog").count(), 0);
    await ada.show("trouble/reader");
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("region", { name: "Where you are signed in" }).getByText("this session")
      .waitFor();
    assert.equal(await page.locator(".tab").count(), 0);
    assert.equal(await button(page, "Add a person").count(), 0);
    const { pending } = await server.call("GET", "/v1/key-requests/counts") as { pending: number };
    assert.equal(pending, 21);
  }, { expected }));

Deno.test("problem: what is shown once stays until it is kept, even when the session ends meanwhile", () =>
  desk(async (_ada, page) => {
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await button(page, "Approve & issue key").click();
    const issued = dialog(page, /issued to/);
    await issued.waitFor();
    await page.context().clearCookies();
    const refused = page.waitForResponse((response) => response.status() === 401);
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await refused;
    assert.ok(await issued.isVisible());
    await page.getByLabel("I have stored or delivered").check();
    await button(page, "Done").click();
    await page.getByText("Your session has expired").waitFor();
    assert.equal(new URL(page.url()).pathname, "/console/requests");
  }, { expected }));

/** Who signed out and in again begins at Home. */
async function toRequests(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.locator(".row-link").first().waitFor();
}
