/** The console's Activity in Chromium: the audit log, its filters, the way to what it tells of. */
import assert from "node:assert/strict";
import { sharedBrowser } from "../support/shared-browser.ts";
import {
  type DemoServer,
  exported,
  signIn,
  sizes,
  startDemoServer,
  visit,
  type Visitor,
} from "./browser.ts";

interface Listed {
  data: { id: string }[];
}

/** Declines the newest pending request with a reason, as the administrator, and gives its id. */
async function declineOne(server: DemoServer): Promise<string> {
  const { data: [request] } = await server.call(
    "GET",
    "/v1/key-requests?state=pending&limit=1",
  ) as Listed;
  assert.ok(request);
  await server.call("POST", `/v1/key-requests/${request.id}/decline`, {
    reason: "Please say which team it is for.",
  });
  return request.id;
}

const rowOf = ({ page }: Visitor, text: string) => page.getByRole("row").getByText(text).first();
const firstRow = ({ page }: Visitor) => page.getByRole("table").getByRole("link").first();

Deno.test("activity: by mouse, from a decline to its request, which is reopened there", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const id = await declineOne(server);
  await signIn(ada, server, "/audit-log");
  const { page } = ada;
  await rowOf(ada, "signed in").waitFor();
  await ada.show("activity/list");
  // A sign-in is told by what it was made with, the access token by its name.
  await page.getByRole("row").filter({ hasText: "with an access token" }).getByRole("link").click();
  const how = page.locator(".drawer .facts", { hasText: "an access token" });
  await how.getByText("administrator").waitFor();
  assert.doesNotMatch(await how.innerText(), /[0-9a-f]{24}/);
  await page.keyboard.press("Escape");
  await page.getByLabel("About what").selectOption({ label: "Key requests" });
  await page.getByLabel("What was done").selectOption({ label: "Declined a key request" });
  await page.getByText("Please say which team").waitFor();
  assert.match(page.url(), /object=key_request&action=key_request\.declined$/);
  await firstRow(ada).click();
  await page.getByRole("heading", { level: 2, name: /^administrator declined the key request of / })
    .waitFor();
  await page.getByRole("button", { name: "Reopen" }).waitFor();
  await ada.show("activity/declined");
  await page.getByRole("button", { name: "Reopen" }).click();
  await page.getByText("Reopened: the request waits").waitFor();
  const { state } = await server.call("GET", `/v1/key-requests/${id}`) as { state: string };
  assert.equal(state, "pending");
  await ada.show("activity/reopened");
  await page.getByRole("button", { name: "History" }).click();
  await rowOf(ada, "reopened the key request of").waitFor();
  await page.getByRole("link", { name: "Open the key request" }).click();
  assert.equal(new URL(page.url()).pathname, `/console/requests/${id}`);

  // What an event noted of other things: by name, and the way to them.
  await page.goto(`${server.url}/console/audit-log?object=key_request&action=key_request.approved`);
  await firstRow(ada).click();
  const noted = page.locator(".drawer .facts", { hasText: "Plans" });
  await noted.getByRole("link", { name: /^Professional/ }).waitFor();
  await noted.locator('a[href*="/keys/"]', { hasText: "…" }).waitFor();
  await page.locator(".drawer").getByRole("link", { name: "Bjørn Halvorsen" }).waitFor();
  assert.doesNotMatch(await noted.innerText(), /[0-9a-f]{24}/);
  await ada.show("activity/noted");
});

Deno.test("activity: who audits sees it and nothing else, and what a change was before", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  const { data: [plan] } = await server.call("GET", "/v1/plans?limit=1") as Listed;
  assert.ok(plan);
  await server.call("PUT", `/v1/plans/${plan.id}`, { rate: 4321, per: 60 });
  const person = { name: "Katherine", permissions: ["audit"] };
  const { id } = await server.call("POST", "/v1/people", person) as { id: string };
  const issued = await server.call("POST", `/v1/people/${id}/access-tokens`, {
    name: "laptop",
    deliver: "answer",
  });
  await using katherine = await visit(browser, { expected: /401/ });
  const { page } = katherine;
  await page.goto(`${server.url}/console/audit-log?object=plan`);
  // as: the contract of issueAccessToken.
  await page.getByRole("button", { name: "Use an access token" }).click();
  await page.getByLabel("Your access token").fill(
    (issued as { access_token: string }).access_token,
  );
  await page.getByRole("button", { name: "Sign in" }).click();
  await rowOf(katherine, "changed the plan").waitFor();
  const screens = page.getByRole("navigation", { name: "Screens" }).getByRole("link");
  assert.deepEqual(await screens.allTextContents(), [
    "Keydesk",
    "Audit log",
    "Settings",
    "API reference",
  ]);
  await firstRow(katherine).click();
  await page.getByRole("row", { name: "Rate" }).getByText("4321").waitFor();
  await katherine.show("activity/before-and-after");
});

