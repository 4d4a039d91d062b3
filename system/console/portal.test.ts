/** The developer's pages in Chromium: the whole way to a key, what is loaded, and single keys. */
import assert from "node:assert/strict";
import { brotliCompressSync } from "node:zlib";
import type { Page } from "playwright-core";
import { type DemoServer, signIn, sizes, startDemoServer, visit } from "./browser.ts";
import { sharedBrowser } from "../support/shared-browser.ts";

/** A desk with one API and two plans of it, whose pages are on, and a developer. */
async function openDesk(): Promise<DemoServer> {
  const server = await startDemoServer(false);
  const access_rights = { tides: { api_id: "tides", api_name: "Tides", versions: ["Default"] } };
  for (const [name, rate] of [["Tides, free", 60], ["Tides, professional", 600]] as const) {
    const plan = { name, active: true, rate, per: 60, quota_max: 1000, quota_renewal_rate: 86400 };
    await server.call("POST", "/api/portal/policies", { ...plan, access_rights });
  }
  // as: the answer of the list.
  const { Data } = await server.call("GET", "/api/portal/policies") as {
    Data: { _id: string; name: string }[];
  };
  await server.call("POST", "/api/portal/catalogue", {
    apis: Data.map(({ _id, name }) => ({
      name,
      short_description: "Times and heights of tides.",
      show: true,
      policy_id: _id,
      version: "v2",
    })),
  });
  await server.call("PUT", "/v1/developer-pages", { enabled: true, back_end_access: "all" });
  await server.call("POST", "/v1/developers", { id: "dev-ada", email: "ada@example.org" });
  return server;
}

/** Enters by a link, as a portal's back end sends its developer on. */
async function enter(page: Page, server: DemoServer): Promise<void> {
  // as: the answer of createSignInLink.
  const { token } = await server.call("POST", "/v1/developers/dev-ada/sign-in-links") as {
    token: string;
  };
  await page.goto(`${server.url}/portal/enter#${token}`);
  await page.getByRole("heading", { name: "APIs" }).waitFor();
}

Deno.test("portal: from a link of another site to a key, rotated and ended", async () => {
  await using server = await openDesk();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await page.goto(`${server.url}/portal`);
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  await enter(page, server);
  await page.getByRole("link", { name: "Request Tides, professional" }).first().click();
  await page.getByRole("heading", { name: "Request Tides, professional" }).waitFor();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Waits", { exact: true }).first().waitFor();

  // as: the answer of the list.
  const { data: [waiting] } = await server.call("GET", "/v1/key-requests?state=pending") as {
    data: { id: string }[];
  };
  await server.call("POST", `/v1/key-requests/${waiting?.id}/approve`, {
    deliver: "one_time_link",
  });
  await page.reload();
  await page.getByRole("link", { name: "Go to the key" }).click();
  await page.getByRole("heading", { name: "Your key is ready" }).waitFor();
  await page.getByRole("button", { name: "Show the key" }).click();
  await page.getByRole("heading", { name: "Your new key" }).waitFor();
  const key = (await page.locator("code").first().innerText()).trim();
  const verdict = await server.call("POST", "/v1/keys/verify", { key });
  assert.equal((verdict as { valid: boolean }).valid, true, "what is shown opens");

  await page.goto(`${server.url}/portal/keys`);
  await page.locator("ul.list a").first().click();
  await page.getByRole("heading", { name: "Calls of the last 30 days" }).waitFor();
  await page.locator("summary", { hasText: "Rotate" }).click();
  await page.getByRole("button", { name: "Make the new key" }).click();
  await page.getByRole("heading", { name: "Your new key" }).waitFor();
  const fresh = (await page.locator("#key").innerText()).trim();
  const done = page.getByRole("button", { name: "Done" });
  assert.equal(await done.isDisabled(), true, "until the tick");
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as .env" }).click(),
  ]);
  assert.equal(await Deno.readTextFile(await saved.path()), `API_KEY=${fresh}\n`);
  const asked = page.waitForEvent("dialog");
  const leaving = page.goto(`${server.url}/portal`).catch(() => {});
  const dialog = await asked;
  assert.equal(dialog.type(), "beforeunload");
  await dialog.dismiss();
  await leaving;
  assert.equal(await page.locator("#key").innerText(), fresh, "who stays still sees it");
  await server.call("POST", "/v1/keys/verify", { key: fresh, api_id: "tides" });
  await page.getByText("The first call came in and was answered").waitFor();
  await page.getByRole("checkbox").check();
  await done.click();
  await page.getByRole("heading", { name: "Calls of the last 30 days" }).waitFor();
  assert.equal((await page.content()).includes(fresh), false, "it is nowhere after Done");
  await page.goto(`${server.url}/portal/account`);
  await page.getByRole("heading", { name: "Where you are signed in" }).waitFor();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  await page.goto(`${server.url}/portal/keys`);
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  assert.deepEqual(ada.complaints, []);
});

