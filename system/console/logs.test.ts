/** Denied calls, in Chromium: their reasons, and the button that fixes each. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually } from "../../test/support/eventually.ts";
import { placeAtNginx } from "../support/placed-gateways.ts";
import { freePort, listens, startApi, startProxy } from "../support/proxies.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { signIn, sizes, startDemoServer, visit } from "./browser.ts";

Deno.test("logs: a denied call is listed with its reason, is fixed in two actions, and a key can be checked", async () => {
  await using server = await startDemoServer(true);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  const { data: plans } = await server.call("GET", "/v1/plans?state=active&limit=100") as {
    data: { id: string; auth_type: string }[];
  };
  const plan = plans.find(({ auth_type }) => auth_type === "authToken")?.id;
  await server.call("POST", "/v1/developers", { id: "nova", email: "nova@example.org" });
  const { key_id, RawKey } = await server.call("POST", "/v1/developers/nova/keys", {
    plans: [plan],
    deliver: "answer",
    name: "Nova shop",
  }) as { key_id: string; RawKey: string };
  await server.call("POST", `/v1/keys/${key_id}/suspend`, { reason: "for a test" });
  await signIn(ada, server, "/home");
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await page.waitForURL(/\/logs$/);
  await page.getByText("No call was denied").waitFor();
  // It is seen without a reload.
  const verify = (key: string) => server.call("POST", "/v1/keys/verify", { key });
  let said: unknown;
  do said = await verify(RawKey); while (JSON.stringify(said).includes('"valid":true'));
  assert.deepEqual(said, { valid: false, reason: "suspended" });
  await verify("nobody-knows-this");
  const rows = page.getByRole("table", { name: "Denied calls" });
  const row = rows.locator(".row", { hasText: "Nova shop" });
  for (const words of ["Suspended", "The key is suspended", "nova@example.org", "Resume"]) {
    await row.getByText(words).first().waitFor();
  }
  await rows.getByText("Keydesk does not know this key").first().waitFor();
  assert.ok(!(await page.content()).includes(RawKey));
  await ada.show("logs/list");
  // Counts come some seconds later; a bar narrows the list.
  await page.getByRole("button", { name: /^Unknown key/ }).click();
  await page.waitForURL(/reason=unknown/);
  await row.waitFor({ state: "detached" });
  await ada.show("logs/bars");
  await page.getByRole("button", { name: /^Unknown key/ }).click();
  await row.waitFor();

  const dialog = page.getByRole("dialog");
  // Each opens beside the list, by an address of its own.
  await row.getByRole("link", { name: /^Suspended/ }).first().click();
  await page.waitForURL(/\/logs\/[0-9a-f]{24}$/);
  const details = page.getByRole("complementary", { name: "Details" });
  for (const words of ["The call", "The key now", "Suspended", "for a test", "Resume the key"]) {
    await details.getByText(words).first().waitFor();
  }
  await ada.show("logs/one");
  await page.reload();
  await details.getByRole("heading", { name: "Suspended: Nova shop" }).waitFor();
  await page.keyboard.press("m");
  await dialog.getByLabel("Reason").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/logs$/);
  await rows.getByRole("link", { name: /^Unknown key/ }).first().click();
  await details.getByText("Nothing here fixes it").waitFor();
  await page.keyboard.press("Escape");

  // A pasted key tells why it was denied last.
  await page.keyboard.press("Control+k");
  await dialog.getByRole("combobox").waitFor();
  await page.keyboard.insertText(RawKey);
  await page.getByText("Last denied", { exact: true }).waitFor();
  await page.getByText(/: The key is suspended$/).waitFor();
  await page.getByRole("option", { name: /^Why was it denied\?/ }).click();
  await details.getByRole("heading", { name: "Suspended: Nova shop" }).waitFor();
  await page.goto(`${server.url}/console/logs`);
  await row.waitFor();

  await page.keyboard.press("a");
  await dialog.getByLabel("Key").fill(RawKey);
  await dialog.getByRole("button", { name: "Ask" }).click();
  await dialog.getByText("Denied: suspended.").waitFor();
  await dialog.getByText("Not asked").first().waitFor();
  assert.equal(await dialog.getByLabel("Key").getAttribute("type"), "password");
  assert.ok(!page.url().includes(RawKey));
  await ada.show("logs/asked");
  await page.keyboard.press("Escape");

  // It is mended where it stands, and says so.
  await row.getByRole("button", { name: "Resume: Nova shop" }).first().click();
  await dialog.getByLabel("Reason").fill("The developer answered");
  await dialog.getByRole("button", { name: "Resume" }).click();
  await row.getByText("Valid again").first().waitFor();
  await ada.show("logs/mended");
  do said = await verify(RawKey); while (!JSON.stringify(said).includes('"valid":true'));
  await page.goto(`${server.url}/console/logs?key=${key_id}`);
  await row.first().waitFor();
  // Whoever comes later is told so by the key's state.
  await row.getByText("Resumed since").first().waitFor();
  await page.setViewportSize(sizes.phone);
  await ada.show("logs/phone");

  // The list of keys tells how often each was refused, its drawer why.
  await page.setViewportSize(sizes.desk);
  await page.goto(`${server.url}/console/keys`);
  const key = page.getByRole("table", { name: "Keys" }).locator(".row", { hasText: "Nova shop" });
  await key.getByTitle(/allowed, [\d,]+ denied, in the last 7 days/).waitFor();
  await ada.show("logs/keys");
  await key.getByRole("link").first().click();
  const drawer = page.getByRole("complementary", { name: "Details" });
  await drawer.getByText("The key is suspended").first().waitFor();
  await drawer.getByRole("link", { name: "All denied calls" }).click();
  await page.waitForURL(new RegExp(`/logs\\?key=${key_id}`));
});

Deno.test("logs: what is listed is chosen in the screen, stands in the address, and is kept as a view", async () => {
  await using server = await startDemoServer(true);
  const { data: plans } = await server.call("GET", "/v1/plans?state=active&limit=100") as {
    data: { id: string; name: string; auth_type: string }[];
  };
  const plan = plans.find(({ auth_type }) => auth_type === "authToken");
  await server.call("POST", "/v1/gateways", {
    connection: "checks",
    name: "edge-1",
    kind: "nginx",
  });
  await server.call("POST", "/v1/developers", { id: "nova", email: "nova@example.org" });
  const issue = async (name: string) =>
    await server.call("POST", "/v1/developers/nova/keys", {
      plans: [plan?.id],
      deliver: "answer",
      name,
    }) as { key_id: string; RawKey: string };
  const shop = await issue("Nova shop");
  const map = await issue("Nova map");
  await server.call("POST", `/v1/keys/${shop.key_id}/suspend`, { reason: "for a test" });
  const verify = async (key: string, door: string, api_id?: string) => {
    const response = await fetch(`${server.url}/v1/keys/verify`, {
      method: "POST",
      headers: { authorization: server.admin, "x-keydesk-gateway": door },
      body: JSON.stringify({ key, api_id }),
    });
    return await response.json();
  };
  while ((await verify(shop.RawKey, "edge-1")).valid) { /* until every node has heard of it */ }
  await verify(map.RawKey, "elsewhere", "no-such-api");
  await using browser = await sharedBrowser();
  // What is no key is first asked about as one.
  await using ada = await visit(browser, { expected: /404/ });
  const { page } = ada;
  await signIn(ada, server, "/logs");
  const rows = page.getByRole("table", { name: "Denied calls" });
  const one = rows.locator(".row", { hasText: "Nova shop" }).first();
  const other = rows.locator(".row", { hasText: "Nova map" }).first();
  await one.waitFor();
  await other.waitFor();
  const choose = async (label: string, option: string, address: RegExp) => {
    await page.getByRole("combobox", { name: label, exact: true }).selectOption({ label: option });
    await page.waitForURL(address);
  };
  const back = async () => {
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await one.waitFor();
    await other.waitFor();
  };
  await choose("Gateway", "edge-1", /gateway=edge-1/);
  await other.waitFor({ state: "detached" });
  await one.waitFor();
  await back();
  await choose("Gateway", "Gateways without a name", /gateway=other/);
  await one.waitFor({ state: "detached" });
  await back();
  await choose("Reason", "Another API", /reason=wrong_api/);
  await one.waitFor({ state: "detached" });
  await back();
  await choose("Plan", plan?.name ?? "", /plan=/);
  await page.getByText("Nothing matches").waitFor();
  await back();
  // The API that was asked for is none that a plan names, so it comes by the address alone.
  await page.goto(`${server.url}/console/logs?api=no-such-api`);
  await other.waitFor();
  assert.equal(
    await page.getByRole("combobox", { name: "API", exact: true }).inputValue(),
    "no-such-api",
  );
  await back();
  await choose("When", "Last hour", /time=hour/);
  await one.waitFor();
  await choose("When", "Between two days…", /time=between/);
  await page.getByLabel("to", { exact: true }).fill("2020-01-01");
  await page.getByText("Nothing matches").waitFor();
  await back();
  await page.keyboard.press("/");
  await page.keyboard.type("Nova map");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`key=${map.key_id}`));
  await one.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Denied calls of Nova map" }).waitFor();
  await ada.show("logs/narrowed");
  await back();
  await page.keyboard.press("/");
  await page.keyboard.type("nova@example.org");
  await page.keyboard.press("Enter");
  await page.waitForURL(/developer=nova/);
  await one.waitFor();

  await choose("Reason", "Suspended", /reason=suspended/);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: "Save as a new view…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Suspended of Nova");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Logs: Suspended of Nova" }).waitFor();
  const { data } = await server.call("GET", "/v1/views?list=denied-calls") as {
    data: { query: unknown }[];
  };
  assert.deepEqual(data.map(({ query }) => query), [{ reason: "suspended", developer: "nova" }]);
});

