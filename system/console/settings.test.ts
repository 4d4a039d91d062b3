/**
 * The console's Settings in Chromium: people, their access tokens, organisations, and what runs.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type DemoServer, sizes, visit } from "./browser.ts";
import { desk } from "./desk.ts";
import { eventually } from "../../test/support/eventually.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { doWork } from "./work/desk.ts";
import { addedColleague } from "./work/others.ts";

interface Person {
  id: string;
  name: string;
  permissions: string[];
}

const open = (page: Page, server: DemoServer, path = "") =>
  page.goto(`${server.url}/console/settings${path || "?show=people"}`);

const addPerson = async (server: DemoServer, name: string, permissions: string[]) =>
  await server.call("POST", "/v1/people", { name, permissions }) as Person;

/** Which status an access token gets. */
const statusOf = async (server: DemoServer, credential: string) => {
  const response = await fetch(new URL("/v1/me", server.url), {
    headers: { authorization: credential },
  });
  await response.body?.cancel();
  return response.status;
};

/** The access token behind a one-time link. */
async function opened(server: DemoServer, link: string): Promise<string> {
  const token = new URL(link).hash.slice(1);
  const { key: credential, access_token } = await server.call("POST", "/v1/one-time-links/open", {
    token,
  }) as {
    key: { RawKey: string };
    access_token: { name: string };
  };
  assert.equal(access_token.name, "laptop");
  return credential.RawKey;
}

/** Waits until an access token gets this status. */
const waitForStatus = async (server: DemoServer, credential: string, status: number) => {
  await eventually(`it is ${status}`, async () => await statusOf(server, credential) === status);
};

/** What is shown once: read off the dialog, which is then done with. */
async function takeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog");
  const value = await dialog.locator(".copy-value").textContent() ?? "";
  assert.match(value, /\S{20,}/);
  await page.keyboard.press("Escape");
  await dialog.getByText("Tick the box first").waitFor();
  await dialog.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
  const everywhere = await page.evaluate(() =>
    [
      document.documentElement.outerHTML,
      location.href,
      document.title,
      JSON.stringify({ ...localStorage, ...sessionStorage }),
    ].join("\n")
  );
  assert.ok(!everywhere.includes(value));
  return value;
}

