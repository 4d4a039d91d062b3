/** Keys in Chromium: by mouse and by keyboard alone. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type DemoServer, sizes } from "./browser.ts";
import { desk } from "./desk.ts";

interface Shown {
  key_id: string;
  mask: string;
  state: string;
  reason: string | null;
  replaced_by: string | null;
  plans: string[];
  expires_at: string | null;
}

/** Keys of the demo, newest first. */
async function keysOf(server: DemoServer, query = ""): Promise<Shown[]> {
  // as: the answer of GET /v1/keys.
  const { data } = await server.call("GET", `/v1/keys?limit=100${query}`) as { data: Shown[] };
  return data;
}

async function readKey(server: DemoServer, id: string): Promise<Shown> {
  // as: the answer of GET /v1/keys/{id}.
  return await server.call("GET", `/v1/keys/${id}`) as Shown;
}

async function openKeys(page: Page): Promise<void> {
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await page.getByRole("table", { name: "Keys" }).locator(".row-link").first().waitFor();
}

const topOf = (page: Page, what: string) =>
  page.locator(what).first().evaluate((element) => element.getBoundingClientRect().top);
const endOf = (page: Page, what: string) =>
  page.locator(what).first().evaluate((element) => element.getBoundingClientRect().bottom);

const dialog = (page: Page) => page.getByRole("dialog");

Deno.test("keys: are handed over by a link unless one says otherwise, and the link can be withdrawn", () =>
  desk(async (ada, page, server) => {
    await page.goto(`${server.url}/console/keys`);
    await page.locator(".row-link").first().click();
    await page.keyboard.press("r");
    const rotate = page.getByRole("dialog", { name: "Rotate this key?" });
    await rotate.waitFor();
    assert.equal(await page.getByLabel("Make a one-time link").isChecked(), true);
    await ada.show("keys/rotate-by-link");
    await rotate.getByRole("button", { name: "Rotate" }).click();
    const link = page.getByRole("dialog", { name: /^One-time link for/ });
    await link.waitFor();
    await page.getByLabel("I have passed this link on").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Not opened yet, expires").waitFor();
    await ada.show("keys/link-not-opened");
    await page.getByRole("button", { name: "Withdraw it" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
    await page.getByText(/^Withdrawn .*, never opened$/).waitFor();
  }, { delivery: "one_time_link" }));

Deno.test("keys: suspended with a reason by mouse, and resumed by Undo", () =>
  desk(async (ada, page, server) => {
    await openKeys(page);
    await ada.show("keys/list");
    // The exact time is under the pointer, though the row's link lies over it.
    const told = await page.locator(".row time").first().evaluate((time) => {
      const { left, top } = time.getBoundingClientRect();
      return { x: left + 2, y: top + 2, exact: new Date(time.getAttribute("datetime") ?? "") };
    });
    await page.mouse.move(told.x, told.y);
    const title = await page.evaluate(
      ({ x, y }) => document.elementFromPoint(x, y)?.closest("[title]")?.getAttribute("title"),
      told,
    );
    assert.equal(
      new Date((title ?? "").replace(" at", "")).getTime(),
      told.exact.setMilliseconds(0),
    );
    const [key] = await keysOf(server);
    assert.ok(key);
    const before = await topOf(page, ".row");
    await page.locator(".row-link").first().click();
    await page.getByRole("heading", { level: 2, name: key.mask }).waitFor();
    await page.getByText("History").waitFor();
    assert.equal(await topOf(page, ".row"), before, "the drawer moves the rows");
    assert.equal(new URL(page.url()).pathname, `/console/keys/${key.key_id}`);
    await ada.show("keys/drawer");
    await page.getByRole("button", { name: "Suspend" }).click();
    await ada.show("keys/suspend");
    await dialog(page).getByRole("button", { name: "Suspend" }).click();
    await page.getByText("Say why").waitFor();
    await page.getByLabel("Reason").fill("Unusual traffic");
    await dialog(page).getByRole("button", { name: "Suspend" }).click();
    // Under the pointer it stays, however long the rest takes.
    await page.getByText("Suspended. It is valid for nothing.").hover();
    assert.ok(await topOf(page, ".toast") >= await endOf(page, ".list"), "a message covers rows");
    await page.locator(".drawer").getByText("Unusual traffic").first().waitFor();
    const suspended = await readKey(server, key.key_id);
    assert.deepEqual([suspended.state, suspended.reason], ["suspended", "Unusual traffic"]);
    await ada.show("keys/suspended");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Resumed.").waitFor();
    assert.equal((await readKey(server, key.key_id)).state, "active");
  }));

Deno.test("keys: by keyboard alone: moved through, opened, rotated with an overlap, stored, revoked", () =>
  desk(async (ada, page, server) => {
    await openKeys(page);
    const [, key] = await keysOf(server);
    assert.ok(key);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: key.mask }).waitFor();
    await page.getByText("History").waitFor();
    await page.keyboard.press("r");
    await dialog(page).getByText("Rotate this key?").waitFor();
    await ada.show("keys/rotate");
    await page.keyboard.press("Enter");
    await page.getByText("Shown once.").waitFor();
    const secret = await dialog(page).locator(".copy-value").first().innerText();
    assert.ok(secret.length > 8);
    await ada.show("keys/revealed");
    // Neither Esc nor back leaves before it is stored.
    await page.keyboard.press("Escape");
    await page.getByText("Tick the box first").waitFor();
    await page.goBack();
    assert.equal(await dialog(page).count(), 1);
    const kept = await page.evaluate(() =>
      JSON.stringify([localStorage, sessionStorage, location.href, document.title])
    );
    assert.ok(!kept.includes(secret));
    await dialog(page).getByRole("checkbox").focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Done" }).focus();
    await page.keyboard.press("Enter");
    await dialog(page).waitFor({ state: "detached" });
    const old = await readKey(server, key.key_id);
    assert.notEqual(old.replaced_by, null);
    await page.waitForURL(`**/keys/${old.replaced_by}`);
    assert.ok(!(await page.content()).includes(secret));
    await page.locator(".facts").first().waitFor();
    await page.keyboard.press("d");
    await page.keyboard.type("Found in a repository");
    await page.keyboard.press("Enter");
    await page.getByText("Revoked for good.").waitFor();
    assert.equal((await readKey(server, old.replaced_by ?? "")).state, "revoked");
    await ada.show("keys/revoked");
    await page.keyboard.press("Escape");
    await page.locator(".drawer").waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement?.className), "row-link");
  }));