Deno.test("logs: plans, addresses, end and limit are mended in place, by who may", async () => {
  await using server = await startDemoServer(true);
  const made = async (path: string, body: unknown, method = "POST") =>
    await server.call(method, path, body) as { id: string; key_id: string; RawKey: string };
  const opens = (id: string) => ({
    access_rights: { [id]: { api_id: id, api_name: id, versions: ["Default"] } },
  });
  const slow = await made("/v1/plans", { name: "Slow", rate: 1, per: 3600, ...opens("tides") });
  const waves = await made("/v1/plans", { name: "Waves", rate: 100, per: 1, ...opens("waves") });
  await made("/v1/developers", { id: "nova", email: "nova@example.org" });
  const issue = (name: string, more = {}) =>
    made("/v1/developers/nova/keys", { plans: [slow.id], deliver: "answer", name, ...more });
  const other = await issue("Other API");
  const fast = await issue("Too fast");
  const ended = await issue("Ended", {
    plans: [waves.id],
    expires_at: new Date(Date.now() + 1500).toISOString(),
  });
  const request = await made("/v1/key-requests", { by_user: "nova", for_plan: slow.id });
  const { key: credential, key_id } = await server.call(
    "POST",
    `/v1/key-requests/${request.id}/approve`,
    { conditions: { addresses: ["192.0.2.0/24"] }, deliver: "answer" },
  ) as { key: { RawKey: string }; key_id: string };
  const verify = (body: unknown) =>
    server.call("POST", "/v1/keys/verify", body) as Promise<{ valid: boolean; reason: string }>;
  assert.equal((await verify({ key: other.RawKey, api_id: "waves" })).reason, "wrong_api");
  assert.ok((await verify({ key: fast.RawKey })).valid);
  assert.equal((await verify({ key: fast.RawKey })).reason, "over_rate");
  const far = { key: credential.RawKey, address: "198.51.100.7" };
  assert.equal((await verify(far)).reason, "address");
  const isOver = async () => (await verify({ key: ended.RawKey })).reason === "expired";
  await eventually("the key's end", isOver, 100);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await signIn(ada, server, "/logs");
  const rows = page.getByRole("table", { name: "Denied calls" });
  const dialog = page.getByRole("dialog");
  const mend = (text: string, name: string) =>
    rows.getByRole("button", { name: `${text}: ${name}` }).first().click();

  await mend("Add the plan", "Other API");
  await dialog.getByRole("checkbox", { name: "Waves is valid for waves" }).check();
  await ada.show("logs/plans");
  await dialog.getByRole("button", { name: "Save plans" }).click();
  await rows.locator(".row", { hasText: "Other API" }).getByText("Valid again").waitFor();
  assert.ok((await verify({ key: other.RawKey, api_id: "waves" })).valid);

  const mask = ((await server.call("GET", `/v1/keys/${key_id}`)) as { mask: string }).mask;
  await mend("Change addresses", mask);
  await dialog.getByLabel("Addresses and networks").fill("192.0.2.0/24\n198.51.100.0/24");
  await ada.show("logs/addresses");
  await dialog.getByRole("button", { name: "Save addresses" }).click();
  await dialog.waitFor({ state: "detached" });
  while (!(await verify(far)).valid) { /* within a second */ }

  await mend("Raise the limit", "Too fast");
  await dialog.getByLabel(/^Calls an hour/).fill("10");
  await ada.show("logs/limit");
  await dialog.getByRole("button", { name: "Raise" }).click();
  await rows.locator(".row", { hasText: "Too fast" }).getByText("Limit raised").waitFor();
  const raised = await server.call("GET", `/v1/plans/${slow.id}`) as { rate: number };
  assert.equal(raised.rate, 10);

  await mend("Change its expiry", "Ended");
  await dialog.getByLabel("Never").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await rows.locator(".row", { hasText: "Ended" }).getByText("Valid again").first().waitFor();

  // Who reads alone is led to the key.
  const reader = await made("/v1/people", { name: "Rita", permissions: ["portal:read"] });
  const token = await server.call("POST", `/v1/people/${reader.id}/access-tokens`, {
    name: "hers",
  }) as { id: string };
  await using rita = await visit(browser);
  await signIn(rita, server, "/logs", token.id);
  await rita.page.getByRole("link", { name: "See the key" }).first().waitFor();
  assert.equal(await rita.page.getByRole("button", { name: /^Change its expiry/ }).count(), 0);
});