/** Waits until an access token opens nothing: a server trusts what it looked up for one second. */
async function ended(server: DemoServer, token: string): Promise<void> {
  for (let left = 100; await statusOf(server, token) !== 401; left--) {
    assert.ok(left > 0, "it still opens");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

Deno.test("settings: by mouse, a person gets an access token that is shown once, rotated and revoked", () =>
  desk(async (ada, page, server) => {
    await open(page, server);
    await page.getByRole("row").getByText("administrator").first().waitFor();
    await ada.show("settings/people");
    await page.getByRole("button", { name: "Add a person" }).click();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Write a name here.").waitFor();
    await page.getByLabel("Name").fill("Grace Hopper");
    await page.getByLabel("Approve and decline key requests").check();
    await page.getByLabel("See requests, keys, developers, plans").check();
    await ada.show("settings/add-person");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "Grace Hopper" }).waitFor();
    await page.getByText("None that is valid").waitFor();
    await ada.show("settings/new-person");
    await page.getByRole("button", { name: "Issue an access token" }).click();
    await page.getByLabel("What it is for").fill("laptop");
    await page.getByLabel("Allows", { exact: true }).selectOption({ label: "Less, by choice" });
    await page.getByRole("group", { name: "It allows" })
      .getByLabel("Approve and decline key requests").uncheck();
    await ada.show("settings/issue");
    await page.getByRole("button", { name: "Issue", exact: true }).click();
    await page.getByRole("heading", { name: "One-time link for Grace Hopper" }).waitFor();
    await ada.show("settings/issued");
    const first = await opened(server, await takeSecret(page));
    assert.equal(await statusOf(server, first), 200);
    await page.getByRole("link", { name: "1 valid" }).click();
    await page.waitForURL(/show=access-tokens&person=/);
    await page.getByRole("link", { name: /^laptop/ }).click();
    await page.getByRole("heading", { level: 2, name: "laptop" }).waitFor();
    await ada.show("settings/access-token");
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel("The old one expires").selectOption({ label: "In an hour" });
    await ada.show("settings/rotate");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    const second = await opened(server, await takeSecret(page));
    assert.equal(await statusOf(server, first), 200);
    assert.equal(await statusOf(server, second), 200);
    await page.getByRole("row", { name: /laptop/ }).nth(1).waitFor();
    await ada.show("settings/rotated");
    await page.getByRole("link", { name: /^laptop/ }).first().click();
    await page.getByRole("button", { name: "Rotate" }).waitFor();
    await page.getByRole("button", { name: "Revoke" }).click();
    await ada.show("settings/revoke");
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("“laptop” is revoked.").waitFor();
    await ended(server, second);
    await page.getByLabel("State").selectOption({ label: "Revoked" });
    await page.getByRole("row", { name: /laptop/ }).getByText("Revoked", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Close details" }).click();
    await page.getByLabel("Token or person").fill("nothing-like-this");
    await page.getByText("Nothing matches").waitFor();
    await page.goBack();
    await open(page, server);
    await page.getByRole("link", { name: /Grace Hopper/ }).click();
    await page.getByRole("button", { name: "Deactivate" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
    await page.getByText("Grace Hopper is deactivated.").waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await ended(server, first);
    await page.getByRole("row", { name: /Grace Hopper/ }).getByText("Deactivated").waitFor();
    await ada.show("settings/deactivated");
  }));

Deno.test("settings: the page of a one-time link says what an access token is for, with the way there", () =>
  desk(async (_ada, page, server, browser) => {
    const grace = await addPerson(server, "Grace", ["portal:read"]);
    await open(page, server, `/${grace.id}`);
    await page.getByRole("button", { name: "Issue an access token" }).click();
    await page.getByLabel("What it is for").fill("laptop");
    await page.getByRole("button", { name: "Issue", exact: true }).click();
    await page.getByRole("heading", { name: "One-time link for Grace" }).waitFor();
    const link = await takeSecret(page);
    await page.getByRole("link", { name: "1 valid" }).click();
    await page.getByRole("link", { name: /^laptop/ }).click();
    await page.getByText("by administrator").waitFor();
    await using reader = await visit(browser);
    await reader.page.goto(link);
    const title = reader.page.getByRole("heading", { level: 1 });
    await reader.page.getByRole("button", { name: "Show it" }).waitFor();
    assert.equal(await title.textContent(), "Your access token");
    await reader.page.getByText("Grace", { exact: true }).waitFor();
    await reader.page.getByRole("button", { name: "Show it" }).click();
    await reader.page.getByText("Keep it now").waitFor();
    await reader.show("claim/4-access-token");
    const token = await reader.page.locator("#parts code").first().textContent() ?? "";
    const opening = reader.context.waitForEvent("page");
    await reader.page.getByRole("link", { name: "sign in to the console" }).click();
    const consolePage = await opening;
    await consolePage.getByRole("button", { name: "Use an access token" }).click();
    await consolePage.getByLabel("Your access token").fill(token);
    await consolePage.keyboard.press("Enter");
    await consolePage.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  }));

/** A picture of one pixel. */
Deno.test("settings: a person is suspended and resumed, and an access token kept to its addresses", () =>
  desk(async (ada, page, server) => {
    const grace = await addPerson(server, "Grace", ["portal:read"]);
    const { access_token: credential } = await server.call(
      "POST",
      `/v1/people/${grace.id}/access-tokens`,
      {
        name: "laptop",
        deliver: "answer",
      },
    ) as { access_token: string };
    assert.equal(await statusOf(server, credential), 200);
    await open(page, server, `/${grace.id}`);
    await page.getByRole("button", { name: "Suspend" }).click();
    await ada.show("settings/suspend");
    await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
    await page.getByText("Grace is suspended.").waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await page.getByRole("row", { name: /Grace/ }).getByText("Suspended").waitFor();
    await waitForStatus(server, credential, 401);
    await ada.show("settings/suspended");
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    await page.getByText("Grace is resumed.").waitFor();
    assert.equal(await statusOf(server, credential), 200);

    await page.getByRole("link", { name: "1 valid" }).click();
    await page.getByRole("link", { name: /^laptop/ }).click();
    const field = page.getByLabel("Only from these addresses");
    await field.fill("192.0.2.0/24");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/your own address, .* is not among them/i).waitFor();
    await ada.show("settings/addresses");
    await field.fill("192.0.2.0/24, 127.0.0.1");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The addresses are changed.").waitFor();
    assert.equal(await field.inputValue(), "192.0.2.0/24 127.0.0.1");
    assert.equal(await statusOf(server, credential), 200);
    await ada.show("settings/limited");
  }, { expected: /400/ }));

Deno.test("settings: who is to approve is proposed to see requests, and is told what is missing without it", () =>
  desk(async (ada, page, server) => {
    await page.goto(`${server.url}/console/settings?show=people`);
    await page.getByRole("row").getByText("administrator").first().waitFor();
    await page.keyboard.press("n");
    const form = page.getByRole("dialog");
    const approves = form.getByLabel("Approve and decline key requests");
    const sees = form.getByLabel("See requests, keys, developers, plans");
    const missing = form.getByText("find nothing to approve in the console");
    // A role says it all; without one it is ticked, from what the role says on.
    const role = form.getByLabel("Role", { exact: true });
    await role.selectOption("Auditor");
    assert.equal(await form.getByRole("checkbox").count(), 0);
    await role.selectOption("");
    assert.deepEqual(
      await form.getByRole("checkbox", { checked: true }).evaluateAll((all) =>
        all.map((one) =>
          document.getElementById(one.getAttribute("aria-labelledby") ?? "")?.innerText
        )
      ),
      [
        "See requests, keys, developers, plans",
        "See certificates",
        "See the audit log",
        "See people and settings",
      ],
    );
    await form.getByLabel("See people and settings").uncheck();
    await form.getByLabel("See the audit log").uncheck();
    await form.getByLabel("See certificates").uncheck();
    await form.getByLabel("See requests, keys, developers, plans").uncheck();
    await approves.check();
    assert.ok(await sees.isChecked());
    assert.equal(await missing.count(), 0);
    await sees.uncheck();
    await missing.waitFor();
    await ada.show("settings/approves-blindly");
    await form.getByLabel("Change requests and developers").check();
    await missing.waitFor({ state: "detached" });
  }));

Deno.test("settings: by keyboard alone, a person is added, changed and given an access token", () =>
  desk(async (ada, page, server) => {
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "This session" }).waitFor();
    await page.keyboard.press("3");
    await page.getByRole("row").getByText("administrator").first().waitFor();
    await page.keyboard.press("n");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("Grace");
    // Over the address and the role, to the first of what one may do.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "Grace" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("e");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("End");
    await page.keyboard.type(" H.");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "Grace H." }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("i");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("script");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "One-time link for Grace H." }).waitFor();
    // The value, its button, the tick, Done.
    while (!await page.locator("input[type=checkbox]:focus").count()) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("1 valid").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 2 }).waitFor({ state: "detached" });
    const { data } = await server.call("GET", "/v1/people") as { data: Person[] };
    assert.deepEqual(
      data.find(({ name }) => name === "Grace H.")?.permissions,
      ["portal:read"],
    );
    await ada.check();
  }));

