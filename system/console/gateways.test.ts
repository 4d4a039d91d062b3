/** Gateways that hold keys of their own, in Chromium: what is wrong there, and what mends it. */
import assert from "node:assert/strict";
import { eventually } from "../../test/support/eventually.ts";
import { policy, type StandIn, standIn } from "../../test/support/gateway.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type DemoServer, signIn, sizes, startDemoServer, visit } from "./browser.ts";
import { fetchInPerson } from "../../test/support/sign-in.ts";

/** A demo with the stand-in beside it, which has policies for some plans. */
async function deskWith(door: StandIn, server: DemoServer) {
  // deno-lint-ignore no-explicit-any -- answers of several shapes, of which ids alone are read
  const call = (...of: Parameters<typeof server.call>): Promise<any> => server.call(...of);
  const { organisation: { id: org_id } } = await call("GET", "/v1/me");
  // as: it was made for this organisation's name, which is known by now alone.
  Object.assign(door.gateway, { org_id });
  const plan = (await call("POST", "/v1/plans", { name: "Tides" })).id;
  const bare = (await call("POST", "/v1/plans", { name: "Waves" })).id;
  door.gateway.plans.length = 0;
  door.gateway.plans.push(policy(org_id, plan, -1));
  await call("POST", "/v1/developers", { id: "nova", email: "nova@example.org" });
  const issue = async (name: string, of = plan) =>
    await call("POST", "/v1/developers/nova/keys", { plans: [of], deliver: "answer", name });
  return { call, org_id, plan, bare, issue };
}

