/**
 * The console's channels and deliveries in Chromium, before a real receiver: who was told, and what
 * did not arrive.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser, Page } from "playwright-core";
import { made } from "../../test/support/certificates.ts";
import { eventually } from "../../test/support/eventually.ts";
import { type Receiver, receiver } from "../../test/support/receiver.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import {
  type DemoServer,
  signIn,
  sizes,
  startDemoServer,
  visit,
  type VisitOptions,
  type Visitor,
} from "./browser.ts";

/** A demo that may call one receiver, and its administrator. */
async function beforeChannels(
  test: (one: {
    ada: Visitor;
    page: Page;
    server: DemoServer;
    portal: Receiver;
    browser: Browser;
  }) => Promise<void>,
  options: VisitOptions = {},
): Promise<void> {
  await using portal = receiver();
  await using server = await startDemoServer(true, { KEYDESK_OUTBOUND: portal.host });
  await using browser = await sharedBrowser();
  // A refused form, and a server that is away for a moment.
  await using ada = await visit(browser, { expected: /400|ERR_[A-Z_]+/, ...options });
  await signIn(ada, server);
  await ada.page.locator(".row-link").first().waitFor();
  await test({ ada, page: ada.page, server, portal, browser });
  assert.deepEqual(ada.complaints, []);
}

const addChannel = async (server: DemoServer, body: Record<string, unknown>) =>
  await server.call("POST", "/v1/channels", { topics: ["key_request.*"], ...body }) as {
    id: string;
  };

/** Changes some pending key requests of the demo, newest first; gives their ids. */
async function decline(server: DemoServer, n: number): Promise<string[]> {
  const { data } = await server.call("GET", `/v1/key-requests?state=pending&limit=${n}`) as {
    data: { id: string }[];
  };
  for (const { id } of data) await server.call("POST", `/v1/key-requests/${id}/decline`, {});
  return data.map(({ id }) => id);
}

const attempted = (server: DemoServer, n: number) =>
  eventually(`${n} tries`, async () => {
    const { data } = await server.call("GET", "/v1/deliveries?limit=100") as {
      data: { attempts: number }[];
    };
    return data.filter(({ attempts }) => attempts > 0).length >= n;
  });

/** As 24 hours of tries would leave them: everything that waits was given up. */
async function giveUp(server: DemoServer): Promise<void> {
  await server.restart(() => {
    const file = join(server.settings.KEYDESK_DATA_DIR ?? "", "keydesk.db");
    const db = new DatabaseSync(file);
    db.exec(`update deliveries set state = 'dead', due_at = null, holder = '', blocked = 0,
      ended_at = strftime('%Y-%m-%dT%H:%M:%fZ') where state = 'waiting'`);
    db.close();
    return Promise.resolve();
  });
}

const secretOf = async (page: Page) => {
  const dialog = page.getByRole("dialog");
  const value = await dialog.locator(".copy-value").textContent() ?? "";
  assert.match(value, /^whsec_/);
  await page.keyboard.press("Escape");
  await dialog.getByText("Tick the box first").waitFor();
  await dialog.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
  const everywhere = await page.evaluate(() =>
    document.documentElement.outerHTML + location.href + document.title +
    JSON.stringify({ ...localStorage, ...sessionStorage })
  );
  assert.ok(!everywhere.includes(value));
  return value;
};

Deno.test("channels: by mouse, one is made, reached, tested, paused, rotated and deleted", () =>
  beforeChannels(async ({ ada, page, server, portal }) => {
    await page.goto(`${server.url}/console/settings`);
    await page.getByText("Notifications", { exact: true }).click();
    await page.getByText("There is no notification channel yet").waitFor();
    await ada.show("channels/none");
    await page.getByRole("button", { name: "Add a channel" }).first().click();
    await page.getByRole("button", { name: /^Webhook/ }).click();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Write the address here.").waitFor();
    await page.getByLabel("Name").fill("Partner portal");
    await page.getByLabel("Address").fill("https://portal.example.org:8443/hooks");
    await page.getByLabel("Topics, one a line").fill("key.*\nkey_request.aproved");
    await page.getByText(/topics fit today, such as/).waitFor();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("No topic fits; the nearest is key_request.approved.").waitFor();
    await ada.show("channels/refused");
    await page.getByLabel("Topics, one a line").fill("key.*\nkey_request.*");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { name: "Secret of Partner portal" }).waitFor();
    const first = await secretOf(page);
    // The setting that is missing, with the very value.
    await page.getByText("Nothing can be sent to it yet.").waitFor();
    const value = page.locator(".channel-missing .copy-value");
    assert.equal(await value.textContent(), "portal.example.org:8443");
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("Not accepted: No answer").waitFor();
    await ada.show("channels/missing");
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByLabel("Address").fill(portal.url);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Nothing can be sent to it yet.").waitFor({ state: "detached" });
    portal.answer = () => new Response("<b>welcome</b>", { status: 202 });
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("Accepted: 202").waitFor();
    await page.getByText("<b>welcome</b>").waitFor();
    assert.equal(portal.taken.at(-1)?.json.type, "channel.tested");
    await ada.show("channels/tested");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("row").getByText("Paused").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("row").getByText("On", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel("The old one expires").selectOption({ label: "In an hour" });
    await ada.show("channels/rotate");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("heading", { name: "Secret of Partner portal" }).waitFor();
    await ada.show("channels/secret");
    assert.notEqual(await secretOf(page), first);
    await page.getByText("Two sign: the new one").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await ada.show("channels/delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Partner portal is deleted.").waitFor();
    await page.getByText("There is no notification channel yet").waitFor();
  }));

