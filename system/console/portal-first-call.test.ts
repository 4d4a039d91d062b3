/**
 * From an address that nobody knows to a first call, and the whole way of a key beside the console,
 * in Chromium, with mails by a real server and nginx as the door.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { keydesk, temporaryFolder } from "../../test/support/command.ts";
import { eventually } from "../../test/support/eventually.ts";
import { mailServer } from "../../test/support/mail-server.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { startApi, startGateway } from "../support/proxies.ts";
import { type DemoServer, signIn, startDemoServer, visit } from "./browser.ts";
import { sayWhy } from "./key-requests.ts";

/** The most that somebody does until a key of a plan at once was called with. */
const MOST_DEEDS = 7;
/** From the first visit on: get, copy, call. */
const MOST_FROM_FIRST_VISIT = 3;

type Mails = Awaited<ReturnType<typeof mailServer>>;

/** A desk whose pages are open to everybody, with one API and a plan of it. */
async function openDesk(mails: Mails, require_key_approval: boolean): Promise<DemoServer> {
  const server = await startDemoServer(false, {
    KEYDESK_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    KEYDESK_MAIL_FROM: "desk@example.org",
  });
  await server.call("POST", "/v1/channels", {
    kind: "mail",
    name: "Mail",
    topics: ["developer.*"],
  });
  await server.call("PUT", "/v1/branding", {
    name: "Coastal",
    base_url: "https://api.example.org/tides",
  });
  await server.call("PUT", "/v1/developer-pages", { enabled: true, sign_up: "open" });
  const { Message: policy_id } = await server.call("POST", "/api/portal/policies", {
    name: "Free",
    active: true,
    quota_max: 1000,
    quota_renewal_rate: 86_400,
    access_rights: { tides: { api_id: "tides", api_name: "Tides" } },
    // as: the answer of the older interface.
  }) as { Message: string };
  await server.call("POST", "/api/portal/catalogue", {
    apis: [{
      name: "Tides",
      show: true,
      api_id: "tides",
      policy_id,
      config: { override: true, require_key_approval },
    }],
  });
  return server;
}