Deno.test("gateways: one is added, its keys arrive, what is stuck or differs is seen and mended, and it is removed", async () => {
  await using door = standIn("");
  await using server = await startDemoServer(true, { KEYDESK_OUTBOUND: door.host });
  await using browser = await sharedBrowser();
  const { call, org_id, plan, bare, issue } = await deskWith(door, server);
  await using ada = await visit(browser);
  const { page } = ada;
  await signIn(ada, server, "/home");
  await page.keyboard.press("g");
  await page.keyboard.press("g");
  await page.getByText("No gateway is added").waitFor();
  await ada.show("gateways/none");
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Product").selectOption({ label: "Tyk Gateway" });
  await dialog.getByText("Within a second").waitFor();
  await ada.show("gateways/choose");
  await dialog.getByRole("button", { name: "Next" }).click();
  await dialog.getByLabel("Name").fill("City");
  await dialog.getByLabel("Address of its own interface").fill(door.url);
  await dialog.getByLabel("Calls a second at the most").fill("0");
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.getByText("Write its secret here.").waitFor();
  await dialog.getByText("Write a whole number from 1 to 10000.").waitFor();
  await ada.show("gateways/add");
  await dialog.getByLabel("Secret of its interface").fill(door.secret);
  await dialog.getByLabel("Calls a second at the most").fill("500");
  await dialog.getByLabel("Keys at the gateway").selectOption("some");
  await dialog.getByLabel("Tides").check();
  await dialog.getByLabel("Waves").check();
  await dialog.getByRole("button", { name: "Add" }).click();
  const drawer = page.getByRole("complementary", { name: "Details" });
  await drawer.getByRole("heading", { name: "City" }).waitFor();
  assert.ok(!(await page.content()).includes(door.secret));
  await drawer.getByText("The gateway has no policy for the plan").first().waitFor();
  const { data: [{ id }] } = await call("GET", "/v1/gateways");
  assert.equal((await call("GET", `/v1/gateways/${id}`)).calls_per_second, 500);

  // One arrives, another has no policy there: it is stuck until there is one.
  const fine = await issue("Nova shop");
  const stuck = await issue("Nova waves", bare);
  const keys = drawer.locator(".gateway-keys .card");
  const tab = (name: string) => drawer.locator(".tab", { hasText: new RegExp(`^${name}`) });
  const cardOf = (key_id: string) => keys.filter({ hasText: key_id.slice(-12) });
  await tab("Stuck").click();
  await cardOf(stuck.key_id).getByText("Stuck", { exact: true }).waitFor();
  await cardOf(stuck.key_id).getByText("No policy for the plan").waitFor();
  await tab("Delivered").click();
  await cardOf(fine.key_id).waitFor();
  assert.equal(await door.open(fine.RawKey), 200);
  await ada.show("gateways/there");
  await tab("Stuck").click();
  await ada.show("gateways/stuck");
  await page.setViewportSize(sizes.phone);
  await ada.show("gateways/phone");
  await page.setViewportSize(sizes.desk);

  // The list of keys marks it, and its drawer leads on: it is not there yet.
  await page.goto(`${server.url}/console/keys`);
  const row = page.getByRole("table", { name: "Keys" }).locator(".row", { hasText: "Nova waves" });
  await row.getByText("Stuck at City").first().waitFor();
  await row.getByText("Not at the gateway yet").first().waitFor();
  await page.locator(".row", { hasText: "Nova shop" }).getByText("Active").first().waitFor();
  await ada.show("gateways/marked");
  await row.getByRole("link").first().click();
  await drawer.getByText("At the gateways").waitFor();
  await drawer.getByText("Not at the gateway yet").first().waitFor();
  await drawer.getByText("The developer reads that it works in a moment.").waitFor();
  await drawer.getByText("No policy for the plan").waitFor();
  await ada.show("gateways/key");
  door.gateway.plans.push(policy(org_id, bare, -1));
  // Policies are read anew every few seconds; one that waits is tried by itself.
  const there = drawer.locator(".at-gateways");
  const reads = (state: string) => there.getByText(state, { exact: true }).isVisible();
  await eventually("the key is delivered", async () => {
    const tries = drawer.getByRole("button", { name: /^Try now at City/ });
    if (await reads("Stuck")) await tries.click({ timeout: 1000 }).catch(() => {});
    return await reads("Delivered");
  }, 200);
  assert.equal(await door.open(stuck.RawKey), 200);
  // What is there is active, in the drawer and in its row.
  await drawer.getByText("Active", { exact: true }).first().waitFor();
  await drawer.getByText("Not at the gateway yet").first().waitFor({ state: "detached" });
  await row.getByText("Active").first().waitFor();

  // Somebody changes a key there, and adds one: a comparison tells of both.
  await door.gateway.add("foreign", door.gateway.newSession("", [plan]));
  const session = door.gateway.session(fine.key_id);
  assert.ok(session);
  await door.gateway.replace(fine.key_id, { ...session, apply_policies: [bare] });
  await drawer.getByRole("link", { name: "City" }).click();
  await page.waitForURL(/\/gateways\//);
  await drawer.getByRole("button", { name: "Reconcile now" }).click();
  await ada.show("gateways/compare");
  await dialog.getByRole("button", { name: "Reconcile" }).click();
  await drawer.getByText("nothing was put right").waitFor();
  await drawer.getByText("Keys at the gateway that Keydesk does not know").click();
  await ada.show("gateways/compared");
  await drawer.getByRole("button", { name: "Reconcile now" }).click();
  await dialog.getByLabel("Only count: put nothing right").uncheck();
  await dialog.getByLabel("Read every session").check();
  await dialog.getByRole("button", { name: "Reconcile" }).click();
  await tab("Differ").click();
  await cardOf(fine.key_id).getByText(/^(Changed|It is valid for more) at the gateway/).waitFor();
  await ada.show("gateways/differs");
  await cardOf(fine.key_id).getByRole("button", { name: /^Put right/ }).click();
  await cardOf(fine.key_id).waitFor({ state: "detached" });
  await tab("Delivered").click();
  await cardOf(fine.key_id).waitFor();
  // What stood in that tab before is shown while it is read anew.
  await eventually("put right", () => {
    const { apply_policies = [] } = door.gateway.session(fine.key_id) ?? {};
    return String(apply_policies) === plan;
  });

  await drawer.getByRole("button", { name: "Pause" }).click();
  await ada.show("gateways/pause");
  await dialog.getByRole("button", { name: "Pause" }).click();
  await drawer.getByText("Paused").waitFor();
  await drawer.getByRole("button", { name: "Resume" }).click();
  await drawer.getByText("On", { exact: true }).waitFor();

  // Its keys are ended there first, and it goes with the last of them.
  await drawer.getByRole("button", { name: "Remove" }).click();
  await ada.show("gateways/remove");
  await dialog.getByRole("button", { name: "Delete the keys and remove" }).click();
  await page.getByText("No gateway is added").waitFor();
  assert.equal((await call("GET", "/v1/gateways")).data.length, 0);
  assert.deepEqual([await door.open(fine.RawKey), await door.open(stuck.RawKey)], [403, 403]);
});

Deno.test("gateways: a key that was just approved is not there yet, and is active by itself once it is", async () => {
  await using door = standIn("");
  await using server = await startDemoServer(true, { KEYDESK_OUTBOUND: door.host });
  await using browser = await sharedBrowser();
  const { call, plan } = await deskWith(door, server);
  const { url, secret } = door;
  const gateway = { name: "City", connection: "synced", url, secret };
  const { id } = await fetchInPerson(server.url, server.admin, "/v1/gateways", gateway);
  await eventually("all keys were compared", async () => {
    return !(await call("GET", `/v1/gateways/${id}`)).filling;
  });
  let away = true;
  door.instead = ({ method }) =>
    away && method === "POST" ? new Response("", { status: 502 }) : undefined;
  const asked = await call("POST", "/v1/key-requests", { by_user: "nova", for_plan: plan });
  await using ada = await visit(browser);
  const { page } = ada;
  await signIn(ada, server, `/requests/${asked.id}`);
  const drawer = page.getByRole("complementary", { name: "Details" });
  await drawer.getByRole("button", { name: /^Approve/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Approve/ }).click();
  await dialog.getByRole("button", { name: /Done|stored|Close/ }).first().waitFor();
  await page.goto(`${server.url}/console/requests/${asked.id}?state=all`);
  await drawer.getByText("Not at the gateway yet").first().waitFor();
  await drawer.getByText("City", { exact: true }).waitFor();
  await ada.show("gateways/approved");
  await page.setViewportSize(sizes.phone);
  await ada.show("gateways/approved-phone");
  await page.setViewportSize(sizes.desk);
  await page.goto(`${server.url}/console/keys`);
  const row = page.getByRole("table", { name: "Keys" }).locator(".row").first();
  await row.getByText("Not at the gateway yet").first().waitFor();
  const asks: string[] = [];
  page.on("request", (request) => void asks.push(new URL(request.url()).pathname));
  away = false;
  await call("POST", `/v1/gateways/${id}/now`, {});
  await row.getByText("Active", { exact: true }).first().waitFor();
  // The list was read again, and no key of it by itself, nor any gateway.
  assert.ok(asks.includes("/v1/keys"), `${asks}`);
  assert.deepEqual(asks.filter((path) => path.includes("gateways")), []);
});

Deno.test("gateways: the canary's runs stand there as bars, and keys that nobody knows here whole", async () => {
  await using door = standIn("");
  await using server = await startDemoServer(true, { KEYDESK_OUTBOUND: door.host });
  await using browser = await sharedBrowser();
  const { call, org_id, plan } = await deskWith(door, server);
  const { url, secret } = door;
  const gateway = { name: "City", connection: "synced", url, secret };
  const { id } = await fetchInPerson(server.url, server.admin, "/v1/gateways", gateway);
  for (let n = 0; n < 130; n++) {
    await door.gateway.add(`foreign-${n}`, door.gateway.newSession("", [plan]));
  }
  assert.ok(org_id);
  await call("POST", `/v1/gateways/${id}/reconcile`);
  await eventually("compared", async () => {
    return (await call("GET", `/v1/gateways/${id}`)).reconciled?.foreign === 130;
  });
  await using ada = await visit(browser);
  const { page } = ada;
  // A gateway that was tried for an hour, and restarted in it.
  const now = Date.now();
  const data = Array.from({ length: 60 }, (_, n) => ({
    at: new Date(now - (60 - n) * 60_000).toISOString(),
    how: "called",
    valid_after_ms: n === 24 ? 7100 : 410,
    invalid_after_ms: n === 25 ? null : n === 26 ? 6000 : 600,
  }));
  const canary = {
    tried: "called",
    runs: 60,
    last: data.at(-1),
    median: { valid_after_ms: 410, invalid_after_ms: 600 },
  };
  await page.route("**/v1/gateways/*/canary?*", (route) => route.fulfill({ json: { data } }));
  const { data: gateways } = await call("GET", "/v1/gateways");
  const shown = gateways.map((row: object) => ({ ...row, canary }));
  await page.route("**/v1/gateways", (route) => route.fulfill({ json: { data: shown } }));
  await signIn(ada, server, `/gateways/${id}`);
  const drawer = page.getByRole("complementary", { name: "Details" });
  await drawer.getByText("Allowed after 0.41 s, shut after 0.60 s.").waitFor();
  await drawer.getByText(/worst over 15 s at/).waitFor();
  const bars = drawer.getByRole("slider", { name: "Runs of the canary" });
  assert.deepEqual(
    await bars.locator("rect").evaluateAll((all) =>
      ["is-slow", "is-bad", "is-good"].map((name) =>
        all.filter((one) => one.classList.contains(name)).length
      )
    ),
    [1, 2, 57],
  );
  await bars.focus();
  await page.keyboard.press("Home");
  assert.match(await bars.getAttribute("aria-valuetext") ?? "", /Allowed after 0\.41 s/);
  await bars.scrollIntoViewIfNeeded();
  await ada.show("gateways/canary");
  await page.setViewportSize(sizes.phone);
  await ada.show("gateways/canary-phone");
  await page.setViewportSize(sizes.desk);
  await drawer.getByLabel("Time of the canary").selectOption("24");
  await drawer.getByRole("slider", { name: "Runs of the canary" }).waitFor();
  await drawer.getByText("Keys at the gateway that Keydesk does not know").click();
  const names = drawer.locator(".gateway-foreign li");
  await names.first().waitFor();
  assert.equal(await names.count(), 100);
  await drawer.getByRole("button", { name: "The next of 130" }).click();
  await eventually("all are listed", async () => await names.count() === 130);
  await ada.show("gateways/unknown");
});

Deno.test("gateways: one with a map is added, and what it asks Keydesk for is no problem", async () => {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-doors-" });
  try {
    await using server = await startDemoServer(true, { KEYDESK_GATEWAY_FOLDER: folder });
    await using browser = await sharedBrowser();
    // An address that is none is refused by the server.
    await using ada = await visit(browser, { expected: /400/ });
    const { page } = ada;
    await signIn(ada, server, "/gateways");
    await page.getByText("No gateway is added").waitFor();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Product").selectOption({ label: "Tyk Gateway" });
    await dialog.getByRole("button", { name: "Next" }).click();
    await dialog.getByLabel("Name").fill("Edge");
    // Of a gateway of the original's: its Redis, with a password once there is one.
    await dialog.getByLabel("Address of its own interface").fill("https://gateway.example.org");
    await dialog.getByLabel("Secret of its interface").fill("what-opens-it");
    await dialog.getByLabel("Its Redis").fill("redis://elsewhere:6379");
    await dialog.getByLabel("Password of its Redis").fill("what-opens-that");
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.getByText("Expected rediss://host:6379/0 without a password").waitFor();
    await ada.show("gateways/redis");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: /^Add a gateway/ }).first().click();
    await dialog.getByLabel("Product").selectOption({ label: "HAProxy" });
    await dialog.getByLabel("How it is connected").selectOption({ label: "Map of keys" });
    await dialog.getByRole("button", { name: "Next" }).click();
    await dialog.getByLabel("Name").fill("Edge");
    await dialog.getByLabel("Where HAProxy takes commands").fill("elsewhere:1");
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.getByText("Expected unix, fetched, or a port of this machine").waitFor();
    await dialog.getByLabel("Where HAProxy takes commands").fill("");
    const reload = dialog.getByLabel("Its proxy reads the file within");
    await reload.fill("0");
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.getByText("Write a whole number from 1 to 604800").waitFor();
    await reload.fill("3600");
    await dialog.getByRole("button", { name: "Add" }).click();
    const drawer = page.getByRole("complementary", { name: "Details" });
    await drawer.getByText("A map of hashes of keys").waitFor();
    await drawer.getByText(/\.map$/).waitFor();
    await drawer.getByText("3600 s").waitFor();
    await ada.show("gateways/hashes");
    // A revoked key is not called gone while the proxy may still go by an earlier file.
    const { data } = await server.call("GET", "/v1/gateways") as { data: { id: string }[] };
    const delivered = async () => {
      const path = `/v1/gateways/${data[0]?.id}/keys?state=delivered`;
      const there = await server.call("GET", path) as { data: { key_id: string }[] };
      return there.data[0]?.key_id;
    };
    await eventually("a key is in the file", async () => await delivered() !== undefined);
    const key_id = await delivered();
    await server.call("POST", `/v1/keys/${key_id}/revoke`, { reason: "leaked" });
    await page.goto(`${server.url}/console/keys/${key_id}`);
    await page.getByText("It is valid at its proxy until that reads the file again").waitFor();
    await page.getByText("It may be valid at the gateway until").waitFor();
    await ada.show("gateways/not-read");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("gateways: keys are learned from one until an end, and no more once somebody says so", async () => {
  await using door = standIn("", "murmur32");
  await using server = await startDemoServer(true, { KEYDESK_OUTBOUND: door.host });
  await using browser = await sharedBrowser();
  const { call, org_id, plan } = await deskWith(door, server);
  const { url, secret } = door;
  const gateway = { name: "City", connection: "synced", url, secret };
  const { id } = await fetchInPerson(server.url, server.admin, "/v1/gateways", gateway);
  const isChecked = async () => (await call("GET", `/v1/gateways/${id}`)).checked_at !== null;
  await eventually("the gateway is checked", isChecked, 100);
  const key = `${org_id}${"0a1b2c3d".repeat(4)}`;
  const name = await door.gateway.nameOf(key);
  door.gateway.records.set(`apikey-${name}`, door.gateway.newSession("nova", [plan]));
  await using ada = await visit(browser);
  const { page } = ada;
  await signIn(ada, server, `/gateways/${id}`);
  const drawer = page.getByRole("complementary", { name: "Details" });
  await drawer.getByText("keys whose hashes can’t be imported").waitFor();
  await drawer.getByRole("button", { name: "Start lazy migration" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Questions a second").fill("50");
  await ada.show("gateways/learn");
  await dialog.getByRole("button", { name: "Start", exact: true }).click();
  await drawer.getByText("50 at the most").waitFor();
  const opens = async () => (await call("POST", "/v1/keys/verify", { key })).valid;
  await eventually("the key is learned", opens);
  await drawer.getByText("1 key", { exact: true }).waitFor();
  await ada.show("gateways/learning");
  await drawer.getByRole("button", { name: "Stop lazy migration" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).click();
  await drawer.getByRole("button", { name: "Start lazy migration" }).waitFor();
  assert.equal((await call("GET", `/v1/gateways/${id}/lazy-migration`)).on, false);
  assert.equal((await call("POST", "/v1/keys/verify", { key })).valid, true);
});

Deno.test("gateways: what an access token added waits for a press, which says where it is", async () => {
  await using door = standIn("");
  await using server = await startDemoServer(true, { KEYDESK_OUTBOUND: door.host });
  await using browser = await sharedBrowser();
  const { call } = await deskWith(door, server);
  const { url, secret } = door;
  const { id } = await call("POST", "/v1/gateways", {
    name: "City",
    connection: "synced",
    url,
    secret,
  });
  await using ada = await visit(browser);
  const { page } = ada;
  await signIn(ada, server, `/gateways/${id}`);
  const drawer = page.getByRole("complementary", { name: "Details" });
  await drawer.getByText("It waits for a person's yes").waitFor();
  await drawer.getByText("Waits for a yes", { exact: true }).waitFor();
  assert.equal(await drawer.getByRole("button", { name: "Pause" }).count(), 0);
  await ada.show("gateways/unconfirmed");
  await drawer.getByRole("button", { name: "Confirm" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`${url}/`).waitFor();
  await ada.show("gateways/confirm");
  assert.deepEqual(door.calls, []);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await drawer.getByText("On", { exact: true }).waitFor();
  await eventually("it was looked at", async () => {
    return (await call("GET", `/v1/gateways/${id}`)).checked_at !== null;
  });
  // Another address takes the secret anew.
  await drawer.getByRole("button", { name: "Change" }).click();
  await dialog.getByLabel("Address of its own interface").fill("https://gateway.example.net");
  await dialog.getByText("It goes to no other address than that for which it was written")
    .waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Write its secret here.").waitFor();
  assert.equal((await call("GET", `/v1/gateways/${id}`)).url, `${url}/`);
});
