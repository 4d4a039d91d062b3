/** Moving in, in Chromium: what an old gateway still decides, who is never seen, and the switch. */
import assert from "node:assert/strict";
import { eventually } from "../../test/support/eventually.ts";
import { policy, standIn } from "../../test/support/gateway.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import {
  type DemoServer,
  openSession,
  signIn,
  sizes,
  startDemoServer,
  visit,
  type Visitor,
} from "./browser.ts";
import { differenceFigures, meterFigures } from "./meter-figures.ts";
import { fetchInPerson } from "../../test/support/sign-in.ts";

/** Calls the API; answers have several shapes, of which a few members are read. */
// deno-lint-ignore no-explicit-any -- as it says above
type Call = (...of: Parameters<DemoServer["call"]>) => Promise<any>;

/** A desk with two plans, and a gateway that asks about calls which it decides. */
async function movingDesk(server: DemoServer) {
  const call: Call = (...of) => server.call(...of);
  // Those that come from elsewhere have an id of their own besides.
  const planOf = async (name: string, api_id: string) => {
    const access_rights = { [api_id]: { api_id } };
    return (await call("POST", "/v1/plans", { name, id: `old-${api_id}`, access_rights }))._id;
  };
  const tides = await planOf("Tides", "tides");
  const waves = await planOf("Waves", "waves");
  for (const id of ["nova", "luna"]) {
    await call("POST", "/v1/developers", {
      id,
      email: `${id}@example.org`,
      fields: { name: id === "nova" ? "Nova Shop" : "Luna Maps" },
    });
  }
  const issue = async (owner: string, plans: string[], name: string) =>
    await call("POST", `/v1/developers/${owner}/keys`, { plans, deliver: "answer", name });
  const observe = async (key: string, api_id: string, opens = true) => {
    const { receipt } = await call("POST", "/v1/keys/shadow", { key, api_id });
    if (opens) await call("POST", "/v1/keys/shadow/allowed", { receipt });
  };
  return { call, tides, waves, issue, observe };
}

const tab = ({ page }: Visitor) => page.getByRole("radio", { name: "Migration" });
const rowOf = ({ page }: Visitor, plan: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name: plan, exact: true }) });

Deno.test("moving in: named while there is an old gateway, and never before", async () => {
  await using server = await startDemoServer(true);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await signIn(ada, server, "/gateways/migration");
  await page.getByText("No old gateway is connected").waitFor();
  await ada.show("moving-in/none");
  await page.goto(`${server.url}/console/gateways`);
  await page.getByText("No gateway is added").waitFor();
  assert.equal(await tab(ada).count(), 0);
  const found = async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("moving");
    const options = page.getByRole("option", { name: /^Migration/ });
    await page.getByRole("dialog").getByText(/Nothing called|Migration|Gateways/).first().waitFor();
    const many = await options.count();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    return many;
  };
  assert.equal(await found(), 0);
  // Whoever adds one in the console sees it at once.
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Product").selectOption({ label: "Tyk Gateway" });
  await dialog.getByRole("button", { name: "Next" }).click();
  await dialog.getByLabel("Name").fill("City");
  await dialog.getByLabel("Address of its own interface").fill("https://gateway.example.org");
  await dialog.getByLabel("Secret of its interface").fill("what-opens-it");
  await dialog.getByRole("button", { name: "Add" }).click();
  await tab(ada).waitFor({ state: "attached" });
  await page.keyboard.press("Escape");
  await page.locator("label", { has: tab(ada) }).click();
  await page.waitForURL(/\/console\/gateways\/migration$/);
  await page.getByText("It is not known yet whether the old gateway can be switched off").waitFor();
  await ada.show("moving-in/nothing-observed");
  assert.equal(await found(), 1);
});

