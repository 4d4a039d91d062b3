/**
 * The palette in Chromium: by keyboard alone, with a pasted key, offline, on a phone, and for who
 * may do little.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type DemoServer, signIn, sizes, visit } from "./browser.ts";
import { eventually } from "../../test/support/eventually.ts";
import { desk } from "./desk.ts";

const palette = (page: Page) => page.getByRole("dialog", { name: "Search" });
const field = (page: Page) => palette(page).getByRole("combobox");
const chosen = (page: Page) => palette(page).getByRole("option", { selected: true });
const options = (page: Page) => palette(page).getByRole("option");

async function open(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
}

const copy = (page: Page, text: string) =>
  page.evaluate((one) => navigator.clipboard.writeText(one), text);

/** A key that is issued now, and whose it is. */
async function issue(server: DemoServer): Promise<{ secret: string; id: string; email: string }> {
  // as: the answers of the endpoints that are named.
  const { data: [developer] } = await server.call("GET", "/v1/developers?limit=1") as {
    data: { id: string; email: string }[];
  };
  const { data: plans } = await server.call("GET", "/v1/plans?state=active&limit=100") as {
    data: { id: string; auth_type: string }[];
  };
  assert.ok(developer);
  const { RawKey, key_id } = await server.call("POST", `/v1/developers/${developer.id}/keys`, {
    plans: plans.filter(({ auth_type }) => auth_type === "authToken").slice(0, 1).map((one) =>
      one.id
    ),
    deliver: "answer",
  }) as { RawKey: string; key_id: string };
  return { secret: RawKey, id: key_id, email: developer.email };
}