Deno.test("channels: those that fail come first and paused ones last; by keyboard alone", () =>
  beforeChannels(async ({ ada, page, server, portal }) => {
    await addChannel(server, { name: "Works", url: portal.url, topics: ["plan.*"] });
    await addChannel(server, { name: "Fails", url: portal.url });
    const { id } = await addChannel(server, { name: "Asleep", url: portal.url });
    await server.call("POST", `/v1/channels/${id}/pause`);
    portal.answer = () => 503;
    await decline(server, 1);
    await attempted(server, 1);
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByText("Notifications", { exact: true }).waitFor();
    await page.keyboard.press("4");
    await page.waitForURL(/show=channels/);
    await page.getByRole("row").getByText("Failing").waitFor();
    const names = await page.locator(".row-link .line-1").allTextContents();
    assert.deepEqual(names, ["Fails", "Works", "Asleep"]);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "Fails" }).waitFor();
    await page.keyboard.press("t");
    await page.getByText("Not accepted: 503").waitFor();
    await ada.show("channels/failing");
    await page.keyboard.press("e");
    await page.getByRole("dialog", { name: "Change Fails" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 2, name: "Fails" }).waitFor({ state: "detached" });
  }));

Deno.test("deliveries: what was given up is counted, told with its cause, and sent again by keyboard", () =>
  beforeChannels(async ({ ada, page, server, portal }) => {
    await page.goto(`${server.url}/console/deliveries`);
    await page.getByText("Nothing was sent yet").waitFor();
    await ada.show("deliveries/none");
    await addChannel(server, { name: "Fleet dashboard", url: portal.url });
    await addChannel(server, { name: "Quiet", url: portal.url, topics: ["plan.*"] });
    const headers = { "retry-after": "3600" };
    portal.answer = () => new Response('{"error":"<i>maintenance</i>"}', { status: 503, headers });
    const [newest = ""] = await decline(server, 3);
    await attempted(server, 3);
    await page.reload();
    await page.locator(".row-link").nth(2).waitFor();
    await page.getByRole("row").getByText("Waiting").first().waitFor();
    await page.goto(`${server.url}/console/deliveries?state=waiting`);
    await page.locator(".tab", { hasText: "Waiting" }).getByText("3").waitFor();
    await page.getByText("3 deliveries wait.").waitFor();
    await ada.show("deliveries/waiting");
    await page.getByRole("button", { name: "Deliver now" }).click();
    await eventually("they are tried again", () => portal.all.length === 6);
    await page.goto(`${server.url}/console/deliveries`);
    await giveUp(server);
    await page.reload();
    await page.waitForURL(/settings\?show=deliveries$/);
    const badge = page.locator(".page-section .side-count");
    await badge.getByText("3").waitFor();
    const line = page.getByText("3 deliveries gave up.");
    await line.waitFor();
    await page.getByText(
      /All went to Fleet dashboard, which has accepted nothing since .* Last answer: 503\./,
    )
      .waitFor();
    await ada.show("deliveries/dead");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "A key request was declined" }).waitFor();
    await page.getByText('{"error":"<i>maintenance</i>"}').first().waitFor();
    await ada.show("deliveries/drawer");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Select all 3" }).click();
    await page.getByText("3 selected").waitFor();
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", {
      name: "Send 3 deliveries again to Fleet dashboard?",
    });
    await dialog.waitFor();
    await ada.show("deliveries/replay");
    await dialog.getByRole("button", { name: "Test, then send" }).click();
    await dialog.getByText("The test was not taken: Fleet dashboard answered 503.").waitFor();
    assert.ok(!await badge.isHidden());
    portal.answer = () => 200;
    await dialog.getByRole("button", { name: "Test, then send" }).click();
    await dialog.waitFor({ state: "detached" });
    await badge.waitFor({ state: "detached" });
    await line.waitFor({ state: "detached" });
    await eventually("they came", () => portal.taken.length === 4);
    // The test, and then in the order in which they were made.
    assert.equal(portal.taken.filter(({ json }) => json.type === "key_request.declined").length, 3);
    await page.goto(`${server.url}/console/deliveries?object=${newest}`);
    await page.getByRole("row").getByText("Delivered").waitFor();
    await page.getByRole("row").getByText("at the 3rd try").waitFor();
    assert.equal(await page.locator(".row-link").count(), 1);
    await page.getByText("Failed deliveries").click();
    await page.getByText("Nothing matches").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await page.getByText("No failed deliveries").waitFor();
    await ada.show("deliveries/no-dead");
  }));