Deno.test("activity: by keyboard alone, with the address as the only memory", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const id = await declineOne(server);
  await signIn(ada, server);
  const { page } = ada;
  await page.locator(".row-link").first().waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  await rowOf(ada, "declined the key request of").waitFor();
  // Sign-in and its code may stand above the decline.
  for (let at = 1;; at++) {
    await page.keyboard.press("j");
    const row = page.locator(`.row:nth-child(${at}).is-current`);
    await row.locator(".row-link:focus").waitFor();
    if ((await row.textContent())?.includes("declined the key request of")) break;
  }
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Reopen" }).waitFor();
  await page.keyboard.press("o");
  await page.getByText("Reopened: the request waits").waitFor();
  const { state } = await server.call("GET", `/v1/key-requests/${id}`) as { state: string };
  assert.equal(state, "pending");
  const title = page.getByRole("heading", {
    level: 2,
    name: /^administrator declined the key request of /,
  });
  await title.waitFor();
  await page.reload();
  await title.waitFor();
  await page.keyboard.press("Escape");
  await title.waitFor({ state: "detached" });
  await ada.check();
});

Deno.test("activity: two days bound it, nothing says so, and what is exported is what is shown", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await signIn(ada, server, "/audit-log?object=session");
  const { page } = ada;
  await rowOf(ada, "signed in").waitFor();
  const sheet = (await exported(page, "Export")).trimEnd().split("\r\n");
  assert.match(sheet[0] ?? "", /^at,actor,/);
  assert.ok(sheet.slice(1).every((line) => line.includes(",session.created,")), sheet.join("\n"));
  assert.match(await exported(page, "Export", true), /^\ufeffat,actor,/);
  const second = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export as JSON lines" }).click();
  const lines = (await Deno.readTextFile(await (await second).path())).trim().split("\n");
  assert.deepEqual(
    [...new Set(lines.map((line) => JSON.parse(line).action))],
    ["session.created"],
  );
  // On paper each time is the exact one.
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  assert.match(
    await page.locator("time[datetime]").first().evaluate((time) =>
      getComputedStyle(time, "::after").content
    ),
    /\d{4}.*\d:\d\d/,
  );
  await page.emulateMedia({ media: "screen" });
  // A day of the last seven takes one click, and one more to be rid of it.
  const days = page.getByRole("group", { name: "One day" }).getByRole("button");
  assert.equal(await days.count(), 7);
  await days.nth(3).click();
  await page.getByText("Nothing matches").waitFor();
  const at = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
  const day = await page.evaluate((ms) => new Date(ms).toLocaleDateString("en-CA"), at.getTime());
  assert.match(page.url(), new RegExp(`time=between&from=${day}&to=${day}`));
  await days.first().click();
  await rowOf(ada, "signed in").waitFor();
  await ada.show("activity/one-day");
  await days.first().click();
  await page.getByLabel("When").selectOption({ label: "Between two days…" });
  await page.getByLabel("From").fill("2001-01-01");
  await page.getByLabel("to", { exact: true }).fill("2001-01-02");
  await page.getByText("Nothing matches").waitFor();
  await ada.show("activity/nothing-matches");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await rowOf(ada, "signed in").waitFor();
  assert.equal(new URL(page.url()).search, "");
});

Deno.test("activity: on a phone, and while the server is away", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser, { size: sizes.phone, expected: /ERR_CONNECTION|50\d/ });
  await declineOne(server);
  await signIn(ada, server, "/audit-log");
  const { page } = ada;
  await rowOf(ada, "signed in").waitFor();
  await ada.show("activity/phone");
  assert.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
  );
  await firstRow(ada).click();
  await page.getByRole("heading", { level: 2 }).waitFor();
  await ada.show("activity/phone-event");
  await page.getByRole("button", { name: "Close details" }).click();
  await server.restart(async () => {
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("This could not be loaded").waitFor();
    await ada.show("activity/phone-offline");
  });
  await rowOf(ada, "signed in").waitFor();
});

Deno.test("activity: a search by name, and refused sign-ins of one place as one line", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { data: [plan] } = await server.call("GET", "/v1/plans?limit=1") as Listed;
  assert.ok(plan);
  await server.call("PUT", `/v1/plans/${plan.id}`, { name: "Lighthouse" });
  const refused = async (token: string) => {
    const headers = { authorization: token };
    await (await fetch(`${server.url}/v1/me`, { headers })).body?.cancel();
  };
  for (const token of ["wrong-1", "wrong-2", "wrong-3"]) await refused(token);
  await signIn(ada, server, "/audit-log?kind=sign_ins");
  const { page } = ada;
  const several = page.getByRole("link", { name: "3 refused sign-ins from one address" });
  // They are written every few seconds.
  while (!await several.isVisible()) {
    await page.getByRole("button", { name: "Refresh" }).click();
    await rowOf(ada, "signed in").waitFor();
    await several.waitFor({ timeout: 1000 }).catch(() => {});
  }
  await several.click();
  await page.getByRole("heading", { name: "Each of them" }).waitFor();
  assert.equal(await page.locator(".event-each li").count(), 3);
  await ada.show("activity/refused");
  await page.getByRole("button", { name: "Close details" }).click();
  await page.getByText("Changes", { exact: true }).click();
  await page.getByRole("searchbox").fill("lightHOUSE");
  await rowOf(ada, "changed the plan").waitFor();
  await several.waitFor({ state: "detached" });
  await page.waitForURL(/q=lightHOUSE/);
  await firstRow(ada).click();
  await page.getByRole("heading", { level: 2, name: "administrator changed the plan Lighthouse" })
    .waitFor();
  await page.getByRole("row", { name: "Name" }).getByText("Lighthouse").waitFor();
  await ada.show("activity/found");
  assert.match(page.url(), /kind=changes/);
});