Deno.test("portal: a later end is asked for at the key, and given at the console", async () => {
  await using server = await openDesk();
  const body = { plans: [await planOf(server)], expires_at: "2098-01-31T12:00:00Z" };
  // as: the answer of issueKey.
  const { key_id } = await server.call("POST", "/v1/developers/dev-ada/keys", body) as {
    key_id: string;
  };
  await using browser = await sharedBrowser();
  // The day ends where its reader is, half a day before it does in UTC.
  await using ada = await visit(browser, { zone: "Pacific/Auckland" });
  await using console = await visit(browser);
  const { page } = ada;
  await enter(page, server);
  await page.goto(`${server.url}/portal/keys/${key_id}`);
  await page.locator("summary", { hasText: "Request a later expiry" }).click();
  await page.getByText("Last day that the key is to work (Pacific/Auckland)").waitFor();
  await page.getByLabel("Last day").fill("2099-01-31");
  await page.getByLabel("Why").fill("The pilot goes on");
  await page.getByRole("button", { name: "Request a later expiry" }).click();
  await page.getByText("decide whether this key lives until").waitFor();
  const until = page.locator("p", { hasText: "decide whether" }).locator("time");
  assert.equal(await until.getAttribute("datetime"), "2099-01-31T10:59:59.000Z");

  await signIn(console, server, "/requests");
  await console.page.locator(".row-link").first().click();
  await console.page.locator("blockquote", { hasText: "The pilot goes on" }).waitFor();
  await console.page.getByText("Later expiry", { exact: true }).waitFor();
  await console.page.keyboard.press("a");
  await console.page.getByText("It keeps its plans").waitFor();
  await console.page.getByRole("dialog").getByRole("button", { name: /^Approve/ }).click();
  await console.page.getByText("key has its later expiry").waitFor();
  await page.reload();
  await page.locator("dd time", { hasText: "Jan 31, 2099" }).waitFor();
  assert.deepEqual([...ada.complaints, ...console.complaints], []);
});

Deno.test("portal: a key that no gateway knows yet says that it works in a moment, in either language", async () => {
  await using server = await openDesk();
  // Nobody is there: its keys wait.
  for (const name of ["Harbour", "City"]) {
    const gateway = {
      name,
      connection: "synced",
      url: "https://gateway.invalid",
      secret: "not-used",
    };
    await server.call("POST", "/v1/gateways", gateway);
  }
  const body = { plans: [await planOf(server)], name: "Lobby boards" };
  // as: the answer of issueKey.
  const { key_id } = await server.call("POST", "/v1/developers/dev-ada/keys", body) as {
    key_id: string;
  };
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await enter(page, server);
  await page.goto(`${server.url}/portal/keys`);
  await page.getByText("Not at the gateways yet").waitFor();
  await page.getByRole("link", { name: /^Lobby boards/ }).click();
  await page.getByText("2 gateways do not know it yet").waitFor();
  assert.ok(!/Harbour|City|gateway\.invalid/.test(await page.content()));
  await ada.show("portal/on-its-way");
  await page.getByLabel("Language").selectOption({ label: "Deutsch" });
  await page.getByRole("button", { name: "Use this language" }).click();
  await page.setViewportSize(sizes.phone);
  await page.goto(`${server.url}/portal/keys/${key_id}`);
  await page.getByText("Noch nicht da").waitFor();
  await page.getByText("2 Gateways kennen ihn noch nicht").waitFor();
  await ada.show("portal/on-its-way-german-phone");
  // A fresh one says so, too.
  await page.locator("summary", { hasText: "Wechseln" }).click();
  await page.locator("form[action$='/rotate'] button").click();
  await page.getByText("Gateways kennen ihn noch nicht").waitFor();
  await ada.show("portal/new-on-its-way");
  assert.deepEqual(ada.complaints, []);
});