Deno.test("drawers: who was told, what did not arrive, and sending it again; nothing for who may not", () =>
  beforeChannels(async ({ ada, page, server, portal, browser }) => {
    await addChannel(server, { name: "Portal", url: portal.url });
    portal.answer = () => 503;
    const [id = ""] = await decline(server, 1);
    await attempted(server, 1);
    await giveUp(server);
    await page.goto(`${server.url}/console/requests/${id}?state=all`);
    const told = page.getByRole("region", { name: "Who was notified" });
    await told.getByText("Failed", { exact: true }).waitFor();
    await told.scrollIntoViewIfNeeded();
    await ada.show("deliveries/told");
    portal.answer = () => 200;
    await told.getByRole("button", { name: /again/ }).click();
    await told.getByText("Failed", { exact: true }).waitFor({ state: "detached" });
    await eventually("it came", () => portal.taken.length === 1);
    const { data: keys } = await server.call("GET", "/v1/keys?limit=1") as {
      data: { key_id: string }[];
    };
    await page.goto(`${server.url}/console/keys/${keys[0]?.key_id}`);
    await told.getByText("No message about it went to a channel.").waitFor();
    await addChannel(server, { name: "Pager", url: portal.url, topics: ["certificate.*"] });
    const added = await fetch(`${server.url}/v1/certificates`, {
      method: "POST",
      headers: { authorization: server.admin },
      body: made({ cn: "hooks.example" }),
    });
    const { results } = await added.json() as { results: { id: string }[] };
    await eventually("it is told", () => portal.taken.length === 2);
    await page.goto(`${server.url}/console/certificates/${results[0]?.id}`);
    await told.getByText("A certificate was added", { exact: true }).waitFor();
    await told.getByText("Delivered").waitFor();
    const { id: person } = await server.call("POST", "/v1/people", {
      name: "Rita",
      permissions: ["portal:read"],
    }) as { id: string };
    const { access_token: credential } = await server.call(
      "POST",
      `/v1/people/${person}/access-tokens`,
      {
        name: "laptop",
        deliver: "answer",
      },
    ) as { access_token: string };
    await using rita = await visit(browser, { expected: /401/ });
    await rita.page.goto(`${server.url}/console/requests/${id}?state=all`);
    await rita.page.getByRole("button", { name: "Use an access token" }).click();
    await rita.page.getByLabel("Your access token").fill(credential);
    await rita.page.getByRole("button", { name: "Sign in" }).click();
    await rita.page.getByText("Request id").waitFor();
    assert.equal(await rita.page.getByText("Who was notified").count(), 0);
    assert.equal(await rita.page.locator(".side .side-count.is-bad").count(), 0);
    assert.deepEqual(rita.complaints, []);
  }));

const small = {
  phone: sizes.phone,
  "a phone on its side": { width: 844, height: 390 },
  "400 %": { width: 320, height: 256 },
};

for (const [name, size] of Object.entries(small)) {
  Deno.test(`deliveries and channels, ${name}: nothing is out of reach`, () =>
    beforeChannels(async ({ ada, page, server, portal }) => {
      const { id } = await addChannel(server, { name: "Fleet dashboard", url: portal.url });
      await addChannel(server, {
        name: "Elsewhere",
        url: "https://a.example.org/",
        topics: ["plan.*"],
      });
      portal.answer = () => 503;
      await decline(server, 2);
      await attempted(server, 2);
      await giveUp(server);
      const shot = `deliveries/${size.width}x${size.height}`;
      await page.goto(`${server.url}/console/deliveries`);
      await page.locator(".row-link").first().waitFor();
      await page.getByText("2 deliveries gave up.").waitFor();
      await ada.show(shot);
      await page.locator(".row-link").first().click();
      await page.getByText("1 try").waitFor();
      await page.getByText("Delivery id").scrollIntoViewIfNeeded();
      await ada.show(`${shot}-drawer`);
      await page.goto(`${server.url}/console/settings?show=channels`);
      await page.getByRole("row").getByText("Failing").waitFor();
      await ada.show(`${shot}-channels`);
      await page.goto(`${server.url}/console/settings/${id}?show=channels`);
      await page.getByText("Channel id").scrollIntoViewIfNeeded();
      await ada.show(`${shot}-channel`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.equal(width, size.width);
    }, { size }));
}
