/** The console's Developers in Chromium: who has what, and what is done about them. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type DemoServer, sizes } from "./browser.ts";
import { desk } from "./desk.ts";

interface Developer {
  id: string;
  email: string;
  inactive: boolean;
  fields: Record<string, unknown>;
  keys: number;
}

const open = async (page: Page, server: DemoServer, path = "") => {
  await page.goto(`${server.url}/console/developers${path}`);
  await page.getByRole("heading", { level: 1, name: "Developers" }).waitFor();
};

const find = async (server: DemoServer, q: string) => {
  const { data } = await server.call("GET", `/v1/developers?q=${q}`) as { data: Developer[] };
  return data;
};

const one = async (server: DemoServer, q: string) => {
  const [developer] = await find(server, q);
  assert.ok(developer);
  return developer;
};

Deno.test("developers: by mouse, found, looked at, deactivated and taken back", () =>
  desk(async (ada, page, server) => {
    await open(page, server);
    await page.getByText("keira@walsh-access.example").waitFor();
    await ada.show("developers/list");
    await page.getByPlaceholder("Search people").fill("keira");
    // Enter takes the only hit, as soon as it is known to be that.
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/developers\/[^/]+\?q=keira$/);
    await page.getByText("leon@grand-riverside.example").waitFor({ state: "detached" });
    await page.getByRole("heading", { level: 2, name: "Keira Walsh" }).waitFor();
    await page.getByRole("heading", { name: /^Requests \(/ }).waitFor();
    await page.locator(".drawer .mini-list a").first().waitFor();
    await ada.show("developers/one");
    await page.getByRole("button", { name: "Deactivate" }).click();
    await page.getByLabel("Keep").check();
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
    // Under the pointer it stays, however long the rest takes.
    await page.getByText("Keira Walsh is deactivated.").hover();
    await page.getByRole("row", { name: /Keira/ }).getByText("Inactive").waitFor();
    assert.equal((await one(server, "keira")).inactive, true);
    await ada.show("developers/deactivated");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Keira Walsh is active again.").waitFor();
    assert.equal((await one(server, "keira")).inactive, false);
    const links = page.locator(".drawer .mini-list a");
    assert.match(await links.first().getAttribute("href") ?? "", /\/console\/keys\/[0-9a-f]{64}$/);
    await page.getByPlaceholder("Search people").fill("nobody-like-this");
    await page.getByText("No one matches").waitFor();
    await ada.show("developers/nobody");
    await page.getByRole("button", { name: "Show everybody" }).click();
    await page.getByText("leon@grand-riverside.example").waitFor();
    await page.locator(".tab").getByText("Inactive", { exact: true }).click();
    await page.getByRole("row", { name: /Keira/ }).waitFor({ state: "detached" });
    await page.getByText("leon@grand-riverside.example").waitFor();
    assert.match(page.url(), /state=inactive/);
    // A tab is a place in the history: Back undoes it.
    await page.goBack();
    await page.getByRole("row", { name: /Keira/ }).waitFor();
    assert.ok(!page.url().includes("state="));
  }));

Deno.test("developers: several hits of a search are for the eye: Enter opens none of them", () =>
  desk(async (_, page, server) => {
    await open(page, server);
    await page.locator(".row-link").nth(1).waitFor();
    await page.getByPlaceholder("Search people").fill("example");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\?q=example$/);
    await page.locator(".row:not(.is-waiting) .row-link").nth(1).waitFor();
    assert.equal(await page.locator(".drawer").count(), 0);
  }));

Deno.test("developers: by keyboard alone, registered and changed; words of a refusal stand at their field", () =>
  desk(async (ada, page, server) => {
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.getByText("keira@walsh-access.example").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("keira@walsh-access.example");
    await page.keyboard.press("Enter");
    await page.getByText("Belongs to another developer.").waitFor();
    const address = page.getByLabel("E-mail address");
    assert.equal(await address.getAttribute("aria-invalid"), "true");
    assert.equal(await address.evaluate((field) => field === document.activeElement), true);
    await ada.show("developers/email-taken");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("grace@navy.example");
    // Over the name of the first field to its value.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Grace Hopper");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "Grace Hopper" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("e");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("hopper@navy.example");
    // Whose the account is with it has to be said.
    await page.keyboard.press("Enter");
    await page.getByText("Say whose the account is.").waitFor();
    await ada.show("developers/whose-account");
    await page.getByLabel("It belongs to the same person: everything stays").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { email, fields } = await one(server, "hopper");
    assert.deepEqual([email, fields.name], ["hopper@navy.example", "Grace Hopper"]);
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 2 }).waitFor({ state: "detached" });
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2 }).waitFor();
    await ada.check();
  }, { expected: /400/ }));

Deno.test("developers: who was slower keeps what they typed, and overwrites nothing unseen", () =>
  desk(async (ada, page, server) => {
    const { id, email } = await one(server, "keira");
    await open(page, server, `/${id}`);
    await page.getByRole("button", { name: "Change" }).click();
    await server.call("PUT", `/v1/developers/${id}`, {
      email: "keira@elsewhere.example",
      account: "same_person",
      fields: { name: "Keira Walsh", company: "Walsh Accessibility" },
    });
    await page.getByLabel("company", { exact: true }).fill("Walsh Ltd");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("administrator changed this just now.").waitFor();
    assert.equal(await page.getByLabel("E-mail address").inputValue(), "keira@elsewhere.example");
    await ada.show("developers/changed-meanwhile");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const now = await server.call("GET", `/v1/developers/${id}`) as Developer;
    assert.deepEqual([now.email, now.fields.company], ["keira@elsewhere.example", "Walsh Ltd"]);
    assert.notEqual(now.email, email);
  }, { expected: /412/ }));

Deno.test("developers: deleted only once it is said what becomes of the keys", () =>
  desk(async (ada, page, server) => {
    const { id, keys } = await one(server, "keira");
    assert.ok(keys > 0);
    await open(page, server, `/${id}`);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("Say what becomes of their keys.").waitFor();
    await ada.show("developers/delete");
    await dialog.getByLabel("Revoke: within a second").check();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText(/Keira Walsh is deleted, with .* revoked key/).waitFor();
    await page.getByRole("row", { name: /Keira/ }).waitFor({ state: "detached" });
    assert.deepEqual(await find(server, "keira"), []);
    await open(page, server, `/${id}`);
    await page.getByText("There is no such developer").waitFor();
    await ada.show("developers/gone");
  }, { expected: /404/ }));

Deno.test("developers: on a phone, and while the server is away", () =>
  desk(async (ada, page, server) => {
    await open(page, server);
    await page.getByText("keira@walsh-access.example").waitFor();
    await ada.show("developers/phone");
    await page.getByRole("link", { name: /Keira Walsh/ }).click();
    await page.getByRole("heading", { level: 2, name: "Keira Walsh" }).waitFor();
    await page.locator(".drawer .mini-list a").first().waitFor();
    await ada.show("developers/phone-one");
    await page.getByRole("button", { name: "Change" }).click();
    await ada.show("developers/phone-form");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.getByLabel("E-mail address").fill("keira@late.example");
    await page.getByLabel(/^It belongs to the same person/).check();
    await server.restart(async () => {
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("dialog").getByText("The server does not answer.").waitFor();
      await ada.show("developers/phone-offline");
    });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal((await one(server, "keira")).email, "keira@late.example");
  }, { size: sizes.phone, expected: /ERR_CONNECTION|50\d/ }));

Deno.test("developers: an administrator sees the pages as a developer does, and can do nothing there", () =>
  desk(async (_, page, server) => {
    const { id } = await one(server, "keira");
    await open(page, server, `/${id}`);
    await page.getByRole("button", { name: "See their pages" }).click();
    await page.getByText("The developer’s pages are off.").waitFor();
    await server.call("PUT", "/v1/developer-pages", { enabled: true });
    const opened = page.context().waitForEvent("page", (one) => one.url() !== "");
    await page.getByRole("button", { name: "See their pages" }).click();
    const seen = await opened.then(async (one) => {
      await one.getByText("You see what Keira Walsh sees.").waitFor();
      return one;
    });
    await seen.getByRole("link", { name: "Account" }).click();
    await seen.getByRole("heading", { name: "Where you are signed in" }).waitFor();
    assert.equal(await seen.locator("main button:enabled, main input:enabled").count(), 0);
    await seen.getByRole("button", { name: "Stop looking" }).click();
    await seen.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    await page.goto(`${server.url}/console/audit-log?q=${id}`);
    await page.getByText("went to see what a developer sees").first().waitFor();
  }, { expected: /404/ }));

Deno.test("developers: an account goes to a successor, and by what they are signed in is listed and ended", () =>
  desk(async (ada, page, server) => {
    const { id } = await one(server, "keira");
    await server.call("PUT", "/v1/developer-pages", { enabled: true });
    const signIn = async () => {
      const { token } = await server.call("POST", `/v1/developers/${id}/sign-in-links`) as {
        token: string;
      };
      const entered = await fetch(`${server.url}/v1/my/session`, {
        method: "POST",
        body: JSON.stringify({ link: token }),
      });
      assert.ok(entered.ok, await entered.text());
    };
    await signIn();
    await signIn();
    await open(page, server, `/${id}`);
    const list = page.getByRole("region", { name: "Signed in" });
    await list.getByRole("button", { name: /^Revoke the session/ }).nth(1).waitFor();
    await ada.show("developers/signed-in");
    await list.getByRole("button", { name: /^Revoke the session/ }).first().click();
    await page.getByText("The session is revoked.").waitFor();
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByLabel("E-mail address").fill("successor@elsewhere.example");
    await page.getByLabel(/^It belongs to a successor/).check();
    await page.getByLabel(/^Suspend/).check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await list.waitFor({ state: "detached" });
    const { data } = await server.call("GET", `/v1/keys?developer=${id}&state=active`) as {
      data: unknown[];
    };
    assert.deepEqual(data, []);
  }));