Deno.test("palette: opens in a field with single keys off; finds, opens, and gives the focus back", () =>
  desk(async (ada, page, server) => {
    await page.evaluate(() => localStorage.setItem("keydesk.single-keys", "off"));
    await page.reload();
    const box = page.getByRole("searchbox");
    await box.focus();
    await open(page);
    await options(page).filter({ hasText: "Issue a key" }).waitFor();
    await ada.show("palette/empty");
    // Screens at once; Esc empties, then closes.
    await page.keyboard.type("certif");
    await chosen(page).filter({ hasText: "Certificates" }).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await field(page).inputValue(), "");
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "detached" });
    assert.ok(await box.evaluate((one) => one === document.activeElement));
    const { data } = await server.call("GET", "/v1/developers?limit=1") as {
      data: { id: string; email: string }[];
    };
    const [someone] = data;
    assert.ok(someone);
    // Enter before the server has answered waits for what it finds.
    await open(page);
    await page.keyboard.type(someone.id);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/developers/${someone.id}`);
    await page.waitForFunction(() => document.activeElement?.matches(".drawer h2"));
    await open(page);
    await palette(page).getByRole("group", { name: "Last opened" }).waitFor();
    await page.keyboard.type("a");
    await palette(page).getByText("Best match").waitFor();
    await palette(page).getByRole("group", { name: "Developers" }).waitFor();
    for (const group of await palette(page).getByRole("group").all()) {
      assert.ok(await group.getByRole("option").count() <= 3);
    }
    await ada.show("palette/found");
    const [tab] = await Promise.all([
      ada.context.waitForEvent("page"),
      page.keyboard.press("Control+Enter"),
    ]);
    await tab.waitForURL("**/console/apis");
    await tab.close();
    await field(page).fill("0123456789abcdef nobody");
    await palette(page).getByText("Nothing called").first().waitFor();
    await ada.show("palette/nothing");
    // An action opens its dialog, and does nothing by itself.
    await field(page).fill("issue a");
    await chosen(page).filter({ hasText: "Issue a key" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: /issue/i }).waitFor();
    // A part of a screen, by what people call it.
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await open(page);
    await field(page).fill("webhook");
    await chosen(page).filter({ hasText: "Channels" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/settings?show=channels");
    await page.getByRole("button", { name: "Search…" }).click();
    await field(page).fill("issue a");
    await chosen(page).filter({ hasText: "Issue a key" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: /issue/i }).waitFor();
    // Over a dialog it does not open.
    await page.keyboard.press("Control+k");
    assert.equal(await palette(page).count(), 0);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    for (
      const [words, name] of [
        ["upload", /certificates/i],
        ["register", "Register a developer"],
        ["add a plan", /plan/i],
        ["add an api", /api/i],
        ["colleague", /person/i],
      ] as const
    ) {
      await page.getByRole("button", { name: "Search…" }).click();
      await field(page).fill(words);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  }, { expected: /404/ }));

/** A typed text, and the screen or part that it finds: by present words and by old ones. */
const FOUND: readonly (readonly [typed: string, title: string])[] = [
  ["home", "Home"],
  ["requests", "Requests"],
  ["key requests", "Requests"],
  ["keys", "Keys"],
  ["apis", "APIs"],
  ["catalogue", "APIs"],
  ["plans", "Plans"],
  ["developers", "Developers"],
  ["certificates", "Certificates"],
  ["logs", "Logs"],
  ["denied calls", "Logs"],
  ["door", "Logs"],
  ["refusals", "Logs"],
  ["gateways", "Gateways"],
  ["doors", "Gateways"],
  ["audit log", "Audit log"],
  ["trail", "Audit log"],
  ["activity", "Audit log"],
  ["settings", "Settings"],
  ["leaks", "Leaks"],
  ["leaked", "Leaks"],
  ["migration", "Migration"],
  ["moving in", "Migration"],
  ["deliveries", "Deliveries"],
  ["dead letters", "Deliveries"],
  ["channels", "Channels"],
  ["targets", "Channels"],
  ["temporary access", "Temporary access"],
  ["elevation", "Temporary access"],
  ["roles", "Roles"],
  ["sign-in", "Sign-in"],
  ["sso", "Sign-in"],
  ["branding", "Branding"],
  ["people", "People"],
  ["access tokens", "Access tokens"],
  ["alerts", "Alerts"],
  ["server", "Server"],
  ["pages", "Developer pages"],
];

Deno.test("palette: finds every screen and its parts by the field's words and by former ones", () =>
  desk(async (_ada, page, server) => {
    await server.call("POST", "/v1/keys/shadow", { key: "nobody knows it", api_id: "tides" });
    await eventually("the session says that there is a move", async () => {
      await page.reload();
      // as: the answer of GET /v1/session.
      const { moving } = await page.evaluate(() =>
        fetch("/v1/session").then((one) => one.json())
      ) as { moving: boolean };
      return moving;
    });
    // The page that was loaded before that call may hold an older session.
    await page.reload();
    await page.locator(".row-link").first().waitFor();
    await open(page);
    const titles = palette(page).getByRole("group", { name: /^(Best match|Go to)$/ })
      .locator(".palette-title");
    const lost: string[] = [];
    for (const [typed, title] of FOUND) {
      await field(page).fill(typed);
      await titles.first().waitFor();
      const found = await titles.allInnerTexts();
      if (!found.includes(title)) lost.push(`${typed}: ${title}, and not ${found.join(", ")}`);
    }
    assert.deepEqual(lost, []);
  }));

Deno.test("palette: a pasted key leads to its owner in three strokes, and stands nowhere", () =>
  desk(async (ada, page, server) => {
    const { secret, id, email } = await issue(server);
    const labels = { name: "Ferry kiosk", environment: "production" };
    await server.call("PUT", `/v1/keys/${id}/labels`, labels);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await copy(page, `Authorization: Bearer ${secret}`);
    const isShown = async () => {
      const kept = await page.evaluate(() =>
        JSON.stringify([
          localStorage,
          sessionStorage,
          location.href,
          history.state,
          document.title,
          document.documentElement.outerHTML,
          [...document.querySelectorAll("input")].map(({ value }) => value),
        ])
      );
      return kept.includes(secret);
    };
    await open(page);
    await page.keyboard.press("Control+v");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/console/keys/${id}`);
    await page.locator(".drawer").getByText(email).first().waitFor();
    assert.ok(!await isShown());
    // Typed after something else, and taken back, it is not there either.
    await open(page);
    await page.keyboard.type("x");
    await page.keyboard.press("Control+v");
    await palette(page).getByText("This key belongs to", { exact: true }).waitFor();
    await palette(page).getByText(email).first().waitFor();
    await palette(page).getByText(labels.name, { exact: true }).waitFor();
    await palette(page).getByText(labels.environment, { exact: true }).waitFor();
    assert.match(await field(page).inputValue(), /^[0-9A-Za-z_]+•{24}[0-9A-Za-z]{4}$/);
    assert.ok(!await isShown());
    await ada.show("palette/key");
    await page.keyboard.press("Control+z");
    assert.ok(!await isShown());
    await field(page).press("Control+v");
    await options(page).filter({ hasText: "Revoke it" }).waitFor();
    await page.keyboard.press("ArrowUp");
    await chosen(page).filter({ hasText: "Revoke it" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: /revoke/i }).waitFor();
    // as: the answer of GET /v1/keys/{id}.
    const read = async () => await server.call("GET", `/v1/keys/${id}`) as { state: string };
    assert.equal((await read()).state, "active");
    await page.keyboard.type("Found in a repository");
    await page.keyboard.press("Enter");
    await page.getByText("Revoked for good.").waitFor();
    await open(page);
    await page.keyboard.press("Control+v");
    await options(page).first().waitFor();
    await palette(page).getByText("Revoked", { exact: true }).waitFor();
    assert.deepEqual(
      (await options(page).allInnerTexts()).filter((text) => !text.startsWith("Open ")),
      [],
    );
    await copy(page, "kd_live_8xK2mQ9");
    await field(page).press("Control+v");
    await palette(page).getByText("Paste the whole key", { exact: true }).waitFor();
    await ada.show("palette/half");
    await copy(page, "b6f2a4c1d8e34f5a9b7c2d1e0f3a4b5c");
    await field(page).press("Control+v");
    await palette(page).getByText("No key of this server", { exact: true }).waitFor();
    await ada.show("palette/no-key");
    // What was taken for a key is shown only to who chose that.
    assert.equal(await chosen(page).count(), 0);
    await page.keyboard.press("Backspace");
    assert.equal(await field(page).inputValue(), "");
    assert.ok(!asked.some((url) => url.includes(encodeURIComponent(secret))));
  }, { expected: /404/ }));