Deno.test("keys: issued by hand, found by the plain key and by its hash, never in the address", () =>
  desk(async (ada, page, server) => {
    await openKeys(page);
    await page.keyboard.press("n");
    await dialog(page).getByLabel("Developer", { exact: true }).fill("a");
    const found = dialog(page).getByRole("option");
    await found.first().waitFor();
    await page.keyboard.press("ArrowDown");
    assert.equal(await found.first().getAttribute("aria-selected"), "true");
    await page.keyboard.press("Enter");
    await found.first().waitFor({ state: "detached" });
    await dialog(page).getByRole("checkbox").first().check();
    await dialog(page).getByLabel("Why (optional)").fill("Their contract begins today.");
    await ada.show("keys/issue");
    await dialog(page).getByRole("button", { name: "Issue key" }).click();
    await page.getByText("Shown once.").waitFor();
    const secret = await dialog(page).locator(".copy-value").first().innerText();
    await dialog(page).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Done" }).click();
    const drawer = page.locator(".drawer");
    await drawer.getByText("issued it").waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    for (const words of [secret, id]) {
      await page.keyboard.press("Escape");
      await drawer.waitFor({ state: "detached" });
      await page.keyboard.press("/");
      await page.keyboard.type(words);
      await page.keyboard.press("Enter");
      await drawer.waitFor();
      assert.equal(new URL(page.url()).pathname.split("/").at(-1), id);
    }
    assert.ok(!asked.some((url) => url.includes(encodeURIComponent(secret))));
    assert.equal((await keysOf(server))[0]?.key_id, id);
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("nothing is like this");
    await page.keyboard.press("Enter");
    await page.getByText("No key, name, hash or developer matches.").waitFor();
    await ada.check();
  }, { expected: /404/ }));