Deno.test("moving in: differences are told and narrowed, a plan is switched over, undone by one click, and drafts are copied", async () => {
  await using server = await startDemoServer(true);
  const { call, tides, waves, issue, observe } = await movingDesk(server);
  const shop = await issue("nova", [tides], "Nova shop");
  const both = await issue("luna", [tides, waves], "Luna both");
  await issue("luna", [waves], "Luna quiet");
  await observe(shop.RawKey, "tides");
  await observe(shop.RawKey, "waves");
  await observe(both.RawKey, "tides", false);
  await observe("a key that nobody knows", "tides");
  await eventually("what was observed is written", async () => {
    const { now: { at_gateway: there, unknown } } = await call("GET", "/v1/migration");
    return there === 3 && unknown.calls === 1;
  });
  await using browser = await sharedBrowser();
  // Who searches by an address has typed no key.
  await using ada = await visit(browser, { expected: /404/ });
  const { page } = ada;
  await signIn(ada, server, "/gateways/migration");
  await page.getByText("Not yet: the old gateway can’t be switched off").waitFor();
  await page.getByText("It allows calls of 1 plan that Keydesk would deny.").waitFor();
  await page.getByText("It allowed 1 call in 7 days with keys that Keydesk does not know.")
    .waitFor();
  await page.getByText(/Today so far: [\d,]+ in Keydesk, 3 at the old gateway/).waitFor();
  const row = rowOf(ada, "Tides");
  await row.getByText("2 keys", { exact: true }).waitFor();
  await row.getByText("answers differ").waitFor();
  await ada.show("moving-in/observed");

  // The difference of the plan leads to the single call.
  await row.getByRole("link", { name: "Another API: 1" }).click();
  await page.waitForURL(/show=differences&plan=old-tides/);
  const list = page.getByRole("table", { name: "Differences" });
  await list.getByRole("link").first().waitFor();
  assert.equal(await list.locator(".row").count(), 1);
  const chosen = page.getByLabel("Plan").locator("option:checked");
  assert.equal(await chosen.textContent(), "Tides");
  await page.getByRole("button", { name: "Clear" }).click();
  await list.getByText("A key that Keydesk does not know").waitFor();
  assert.equal(await list.locator(".row").count(), 2);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("complementary", { name: "Details" });
  await drawer.getByRole("link", { name: "Nova Shop" }).waitFor();
  await drawer.getByText("Another API").waitFor();
  await ada.show("moving-in/difference");
  await drawer.getByRole("button", { name: "All differences of this key" }).click();
  await page.waitForURL(new RegExp(`key=${shop.key_id}`));
  await page.getByRole("button", { name: /^Differences of Nova shop/ }).waitFor();
  assert.ok(!(await page.content()).includes("a key that nobody knows,"));

  // Keys never seen, by the digits of the tabs, by plan and by developer.
  await page.keyboard.press("Escape");
  await page.keyboard.press("3");
  await page.waitForURL(/\?show=never$/);
  const never = page.getByRole("table", { name: "Keys never seen" });
  await never.getByText("No proof").first().waitFor();
  await page.getByLabel("Plan").selectOption({ label: "Waves" });
  await never.getByText("Luna quiet").waitFor();
  assert.equal(await never.locator(".row:not(.is-waiting)").count(), 1);
  await page.getByLabel("Plan").selectOption({ label: "Tides" });
  await page.getByText("Nothing matches").waitFor();
  await page.locator(".state").getByRole("button", { name: "Clear filters" }).click();
  await page.keyboard.press("/");
  await page.keyboard.type("luna@example.org");
  await page.keyboard.press("Enter");
  await page.waitForURL(/developer=luna/);
  await page.getByRole("button", { name: /^Keys of luna@example.org/ }).waitFor();
  assert.equal(await never.locator(".row:not(.is-waiting)").count(), 1);
  await ada.show("moving-in/never");

  // Drafts: shown, copied, downloaded, and never sent.
  await page.keyboard.press("Escape");
  await page.keyboard.press("5");
  await page.getByText(/^Nothing is sent: \d+ drafts?\./).waitFor();
  await page.getByLabel("Language").selectOption("de");
  const drafts = page.getByRole("table", { name: "Drafts of mails" });
  await drafts.getByText("Benutzen Sie Ihren Schlüssel noch?").first().waitFor();
  await drafts.getByText("luna@example.org").click();
  await drawer.getByText("A draft: nothing is sent").waitFor();
  await ada.show("moving-in/draft");
  await drawer.getByRole("button", { name: "Copy Text" }).click();
  await drawer.getByRole("button", { name: "Copied Text" }).waitFor();
  assert.match(await page.evaluate("navigator.clipboard.readText()"), /^Guten Tag Luna Maps,/);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download all" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "never-seen.jsonl");
  const kept = await Deno.readTextFile(await download.path());
  const mails = kept.trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(mails.some(({ to }) => to === "luna@example.org"));

  // Switched over with what will happen, and undone by one click: at the toast, and at the page.
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  const switches = row.getByRole("button", { name: "Switch over: Tides" });
  await switches.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 key of 2").waitFor();
  await dialog.getByText("Another API: 1").waitFor();
  await ada.show("moving-in/switch");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const decided = async () =>
    (await call("GET", "/v1/migration")).plans.find((one: { plan: string }) => one.plan === tides)
      .decided;
  assert.equal(await decided(), "gateway");
  const undo = row.getByRole("button", { name: /^Undo/ });
  const switchOver = async () => {
    await switches.click();
    await dialog.getByRole("button", { name: "Switch over" }).click();
    await undo.waitFor();
    assert.equal(await decided(), "keydesk");
  };
  await switchOver();
  await ada.show("moving-in/switched");
  await page.getByRole("region", { name: "Messages" }).getByRole("button", { name: "Undo" })
    .click();
  await switches.waitFor();
  assert.equal(await decided(), "gateway");
  await switchOver();
  await page.reload();
  await undo.click();
  await switches.waitFor();
  assert.equal(await decided(), "gateway");
  const { data: rows } = await call("GET", "/v1/audit-log?action=plan_switch.updated&limit=100");
  assert.equal(rows.length, 4);
});

