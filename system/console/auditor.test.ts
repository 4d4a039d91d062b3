/**
 * Whoever holds `admin:read` walks through the console in Chromium: what they may read is there,
 * and nothing that they press is refused.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type DemoServer, openSession, visit } from "./browser.ts";
import { desk } from "./desk.ts";

/** What settings the auditor reads, by what the server is asked. */
const READ = [
  "/v1/people",
  "/v1/people/{id}",
  "/v1/access-tokens",
  "/v1/access-tokens/{id}",
  "/v1/people/{id}/ways-in",
  "/v1/people/{id}/permissions",
  "/v1/people/sign-ins",
  "/v1/roles",
  "/v1/channels",
  "/v1/channels/{id}",
  "/v1/settings/alerts",
  "/v1/branding",
  "/v1/server",
  "/v1/developer-pages",
  "/v1/developer-pages/fields",
  "/v1/sign-in-rules",
  "/v1/identity-providers",
  "/v1/deliveries",
  "/v1/deliveries/counts",
  "/v1/audit-log",
  "/v1/certificates",
];

const pathOf = (url: string) => new URL(url).pathname.replace(/\/[0-9a-f]{24}(?=\/|$)/, "/{id}");

/** The session's credential id of somebody with a role. */
async function withRole(server: DemoServer, role: string): Promise<string> {
  const { id } = await server.call("POST", "/v1/people", { name: `The ${role}`, role }) as {
    id: string;
  };
  const issued = { name: "laptop", deliver: "answer" };
  const token = await server.call("POST", `/v1/people/${id}/access-tokens`, issued) as {
    id: string;
  };
  return token.id;
}

/** Where one comes by the screens, and what opens the first thing there. */
async function places(server: DemoServer): Promise<string[]> {
  const { data: [person] } = await server.call("GET", "/v1/people") as { data: { id: string }[] };
  const { data: [token] } = await server.call("GET", "/v1/access-tokens") as {
    data: { id: string }[];
  };
  const mail = { kind: "mail", name: "Mail", mail: {} };
  const channel = await server.call("POST", "/v1/channels", mail) as { id: string };
  const tabs = ["channels", "alerts", "you", "brand", "server", "pages", "sign-in", "roles"];
  return [
    "/home",
    ...["requests", "keys", "certificates", "developers", "apis", "audit-log"]
      .map((one) => `/${one}`),
    "/logs",
    "/keys?leaked=reports",
    "/settings?show=deliveries",
    "/settings?show=deliveries&state=waiting",
    "/settings?show=people",
    `/settings/${person?.id}?show=people`,
    "/settings?show=access-tokens",
    `/settings/${token?.id}?show=access-tokens`,
    `/settings/${channel.id}?show=channels`,
    ...tabs.map((tab) => `/settings?show=${tab}`),
  ];
}