Deno.test("keys: plans, the end, and issuing anew where the answer was lost", () =>
  desk(async (ada, page, server) => {
    const key = (await keysOf(server, "&state=active"))[0];
    assert.ok(key);
    await page.goto(`${server.url}/console/keys/${key.key_id}`);
    await page.getByText("History").waitFor();
    await page.getByRole("button", { name: "Change plans" }).click();
    await dialog(page).getByRole("checkbox").first().waitFor();
    await ada.show("keys/plans");
    for (const box of await dialog(page).getByRole("checkbox").all()) await box.check();
    await dialog(page).getByRole("button", { name: "Save plans" }).click();
    await page.getByText("The key has its new plans.").waitFor();
    assert.ok((await readKey(server, key.key_id)).plans.length >= key.plans.length);
    await page.keyboard.press("e");
    await dialog(page).getByLabel("Never").uncheck();
    await dialog(page).getByLabel("Expires").fill("2001-01-01T00:00");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByText("Choose a time to come").waitFor();
    await ada.show("keys/end");
    await dialog(page).getByLabel("Expires").fill("2090-01-01T00:00");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByText("The key has its new expiry.").waitFor();
    assert.equal((await readKey(server, key.key_id)).expires_at, "2090-01-01T00:00:00.000Z");
    await page.getByRole("button", { name: "Issue it anew" }).click();
    await dialog(page).getByRole("button", { name: "Revoke & issue anew" }).click();
    await page.getByText("Shown once.").waitFor();
    await dialog(page).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Done" }).click();
    await dialog(page).waitFor({ state: "detached" });
    assert.equal((await readKey(server, key.key_id)).state, "revoked");
  }));