Deno.test("palette: while the server is away it finds screens, and says so", () =>
  desk(async (ada, page, server) => {
    // Its code is there from then on.
    await open(page);
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "detached" });
    await server.restart(async () => {
      await page.keyboard.press("g");
      await page.keyboard.press("d");
      await page.getByText("The server does not answer. What you see").waitFor();
      await open(page);
      await palette(page).getByText("only screens are found").waitFor();
      assert.equal(await palette(page).getByRole("group", { name: "Do" }).count(), 0);
      await ada.show("palette/offline");
      await copy(page, "b6f2a4c1d8e34f5a9b7c2d1e0f3a4b5c");
      await page.keyboard.press("Control+v");
      await palette(page).getByText("Paste the key again").first().waitFor();
    });
  }, { expected: /Failed to load resource/ }));

Deno.test("palette: on a phone it fills the screen, and lists no more than one may open", () =>
  desk(async (_ada, _page, server, browser) => {
    // as: the answers of the endpoints that are named.
    const { id } = await server.call("POST", "/v1/people", {
      name: "Rita",
      permissions: ["certs:read"],
    }) as { id: string };
    const issued = await server.call("POST", `/v1/people/${id}/access-tokens`, {
      name: "phone",
      deliver: "answer",
    }) as { id: string };
    await using rita = await visit(browser, { size: sizes.phone, expected: /403/ });
    const { page } = rita;
    await page.goto(await server.link(issued.id));
    await page.getByRole("heading", { level: 1, name: "Certificates" }).waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Search…" }).click();
    await options(page).first().waitFor();
    assert.deepEqual((await options(page).allInnerTexts()).map((text) => text.split("\n")[0]), [
      "Home",
      "Certificates",
      "Settings",
    ]);
    await field(page).fill("webhook");
    await palette(page).getByText("Nothing called").first().waitFor();
    await field(page).fill("");
    await options(page).first().waitFor();
    const box = await palette(page).boundingBox();
    assert.deepEqual([box?.width, box?.height], [sizes.phone.width, sizes.phone.height]);
    assert.ok(((await options(page).first().boundingBox())?.height ?? 0) >= 44);
    await rita.show("palette/phone");
    await using ada = await visit(browser, { size: sizes.phone });
    await signIn(ada, server);
    await open(ada.page);
    await ada.page.keyboard.type("a");
    await palette(ada.page).getByRole("group", { name: "Developers" }).waitFor();
    await ada.show("palette/phone-all");
  }));