Deno.test("portal: reading works without script, and what is loaded is small", async () => {
  await using server = await openDesk();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await enter(ada.page, server);
  const [cookie] = await ada.context.cookies();
  const context = await browser.newContext({ javaScriptEnabled: false });
  await context.addCookies(cookie ? [cookie] : []);
  const page = await context.newPage();
  await page.goto(`${server.url}/portal`);
  await page.getByRole("link", { name: "Request Tides, free" }).first().click();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Waits", { exact: true }).first().waitFor();
  const read = async (path: string) => {
    const response = await fetch(`${server.url}${path}`, {
      headers: { cookie: `${cookie?.name}=${cookie?.value}` },
    });
    return brotliCompressSync(await response.bytes()).length;
  };
  const code = await read("/portal/portal.js") + await read("/portal/portal.css");
  assert.ok(code <= 45_000, `${code} bytes of code`);
  const first = code + await read("/portal");
  assert.ok(first <= 25_000, `${first} bytes of the first page`);
});

Deno.test("portal: single keys go, search, ask, rotate and suspend, but not where one writes", async () => {
  await using server = await openDesk();
  await server.call("POST", "/v1/developers/dev-ada/keys", { plans: [await planOf(server)] });
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await enter(page, server);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const headed = (name: string | RegExp) => page.getByRole("heading", { name }).first().waitFor();
  await press("/", "g", "k");
  assert.equal(await page.getByRole("searchbox").inputValue(), "gk", "a field takes what is typed");
  await page.getByRole("searchbox").blur();
  await press("g", "r");
  await headed("Requests");
  await press("g", "a");
  await headed("APIs");
  await press("n");
  await headed(/^Request/);
  await press("g", "k");
  const question = page.getByLabel("What will you use it for?");
  assert.equal(await question.inputValue(), "gk", "the question is where one writes");
  await press("Escape", "g", "k");
  await headed("Keys");
  await page.locator("ul.list a").first().press("Enter");
  await headed("Calls of the last 30 days");
  await press("s");
  await page.getByText("It is not valid until you switch it on again.").waitFor();
  await press("Escape", "r");
  await page.getByRole("button", { name: "Make the new key" }).waitFor();
  assert.equal(await page.locator("details[data-key=s][open]").count(), 0);
  await press("Enter");
  await headed("Your new key");
  assert.deepEqual(ada.complaints, []);
});

/** The free plan's id. */
async function planOf(server: DemoServer): Promise<string> {
  // as: the answer of the list.
  const { Data } = await server.call("GET", "/api/portal/policies") as {
    Data: { _id: string; name: string }[];
  };
  return Data.find(({ name }) => name === "Tides, free")?._id ?? "";
}

Deno.test("portal: a request for a deleted plan says so to both sides, and a reason keeps its lines", async () => {
  await using server = await openDesk();
  const for_plan = await planOf(server);
  const ask = { by_user: "dev-ada", for_plan, fields: { use_case: "A map\nof tides" } };
  for (let n = 0; n < 2; n++) await server.call("POST", "/api/portal/requests", ask);
  await server.call("DELETE", `/api/portal/policies/${for_plan}`);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await using console = await visit(browser, { expected: /404|400/ });
  await signIn(console, server, "/requests");
  await console.page.locator(".row-link").first().click();
  const hints = console.page.getByRole("list", { name: "Hints" });
  await hints.getByText("A plan was deleted: this can't be approved as it is").waitFor();
  await console.show("granted-plans/7-gone");
  await console.page.keyboard.press("a");
  const asked = console.page.getByRole("dialog", { name: "This can't be approved as it is" });
  await asked.getByText(/was deleted: no key is issued for it\./).waitFor();
  await asked.getByRole("button", { name: "Decline, saying so" }).click();
  const why = console.page.getByRole("dialog", { name: "Decline this request?" });
  assert.match(
    await why.getByLabel("Reason").inputValue(),
    /^No longer offered: .+\. Please request/,
  );
  await console.page.keyboard.press("End");
  await console.page.keyboard.press("Shift+Enter");
  await console.page.keyboard.type("We are sorry.");
  await console.page.keyboard.press("Enter");
  await why.waitFor({ state: "detached" });

  const { page } = ada;
  await enter(page, server);
  await page.goto(`${server.url}/portal/requests`);
  await page.getByText("You can withdraw this request and choose another plan.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Look at what is offered" }).count(), 2);
  const reason = page.locator("blockquote", { hasText: "We are sorry." });
  assert.match(await reason.innerText(), /another plan\.\nWe are sorry\./);
  await ada.show("portal/gone");
  await page.setViewportSize(sizes.phone);
  await ada.show("portal/gone-phone");
  assert.deepEqual([...ada.complaints, ...console.complaints], []);
});