/** The code of the first mail that holds one. */
async function arrived(mails: Mails): Promise<string> {
  for (const { parsed } of mails.taken) {
    const code = /\b(\d{6})\b/.exec(`${parsed.subject} ${parsed.text}`)?.[1];
    if (code !== undefined) return code;
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  return await arrived(mails);
}

Deno.test("portal: from sign-up to the first call of a plan at once are seven deeds at the most", async () => {
  await using mails = await mailServer();
  await using server = await openDesk(mails, false);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await page.goto(`${server.url}/portal/sign-up`);
  let deeds = 0;
  const deed = async (act: () => Promise<unknown>) => {
    deeds++;
    await act();
  };
  await deed(() => page.getByLabel("E-mail").fill("ada@example.org"));
  await deed(() => page.getByLabel("Name").fill("Ada Lovelace"));
  await deed(() => page.getByRole("button", { name: "Mail me a code" }).click());
  const field = page.getByLabel("Six digits");
  await field.waitFor();
  const code = await arrived(mails);
  await deed(() => field.pressSequentially(code));
  const signedUp = deeds;
  await deed(() => page.getByRole("button", { name: "Get a key now" }).click());
  const shown = page.locator("#key");
  await shown.waitFor();
  await deed(() => page.locator("button[data-copy=key]").click());
  const key = (await shown.innerText()).trim();
  await deed(() => server.call("POST", "/v1/keys/verify", { key, api_id: "tides" }));
  await page.getByText("The first call came in and was answered").waitFor();
  assert.ok(deeds <= MOST_DEEDS, `${deeds} deeds`);
  assert.ok(deeds - signedUp <= MOST_FROM_FIRST_VISIT, `${deeds - signedUp} from the first visit`);
  const complaints = ada.complaints.filter((one) => !/clipboard/i.test(one));
  assert.deepEqual(complaints, []);
});

Deno.test("portal: signed up, declined, asked again, approved, called at nginx, rotated and ended", async () => {
  await using mails = await mailServer();
  await using server = await openDesk(mails, true);
  await using api = startApi();
  await using folder = await temporaryFolder();
  const words = ["token", "create", "gateway", "--allow", "verify"];
  const gateway = await keydesk(words, server.settings);
  assert.equal(gateway.code, 0, gateway.stderr);
  await using door = await startGateway("nginx", {
    API_ADDRESS: api.address,
    API_ID: "tides",
    DESK_ADDRESS: new URL(server.url).host,
    DESK_CREDENTIAL: gateway.stdout.trim(),
    GATEWAY_NAME: "",
  }, folder.path);
  const knock = async (key: string) => {
    const response = await fetch(`${door.url}/today`, { headers: { authorization: key } });
    await response.body?.cancel();
    return response.status;
  };
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await using console = await visit(browser);
  const { page } = ada;
  await page.goto(`${server.url}/portal/sign-up`);
  await page.getByLabel("E-mail").fill("ada@example.org");
  await page.getByLabel("Name").fill("Ada Lovelace");
  await page.getByRole("button", { name: "Mail me a code" }).click();
  await page.getByLabel("Six digits").waitFor();
  await page.getByLabel("Six digits").pressSequentially(await arrived(mails));
  let clicks = 0;
  const click = async (name: RegExp | string, role: "link" | "button" = "link") => {
    clicks++;
    await page.getByRole(role, { name, exact: true }).first().click();
  };
  await click(/^Request /);
  await click("Send", "button");
  await page.getByText("Waits", { exact: true }).first().waitFor();
  assert.equal(clicks, 2, "asking for a plan with approval");

  await signIn(console, server, "/requests");
  await console.page.locator(".row-link").first().waitFor();
  await console.page.keyboard.press("j");
  await console.page.keyboard.press("d");
  await sayWhy(console.page, "Say what for.");
  await console.page.getByText("Undo").waitFor();
  await console.page.goto(`${server.url}/console/requests?state=declined`);
  await console.page.locator(".row-link").first().click();
  await console.page.getByText("Say what for.").first().waitFor();
  await page.reload();
  await page.getByText("Say what for.").waitFor();
  clicks = 0;
  await click("Request again with these answers");
  await click("Send", "button");
  await page.getByText("Waits", { exact: true }).first().waitFor();
  assert.equal(clicks, 2, "asking again after a no");

  await console.page.goto(`${server.url}/console/requests`);
  await console.page.locator(".row-link").first().waitFor();
  await console.page.keyboard.press("j");
  await console.page.keyboard.press("a");
  await console.page.getByLabel("Make a one-time link").check();
  await console.page.getByRole("button", { name: "Approve & issue key" }).click();
  await console.page.getByText("I have passed").first().waitFor();
  await page.reload();
  await click("Go to the key");
  const key = await shownKey(page);
  assert.equal(await knock(key), 200);
  assert.equal(api.reached.length, 1);
  await page.getByText("The first call came in and was answered").waitFor();
  await keepIt(page);
  const count = page.getByText("999", { exact: false });
  for (let n = 0; n < 100 && await count.count() === 0; n++) await page.reload();
  await count.first().waitFor();

  clicks = 0;
  clicks++;
  await page.locator("summary", { hasText: "Rotate" }).click();
  await page.locator("select[name=overlap]").selectOption("0");
  await click("Make the new key", "button");
  assert.equal(clicks, 2, "rotating, besides for how long");
  const fresh = (await page.locator("#key").innerText()).trim();
  assert.notEqual(fresh, key);
  assert.equal(await knock(fresh), 200);
  await eventually("the gateway refuses the old key", async () => await knock(key) === 401);
  await keepIt(page);
  await page.locator("summary", { hasText: /^Revoke/ }).click();
  const typed = page.getByLabel(/Type its name/);
  const name = /: (.+)$/.exec(
    await page.locator("label", { hasText: "Type its name" }).innerText(),
  );
  await typed.fill(name?.[1] ?? "");
  await click("Revoke the key for good", "button");
  await page.getByText("it was revoked on").first().waitFor();
  await eventually("the gateway refuses the revoked key", async () => await knock(fresh) === 401);
  assert.deepEqual(ada.complaints, []);
});

/** Presses for the key, and reads it. */
async function shownKey(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Show the key" }).click();
  return (await page.locator("#key").innerText()).trim();
}

/** Says that the key is kept. */
async function keepIt(page: Page): Promise<void> {
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("heading", { name: "Calls of the last 30 days" }).waitFor();
}