Deno.test("settings: who was slower sees who changed what, and loses nothing that they typed", () =>
  desk(async (ada, page, server) => {
    const grace = await addPerson(server, "Grace", ["portal:read"]);
    await open(page, server, `/${grace.id}`);
    await page.getByRole("button", { name: "Change" }).click();
    await server.call("PUT", `/v1/people/${grace.id}`, {
      name: "Grace Hopper",
      permissions: ["portal:read"],
    });
    await page.getByLabel("Approve and decline key requests").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("administrator changed this just now.").waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), "Grace Hopper");
    await ada.show("settings/changed-meanwhile");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const now = await server.call("GET", `/v1/people/${grace.id}`) as Person;
    assert.deepEqual([now.name, now.permissions], ["Grace Hopper", ["portal:read", "approve"]]);
  }, { expected: /412/ }));

Deno.test("settings: nobody locks everybody out, and the server's words say why", () =>
  desk(async (ada, page, server) => {
    await open(page, server);
    await page.getByRole("link", { name: /administrator/ }).click();
    await page.getByRole("button", { name: "Deactivate" }).click();
    await page.getByText("This is you: your session is revoked with it.").waitFor();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Deactivate" }).click();
    await dialog.getByRole("alert").waitFor();
    await ada.show("settings/last-administrator");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByLabel("Administer people").uncheck();
    await page.getByText("This removes your own administration").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").waitFor();
    await ada.check();
    await page.keyboard.press("Escape");
    await page.getByText("Discard what you typed?").waitFor();
    await ada.show("settings/discard");
    await page.getByRole("button", { name: "Discard" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await statusOf(server, server.admin), 200);
  }, { expected: /409/ }));

Deno.test("settings: the operator adds an organisation; session and server stand in words", () =>
  desk(async (ada, page, server) => {
    await open(page, server, "?show=organisations");
    await page.getByText("Yours is the only one").waitFor();
    await ada.show("settings/organisations");
    await page.getByRole("button", { name: "Add an organisation" }).first().click();
    await page.getByLabel("Name").fill("Weather Service");
    await page.getByLabel("Its first administrator").fill("Grace");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { name: "Access token issued to Grace" }).waitFor();
    const credential = await takeSecret(page);
    assert.equal(await statusOf(server, credential), 200);
    await page.getByText("Weather Service", { exact: true }).waitFor();
    await page.locator(".tab").getByText("You", { exact: true }).click();
    await page.getByRole("heading", { name: "This session" }).waitFor();
    await ada.show("settings/you");
    await page.locator(".tab").getByText("Server", { exact: true }).click();
    await page.getByText("SQLite").waitFor();
    await ada.show("settings/server");
    await page.reload();
    await page.getByText("SQLite").waitFor();
  }));

Deno.test("settings: on a phone everything fits", () =>
  desk(async (ada, page, server) => {
    const grace = await addPerson(server, "Grace Hopper", ["portal:read", "approve"]);
    await server.call("POST", `/v1/people/${grace.id}/access-tokens`, { name: "laptop" });
    await open(page, server);
    await page.getByText("Grace Hopper").waitFor();
    await ada.show("settings/phone");
    await page.getByRole("link", { name: /Grace Hopper/ }).click();
    await page.getByRole("link", { name: "1 valid" }).waitFor();
    await ada.show("settings/phone-person");
    await page.getByRole("button", { name: "Issue an access token" }).click();
    await ada.show("settings/phone-issue");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }, { size: sizes.phone }));

Deno.test("settings: a colleague is added by ten keys, whose one-time link signs them in", async () => {
  await using browser = await sharedBrowser();
  await doWork(browser, addedColleague);
});