Deno.test("moving in: how many keys were learned, and what waits, is told beside", async () => {
  await using door = standIn("", "murmur32");
  await using server = await startDemoServer(true, { KEYDESK_OUTBOUND: door.host });
  const { call, tides } = await movingDesk(server);
  const { organisation: { id: org_id } } = await call("GET", "/v1/me");
  // As: it was made for this organisation's name, which is known by now alone.
  Object.assign(door.gateway, { org_id });
  door.gateway.plans.splice(0, Infinity, policy(org_id, tides, -1));
  const { url, secret } = door;
  const gateway = { name: "City", connection: "synced", url, secret };
  const { id } = await fetchInPerson(server.url, server.admin, "/v1/gateways", gateway);
  await eventually(
    "it was looked at",
    async () => (await call("GET", `/v1/gateways/${id}`)).checked_at !== null,
  );
  const ends_at = new Date(Date.now() + 10 * 24 * 60 * 60 * 1000).toISOString();
  await call("PUT", `/v1/gateways/${id}/lazy-migration`, { ends_at });
  const key = `${org_id}${"0a1b2c3d".repeat(4)}`;
  const name = await door.gateway.nameOf(key);
  door.gateway.records.set(`apikey-${name}`, door.gateway.newSession("nova", [tides]));
  await eventually(
    "it is learned",
    async () => (await call("POST", "/v1/keys/verify", { key })).valid,
  );
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await signIn(ada, server, "/gateways/migration");
  const part = ada.page.getByRole("region", { name: "Lazy migration" });
  await part.getByText("City").waitFor();
  await part.getByText("1 key migrated; it ends").waitFor();
  await ada.show("moving-in/learning");
});

Deno.test("moving in: a move of weeks, a reader, an answer that fails, and a phone", async () => {
  await using server = await startDemoServer(true);
  const call: Call = (...of) => server.call(...of);
  const hedy = { name: "Hedy Lamarr", permissions: ["portal:read"] };
  const { id } = await call("POST", "/v1/people", hedy);
  const { id: token } = await call("POST", `/v1/people/${id}/access-tokens`, { name: "laptop" });
  await using browser = await sharedBrowser();
  // It does not answer for a while.
  await using ada = await visit(browser, { expected: /500/ });
  const { page } = ada;
  const meter = meterFigures(Date.now());
  let status = 500;
  const routed = async ({ page }: Visitor) => {
    await page.route("**/v1/session", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...await response.json(), moving: true } });
    });
    await page.route(
      "**/v1/migration",
      (route) => route.fulfill({ status, json: status === 200 ? meter : {} }),
    );
    await page.route(
      "**/v1/migration/differences?*",
      (route) => route.fulfill({ json: differenceFigures(Date.now()) }),
    );
  };
  await routed(ada);
  await signIn(ada, server, "/gateways/migration");
  await page.getByText("This could not be loaded").waitFor();
  await ada.show("moving-in/failed");
  status = 200;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("of yesterday’s calls were decided in Keydesk").waitFor();
  const days = page.getByRole("img", { name: /^Decided in Keydesk: / });
  assert.equal(await days.locator(".is-all").count(), 30);
  await page.getByText("41 keys", { exact: true }).first().waitFor();
  await rowOf(ada, "Departures, professional").getByText(/safe in \d more days/).waitFor();
  await rowOf(ada, "Timetables, open data").getByRole("button", { name: /^Undo/ }).waitFor();
  // Later than 7 days it asks first.
  const old = rowOf(ada, "Vehicle positions, poll");
  await old.getByRole("button", { name: "Hand back: Vehicle positions, poll" }).click();
  await ada.show("moving-in/hand-back");
  await page.keyboard.press("Escape");
  await page.getByRole("region", { name: "Lazy migration" }).getByText("2 keys of them").waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  const top = () => page.evaluate("document.querySelector('.page-scroll').scrollTo(0, 0)");
  await top();
  await ada.show("moving-in/weeks");
  await page.setViewportSize(sizes.phone);
  await top();
  await ada.show("moving-in/phone");
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.querySelector(".page-scroll") ?? document.body;
    return { scrollWidth, clientWidth };
  });
  assert.ok(scrollWidth <= clientWidth, `${scrollWidth} in ${clientWidth}`);

  await using reader = await visit(browser);
  await routed(reader);
  await openSession(reader, server, token);
  await reader.page.goto(`${server.url}/console/gateways/migration`);
  await reader.page.getByText("You may not switch plans over").waitFor();
  for (const button of await reader.page.locator(".moving-plans button").all()) {
    assert.equal(await button.isDisabled(), true);
  }
  await reader.show("moving-in/reader");
});
