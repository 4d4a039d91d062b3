/**
 * Signing in over an open page in Chromium: when a session was left alone, and where a fresh one is
 * asked for.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { type DemoServer, signIn, visit } from "./browser.ts";
import { desk } from "./desk.ts";

const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const token = (page: Page) => page.getByLabel("Your access token");

/** Whoever signs in at the page is asked for an address first. */
const byToken = (page: Page) => button(page, "Use an access token").click();
const ENDED = "Sign in to go on";
const FRESH = "Sign in again for this";

/** What the browser itself says of calls that are refused. */
const expected = /Failed to load resource/;

/** Makes all sessions look as if they had begun, and been used, so many minutes ago. */
function age(server: DemoServer, begunMinutes: number, unusedMinutes: number): void {
  const database = new DatabaseSync(join(server.settings.KEYDESK_DATA_DIR ?? "", "keydesk.db"));
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  database.exec("pragma busy_timeout = 10000");
  database.prepare("update sessions set created_at = ?, last_used_at = ?")
    .run(ago(begunMinutes), ago(unusedMinutes));
  database.close();
}

async function typePerson(page: Page, server: DemoServer, name: string): Promise<void> {
  await page.goto(`${server.url}/console/settings?show=people`);
  await page.getByRole("row").nth(1).waitFor();
  await button(page, "Add a person").click();
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Approve and decline key requests").check();
}

async function people(server: DemoServer): Promise<{ name: string; permissions: string[] }[]> {
  const { data } = await server.call("GET", "/v1/people?limit=100") as {
    data: { name: string; permissions: string[] }[];
  };
  return data;
}

Deno.test("sign-in over: a session that was left alone ends, the form stays, and its call is sent again", () =>
  desk(async (ada, page, server) => {
    await typePerson(page, server, "Katherine");
    age(server, 45, 31);
    await button(page, "Add").click();
    await dialog(page, ENDED).waitFor();
    await ada.show("sign-in/over-ended");
    await token(page).fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("This is not valid").waitFor();
    await ada.show("sign-in/over-wrong");
    assert.equal((await people(server)).filter(({ name }) => name === "Katherine").length, 0);
    await token(page).fill(server.admin);
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Details" }).getByText("Katherine").first()
      .waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    const made = (await people(server)).filter(({ name }) => name === "Katherine");
    assert.deepEqual(made.map(({ permissions }) => permissions), [["portal:read", "approve"]]);
    assert.ok(!(await page.content()).includes(server.admin));
  }, { expected }));

Deno.test("sign-in over: what the page asks by itself brings it over an open form, whose words stay", () =>
  desk(async (_ada, page, server) => {
    await typePerson(page, server, "Katherine");
    age(server, 45, 31);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await dialog(page, ENDED).waitFor();
    // By a link that is opened in another tab of this browser.
    const other = await page.context().newPage();
    await other.goto(await server.link());
    await other.getByRole("heading", { level: 1 }).waitFor();
    await other.close();
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await dialog(page, ENDED).waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Name").inputValue(), "Katherine");
    await button(page, "Add").click();
    await page.getByRole("complementary", { name: "Details" }).getByText("Katherine").first()
      .waitFor();
  }, { expected }));

Deno.test("sign-in over: people are changed soon after a sign-in alone, by token or by link", () =>
  desk(async (ada, page, server) => {
    await typePerson(page, server, "Katherine");
    age(server, 6, 0);
    await button(page, "Add").click();
    await dialog(page, FRESH).waitFor();
    await ada.show("sign-in/over-fresh");
    await page.keyboard.press("Escape");
    await page.getByText("Sign in again: a session may do this").waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), "Katherine");
    await button(page, "Add").click();
    await dialog(page, FRESH).waitFor();
    await token(page).fill(await server.link());
    await button(page, "Sign in").click();
    await page.getByRole("complementary", { name: "Details" }).getByText("Katherine").first()
      .waitFor();
    assert.equal((await people(server)).filter(({ name }) => name === "Katherine").length, 1);
  }, { expected }));