/** Opens a place, and what its list begins with. */
async function open(page: Page, server: DemoServer, place: string): Promise<void> {
  await page.goto(`${server.url}/console${place}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  const why = page.getByText("What they can do, and why");
  if (await why.count() > 0) {
    await why.click();
    await page.locator(".person-can").waitFor();
  }
  const row = page.locator("main .row-link").first();
  if (/^\/[a-z-]+$/.test(place) && await row.count() > 0) {
    await row.click();
    await page.locator(".drawer").waitFor();
    await page.waitForLoadState("networkidle");
  }
}

/** What can be pressed there: buttons, but not those of the side bar. */
async function buttonsOf(page: Page): Promise<string[]> {
  const buttons = page.locator("main button:visible:enabled, .drawer button:visible:enabled");
  const names = await buttons.evaluateAll((all) =>
    all.map((one) => one.getAttribute("aria-label") ?? one.textContent?.trim() ?? "")
  );
  return [...new Set(names)];
}

Deno.test("auditor: every screen is read, nothing pressed is refused, and nothing shown changes anything", () =>
  desk(async (ada, page, server, browser) => {
    const all = await places(server);
    const asAdministrator = new Map<string, string[]>();
    for (const place of all) {
      await open(page, server, place);
      asAdministrator.set(place, await buttonsOf(page));
    }
    await using radia = await visit(browser, { expected: /Failed to load resource/ });
    await openSession(radia, server, await withRole(server, "auditor"));
    const refused: string[] = [];
    const read = new Set<string>();
    const changes: string[] = [];
    radia.page.on("response", (response) => {
      const { method, url } = { method: response.request().method(), url: response.url() };
      const path = pathOf(url);
      if (response.status() === 403) refused.push(`${method} ${path}`);
      if (method === "GET") read.add(path);
      // Asking what a session may do, and one's own choices, change nothing of anybody.
      else changes.push(`${method} ${path}`);
    });
    const pressed = new Set<string>();
    for (const place of all) {
      await open(radia.page, server, place);
      const names = await buttonsOf(radia.page);
      // None that an administrator has not.
      const more = names.filter((one) => !asAdministrator.get(place)?.includes(one));
      assert.deepEqual(more.filter((one) => !/^(Copy|Copied|Show|Hide) /.test(one)), [], place);
      for (const name of names) {
        // Signing out, and one's own ways in, are for a test of their own.
        if (name === "" || pressed.has(name) || place.includes("show=you")) continue;
        pressed.add(name);
        await open(radia.page, server, place);
        const one = radia.page.locator("main, .drawer")
          .getByRole("button", { name, exact: true }).first();
        if (await one.count() === 0 || !await one.isVisible()) continue;
        await one.click();
        await radia.page.waitForLoadState("networkidle");
      }
    }
    assert.deepEqual(refused, []);
    assert.deepEqual(changes.filter((one) => !/\/views|\/session/.test(one)), []);
    assert.deepEqual(READ.filter((one) => !read.has(one)), [], "what is not read anywhere");
    assert.ok(pressed.size > 20, [...pressed].join());
    // What changes something is there for the administrator alone.
    const shown = new Set([...asAdministrator.values()].flat());
    for (
      const name of ["Add a person", "Invite a person", "Change", "Deactivate", "Add a channel"]
    ) {
      assert.ok([...shown].some((one) => one.startsWith(name)), name);
      assert.ok(![...pressed].some((one) => one.startsWith(name)), name);
    }
    assert.deepEqual(ada.complaints, []);
  }));

Deno.test("auditor: by keys nothing is changed either, and who only reads settings begins there", () =>
  desk(async (_ada, _page, server, browser) => {
    await using reader = await visit(browser, { expected: /Failed to load resource/ });
    const { id } = await server.call("POST", "/v1/people", {
      name: "Reader",
      permissions: ["admin:read"],
    }) as { id: string };
    const issued = { name: "laptop", deliver: "answer" };
    const token = await server.call("POST", `/v1/people/${id}/access-tokens`, issued) as {
      id: string;
    };
    await openSession(reader, server, token.id);
    const { page } = reader;
    // Settings are shown as they are, disabled, with the reason.
    await page.goto(`${server.url}/console/settings?show=brand`);
    await page.getByText("To change this you need the permission “Administer people").waitFor();
    assert.ok(await page.getByLabel("Support address").isDisabled());
    await page.goto(`${server.url}/console/settings/${id}`);
    await page.getByRole("heading", { level: 2, name: "Reader" }).waitFor();
    await page.getByText("What they can do, and why").click();
    await page.getByText("read people, settings, channels and deliveries").first().waitFor();
    for (const key of ["e", "i", "n"]) await page.keyboard.press(key);
    assert.equal(await page.getByRole("dialog").count(), 0);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("settings");
    await page.getByRole("option").first().waitFor();
    assert.equal(await page.getByRole("option", { name: "Add a person" }).count(), 0);
  }));