Deno.test("keys: named and filed when issued, changed later against somebody else's change, and found by it", () =>
  desk(async (ada, page, server) => {
    await openKeys(page);
    await page.keyboard.press("n");
    await dialog(page).getByLabel("Developer", { exact: true }).fill("a");
    await dialog(page).getByRole("option").first().click();
    await dialog(page).getByRole("checkbox").first().check();
    await dialog(page).getByText("Name and tags").click();
    await dialog(page).getByLabel("Name").fill("Checkout, live");
    await dialog(page).getByLabel("Environment").fill("production");
    await dialog(page).getByLabel("Tags").fill("payments, partner");
    await dialog(page).getByLabel("Note").fill("Ask Lena first.");
    await ada.show("keys/issue-named");
    await dialog(page).getByLabel("Expires (optional)").fill("2090-01-01T00:00");
    await dialog(page).getByRole("button", { name: "Issue key" }).click();
    await page.getByText("Shown once.").waitFor();
    await dialog(page).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("heading", { level: 2, name: "Checkout, live" }).waitFor();
    const drawer = page.locator(".drawer");
    await drawer.getByText("Ask Lena first.").waitFor();
    await ada.show("keys/named");
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    assert.equal((await readKey(server, id)).expires_at, "2090-01-01T00:00:00.000Z");
    await drawer.getByRole("button", { name: "Change name and tags" }).click();
    await dialog(page).getByLabel("Environment").fill("staging");
    await ada.show("keys/labels");
    await server.call("PUT", `/v1/keys/${id}/labels`, {
      name: "Checkout, new",
      environment: "production",
      tags: ["payments"],
    });
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await dialog(page).getByText(/changed this/).waitFor();
    assert.equal(await dialog(page).getByLabel("Name").inputValue(), "Checkout, new");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByText("Name and tags are saved.").waitFor();
    await page.getByRole("heading", { level: 2, name: "Checkout, new" }).waitFor();
    await drawer.getByRole("link", { name: "staging" }).click();
    await page.waitForURL(/environment=staging/);
    await page.getByRole("combobox", { name: "Environment" }).waitFor();
    const rows = page.getByRole("table", { name: "Keys" }).locator(".row-link");
    await rows.first().waitFor();
    assert.equal(await rows.count(), 1);
    await ada.show("keys/by-environment");
    await page.keyboard.press("/");
    await page.keyboard.type("checkout");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/keys/${id}*`);
    await drawer.waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search" }).getByRole("combobox").fill("checkout");
    await page.getByRole("option", { name: /Checkout, new/ }).waitFor();
    await ada.show("keys/palette");
  }, { expected: /404|412/ }));

Deno.test("keys: filters stand in the address, and nothing found says what to do", () =>
  desk(async (ada, page, server) => {
    await openKeys(page);
    await page.keyboard.press("3");
    await page.getByText("No suspended keys").waitFor();
    await ada.show("keys/empty");
    assert.match(page.url(), /state=suspended/);
    await page.reload();
    await page.getByText("No suspended keys").waitFor();
    await page.getByRole("button", { name: "All keys" }).click();
    await page.locator(".row-link").first().click();
    await page.getByTitle("All keys of this developer").click();
    await page.getByRole("button", { name: /^Keys of / }).waitFor();
    assert.match(page.url(), /developer=/);
    await page.goto(`${server.url}/console/keys/${"0".repeat(64)}`);
    await page.getByText("There is no such key").waitFor();
    await ada.show("keys/unknown");
  }, { expected: /404/ }));

Deno.test("keys: on a phone the drawer covers the list", () =>
  desk(async (ada, page, server) => {
    await page.goto(`${server.url}/console/keys`);
    await page.locator(".row-link").first().waitFor();
    await ada.show("keys/phone");
    // All that narrows the list stands behind one button, and within the window.
    assert.equal(await page.getByLabel("Leaks").isVisible(), false);
    await page.getByRole("button", { name: "Filters" }).click();
    for (
      const one of [page.getByLabel("Plan"), page.getByLabel("Leaks"), page.getByText("Views")]
    ) {
      await one.first().click({ trial: true });
      const box = await one.first().boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= sizes.phone.width);
    }
    await ada.show("keys/phone-filters");
    await page.getByRole("button", { name: "Filters" }).click();
    await page.locator(".row-link").first().click();
    await page.getByText("History").waitFor();
    await ada.show("keys/phone-drawer");
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth),
      sizes.phone.width,
    );
  }, { size: sizes.phone }));

Deno.test("keys: while the server is away the list says so, and comes back by itself", () =>
  desk(async (ada, page, server) => {
    await openKeys(page);
    await server.restart(async () => {
      await page.keyboard.press("2");
      await page.getByText("The server does not answer. What you see").waitFor();
      await page.getByText("This could not be loaded").waitFor();
      await ada.show("keys/offline");
    });
    await page.getByRole("table", { name: "Keys" }).locator(".row-link").first().waitFor();
    await page.getByText("The server does not answer. What you see").waitFor({ state: "detached" });
  }, { expected: /ERR_CONNECTION_REFUSED|Failed to load resource/ }));

Deno.test("keys: a plan that nobody knows is told beside the request, its approval and the key, until it is there", () =>
  desk(async (ada, page, server) => {
    const ask = async (plan: string) => {
      const body = { by_user: "dev-of-nobody", for_plan: plan };
      // as: the envelope of POST /api/portal/requests.
      return (await server.call("POST", "/api/portal/requests", body) as { Message: string })
        .Message;
    };
    const told = (name: string) => page.getByText(`There is no plan ${name}`);
    await page.goto(`${server.url}/console/requests/${await ask("plan-of-nobody")}`);
    await page.locator(".drawer").getByText("There is no plan plan-of-nobody").waitFor();
    await ada.show("key-requests/unknown-plan");
    await page.getByRole("button", { name: "Approve" }).first().click();
    await dialog(page).getByText("There is no plan plan-of-nobody").waitFor();
    await ada.show("key-requests/approve-unknown-plan");
    await page.keyboard.press("Escape");
    const approve = async (id: string) =>
      await server.call("PUT", `/api/portal/requests/approve/${id}`);
    await approve(await ask("plan-of-nobody"));
    const [key] = await keysOf(server, "&plan=plan-of-nobody");
    assert.ok(key);
    await page.goto(`${server.url}/console/keys/${key.key_id}`);
    await told("plan-of-nobody").waitFor();
    await page.locator(".drawer").getByText("Plan gone", { exact: true }).waitFor();
    await page.locator(".drawer").getByText("None of its plans exists.").waitFor();
    await ada.show("keys/unknown-plan");
    await page.goto(`${server.url}/console/settings?show=server`);
    await page.getByText('Active keys name plans that do not exist (1): "plan-of-nobody"')
      .waitFor();
    await ada.show("settings/unknown-plan");
    const plan = { _id: "plan-of-nobody", id: "plan-of-nobody", name: "Known by now" };
    await server.call("POST", "/api/portal/policies", plan);
    await page.goto(`${server.url}/console/keys/${key.key_id}`);
    await page.locator(".key-plans").getByText("Known by now").waitFor();
    assert.equal(await told("plan-of-nobody").count(), 0);
    await page.locator(".drawer").getByText("Active", { exact: true }).waitFor();
  }, { expected: /404/ }));