Deno.test("sign-in over: another person's token begins afresh, and sends nothing of what was typed", () =>
  desk(async (_ada, page, server) => {
    const { id } = await server.call("POST", "/v1/people", {
      name: "Grace",
      permissions: ["portal:read", "approve", "admin"],
    }) as { id: string };
    const { access_token: credential } = await server.call(
      "POST",
      `/v1/people/${id}/access-tokens`,
      {
        name: "laptop",
        deliver: "answer",
      },
    ) as { access_token: string };
    for (const way of ["over the form", "in another tab"]) {
      await typePerson(page, server, "Katherine");
      if (way === "over the form") {
        age(server, 45, 31);
        await button(page, "Add").click();
        await dialog(page, ENDED).waitFor();
        await token(page).fill(credential);
        await page.keyboard.press("Enter");
      } else {
        const other = await page.context().newPage();
        await other.goto(`${server.url}/console`);
        await other.getByRole("heading", { level: 1 }).waitFor();
        await button(other, "Sign out").click();
        await byToken(other);
        await token(other).fill(server.admin);
        await other.keyboard.press("Enter");
        await other.getByRole("heading", { level: 1, name: "Home" }).waitFor();
        await other.close();
        await button(page, "Add").click();
      }
      await page.waitForURL(/\/console\/home/);
      await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
      assert.equal(await page.getByRole("dialog").count(), 0);
      assert.ok((await people(server)).every(({ name }) => name !== "Katherine"), way);
    }
  }, { expected }));

Deno.test("sign-in over: who would not sign in finds the sign-in's page, and later what was typed", () =>
  desk(async (ada, page, server) => {
    await typePerson(page, server, "Katherine");
    age(server, 45, 31);
    await button(page, "Add").click();
    await dialog(page, ENDED).waitFor();
    await button(page, "Leave it").click();
    await page.getByText("Your session has expired").waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    await byToken(page);
    await token(page).fill(server.admin);
    await page.keyboard.press("Enter");
    await button(page, "Add a person").click();
    await page.getByText("What you typed before is back.").waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), "Katherine");
    await ada.check();
  }, { expected }));

Deno.test("sign-in over: what the page asks by itself keeps no session alive, a touch does", () =>
  desk(async (_ada, page) => {
    const counts = (isBackground: boolean) =>
      page.waitForRequest((request) =>
        request.url().endsWith("/counts") &&
        (request.headers()["x-keydesk-background"] === "true") === isBackground
      );
    await page.clock.install();
    const first = counts(false);
    await page.reload();
    await first;
    const untouched = counts(true);
    // Two rounds: soon after the last touch already.
    await page.clock.fastForward(11_000);
    await page.clock.fastForward(11_000);
    await untouched;
    let isTouched = false;
    const touched = counts(false).then(() => isTouched = true);
    while (!isTouched) {
      await page.keyboard.press("j");
      await page.clock.fastForward(1000);
    }
    await touched;
  }));

Deno.test("sign-in over: one's own sessions stand under You, one is ended, then all; the theme stays", () =>
  desk(async (ada, page, server, browser) => {
    await using second = await visit(browser, { expected });
    await signIn(second, server);
    await page.evaluate(() => localStorage.setItem("keydesk.theme", "dark"));
    await page.goto(`${server.url}/console/settings?show=you`);
    const list = page.getByRole("region", { name: "Where you are signed in" });
    await list.getByText("this session").waitFor();
    assert.equal(await list.getByRole("listitem").count(), 2);
    assert.equal(await list.getByText("Chrome on Linux").count(), 2);
    await ada.show("settings/sessions");
    age(server, 6, 0);
    await list.getByRole("button", { name: /^Sign out Chrome on Linux, since / }).click();
    await dialog(page, FRESH).waitFor();
    await token(page).fill(server.admin);
    await page.keyboard.press("Enter");
    await page.getByText("Chrome on Linux is signed out.").waitFor();
    await list.getByRole("listitem").nth(1).waitFor({ state: "detached" });
    await second.page.reload();
    await second.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await button(page, "Sign out everywhere").click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal(await page.evaluate(() => localStorage.getItem("keydesk.theme")), "dark");
    const { data } = await server.call("GET", "/v1/audit-log?action=session.ended") as {
      data: unknown[];
    };
    assert.equal(data.length, 3);
  }, { expected }));