Deno.test("gateways: nginx is added with its file, its first call is seen, and it is changed and removed", async () => {
  await using server = await startDemoServer(true);
  await using origin = startApi();
  const folder = await Deno.makeTempDir({ prefix: "keydesk-walk-" });
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await signIn(ada, server, "/gateways");
  await page.getByText("No gateway is added").waitFor();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  const at = freePort();
  await dialog.getByText("One question to Keydesk").waitFor();
  await dialog.getByRole("button", { name: "Next" }).click();
  await dialog.getByLabel("Name").fill("Edge 1");
  await dialog.getByLabel("Where it listens").fill(`127.0.0.1:${at}`);
  await dialog.getByLabel("The API behind it").fill("127.0.0.1:9000; drop");
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.getByText("Host and port").first().waitFor();
  await dialog.getByText("Small letters").waitFor();
  assert.deepEqual(await server.call("GET", "/v1/gateways?connection=checks"), { data: [] });
  await dialog.getByLabel("Name").fill("edge-1");
  await dialog.getByLabel("The API behind it").fill(origin.address);
  const api = await dialog.getByLabel("Which API is it?").inputValue();
  assert.notEqual(api, "");
  await ada.show("gateways/checks-walk");
  await dialog.getByRole("button", { name: "Add" }).click();
  await page.getByText("Waiting for the first call of edge-1").waitFor();
  // No token is shown; downloads have it, and nothing to fill in.
  const download = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("link", { name: `Download ${name}` }).click(),
    ]);
    assert.equal(download.suggestedFilename(), name);
    await download.saveAs(join(folder, name));
    const text = await Deno.readTextFile(join(folder, name));
    assert.doesNotMatch(text, /\$\{|Fill in/);
    return text;
  };
  const tokenIn = (text: string) =>
    /X-Keydesk-Authorization "Bearer ([^"]+)"/.exec(text)?.[1] ?? "";
  const [conf, part] = ["keydesk-edge-1.conf", "keydesk-edge-1.server"] as const;
  const placed = { [`conf.d/${conf}`]: await download(conf), [part]: await download(part) };
  const token = tokenIn(placed[part] ?? "");
  assert.ok(token.length > 20);
  assert.ok(!(await page.content()).includes(token));
  await dialog.getByRole("region", { name: "Commands" }).getByText("nginx -t").waitFor();
  await ada.show("gateways/checks-walk-waits");

  const file = await placeAtNginx(placed, {}, folder);
  await using _nginx = await startProxy("nginx", file, "GATEWAY_ADDRESS", {}, folder, {
    at: `127.0.0.1:${at}`,
    isReady: listens,
  });
  const refused = await fetch(`http://127.0.0.1:${at}/`, { headers: { authorization: "nobody" } });
  assert.equal(refused.status, 401);
  await refused.body?.cancel();
  await dialog.getByText("It called, and a call was denied (Unknown key).").waitFor();
  await ada.show("gateways/checks-walk-heard");
  await dialog.getByRole("button", { name: "Done" }).click();

  await page.getByRole("link", { name: /edge-1/ }).first().click();
  const card = page.getByRole("complementary", { name: "Details" });
  await card.getByText("Calls", { exact: true }).first().waitFor();
  await card.getByText("nginx, version 2").waitFor();
  await ada.show("gateways/checks-added");
  // Walked again, its token is replaced, and there is never another one.
  const { data: people } = await server.call("GET", "/v1/people") as { data: { id: string }[] };
  const tokens = async () => {
    const path = `/v1/people/${people[0]?.id}/access-tokens?limit=100`;
    const { data } = await server.call("GET", path) as {
      data: { name: string; replaced_by: string | null }[];
    };
    return data.filter(({ name }) => name === "Gateway edge-1").map(({ replaced_by }) =>
      replaced_by === null
    );
  };
  assert.deepEqual(await tokens(), [true]);
  await card.getByRole("button", { name: /^File/ }).click();
  await dialog.getByText("valid for an hour more").waitFor();
  await dialog.getByLabel("Where it listens").fill(`127.0.0.1:${at}`);
  await dialog.getByLabel("The API behind it").fill(origin.address);
  await ada.show("gateways/checks-walk-again");
  await dialog.getByRole("button", { name: "Make the file" }).click();
  await dialog.getByRole("heading", { name: "File of edge-1" }).waitFor();
  const fresh = tokenIn(await download(part));
  await dialog.getByRole("button", { name: "Done" }).click();
  assert.ok(fresh.length > 20 && fresh !== token);
  assert.deepEqual((await tokens()).sort(), [false, true]);
  const still = await fetch(`http://127.0.0.1:${at}/`, { headers: { authorization: "nobody" } });
  assert.equal(still.status, 401, "the file that it has goes on");
  await still.body?.cancel();
  await card.getByRole("button", { name: /^Change/ }).click();
  await dialog.getByLabel(/^Notify people/).fill("5");
  await dialog.getByRole("button", { name: "Save" }).click();
  await card.getByText("After 5 minutes without a call").waitFor();
  await card.getByRole("button", { name: /^Remove/ }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("No gateway is added").waitFor();
  // The token may ask about keys, and nothing else.
  const opened = await fetch(`${server.url}/v1/keys`, { headers: { authorization: token } });
  assert.equal(opened.status, 403);
  await opened.body?.cancel();
  await Deno.remove(folder, { recursive: true });
});
